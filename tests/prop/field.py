"""Real number fields Q(alpha), exactly: numbers are polynomials in alpha modulo alpha's polynomial,
with fractions.

Nothing is taken from lrnn-check: roots are counted by Descartes' rule of signs and bisection, and a
number is compared with zero by a greatest common divisor first and by intervals after it, so that
every sign is found, whether the polynomial is irreducible or not."""

import functools
import math
import re
from fractions import Fraction


def trimmed(a):
    a = list(a)
    while a and not a[-1]:
        a.pop()
    return tuple(a)


def remainder(a, b):
    a = list(trimmed(a))
    while len(a) >= len(b):
        q = a[-1] if b[-1] == 1 else Fraction(a[-1]) / b[-1]
        for i, x in enumerate(b, len(a) - len(b)):
            a[i] -= q * x
        a = list(trimmed(a[:-1]))
    return tuple(a)


def common_divisor(a, b):
    while b:
        a, b = b, remainder(a, b)
    return a


def value_at(a, x):
    y = 0
    for c in reversed(a):
        y = y * x + c
    return y


def composed(a, p, q):
    """Returns the coefficients of a(p + q x)."""
    out = []
    for c in reversed(a):
        out = [x * p + y * q for x, y in zip([*out, 0], [0, *out])]
        out[0] += c
    return out


def roots_between(a, low, high):
    """Returns the number of roots in the open interval, for a polynomial without multiple roots."""
    inside = composed(a, low, high - low)  # from 0 to 1
    signs = [c > 0 for c in composed(inside[::-1], 1, 1) if c]  # 1 / (1 + x), x from 0 to infinity
    changes = sum(x != y for x, y in zip(signs, signs[1:]))
    if changes < 2:
        return changes
    middle = (low + high) / 2
    return (
        roots_between(a, low, middle) + (not value_at(a, middle)) + roots_between(a, middle, high)
    )


@functools.lru_cache(maxsize=1000)
def inverse(polynomial, a):
    """Returns the inverse modulo the polynomial, from the linear system whose columns are x^i a."""
    r = len(polynomial) - 1
    columns = [remainder([Fraction(0)] * i + list(a), polynomial) for i in range(r)]
    rows = [
        [*(c[i] if i < len(c) else Fraction(0) for c in columns), Fraction(i == 0)]
        for i in range(r)
    ]
    for i in range(r):
        pivot = next((k for k in range(i, r) if rows[k][i]), None)
        if pivot is None:
            raise ZeroDivisionError
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(r):
            if k != i:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i])]
    return tuple(row[r] for row in rows)


class Field:
    """alpha is the root, between low and high, of the polynomial, whose coefficients begin with the
    constant one."""

    def __init__(self, polynomial, low, high):
        self.polynomial = [int(c) if c.denominator == 1 else c for c in map(Fraction, polynomial)]
        self.low, self.high = Fraction(low), Fraction(high)

    @property
    def degree(self):
        return len(self.polynomial) - 1

    @property
    def alpha(self):
        return Number(self, (0, 1))

    def error(self):
        """Returns why this is not a field, or None; irreducible polynomials are not required."""
        p = self.polynomial
        if self.degree < 2 or p[-1] != 1 or not p[0] or any(c.denominator != 1 for c in p):
            return "polynomial"
        if self.low >= self.high or not value_at(p, self.low) or not value_at(p, self.high):
            return "interval"
        if len(common_divisor(p, [i * c for i, c in enumerate(p)][1:])) > 1:
            return "multiple roots"
        return None if roots_between(p, self.low, self.high) == 1 else "number of roots"

    def sign(self, a):
        """Returns the sign of a, a number or a fraction, at alpha."""
        a = trimmed(getattr(a, "a", (a,)))
        shared = common_divisor(self.polynomial, a) if a else a
        if not a or roots_between(shared, self.low, self.high) == 1:
            return 0
        low, high = self.low, self.high
        while True:
            middle = (low + high) / 2
            if (value_at(self.polynomial, low) > 0) == (value_at(self.polynomial, middle) > 0):
                low = middle
            else:
                high = middle
            least, most = Fraction(0), Fraction(0)
            for c in reversed(a):
                ends = [x * y for x in (least, most) for y in (low, high)]
                least, most = min(ends) + c, max(ends) + c
            if least > 0 or most < 0:
                return 1 if least > 0 else -1

    def text(self):
        return f"{' '.join(map(str, self.polynomial))} interval {self.low} {self.high}"


class Number:
    """An element, by its coefficients of 1, alpha, ..; it can be combined with integers and
    fractions."""

    def __init__(self, field, a):
        self.field, self.a = field, remainder([Fraction(c) for c in a], field.polynomial)

    def of(self, other):
        return other.a if isinstance(other, Number) else trimmed([Fraction(other)])

    def __add__(self, other):
        a, b = self.a, self.of(other)
        n = max(len(a), len(b))
        return Number(
            self.field,
            [x + y for x, y in zip([*a, *[0] * (n - len(a))], [*b, *[0] * (n - len(b))])],
        )

    def __neg__(self):
        return Number(self.field, [-c for c in self.a])

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        b = self.of(other)
        scale = [math.lcm(*(x.denominator for x in v)) for v in (self.a, b)]
        p, q = ([int(x * d) for x in v] for v, d in zip((self.a, b), scale))
        out = [0] * (len(p) + len(q))
        for i, x in enumerate(p):
            for j, y in enumerate(q, i):
                out[j] += x * y
        return Number(
            self.field,
            [Fraction(x, scale[0] * scale[1]) for x in remainder(out, self.field.polynomial)],
        )

    __radd__, __rmul__ = __add__, __mul__

    def __rtruediv__(self, other):
        return self.inverse() * other

    def __truediv__(self, other):
        return self * (other.inverse() if isinstance(other, Number) else 1 / Fraction(other))

    def inverse(self):
        return Number(self.field, inverse(tuple(self.field.polynomial), self.a))

    def __bool__(self):
        return bool(self.a)

    def __eq__(self, other):
        return self.a == self.of(other)

    __hash__ = None

    def __str__(self):
        return ",".join(map(str, self.a)) or "0"

    __repr__ = __str__


def is_zero(a):
    """Returns whether a is 0 at alpha."""
    return a.field.sign(a) == 0 if isinstance(a, Number) else not a


def read_field(text):
    """Returns the field of a text that Field.text writes, or raises ValueError."""
    found = re.fullmatch(r"([-0-9 ]+) interval (\S+) (\S+)", text)
    if not found:
        raise ValueError
    field = Field(found[1].split(" "), found[2], found[3])
    if field.text() != text:
        raise ValueError
    return field
