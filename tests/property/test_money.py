"""Money held against an independent count: every class of hand, and 10,000 random pots and jackpots.

What stands here shares nothing with the code under test but the words: hands are ranked by counting ranks
(the library looks perfect hashes up), pots are handed out chip by chip, jackpots are worked out in whole
parts of a cent that every division leaves whole.
"""

import random
from collections import Counter
from itertools import combinations, combinations_with_replacement
from math import comb, prod

from hypothesis import given, settings
from hypothesis import strategies as st

from shoe_bridge.rules.jackpot import Pool, SplitPool, payment_order, settle, settle_tables
from shoe_bridge.rules.pots import divide
from shoe_bridge.rules.ranking import best_hand, category, strength

CASES = 10_000
RANKS = "23456789TJQKA"
# Highest first: rank before suit.
HIGH_TO_LOW = [rank + suit for rank in reversed(RANKS) for suit in "shdc"]
HEIGHT = {card: -place for place, card in enumerate(HIGH_TO_LOW)}
NAMES = (
    *("high_card", "pair", "two_pair", "three_of_a_kind", "straight"),
    *("flush", "full_house", "four_of_a_kind", "straight_flush", "royal_flush"),
)
# How many of the 2,598,960 hands are of each category: textbook figures.
KNOWN = (1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 36, 4)

Cards = tuple[str, ...]
Score = tuple[int, tuple[int, ...]]


def score(five: Cards) -> Score:
    """(place in NAMES, ranks by weight): what the rules of poker say, counted out."""
    counts = Counter(RANKS.index(card[0]) for card in five)
    ranks = tuple(sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True))
    shape = sorted(counts.values(), reverse=True)
    if len(shape) < 5:
        kinds = {(2, 1, 1, 1): 1, (2, 2, 1): 2, (3, 1, 1): 3, (3, 2): 6, (4, 1): 7}
        return kinds[tuple(shape)], ranks
    is_flush = len({card[1] for card in five}) == 1
    if ranks == (12, 3, 2, 1, 0):
        ranks = (3, 2, 1, 0, -1)  # the ace plays low
    if ranks[0] - ranks[4] != 4:
        return (5 if is_flush else 0), ranks
    if not is_flush:
        return 4, ranks
    return (9 if ranks[0] == 12 else 8), ranks


def classes() -> list[tuple[Cards, int]]:
    """One hand of each of the 7,462 classes of equal hands, and how many hands are of its class."""
    found: list[tuple[Cards, int]] = []
    for ranks in combinations_with_replacement(RANKS, 5):
        counts = Counter(ranks)
        if max(counts.values()) == 5:
            continue
        ways = prod(comb(4, count) for count in counts.values())
        # Equal ranks are neighbours: going round the suits makes five different cards of several suits.
        hand = tuple(rank + "cdhs"[place % 4] for place, rank in enumerate(ranks))
        if len(counts) == 5:
            ways -= 4
            found.append((tuple(rank + "h" for rank in ranks), 4))
        found.append((hand, ways))
    return found


CLASSES = classes()


def test_every_class_of_hands_ranks_as_counted() -> None:
    """All 2,598,960 hands, by one hand of each class: the counts of the categories, and the whole order."""
    assert len(CLASSES) == 7462
    found = Counter[str]()
    for hand, ways in CLASSES:
        found[category(hand)] += ways
        assert category(hand) == NAMES[score(hand)[0]]
    assert found == dict(zip(NAMES, KNOWN, strict=True))
    assert sum(found.values()) == comb(52, 5)
    by_count = sorted((hand for hand, _ in CLASSES), key=score)
    assert [strength(hand) for hand in by_count] == list(range(1, 7463))


def test_random_hands_rank_as_counted() -> None:
    """20,000 hands of five, in any suits and order; 2,000 of six and seven."""
    place = {score(hand): strength(hand) for hand, _ in CLASSES}
    chance = random.Random(20_000)
    for _ in range(20_000):
        hand = tuple(chance.sample(HIGH_TO_LOW, 5))
        assert strength(hand) == place[score(hand)]
    for number in range(2_000):
        hand = tuple(chance.sample(HIGH_TO_LOW, 6 + number % 2))
        assert strength(hand) == place[max(score(five) for five in combinations(hand, 5))]


# Pots. Few ranks and a board that nearly plays by itself make ties the rule.

GAMES = {  # game: hole cards, board cards, hole cards that must be used
    "manila2": (2, 5, 2),
    "manila3": (3, 5, 2),
    "holdem": (2, 5, None),
    "omaha": (4, 5, 2),
    "draw": (5, 0, None),
    "seven_card_stud": (7, 0, None),
}


