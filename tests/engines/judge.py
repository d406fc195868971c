"""What the model finds of a cell: it closes joint states, and runs words."""

import math
import random
from collections import deque

from chunk import Chunked
from network import Unsupported

LONG = 600  # letters of its random words
FARTHEST = 40000  # letters of a failing word that it runs
WORDS = 3  # random words that it runs in chunks


def close(machine, exact, most):
    """Returns ("closed", states), ("wrong", letters) or ("open", None)."""
    first, begun = machine.begin(), exact.begin()
    seen, queue = {(repr(first), begun)}, deque([(first, begun, 0)])
    while queue:
        states, joint, depth = queue.popleft()
        for x in range(len(machine.network.letters)):
            after, label = machine.step(states, x)
            joint2, right = exact.step(joint, x)
            if label != right:
                return "wrong", depth + 1
            at = (repr(after), joint2)
            if at not in seen:
                if len(seen) > most:
                    return "open", None
                seen.add(at)
                queue.append((after, joint2, depth + 1))
    return "closed", len(seen)


def run_word(machine, exact, word):
    """Returns the length after which the label is wrong, or None."""
    states, joint = machine.begin(), exact.begin()
    for t, x in enumerate(word):
        states, label = machine.step(states, x)
        joint, right = exact.step(joint, x)
        if label != right:
            return t + 1
    return None


def of_layers(machine, states):
    """Yields the number of each layer, and the states of its heads."""
    at = 0
    for place, layer in enumerate(machine.network.layers):
        yield place, states[at : at + len(layer.heads)]
        at += len(layer.heads)


def distance_of(machine, place, states, code):
    """Returns how far the states of a layer's heads are from a code."""
    numbers = [v for s in states for column in machine.made(s) for v in column]
    return math.dist(numbers, machine.decoders[place].codes[code])


def distance(machine, states, joint):
    """Returns how far the layer that is farthest is from the exact state."""
    return max(distance_of(machine, i, some, joint[i]) for i, some in of_layers(machine, states))


def are_exact(machine, states, joint, known):
    """Returns whether all layers' states are the exact ones; `known` keeps what was compared."""
    for place, some in of_layers(machine, states):
        at = place, joint[place], repr(some)
        if at not in known:
            known[at] = distance_of(machine, place, some, joint[place]) == 0
        if not known[at]:
            return False
    return True


def run_greedy(machine, exact, letters):
    states, joint = machine.begin(), exact.begin()
    for t in range(letters):
        best = None
        for x in range(len(machine.network.letters)):
            after, label = machine.step(states, x)
            joint2, right = exact.step(joint, x)
            if label != right:
                return t + 1
            far = distance(machine, after, joint2)
            if best is None or far > best[0]:
                best = (far, after, joint2)
        _, states, joint = best
    return None


def is_fixed(machine, exact, most):
    """Returns whether nothing rounds on exact states: every stored state is the exact one. None:
    not in the joint states that were looked at."""
    if machine.row.letters > 1:  # and then states differ by the letters since the store
        return is_fixed_in_steps(machine, exact, most)
    if all_steps_are_exact(machine, exact):
        return True
    joints, queue = {exact.begin()}, deque([exact.begin()])
    while queue:
        joint = queue.popleft()
        for x in range(len(machine.network.letters)):
            after, _ = exact.step(joint, x)
            for place in range(len(after)):
                code = joint[place] if joint else None
                if not is_exact(machine, exact, place, code, x):
                    return False
                _, x = exact.find_in(place, code, x)
            if after not in joints and len(joints) <= most:
                joints.add(after)
                queue.append(after)
    return True if len(joints) <= most else None


def all_steps_are_exact(machine, exact):
    """Returns whether each layer's steps are exact, from each code and for each of its letters,
    also those that do not meet; then it is so of all that meet, by induction over the word."""
    for place, layer in enumerate(machine.network.layers):
        for code in (None, *range(len(layer.codes))):
            for x in range(len(layer.heads[0].letters)):
                try:
                    if not is_exact(machine, exact, place, code, x):
                        return False
                except Unsupported:  # no code comes next
                    return False
    return True


def is_exact(machine, exact, place, code, x):
    """Returns whether a layer's step from a code is exact, and so is what is kept beside."""
    layer = machine.network.layers[place]
    states = machine.at_code(place, code)
    args = layer, machine.decoders[place], machine.weights[place], x, states
    symbol, after = machine.decoded(*args)
    to, right = exact.find_in(place, code, x)
    return symbol == right and after == machine.at_code(place, to)


