import json
import random

import pytest

from protocol.json_text import JsonWalk

TEXTS = [
    b"{}",
    b'{"a":1}',
    b'{ "a" : [ ] , "b" : { } }',
    b'{\r\n\t"uid":\t"94D064EB",\r\n\t"known_tag":\tfalse\r\n}',
    b'{"quote":"\\"","brace":"}{","slash":"\\\\"}',
    b'{"n":-1.5e+3,"l":[1,[2,{"x":null}]],"unicode":"\\u00e9\xc3\xa9"}',
]
NO_TEXTS = [
    b"{{",
    b"{1",
    b"{,",
    b'{"a"}',
    b'{"a",',
    b'{"a":}',
    b'{"a":1 2',
    b'{"a":1,}',
    b'{"a":[}',
    b'{"a":[1}',
    b'{"a":1]',
    b'{"a\n',
    b'{"a\x00',
    b'{"\\q',
    b"{\xf5",
    b'{"\xf5',
    b'{"\xff',
    b'{"\x7f',
]


def whole_walk(text: bytes, deepest: int = 8) -> int:
    return JsonWalk(deepest).walk(text, 1, len(text))


@pytest.mark.parametrize("text", TEXTS)
def test_ends_at_the_brace_that_matches(text: bytes) -> None:
    assert whole_walk(text + b'{"next":1}') == len(text)
    assert isinstance(json.loads(text), dict)


@pytest.mark.parametrize("text", TEXTS)
def test_goes_on_until_that_brace_wherever_the_text_is_cut(text: bytes) -> None:
    for cut in range(1, len(text)):
        walk = JsonWalk(8)
        assert walk.walk(text, 1, cut) == 0
        assert walk.walked == cut
        assert walk.walk(text, cut, len(text)) == len(text)


@pytest.mark.parametrize("text", NO_TEXTS)
def test_refuses_at_the_byte_that_json_cannot_have(text: bytes) -> None:
    assert whole_walk(text) == -1
    assert whole_walk(text[:-1]) == 0


def test_nesting_is_bounded() -> None:
    deep = b'{"a":' * 3 + b"1" + b"}" * 3
    assert whole_walk(deep, deepest=3) == len(deep)
    assert whole_walk(deep, deepest=2) == -1
    assert whole_walk(b'{"a":[[[', deepest=3) == -1


def test_walks_whatever_json_can_print() -> None:
    rng = random.Random(5)

    def value(depth: int) -> object:
        kind = rng.randrange(7 if depth else 5)
        if kind < 5:
            return (rng.random() * 1e6, rng.randrange(-9, 9), True, None, 'a"\\{}[]\n\té')[kind]
        members = [value(depth - 1) for _ in range(rng.randrange(4))]
        return members if kind == 5 else {f"k{index}": member for index, member in enumerate(members)}

    for _ in range(200):
        text = json.dumps(
            {"v": value(4)}, indent=rng.choice((None, "\t", 2)), ensure_ascii=rng.random() < 0.5
        )
        assert whole_walk(text.encode() + b"x") == len(text.encode())


PIECES = [
    b'"a"',
    b'"',
    b":",
    b",",
    b"{",
    b"}",
    b"[",
    b"]",
    b" ",
    b"\n",
    b"1",
    b"true",
    b"\\",
    b'\\"',
    b"\xc3\xa9",
]
PIECES += [b'"a":1', b'"b" : "c"', b',"d":"\\n"', b"\xff", b"\x00"]


def test_a_whole_object_is_found_at_once_where_a_walk_byte_by_byte_finds_it() -> None:
    rng = random.Random(7)
    found = 0
    for _ in range(20_000):
        text = b"{" + b"".join(rng.choices(PIECES, k=rng.randrange(8))) + b"}" * rng.randrange(2)
        walk, steps = JsonWalk(8), JsonWalk(8)
        end = walk.walk(text, 1, len(text))
        for at in range(1, len(text)):
            stepped = steps.walk(text, at, at + 1)
            if stepped:
                break
        else:
            stepped = 0
        assert end == stepped
        assert end or walk.walked == len(text)
        found += end > 0
    assert found > 1_000