def counted_best(hole: Cards, board: Cards, uses: int | None) -> tuple[Score, int | None]:
    """The best score, and the height of the highest hole card in any choice that makes it (None: in none)."""
    found: dict[Score, list[int]] = {}
    for five in combinations(hole + board, 5):
        own = [HEIGHT[card] for card in five if card in hole]
        if uses is None or len(own) == uses:
            found.setdefault(score(five), []).extend(own)
    best = max(found)
    return best, max(found[best], default=None)


def handed_out(pot: int, hands: dict[int, tuple[Score, int | None]], chip: int) -> dict[int, int] | None:
    """Chip by chip round the winners for as long as all can be given one."""
    top = max(made for made, _ in hands.values())
    stacks = {seat: 0 for seat, (made, _) in hands.items() if made == top}
    while pot >= chip * len(stacks):
        for seat in stacks:
            stacks[seat] += chip
            pot -= chip
    if pot and len(stacks) > 1 and any(hands[seat][1] is None for seat in stacks):
        return None
    if pot:
        stacks[max(stacks, key=lambda seat: hands[seat][1] or 0)] += pot
    return {seat: stack for seat, stack in stacks.items() if stack}


def deal(chance: random.Random, game: str) -> tuple[dict[int, Cards], Cards]:
    """Two to four hole hands and a board. Mostly some of the seats hold the same ranks, in other suits; often
    the board is nearly a hand by itself."""
    holes, shared, _ = GAMES[game]
    seats = chance.sample(range(1, 11), chance.randint(2, 4))
    ranks = chance.sample(RANKS, holes)
    suits = [chance.sample("cdhs", 4) for _ in ranks]
    twins = seats[: chance.randint(0, len(seats))]
    dealt = {
        seat: tuple(rank + suit[turn] for rank, suit in zip(ranks, suits, strict=True))
        for turn, seat in enumerate(twins)
    }
    stub = [card for card in HIGH_TO_LOW if not any(card in hand for hand in dealt.values())]
    chance.shuffle(stub)
    if chance.random() < 0.4:
        low = chance.randrange(9)  # a run of five ranks, as far as the stub holds them
        run = [next((card for card in stub if card[0] == rank), None) for rank in RANKS[low : low + 5]]
        stub = list(dict.fromkeys([*filter(None, run), *stub]))
    board = tuple(stub[:shared])
    for turn, seat in enumerate(seats[len(twins) :]):
        dealt[seat] = tuple(stub[shared + turn * holes :][:holes])
    return dealt, board


def test_random_pots_with_side_pots_divide_as_handed_out() -> None:
    chance = random.Random(10_000)
    seen = Counter[str]()
    while seen["main"] + seen["side"] < CASES:
        game = chance.choice(list(GAMES))
        dealt, board = deal(chance, game)
        ranked = {seat: best_hand(hole, board, GAMES[game][2]) for seat, hole in dealt.items()}
        counted = {seat: counted_best(hole, board, GAMES[game][2]) for seat, hole in dealt.items()}
        contesting = list(dealt)
        while contesting:  # the main pot, then a side pot whenever one is no longer in
            seen["main" if len(contesting) == len(dealt) else "side"] += 4
            top = max(counted[seat][0] for seat in contesting)
            seen[f"{sum(counted[seat][0] == top for seat in contesting)} winners"] += 4
            for _ in range(4):
                chip = chance.choice([1, 5, 25, 100, 500])
                pot = chance.randint(0, 40) * chip + chance.choice([0, 0, chance.randrange(chip)])
                shares = divide(pot, {seat: ranked[seat] for seat in contesting}, chip)
                assert shares == handed_out(pot, {seat: counted[seat] for seat in contesting}, chip)
                assert shares is None or sum(shares.values()) == pot
                seen["unassigned"] += shares is None
                seen["odd"] += shares is not None and len(set(shares.values())) > 1
            contesting.remove(chance.choice(contesting))
    assert min(seen["main"], seen["side"]) > CASES // 4
    assert min(seen[f"{count} winners"] for count in (2, 3, 4)) > CASES // 50
    assert seen["odd"] > CASES // 20
    assert seen["unassigned"] > CASES // 200


# Jackpots, in parts of a cent: a tenth, shared by up to ten, is still a whole number of them.

PARTS = 10 * 2520
SUITED = {"royal_flush": "TJQKA", "straight_flush": "34567", "flush": "2459J"}
SHAPES = {
    "four_of_a_kind": "44449",
    "full_house": "66688",
    "pair": "55AKQ",
    "straight": "9TJQK",
    "two_pair": "QQ227",
}
KINDS = (*SUITED, *SHAPES)


def make(kind: str, chance: random.Random) -> Cards:
    """A hand of that category, in a random suit and order."""
    if kind in SUITED:
        suit = chance.choice("cdhs")
        hand = [rank + suit for rank in SUITED[kind]]
    else:
        hand = [rank + "cdhs"[place % 4] for place, rank in enumerate(SHAPES[kind])]
    return tuple(chance.sample(hand, 5))


