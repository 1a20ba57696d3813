"""What a kind of reader supplies that says nothing unless it is asked: its questions and their answers.

Building block for all such kinds (`feig_obid`, `pn532`, `yrm100`, `r2000`). A kind is one `Asker` and one
line in `kinds.KINDS` (`_asked(make_asker)`); `asked_session` holds the conversation, `asked_reader`
turns finished polls into arrivals and departures. An asker has no state: the conversation so far comes with
each call.

start-up    The questions of `start_up`, in order, each answered before the next is asked. The first one's
            answer must be mistaken for no answer to a poll: what comes before it is late and dropped.
poll        Antenna after antenna (`turns`): `begin` gives the first command, `judge` takes each frame that
            comes: the poll goes on (`Pending`, perhaps with the next command), is over and names all tags
            (`WHOLE`), or failed (`Failed`: an error status, which proves nothing about any tag).
keep-alive  `keep_alive`, when nothing else has been asked for a second.
unasked     `unasked` takes frames that answer no question.

One command is outstanding at a time. If it is not answered within `answer_ms`, the start-up conversation is
held again before the next poll, so that a late answer never counts for another antenna.
"""

from abc import ABC, abstractmethod

import msgspec

from protocol.messages import Ack, HostCommand, Message, Refused


class Question(msgspec.Struct, frozen=True):
    """One command and the answer that it must get.

    `answer` is a type of message, or the command that an Ack names; a Refused that names `answer` or the
    command itself is a refusal. Without a question that `is_needed` the reader is of no use; others are
    given up when they stay unanswered or are refused.
    """

    command: HostCommand
    answer: type[Message] | str
    is_needed: bool = True

    def is_answer(self, message: Message) -> bool:
        """Whether `message` answers this question, be it with a refusal."""
        if isinstance(message, Refused):
            return message.command in (self.answer, self.command.command)
        if isinstance(self.answer, str):
            return isinstance(message, Ack) and message.command == self.answer
        return isinstance(message, self.answer)


class Pending(msgspec.Struct, frozen=True):
    """The poll goes on: `command` is asked next (None: more frames come by themselves).

    `over_after_ms`: if no further frame of the poll comes for so long, the poll is over and clean, for
    readers that do not mark the last frame of a poll (None: that would be a missing answer). `is_gap`: the
    reader says that it lost something, so the poll proves no absence. `needs_new`: if the frame names only
    tags that the poll has named before, the reader goes round in circles, and the poll is over.
    """

    command: HostCommand | None = None
    over_after_ms: int | None = None
    is_gap: bool = False
    needs_new: bool = False


class Whole(msgspec.Struct, frozen=True):
    """The poll is over, and its frames name every tag that is there."""


class Failed(msgspec.Struct, frozen=True):
    """The reader answered with an error: the tags of the poll were seen, no other is proven absent."""

    code: int
    text: str


class Told(msgspec.Struct, frozen=True):
    """A frame that came unasked and is known: its tags are sightings. `command` is sent, and no answer to it
    is waited for."""

    command: HostCommand | None = None


WHOLE = Whole()
Verdict = Pending | Whole | Failed


class Asker(ABC):
    """One kind of reader; see the module's docstring.

    `turns` are the antennas to poll, in order (of a reader that names the antenna in each tag: a single 0;
    empty: never asked for tags). `answer_ms` is the longest time to any answer, in ms. `noise_spoils_polls`:
    a lost frame of a poll goes unnoticed but for dropped bytes, so a poll beside which bytes were dropped
    proves no absence; False where each answer is one frame that was asked for.
    """

    start_up: tuple[Question, ...]
    keep_alive: Question
    turns: tuple[int, ...]
    answer_ms: int = 1_000
    noise_spoils_polls: bool = False

    @abstractmethod
    def begin(self, antenna: int) -> HostCommand:
        """The command that begins a poll of `antenna` (one of `turns`)."""

    @abstractmethod
    def judge(self, antenna: int, asked: HostCommand, messages: tuple[Message, ...]) -> Verdict | None:
        """What one frame means for the poll of `antenna` whose newest command is `asked`; None when it does
        not belong to the poll. The session collects the TagSeen of the frames that do."""

    def is_receipt(self, messages: tuple[Message, ...]) -> bool:
        """Whether a frame says only that a command has arrived: it answers nothing, and its sender may yet
        stay silent."""
        return False

    def unasked(self, messages: tuple[Message, ...]) -> Told | None:
        """A frame that answers no question; None: a fault in it is told, the rest counted and dropped."""
        return None
