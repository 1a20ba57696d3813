"""The shell: the only place that awaits."""