def paid_out(
    parts: list[int], kinds: dict[int, str], cent: int = PARTS
) -> tuple[dict[int, int], list[int], int]:
    """What each seat gets, what is left of each part of the pool (one or two), what was lacking; all in the
    unit of which a cent has `cent`."""
    fixed = {"four_of_a_kind": 500, "full_house": 150, "flush": 100}
    awards = {seat: fixed[kind] * 100 * cent for seat, kind in kinds.items() if kind in fixed}
    straight = [seat for seat, kind in kinds.items() if kind == "straight_flush"]
    royal = [seat for seat, kind in kinds.items() if kind == "royal_flush"]
    small = sum(awards.values())
    base = max(0, parts[0] - small) if len(parts) == 1 else parts[0]
    each = max(1_000 * 100 * cent, base // 10)
    assert base % 10 == 0
    base = max(0, base - each * len(straight))
    awards |= dict.fromkeys(straight, each)
    if royal:
        assert base % len(royal) == 0
        awards |= dict.fromkeys(royal, max(10_000 * 100 * cent, base // len(royal)))
    large = sum(awards.values()) - small
    owed = [small + large] if len(parts) == 1 else [large, small]
    left = [max(0, part - due) for part, due in zip(parts, owed, strict=True)]
    lacking = sum(max(0, due - part) for part, due in zip(parts, owed, strict=True))
    return awards, left, lacking


def shown(parts: int, cent: int = PARTS) -> int:
    return (parts * 2 + cent) // (cent * 2)


def random_kinds(chance: random.Random) -> dict[int, str]:
    seats = sorted(chance.sample(range(1, 11), chance.randint(0, 7)))
    weights = [chance.choice([0, 1, 4]) for _ in KINDS[:-1]]
    return {seat: chance.choices(KINDS, [*weights, 1])[0] for seat in seats}


def test_random_jackpots_pay_as_worked_out() -> None:
    chance = random.Random(10_001)
    seen = Counter[str]()
    for _ in range(CASES):
        cents = [
            chance.randint(0, chance.choice([10**5, 10**6, 10**7])) for _ in range(chance.choice([1, 1, 2]))
        ]
        kinds = random_kinds(chance)
        pool = Pool(*cents) if len(cents) == 1 else SplitPool(*cents)
        done = settle(pool, {seat: make(kind, chance) for seat, kind in kinds.items()})
        awards, left, lacking = paid_out([cent * PARTS for cent in cents], kinds)
        assert done.awards == {str(seat): shown(awards[seat]) for seat in sorted(awards)}
        after = (
            [done.pool_after_cents]
            if len(cents) == 1
            else [done.pool_major_after_cents, done.pool_minor_after_cents]
        )
        assert after == [shown(part) for part in left]
        assert done.shortfall_cents == shown(lacking)
        assert done.has_fraction == any(part % PARTS for part in [*awards.values(), *left, lacking])
        for name, count in Counter(kinds.values()).items():
            seen[name] += 1
            seen[f"many {name}"] += count > 1
        seen["short"] += lacking > 0
        seen["fraction"] += done.has_fraction
    assert all(seen[name] > 100 for name in KINDS)
    assert min(seen["many royal_flush"], seen["many straight_flush"], seen["short"], seen["fraction"]) > 500


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.integers(0, 10**9),
    st.dictionaries(st.sampled_from("ABCD"), st.integers(0, 9), min_size=1),
    st.randoms(),
)
def test_tables_pay_what_one_after_the_other_would(
    cents: int, times: dict[str, int], chance: random.Random
) -> None:
    """Worked out exactly, table by table; nothing is gained or lost on the way."""
    tables = {table: random_kinds(chance) for table in times}
    order = payment_order(times)
    assert [times[table] for table in order] == sorted(times.values())
    hands = {
        table: {seat: make(kind, chance) for seat, kind in kinds.items()} for table, kinds in tables.items()
    }
    done = settle_tables(Pool(cents), hands, order)
    cent = PARTS ** len(order)
    left, lacking = [cents * cent], 0
    awards: dict[str, int] = {}
    for table in order:
        gets, left, short = paid_out(left, tables[table], cent)
        lacking += short
        awards |= {f"{table}:{seat}": gets[seat] for seat in sorted(gets)}
    assert done.awards == {who: shown(parts, cent) for who, parts in awards.items()}
    assert list(done.awards) == list(awards)
    assert done.pool_after_cents == shown(left[0], cent)
    assert done.shortfall_cents == shown(lacking, cent)
    assert sum(awards.values()) == cents * cent - left[0] + lacking
