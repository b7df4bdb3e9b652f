"""Questions on pools of dice for pools.rs, which runs this: `pip install icepool==2.1.3` first.

Prints a line for each: its name, the median in microseconds, and all outcomes with their chances. A question is asked anew each time:
what icepool keeps from one call to the next is dropped before.
"""
import gc, statistics, time

import icepool
from icepool import Die, d6, d10, d20, multiset_function
from icepool.evaluator.multiset_evaluator_base import MultisetEvaluatorBase

battle = Die(["hit", "hit", "flag", "retreat", "star", "miss"])


@multiset_function
def hits_and_flags(pool):
    return pool.keep_outcomes(["hit"]).size(), pool.keep_outcomes(["flag"]).size()


questions = {
    "keep 3 of 4": lambda: d6.highest(4, 3),
    "keep 3 of 10": lambda: d10.highest(10, 3),
    "best against best": lambda: d20.highest(3) > d20.highest(2),
    "sets": lambda: d6.pool(5).all_counts(),
    "hits against hits": lambda: (5 @ (d6 >= 5)) > (4 @ (d6 >= 5)),
    "pairs": lambda: d6.pool(4).sort_pair(">", d6.pool(4)).size(),
    "exploding sum": lambda: 6 @ d6.explode(depth=3),
    "exploding hits": lambda: 8 @ (d10.explode(depth=2) >= 8),
    "rerolled sum": lambda: 6 @ d6.reroll([1], depth=1),
    "thirty-six rerolled": lambda: 36 @ d6.reroll([1], depth=1),
    "hits of thirty-six": lambda: 36 @ (d6.reroll([1], depth=1) >= 5),
    "keep 5 that explode": lambda: d10.explode(depth=6).highest(10, 5),
    "two hundred": lambda: 200 @ d6,
    "own faces": lambda: hits_and_flags(battle.pool(6)).map(lambda hits, flags: hits >= 3 and flags >= 1),
}


def forget():
    icepool.Pool.clear_cache()
    for known in gc.get_objects():
        if isinstance(known, MultisetEvaluatorBase):
            vars(known).pop("_cache", None)


def text(outcome):
    if isinstance(outcome, tuple):
        return " ".join(map(str, outcome))
    return {True: "yes", False: "no"}[outcome] if isinstance(outcome, bool) else str(outcome)


for name, ask in questions.items():
    found = ask()
    times = []
    for _ in range(15):
        forget()
        start = time.perf_counter()
        ask()
        times.append((time.perf_counter() - start) * 1e6)
    chances = sorted((text(outcome), str(chance)) for outcome, chance in zip(found.outcomes(), found.probabilities()))
    print(name, statistics.median(times), "; ".join(f"{outcome}: {chance}" for outcome, chance in chances), sep="\t")
