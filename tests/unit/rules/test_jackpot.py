"""The jackpot: worked examples, rules named, fractions, several tables, refusals."""

import msgspec
import pytest

from shoe_bridge.rules.jackpot import (
    NZ_PRIZES,
    Award,
    Pool,
    Prize,
    Prizes,
    Rounding,
    Settlement,
    SplitPool,
    is_qualifying,
    payment_order,
    settle,
    settle_tables,
)

# Two hands of each kind that can stand in one round, by the letters of the examples: Royal flush,
# Straight flush, 4 of a kind, full House, fLush, and a hand that wins nothing.
SHOWN = {
    "R": ("As Ks Qs Js Ts", "Ah Kh Qh Jh Th"),
    "S": ("5d 6d 7d 8d 9d", "Ac 2c 3c 4c 5c", "9h 8h 7h 6h 5h"),
    "4": ("2s 2h 2d 2c Kd",),
    "H": ("9s 9h 9c 8s 8c",),
    "L": ("3d 4d Td Jd Qd",),
    "-": ("Ac Kc 9c 3s 3h", "Tc Jd Qs Kc Ad"),
}
CENTS = 100

# name, pool in dollars, hands of seats 1, 2, ... as letters, what each gets, pool after, shortfall (dollars)
EXAMPLES = [
    ("E1", 87_654.30, "R", [87_654.30], 0, 0),
    ("E2", 6_200, "R", [10_000], 0, 3_800),
    ("E3", 87_654.30, "S", [8_765.43], 78_888.87, 0),
    ("E4", 6_200, "S", [1_000], 5_200, 0),
    ("E5", 20_000, "4HL", [500, 150, 100], 19_250, 0),
    ("E6", 20_000, "S4", [1_950, 500], 17_550, 0),
    ("E7", 50_000, "SS", [5_000, 5_000], 40_000, 0),
    ("E8", 50_000, "SSH", [4_985, 4_985, 150], 39_880, 0),
    ("E9", 9_000, "SS", [1_000, 1_000], 7_000, 0),
    ("E10", 100_000, "RS4", [89_550, 9_950, 500], 0, 0),
    ("E11", 50_000, "RR", [25_000, 25_000], 0, 0),
    ("E12", 15_000, "RR", [10_000, 10_000], 0, 5_000),
    ("E13", 60_000, "RRS4L", [26_730, 26_730, 5_940, 500, 100], 0, 0),
    ("E14", 10_500, "RS", [10_000, 1_050], 0, 550),
    ("E15", 10_300, "R4", [10_000, 500], 0, 200),
    ("E16", 400, "S4", [1_000, 500], 0, 1_100),
    ("E17", 12_000, "SSS", [1_200, 1_200, 1_200], 8_400, 0),
    # a royal flush stood at that table too, without a wager: it is left out (reading A19)
    ("A19", 30_000, "SL", [2_990, 100], 26_910, 0),
]


