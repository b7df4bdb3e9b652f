"""What other tools need for the problems of peers.rs, which runs this: `pip install icepool zen-engine` first.

Prints a line for each: its name, the median in microseconds, and what came of it.
"""
import json, statistics, time

import icepool
import zen
from icepool import d6

two = d6 + d6


def army(first, second, turns):
    if first != 2 or 6 <= second <= 8:
        return "unhurt"
    return "killed" if second <= 5 else f"wounded {turns}"


def corps(first, second, turns):
    if first == 3 and (second <= 7 or second == 12):
        return "killed"
    if first == 4 and (second <= 6 or second == 8):
        return f"wounded {turns}"
    return "unhurt"


def fates():
    return [icepool.map(army, two, two, d6) for _ in range(3)] + [icepool.map(corps, two, two, d6)]


def together():
    return icepool.tupleize(*fates())


def rises(*dice):
    return sum(after > before for before, after in zip(dice, dice[1:]))


def seven():
    return icepool.map(rises, *[d6] * 7)


rules = [{"_id": f"r{i}", "a": str(i % 6 + 1), "b": str(i // 6 + 1), "out": str(i)} for i in range(36)]
fields = lambda name, kind: {"id": name, "name": name, "field": name, "type": kind}
table = {"hitPolicy": "first", "rules": rules, "inputs": [fields("a", "expression"), fields("b", "expression")], "outputs": [fields("out", "expression")]}
nodes = [{"id": "in", "name": "in", "type": "inputNode"}, {"id": "t", "name": "t", "type": "decisionTableNode", "content": table}, {"id": "end", "name": "end", "type": "outputNode"}]
edges = [{"id": "1", "sourceId": "in", "targetId": "t"}, {"id": "2", "sourceId": "t", "targetId": "end"}]
decision = zen.ZenEngine().create_decision(json.dumps({"nodes": nodes, "edges": edges}))


def cell():
    return decision.evaluate({"a": 4, "b": 3})["result"]["out"]


def median(call, batches, batch):
    times = []
    for _ in range(batches):
        start = time.perf_counter()
        for _ in range(batch):
            call()
        times.append((time.perf_counter() - start) / batch * 1e6)
    return statistics.median(times)


killed = fates()[0].probability("killed")
print("fates", median(fates, 15, 20), killed, sep="\t")
print("together", median(together, 7, 1), len(together()), sep="\t")
print("seven", median(seven, 3, 1), seven().probability(6), sep="\t")
print("cell", median(cell, 15, 1000), cell(), sep="\t")
