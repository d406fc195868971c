"""Up to how many letters bounds of auto_LiRPA prove the labels of a compiled network of one layer
and one head, unrolled: for a box around one word, and for the box of all words. For
docs/published.md; needs torch and auto_LiRPA, which the project does not.

usage: unrolled_bounds.py [--most N] [--words N] FOLDER..     FOLDER as `fsa2lrnn GRAMMAR -o FOLDER`
                                                              writes it"""

import argparse
import time
from fractions import Fraction
from itertools import product
from pathlib import Path

import torch
from auto_LiRPA import BoundedModule, BoundedTensor, PerturbationLpNorm


def entries(words):
    """Returns row and number of words like 1.1:3, or 2:1/2."""
    for word in words:
        place, _, number = word.partition(":")
        yield int(place.split(".")[0]) - 1, float(Fraction(number))


def read(folder):
    """Returns a matrix for each letter, the first state and the codes of a network.lrnn."""
    lines = [line.split() for line in (Path(folder) / "network.lrnn").read_text().splitlines()]
    size = {line[0]: line for line in lines}
    assert size["layers"][1] == "1" and size["head"][5] == "1", "one layer and head, one value"
    n, letters = int(size["head"][3]), int(size["letters"][1])
    matrix = [torch.eye(n) for _ in range(letters)]
    start, codes = torch.zeros(n), []
    for line in lines:
        if line[0] == "initial":
            for row, number in entries(line[1:]):
                start[row] = number
        elif line[0] == "on":
            on = int(line[1]) - 1
            matrix[on] *= float(Fraction(line[3]))
        elif line[0] == "factor":
            u = torch.zeros(n)
            for row, number in entries(line[3:]):
                u[row] = number
            beta = float(Fraction(line[1]))
            matrix[on] = matrix[on] - beta * torch.outer(u, u @ matrix[on]) / (u @ u)
        elif line[0] == "code":
            code = torch.zeros(n)
            for row, number in entries(line[3:]):
                code[row] = number
            codes.append(code)
    return torch.stack(matrix), start, torch.stack(codes)


class Unrolled(torch.nn.Module):
    """The state after a word, whose one-hot letters are numbers in a row, compared with the codes.
    Layers are Linear and products, which every version of auto_LiRPA bounds."""

    def __init__(self, network, length):
        super().__init__()
        matrix, start, codes = network
        n, letters = len(start), len(matrix)
        self.length, self.letters = length, letters
        self.pick = torch.nn.ModuleList()
        for at in range(length * letters):
            weight = torch.zeros(n, length * letters)
            weight[:, at] = 1
            self.pick.append(linear(weight))
        self.step = torch.nn.ModuleList(linear(m) for m in matrix)
        self.first = torch.nn.ModuleList(
            linear(torch.outer(m @ start, torch.eye(length * letters)[a]))
            for a, m in enumerate(matrix))
        self.compare = torch.nn.Linear(n, len(codes))
        self.compare.weight.data = codes
        self.compare.bias.data = -(codes * codes).sum(1) / 2

    def forward(self, x):
        state = self.first[0](x)
        for other in self.first[1:]:
            state = state + other(x)
        for t in range(1, self.length):
            before, state = state, None
            for a in range(self.letters):
                moved = self.pick[t * self.letters + a](x) * self.step[a](before)
                state = moved if state is None else state + moved
        return self.compare(state)


def linear(weight):
    layer = torch.nn.Linear(weight.shape[1], weight.shape[0], bias=False)
    layer.weight.data = weight.clone()
    return layer


def proves(network, low, high, labels, method):
    """Returns for each box whether the bounds prove that the label's code is the nearest."""
    count = len(network[2])
    unrolled = Unrolled(network, low.shape[1] // len(network[0]))
    model = BoundedModule(unrolled, low, bound_opts={"conv_mode": "matrix"})
    others = torch.stack([torch.eye(count)[y] - torch.eye(count)[torch.arange(count) != y]
                          for y in labels])
    box = BoundedTensor((low + high) / 2, PerturbationLpNorm(x_L=low, x_U=high))
    bound, _ = model.compute_bounds(x=(box,), C=others, method=method, bound_upper=False)
    return (bound > 0).all(1)


def read_automaton(folder):
    """Returns the state after a word as a function: the states' numbers are those of the codes."""
    lines = [line.split() for line in (Path(folder) / "automaton.fsa").read_text().splitlines()]
    head = {line[0]: line[1:] for line in lines[:4]}
    step = {tuple(line[:2]): line[2] for line in lines if len(line) == 3 and line[0] in
            head["states"]}

    def label(word):
        state = head["start"][0]
        for a in word:
            state = step[state, head["letters"][a]]
        return head["states"].index(state)

    return label


def one_hot(words, network):
    return torch.nn.functional.one_hot(torch.tensor(words), len(network[0])).float().flatten(1)


def longest(network, label, radius, method, most):
    """Returns the longest length up to which the word 1 1 .. 1 with a box around it is proved."""
    for n in range(1, most + 1):
        x = one_hot([[1] * n], network)
        if not proves(network, x - radius, x + radius, [label([1] * n)], method).all():
            return n - 1
    return most


def shortest_wrong(network, label, radius, most):
    """Returns the least length at which a corner of the box, the same for each letter, is wrong."""
    for n in range(1, most + 1):
        for corner in product((-radius, radius), repeat=len(network[0])):
            x = one_hot([[1] * n], network) + torch.tensor(corner * n)
            if Unrolled(network, n)(x)[0].argmax().item() != label([1] * n):
                return n
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="+")
    parser.add_argument("--most", type=int, default=60)
    parser.add_argument("--words", type=int, default=10)
    args = parser.parse_args()
    for folder in args.folder:
        network, label = read(folder), read_automaton(folder)
        for radius in (0.1, 0.03, 0.01):
            n = {method: longest(network, label, radius, method, args.most)
                 for method in ("IBP", "CROWN")}
            wrong = shortest_wrong(network, label, radius, args.most)
            print(f"{folder}: 1 1 .. 1, each number moved by {radius}: proved by IBP up to "
                  f"{n['IBP']} letters, by CROWN up to {n['CROWN']}; wrong in the box: {wrong}")
        for method in ("IBP", "CROWN"):
            low = torch.zeros(1, len(network[0]))
            done = proves(network, low, low + 1, [0], method).any().item()
            print(f"{folder}: all words of 1 letter in one box, {method}: {done}")
        begin = time.monotonic()
        words = list(product(range(len(network[0])), repeat=args.words))
        x = one_hot(words, network)
        right = proves(network, x, x, [label(w) for w in words], "IBP").sum().item()
        took = time.monotonic() - begin
        print(f"{folder}: {right} of {len(words)} words of {args.words} letters, a box of one "
              f"point for each, in {took:.1f} s")


if __name__ == "__main__":
    main()