def cards(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def cents(dollars: float) -> int:
    return round(dollars * CENTS)


def round_of(letters: str) -> dict[int, tuple[str, ...]]:
    """Hands for seats 1, 2, ... from the letters of SHOWN."""
    left = {letter: iter(texts) for letter, texts in SHOWN.items()}
    return {seat: cards(next(left[letter])) for seat, letter in enumerate(letters, 1)}


@pytest.mark.parametrize(
    ("name", "pool", "letters", "gets", "after", "shortfall"), EXAMPLES, ids=[row[0] for row in EXAMPLES]
)
def test_worked_example(
    name: str, pool: float, letters: str, gets: list[float], after: float, shortfall: float
) -> None:
    done = settle(Pool(cents(pool)), round_of(letters))
    assert done.awards == {str(seat): cents(dollars) for seat, dollars in enumerate(gets, 1)}
    assert done.pool_after_cents == cents(after)
    assert done.shortfall_cents == cents(shortfall)
    assert (done.pool_major_after_cents, done.pool_minor_after_cents) == (None, None)
    assert not done.has_fraction
    assert sum(done.awards.values()) == cents(pool) - cents(after) + cents(shortfall)


@pytest.mark.parametrize(("name", "pool", "letters"), [row[:3] for row in EXAMPLES])
def test_seats_and_losing_hands_change_nothing(name: str, pool: float, letters: str) -> None:
    """The same hands at other seats, beside a pair and a straight, are paid the same."""
    plain = settle(Pool(cents(pool)), round_of(letters))
    turned = round_of("-" + letters[::-1] + "-")
    moved = settle(Pool(cents(pool)), dict(reversed(turned.items())))
    assert sorted(moved.awards.values()) == sorted(plain.awards.values())
    assert list(moved.awards) == [str(seat) for seat in range(2, len(letters) + 2)]
    assert (moved.pool_after_cents, moved.shortfall_cents) == (plain.pool_after_cents, plain.shortfall_cents)


def test_worked_example_18_pool_in_two_parts() -> None:
    done = settle(SplitPool(40_000_00, 3_000_00), round_of("RS4"))
    assert done.awards == {"1": 36_000_00, "2": 4_000_00, "3": 500_00}
    assert (done.pool_major_after_cents, done.pool_minor_after_cents) == (0, 2_500_00)
    assert done.pool_after_cents is None
    assert done.shortfall_cents == 0


def test_one_part_does_not_make_good_the_other() -> None:
    done = settle(SplitPool(40_000_00, 300_00), round_of("4"))
    assert (done.pool_major_after_cents, done.pool_minor_after_cents) == (40_000_00, 0)
    assert done.shortfall_cents == 200_00
    done = settle(SplitPool(600_00, 5_000_00), round_of("SH"))
    assert done.awards == {"1": 1_000_00, "2": 150_00}
    assert (done.pool_major_after_cents, done.pool_minor_after_cents) == (0, 4_850_00)
    assert done.shortfall_cents == 400_00


def test_minor_prizes_do_not_lower_the_base_of_major() -> None:
    assert settle(SplitPool(20_000_00, 3_000_00), round_of("S4")).awards["1"] == 2_000_00
    assert settle(Pool(20_000_00), round_of("S4")).awards["1"] == 1_950_00


def test_nobody_qualifies() -> None:
    for hands in ({}, round_of("--")):
        done = settle(Pool(12_345), hands)
        assert done == Settlement((), 12_345, None, None, 0, False)


def test_each_award_names_its_rule() -> None:
    """11.9 while one hand qualifies, 11.10 from two on; losing hands do not count."""
    assert settle(Pool(20_000_00), round_of("-S")).grants == (
        Award("2", "straight_flush", 2_000_00, "11.9(b)"),
    )
    many = settle(Pool(60_000_00), round_of("RS4HL")).grants
    assert [(grant.category, grant.rule) for grant in many] == [
        ("royal_flush", "11.10(c)"),
        ("straight_flush", "11.10(b)"),
        ("four_of_a_kind", "11.10(a)"),
        ("full_house", "11.10(a)"),
        ("flush", "11.10(a)"),
    ]


@pytest.mark.parametrize(
    ("pool", "letters", "gets", "after"),
    [
        (20_000_04, "S", [2_000_00], 18_000_04),  # 2,000.004
        (20_000_05, "S", [2_000_01], 18_000_05),  # 2,000.005 and 18,000.045: half a cent up
        (20_000_06, "S", [2_000_01], 18_000_05),  # 2,000.006 and 18,000.054
        (50_000_01, "RR", [25_000_01, 25_000_01], 0),
    ],
)
def test_fractions_of_a_cent_are_shown_rounded_and_flagged(
    pool: int, letters: str, gets: list[int], after: int
) -> None:
    done = settle(Pool(pool), round_of(letters))
    assert list(done.awards.values()) == gets
    assert done.pool_after_cents == after
    assert done.has_fraction


@pytest.mark.parametrize(
    ("rounding", "gets", "after"),
    [("nearest", 2_000_01, 18_000_05), ("down", 2_000_00, 18_000_04), ("up", 2_000_01, 18_000_05)],
)
def test_a_fraction_is_shown_as_it_is_read(rounding: Rounding, gets: int, after: int) -> None:
    """2,000.005 of 20,000.05, and 18,000.045 left."""
    done = settle(Pool(20_000_05), round_of("S"), rounding=rounding)
    assert (done.awards, done.pool_after_cents, done.has_fraction) == ({"1": gets}, after, True)
    linked = settle_tables(Pool(20_000_05), {"A": round_of("S")}, ["A"], rounding=rounding)
    assert (linked.awards, linked.pool_after_cents) == ({"A:1": gets}, after)
    whole = settle(Pool(20_000_00), round_of("S"), rounding=rounding)
    assert (whole.awards, whole.has_fraction) == ({"1": 2_000_00}, False)


def test_fractions_stay_exact_from_one_table_to_the_next() -> None:
    """Seven tables with a straight flush each leave 20,000.05 * 0.9 ** 7 = 9,565.9619...; rounding at each
    table would end at 9,565.97."""
    names = [f"T{number}" for number in range(7)]
    tables = {name: {1: cards("5d 6d 7d 8d 9d")} for name in names}
    done = settle_tables(Pool(20_000_05), tables, names)
    assert done.pool_after_cents == 9_565_96
    assert done.has_fraction


def test_tables_are_paid_in_order_from_what_is_left() -> None:
    tables = {
        "A": {2: cards("5d 6d 7d 8d 9d")},
        "B": {6: cards("As Ks Qs Js Ts"), 3: cards("Ah Kd 9c 3s 3h")},
    }
    first_a = settle_tables(Pool(50_000_00), tables, ("A", "B"))
    assert first_a.awards == {"A:2": 5_000_00, "B:6": 45_000_00}
    assert first_a.order == ("A", "B")
    assert (first_a.pool_after_cents, first_a.shortfall_cents) == (0, 0)
    first_b = settle_tables(Pool(50_000_00), tables, ("B", "A"))
    assert first_b.awards == {"B:6": 50_000_00, "A:2": 1_000_00}
    assert list(first_b.awards) == ["B:6", "A:2"]
    assert (first_b.pool_after_cents, first_b.shortfall_cents) == (0, 1_000_00)


def test_hands_of_one_table_stand_together_and_of_two_do_not() -> None:
    """Two royals at one table share; at two tables the first takes all and the second its floor. A table
    with one qualifying hand is under 11.9."""
    royals = round_of("RR")
    assert set(settle_tables(Pool(50_000_00), {"A": royals}, ["A"]).awards.values()) == {25_000_00}
    apart = settle_tables(Pool(50_000_00), {"A": {1: royals[1]}, "B": {2: royals[2]}}, ["B", "A"])
    assert apart.awards == {"B:2": 50_000_00, "A:1": 10_000_00}
    assert {grant.rule for grant in apart.grants} == {"11.9(a)"}


def test_tables_on_a_pool_in_two_parts() -> None:
    tables = {"A": round_of("S4"), "B": round_of("SL")}
    done = settle_tables(SplitPool(20_000_00, 550_00), tables, ["A", "B"])
    assert done.awards == {"A:1": 2_000_00, "A:2": 500_00, "B:1": 1_800_00, "B:2": 100_00}
    assert (done.pool_major_after_cents, done.pool_minor_after_cents) == (16_200_00, 0)
    assert done.shortfall_cents == 50_00


def test_payment_order_is_by_time_then_name() -> None:
    assert payment_order({"A": 30, "B": 10, "C": 20}) == ("B", "C", "A")
    assert payment_order({"C": 5, "A": 5}) == payment_order({"A": 5, "C": 5}) == ("A", "C")
    assert payment_order({}) == ()


@pytest.mark.parametrize("order", [(), ("A",), ("A", "B", "B"), ("A", "C")])
def test_an_order_must_name_each_table_once(order: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="must name each of the tables A, B once"):
        settle_tables(Pool(1), {"A": {}, "B": {}}, order)


def test_qualifying_hands() -> None:
    shown = {letter: {is_qualifying(cards(text)) for text in texts} for letter, texts in SHOWN.items()}
    assert shown == {letter: {letter != "-"} for letter in SHOWN}


def test_no_pool_is_negative() -> None:
    with pytest.raises(ValueError, match="a pool of -1 cents cannot pay"):
        Pool(-1)
    with pytest.raises(ValueError, match="a Major pool of -1 cents cannot pay"):
        SplitPool(-1, 0)
    with pytest.raises(ValueError, match="a Minor pool of -2 cents cannot pay"):
        SplitPool(0, -2)


@pytest.mark.parametrize("hand", ["As Ks Qs Js", "As Ks Qs Js Ts 9s", "As As Qs Js Ts", "As Ks Qs Js joker"])
def test_a_hand_is_five_different_cards(hand: str) -> None:
    with pytest.raises(ValueError, match=r"cards are no hand|twice|no card"):
        settle(Pool(1), {1: cards(hand)})


def test_prizes_are_data() -> None:
    house = msgspec.convert(
        {"flush": {"floor_cents": 75_00, "pool_percent": 0, "rule": "H1", "rule_of_many": "H2"}}, Prizes
    )
    assert house == Prizes(flush=Prize(75_00, 0, "H1", "H2"))
    assert settle(Pool(1_000_00), round_of("L"), house).grants == (Award("1", "flush", 75_00, "H1"),)
    assert settle(Pool(1_000_00), round_of("L")).awards == {"1": NZ_PRIZES.flush.floor_cents}
    with pytest.raises(msgspec.ValidationError, match="<= 100"):
        msgspec.convert(
            {"flush": {"floor_cents": 1, "pool_percent": 101, "rule": "", "rule_of_many": ""}}, Prizes
        )
    with pytest.raises(msgspec.ValidationError, match="two_pair"):
        msgspec.convert({"two_pair": {}}, Prizes)


def test_a_settlement_travels() -> None:
    done = settle(SplitPool(40_000_00, 3_000_00), round_of("RS4"))
    assert msgspec.json.decode(msgspec.json.encode(done), type=Settlement) == done
