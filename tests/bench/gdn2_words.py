"""Searches words of three letters of GDN-2 in dimension 3 whose product turns and grows.

A letter is I - k (b o k)^T with |k| = 1 rational and every b 0 or 1 (theory/pages/gdn2.md). The
product has a pair of eigenvalues that are not real, of modulus beyond 1, if and only if its
characteristic polynomial p has a negative discriminant and p(det) > 0 where det > 0: then its real
root is below det, and det is that root times the square of the modulus. Both are decided in
integers. A step of the search changes one letter of the best word so far; it begins again after a
number of steps without gain.

usage: gdn2_words.py [--seed N] [--steps N] [--largest N] [--out FILE]     searches
       gdn2_words.py --check FILE                            checks the word of a record"""

import argparse
import itertools
import json
import math
import random
import sys
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import records

PATIENCE = 4000  # steps without gain before another start


def unit_keys(largest):
    """Returns the (p, q, r, n), n <= largest, with p^2 + q^2 + r^2 = n^2 and no common factor."""
    found = []
    for n in range(1, largest + 1):
        for p, q in itertools.product(range(-n, n + 1), repeat=2):
            rest = n * n - p * p - q * q
            r = math.isqrt(rest) if rest >= 0 else -1
            if r >= 0 and r * r == rest and math.gcd(p, q, r, n) == 1:
                found += {(p, q, r, n), (p, q, -r, n)}
    return sorted(found)


def matrix(letter):
    """Returns n^2 (I - k (b o k)^T) in integers."""
    *k, n = letter[0]
    return [
        [(i == j) * n * n - k[i] * letter[1][j] * k[j] for j in range(3)] for i in range(3)
    ]


def product(word):
    """Returns the product in integers, and its denominator."""
    total, scale = [[int(i == j) for j in range(3)] for i in range(3)], 1
    for letter in word:
        m = matrix(letter)
        total = [[sum(m[i][k] * total[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
        scale *= letter[0][3] ** 2
    return total, scale


def polynomial(word):
    """Returns trace, sum of the principal minors and determinant of the product."""
    m, scale = product(word)
    minors = sum(m[i][i] * m[j][j] - m[i][j] * m[j][i] for i, j in ((0, 1), (0, 2), (1, 2)))
    det = sum(
        m[0][i] * (m[1][(i + 1) % 3] * m[2][(i + 2) % 3] - m[1][(i + 2) % 3] * m[2][(i + 1) % 3])
        for i in range(3)
    )
    trace = m[0][0] + m[1][1] + m[2][2]
    return Fraction(trace, scale), Fraction(minors, scale**2), Fraction(det, scale**3)


def discriminant(t, m, d):
    """Returns the discriminant of x^3 - t x^2 + m x - d."""
    return 18 * t * m * d - 4 * t**3 * d + t * t * m * m - 4 * m**3 - 27 * d * d


def turns_beyond(word, square):
    """Decides whether there is a pair that is not real and whose modulus has a larger square."""
    t, m, d = polynomial(word)
    if discriminant(t, m, d) >= 0:
        return False
    if d == 0:  # the real root is 0, and the pair has the product m
        return m > square
    at = d / square
    return at**3 - t * at * at + m * at - d > 0


def modulus(word):
    """Returns the modulus of the pair that is not real, in floats; 0: all are real."""
    t, m, d = map(float, polynomial(word))
    if discriminant(t, m, d) >= 0:
        return 0.0
    low, high = -4.0, 4.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if ((middle - t) * middle + m) * middle < d else (low, middle)
    return math.sqrt(max(m - low * (t - low), 0.0))


def search(seed, steps, largest):
    """Returns the best word that was met."""
    rng = random.Random(seed)
    keys = unit_keys(largest)
    gates = [b for b in itertools.product((0, 1), repeat=3) if any(b)]

    def letter():
        return rng.choice(keys), rng.choice(gates)

    best, word, gain = (0.0, None), None, 0
    for step in range(steps):
        if word is None or step - gain > PATIENCE:
            word = [letter() for _ in range(3)]
            now, gain = modulus(word), step
        other = list(word)
        other[rng.randrange(3)] = letter()
        value = modulus(other)
        if value > now:
            word, now, gain = other, value, step
        best = max(best, (now, word), key=lambda pair: pair[0])
    return best[1], len(keys)


def record(options):
    word, keys = search(options.seed, options.steps, options.largest)
    low = Fraction(math.floor(modulus(word) * 10000), 10000)
    assert turns_beyond(word, low * low), "the floats are wrong"
    t, m, d = polynomial(word)
    return {
        "letters": 3,
        "dimension": 3,
        "gates": [0, 1],
        "keys": keys,
        "largest_denominator": options.largest,
        "seed": options.seed,
        "steps": options.steps,
        "word": [{"k": [f"{x}/{k[3]}" for x in k[:3]], "b": list(b)} for k, b in word],
        "trace": str(t),
        "minors": str(m),
        "determinant": str(d),
        "modulus_beyond": str(low),
    }


def check(path):
    """Checks the record's word in exact arithmetic."""
    told = json.loads(Path(path).read_text(encoding="utf-8"))
    word = []
    for one in told["word"]:
        parts = [x.split("/") for x in one["k"]]
        n = int(parts[0][1])
        k = tuple(int(p) for p, _ in parts)
        assert sum(p * p for p in k) == n * n and set(one["b"]) <= {0, 1}, one
        word.append(((*k, n), tuple(one["b"])))
    names = ("trace", "minors", "determinant")
    assert [str(x) for x in polynomial(word)] == [told[name] for name in names], told
    low = Fraction(told["modulus_beyond"])
    assert low > 1 and turns_beyond(word, low * low), told
    print(f"{path}: a pair that is not real, of modulus beyond {low}")
    print("1 passed, 0 failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=200000)
    parser.add_argument("--largest", type=int, default=21)
    parser.add_argument("--out")
    parser.add_argument("--check")
    options = parser.parse_args()
    if options.check:
        check(options.check)
        return 0
    found = record(options)
    if options.out:
        records.write_json(Path(options.out), found)
    else:
        print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
