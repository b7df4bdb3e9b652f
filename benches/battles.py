"""The battles of battles.rs as plain programs, which runs this.

Prints a line for each: its name, the best time in microseconds, and the chance that the attacker wins.
"""
import itertools, time
from collections import defaultdict


def round_of_risk(attack, defence):
    """The chance of each number of armies that the attacker loses."""
    losses = defaultdict(int)
    for own in itertools.product(range(1, 7), repeat=attack):
        for other in itertools.product(range(1, 7), repeat=defence):
            pairs = zip(sorted(own, reverse=True), sorted(other, reverse=True))
            losses[sum(a <= b for a, b in pairs)] += 1
    total = 6 ** (attack + defence)
    return [(lost, ways / total) for lost, ways in losses.items()]


def risk(attackers, defenders):
    rounds = {(a, d): round_of_risk(a, d) for a in (1, 2, 3) for d in (1, 2)}
    wins = [[0.0] * (defenders + 1) for _ in range(attackers + 1)]
    for a in range(1, attackers + 1):
        wins[a][0] = 1.0
        for d in range(1, defenders + 1):
            compared = min(a, d, 2)
            wins[a][d] = sum(chance * wins[a - lost][d - compared + lost] for lost, chance in rounds[min(a, 3), min(d, 2)])
    return wins[attackers][defenders]


def risk_by_rounds(attackers, defenders):
    """From round to round, with the number of rounds."""
    rounds = {(a, d): round_of_risk(a, d) for a in (1, 2, 3) for d in (1, 2)}
    armies, ends = {(attackers, defenders): 1.0}, defaultdict(float)
    for number in itertools.count(1):
        later = defaultdict(float)
        for (a, d), here in armies.items():
            compared = min(a, d, 2)
            for lost, chance in rounds[min(a, 3), min(d, 2)]:
                later[a - lost, d - compared + lost] += here * chance
        for (a, d), here in list(later.items()):
            if a == 0 or d == 0:
                ends[number, d == 0] += later.pop((a, d))
        if not later:
            return sum(chance for (_, won), chance in ends.items() if won)
        armies = later


def hits(groups):
    chances = [1.0]
    for number, faces in groups:
        for _ in range(number):
            hit, more = faces / 6, [0.0] * (len(chances) + 1)
            for count, chance in enumerate(chances):
                more[count] += chance * (1 - hit)
                more[count + 1] += chance * hit
            chances = more
    return chances


def left(units, lost):
    rest = []
    for number in units:
        gone = min(number, lost)
        lost -= gone
        rest.append(number - gone)
    return rest


def mixed(attackers, defenders):
    most, most_defending = sum(attackers), sum(defenders)

    def attack(lost):
        infantry, artillery, tanks, fighters, bombers = left(attackers, lost)
        paired = min(infantry, artillery)
        return hits([(infantry - paired, 1), (paired + artillery, 2), (tanks + fighters, 3), (bombers, 4)])

    def defence(lost):
        infantry, artillery, tanks, fighters = left(defenders, lost)
        return hits([(infantry + artillery, 2), (tanks, 3), (fighters, 4)])

    own, other = [attack(lost) for lost in range(most)], [defence(lost) for lost in range(most_defending)]
    chances = [[0.0] * (most_defending + 1) for _ in range(most + 1)]
    chances[0][0] = 1.0
    for lost in range(most):
        for killed in range(most_defending):
            here = chances[lost][killed] / (1 - own[lost][0] * other[killed][0])
            for count, chance in enumerate(own[lost]):
                for back, of in enumerate(other[killed]):
                    if count or back:
                        chances[min(most, lost + back)][min(most_defending, killed + count)] += here * chance * of
    return sum(chances[lost][most_defending] for lost in range(most))


def ties():
    wins = sum(a > b for a in range(6) for b in range(6)) / 36
    return wins / (1 - 6 / 36)


def best(call):
    times = []
    for _ in range(3):
        start = time.perf_counter()
        found = call()
        times.append((time.perf_counter() - start) * 1e6)
    return min(times), found


battles = {
    "risk 50": lambda: risk(50, 50),
    "risk 100": lambda: risk(100, 100),
    "by rounds": lambda: risk_by_rounds(90, 100),
    "mixed": lambda: mixed([10, 5, 6, 5, 2], [12, 4, 6, 5]),
    "ties": ties,
}
for name, call in battles.items():
    print(name, *best(call), sep="\t")