def is_fixed_in_steps(machine, exact, most):
    most //= len(machine.network.layers) ** 3  # each step then takes longer
    joints, queue = {(exact.begin(), 0)}, deque([(exact.begin(), machine.begin(), 0)])
    known = {}
    while queue:
        joint, states, at = queue.popleft()
        then = (at + 1) % machine.row.letters
        for x in range(len(machine.network.letters)):
            after, label = machine.step(states, x)
            joint2, right = exact.step(joint, x)
            if label != right or not are_exact(machine, after, joint2, known):
                return False
            if (joint2, then) not in joints:
                joints.add((joint2, then))
                if len(joints) > most:
                    return None
                queue.append((joint2, after, then))
    return True


def judge(machine, exact, cell, most):
    """Returns "found again", "not contradicted", or a contradiction."""
    verdict, how = cell["cell_verdict"], cell.get("how")
    if isinstance(machine, Chunked):
        return judge_chunks(machine, exact, cell)
    if verdict == "VERIFIED" and how == "nothing rounds":
        fixed = is_fixed(machine, exact, most)
        return "not contradicted" if fixed is None else "found again" if fixed else "it rounds"
    if machine.row.stochastic:
        return judge_draws(machine, exact, cell)
    if verdict == "VERIFIED" or (verdict == "REFUTED" and how == "closure"):
        found, number = close(machine, exact, most)
        if found == "open":
            return "not contradicted"
        closed = verdict == "VERIFIED"
        number_of = "joint_states" if closed else "wrong_after"
        want = ("closed" if closed else "wrong", cell.get(number_of))
        return "found again" if (found, number) == want else f"{found} {number}"
    if verdict == "REFUTED":
        return judge_long(machine, exact, cell)
    return judge_open(machine, exact, cell)


def judge_chunks(machine, exact, cell):
    """In chunks the state is read within them only, so that nothing closes: words are run, and
    where nothing rounds each reading must be the exact state."""
    verdict, count = cell["cell_verdict"], len(machine.network.letters)
    if verdict == "REFUTED":
        word = letters_of(machine.network, cell["wrong_on"], cell["wrong_after"])
        found = machine.first_wrong(exact, list(word), False)
        return "found again" if found == cell["wrong_after"] else f"the word is wrong at {found}"
    for _ in range(WORDS if verdict == "VERIFIED" else 0):
        word = [random.randrange(count) for _ in range(LONG // 4)]
        wrong = machine.first_wrong(exact, word, cell["how"] == "nothing rounds")
        if wrong:
            return f"wrong, or rounded, at {wrong}"
    return "not contradicted"


def judge_draws(machine, exact, cell):
    """Of a store that draws the model runs the draw to nearest, which is one of the choices."""
    count = len(machine.network.letters)
    wrong = run_word(machine, exact, [random.randrange(count) for _ in range(LONG)])
    if cell["cell_verdict"] == "VERIFIED" and wrong:
        return f"wrong at {wrong}"
    return "not contradicted"


def judge_long(machine, exact, cell):
    """Runs the word on which the failure was seen."""
    letters, word = cell.get("wrong_after"), cell.get("wrong_on")
    if letters > FARTHEST or word.startswith("a word that recurs"):
        return "not contradicted"
    if word == "greedy":
        found = run_greedy(machine, exact, letters)
    else:
        found = run_word(machine, exact, letters_of(machine.network, word, letters))
    return "found again" if found == letters else f"the word is wrong at {found}"


def letters_of(network, word, count):
    if word.startswith("random, seed "):
        draw = Philox(int(word.removeprefix("random, seed ")))
        return (draw.below(len(network.letters)) for _ in range(count))
    period = [network.letters.index(x) for x in word[1 : word.index(")")].split()]
    return (period[t % len(period)] for t in range(count))


class Philox:
    """The published generator Philox4x32-10, read in order."""

    def __init__(self, seed):
        self.key, self.counter, self.left = (seed & 0xFFFFFFFF, seed >> 32), 0, []

    def block(self):
        c, k = [self.counter & 0xFFFFFFFF, self.counter >> 32, 0, 0], list(self.key)
        for _ in range(10):
            p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [q >> 32 ^ c[1] ^ k[0], q & 0xFFFFFFFF, p >> 32 ^ c[3] ^ k[1], p & 0xFFFFFFFF]
            k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
        self.counter += 1
        return c

    def below(self, n):
        while True:
            if not self.left:
                self.left = self.block()
            low, high = self.left[:2]
            self.left = self.left[2:]
            x = high << 32 | low
            if x >= (1 << 64) % n:
                return x % n


def judge_open(machine, exact, cell):
    letters = LONG if cell.get("right_up_to") is None else min(LONG, cell.get("right_up_to"))
    word = [random.randrange(len(machine.network.letters)) for _ in range(letters)]
    wrong = run_word(machine, exact, word)
    bound = wrong and cell.get("right_up_to")
    return f"wrong at {wrong}, within the bound" if bound else "not contradicted"
