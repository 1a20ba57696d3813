"""Reads a profile and refuses one that cannot be followed: file, line, reason."""

from collections.abc import Iterator
from functools import cache
from typing import get_args

import msgspec

from shoe_bridge.rules.files import Source, names_in, read_source, refuse_in
from shoe_bridge.rules.games import game_names
from shoe_bridge.rules.profile import Profile, Rule, Settings
from shoe_bridge.table.findings import AnyFinding
from shoe_bridge.toml_file import PROFILE, fit, refuse_foreign
from shoe_bridge.toml_lines import KeyPath
from shoe_bridge.toml_schema import Complaint, near_miss, shown, words

FOLDER = "profiles"
_WHAT = "rule profile"
_SPECIAL = ("count_error_board", "order_error_first_card")  # cases of a kind that a rule may be about alone
KINDS = (*(str(kind.__struct_config__.tag) for kind in get_args(AnyFinding)), *_SPECIAL)
_EXAMPLES = {
    "profile": 'such as profile = "house"',
    "version": 'such as version = "1"',
    "title": "what the rules are called, in quotes",
    "decides": 'who decides, such as decides = "supervisor"',
    "rules": 'a section for each rule, such as [rules."19.1(c)"]',
    "checks": "sections such as [checks.order]",
    "status": 'status = "held", "follows", "inferred" or "missing"',
    "rule": "the number of a rule of this profile",
}
_NAMES_A_RULE = ("rule", "later_rule", "last_rule", "button_rule", "joker_rule", "uncorrected_rule")


def profile_names() -> tuple[str, ...]:
    """The profiles that come with this build."""
    return names_in(FOLDER)


def open_profile(name: str) -> Profile:
    """The profile of that name, or of the file at that path; ConfigError where it cannot be followed."""
    return _built_in(name) if name in profile_names() else _read(name)


def rules_of_build() -> frozenset[str]:
    """The numbers of all rules in the profiles that come with this build."""
    return frozenset(rule for name in profile_names() for rule in open_profile(name).rules)


@cache
def _built_in(name: str) -> Profile:
    return _read(name)


def _read(name: str) -> Profile:
    source = read_source(name, FOLDER, _WHAT)
    refuse_foreign(source.document, source.path, PROFILE)
    profile = fit(source.document, Profile, source.text, source.path, _EXAMPLES)
    refuse_in(source, list(_complaints(profile, source)))
    return profile


def _complaints(profile: Profile, source: Source) -> Iterator[Complaint]:
    if not source.is_built_in and profile.profile in profile_names():
        yield Complaint(
            ("profile",),
            f"{shown(profile.profile)} is a profile of this build, expected a name of the house's own",
        )
    yield from _rule_complaints(profile)
    yield from _stand_in_complaints(profile)
    for kind, rules in profile.findings.items():
        if kind not in KINDS:
            yield Complaint(("findings", kind), f"there is no finding {shown(kind)}{near_miss(kind, KINDS)}")
        for number, rule in enumerate(rules):
            yield from _known_rule(profile, rule, ("findings", kind, number))
    for field in msgspec.structs.fields(profile.checks):
        path: KeyPath = ("checks", field.name)
        found = getattr(profile.checks, field.name)
        if isinstance(found, tuple):
            for number, check in enumerate(found):
                yield from _check_complaints(profile, check, (*path, number))
        elif found is not None:
            yield from _check_complaints(profile, found, path)
    yield from _setting_complaints(profile)


def _rule_complaints(profile: Profile) -> Iterator[Complaint]:
    for number, rule in profile.rules.items():
        path: KeyPath = ("rules", number)
        if rule.status == "missing" and (rule.then or rule.says):
            yield Complaint(
                path, f"rule {number} is missing and yet says something, expected no says and no then"
            )
        if rule.status != "missing" and not rule.says:
            yield Complaint(path, f"rule {number} is {rule.status} and says nothing, expected says = ...")
        yield from _known_games(rule.games, (*path, "games"))


def _known_games(games: tuple[str, ...], path: KeyPath) -> Iterator[Complaint]:
    for number, game in enumerate(games):
        if game not in game_names():
            sentence = f"there is no game {shown(game)}{near_miss(game, game_names())}"
            yield Complaint((*path, number), sentence)


def _stand_in_complaints(profile: Profile) -> Iterator[Complaint]:
    """A stand-in leads to a topic or a rule that lacks its text, and never back to itself."""
    for number, rule in profile.rules.items():
        path: KeyPath = ("rules", number, "stands_in_for")
        below = rule.stands_in_for
        if below is None:
            continue
        if below not in profile.rules and below not in profile.topics:
            known = (*profile.rules, *profile.topics)
            yield Complaint(path, f"there is no rule or topic {shown(below)}{near_miss(below, known)}")
        elif chain := _cycle(profile.rules, number):
            sentence = (
                f"rule {number} stands in for itself, {words(chain, 'and')}, expected a text that is missing"
            )
            yield Complaint(path, sentence)


def _cycle(rules: dict[str, Rule], start: str) -> list[str]:
    """The rules that lead from `start` back to it; empty where they do not."""
    chain = [start]
    while True:
        following = rules[chain[-1]].stands_in_for if chain[-1] in rules else None
        if following is None or (following in chain and following != start):
            return []
        chain.append(following)
        if following == start:
            return chain


def _check_complaints(profile: Profile, check: msgspec.Struct, path: KeyPath) -> Iterator[Complaint]:
    for name in _NAMES_A_RULE:
        rule = getattr(check, name, None)
        if rule is not None:
            yield from _known_rule(profile, rule, (*path, name))
    yield from _known_games(getattr(check, "games", ()), (*path, "games"))


def _known_rule(profile: Profile, rule: str, path: KeyPath) -> Iterator[Complaint]:
    found = profile.rules.get(rule)
    if found is None:
        yield Complaint(
            path, f"there is no rule {shown(rule)} in this profile{near_miss(rule, profile.rules)}"
        )
    elif found.status == "missing":
        yield Complaint(
            path, f"the text of rule {rule} is missing, expected a rule from which something follows"
        )


def _setting_complaints(profile: Profile) -> Iterator[Complaint]:
    settings = profile.settings
    if not (settings.action_players or settings.action_count or settings.action_count_chips):
        yield Complaint(
            ("settings",), "nothing makes substantial action, expected action_players or action_count above 0"
        )
    known = [field.name for field in msgspec.structs.fields(Settings)]
    for name, reading in profile.readings.items():
        for number, switch in enumerate(reading.switches):
            if switch not in known:
                yield Complaint(
                    ("readings", name, "switches", number),
                    f"there is no setting {shown(switch)}{near_miss(switch, known)}",
                )
