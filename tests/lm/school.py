"""Problems of school mathematics with their answers, by the generator of mathematics-dataset 1.0.1
(Saxton and others 2019), for corpus.py, which checks the hash of its wheel.

    PYTHONHASHSEED=0 python3 school.py WHEEL --documents N

Prints N documents, a line of JSON each. A document has a hundred problems of one kind, a question
and its answer a line; every twentieth is of the generator's test split and is held out: it draws
numbers that its training problems do not have. Document n is drawn from seeds that only its name
decides.

The generator is of 2019. Two names that it imports are elsewhere or gone since and are put back:
sympy.solvers.diophantine.base_solution_linear (sympy 1.6) and numpy.object (numpy 1.24). Its
logging by absl is Python's. It goes through sets of entities, whose order would be that of their
addresses; here they are hashed by their number in the document. What is drawn depends on sympy and
numpy, so other versions than those of Debian 12 are refused, and so are hashes of strings that
differ from run to run."""

import argparse
import contextlib
import hashlib
import itertools
import json
import logging
import os
import random
import sys
import types
import warnings
from importlib import metadata

VERSIONS = {"sympy": "1.11.1", "numpy": "1.24.2"}
PROBLEMS = 100
HELD_EVERY = 20
LONGEST = 160, 30  # a question and an answer, as in the generator


class Numbered:
    """The hash of objects in the order in which they are first hashed, from 0 in each document."""

    def __init__(self):
        self.start()

    def start(self):
        self.next = itertools.count()

    def of(self, thing):
        if "number_in_document" not in vars(thing):
            thing.number_in_document = next(self.next)
        return thing.number_in_document


NUMBERED = Numbered()


def wrong_surroundings():
    """Returns what is not as it must be for the same text, or None."""
    if os.environ.get("PYTHONHASHSEED") != "0":
        return "PYTHONHASHSEED is to be 0"
    for name, wanted in VERSIONS.items():
        found = None
        with contextlib.suppress(metadata.PackageNotFoundError):
            found = metadata.version(name)
        if found != wanted:
            return f"{name} is {found or 'not there'}, and the text is that of {wanted}"
    return None


def load(wheel):
    """Returns the generator's kinds of problems: {"train" or "held": {name: function}}."""
    import numpy
    from sympy.solvers.diophantine.diophantine import base_solution_linear

    # Not by attribute: the package has a function of the module's name.
    sys.modules["sympy.solvers.diophantine"].base_solution_linear = base_solution_linear
    numpy.object = object
    sys.modules["absl"] = types.ModuleType("absl")
    sys.modules["absl"].logging = logging
    sys.path.insert(0, str(wheel))
    from mathematics_dataset.modules import modules
    from mathematics_dataset.util import composition

    composition.Entity.__hash__ = lambda entity: NUMBERED.of(entity)
    train = modules.train(lambda part: part)
    return {"train": dict(kinds(train)), "held": dict(kinds(modules.test()))}


def kinds(tree, prefix=""):
    """Yields (name, function) of a tree of dictionaries, in the order of the names."""
    for key in sorted(tree):
        if isinstance(tree[key], dict):
            yield from kinds(tree[key], f"{prefix}{key}-")
        else:
            yield prefix + key, tree[key]


def draw(function):
    """Returns a question and its answer that are short enough."""
    while True:
        problem = function()
        question, answer = str(problem.question), str(problem.answer)
        if len(question) <= LONGEST[0] and len(answer) <= LONGEST[1]:
            return question, answer


def documents(found, count):
    """Yields (name, text) of so many documents."""
    import numpy

    for number in range(count):
        split = "held" if number % HELD_EVERY == HELD_EVERY - 1 else "train"
        names = list(found[split])
        kind = names[number % len(names)]
        name = f"school/{split}/{kind}/{number:05d}"
        seed = int(hashlib.sha256(name.encode()).hexdigest()[:8], 16)
        NUMBERED.start()
        random.seed(seed)
        numpy.random.seed(seed)
        lines = [line for _ in range(PROBLEMS) for line in draw(found[split][kind])]
        yield name, "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("wheel")
    parser.add_argument("--documents", type=int, required=True)
    args = parser.parse_args()
    if wrong := wrong_surroundings():
        print(f"school.py: {wrong}", file=sys.stderr)
        return 1
    warnings.simplefilter("ignore")
    for name, text in documents(load(args.wheel), args.documents):
        print(json.dumps({"name": name, "text": text}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
