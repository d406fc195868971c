"""Arithmetic of number formats, in plain Python: exact fractions for weights, floats for states,
where each operation of fp32 is rounded once, to nearest even."""

import math
from ctypes import c_float
from decimal import Decimal, localcontext
from fractions import Fraction

# precision, least exponent, largest number
FORMATS = {
    "fp32": (24, -126, float(2**128 - 2**104)),
    "bf16": (8, -126, float(2**128 - 2**120)),
    "fp16": (11, -14, 65504.0),
    "tf32": (11, -126, float(2**128 - 2**117)),
    "e4m3": (4, -6, 448.0),
    "e5m2": (3, -14, 57344.0),
    "e2m1": (2, 0, 6.0),
}


def log2_floor(x):
    """Returns the largest e with 2^e <= x, for a fraction x > 0."""
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def last_place(x, name):
    """Returns the last place of the format's numbers around x."""
    p, emin, _ = FORMATS[name]
    return Fraction(2) ** (max(log2_floor(abs(x)), emin) - p + 1)


def round_fraction(x, name):
    """Returns the fraction in the format; Python rounds to even."""
    if x == 0:
        return x
    unit = last_place(x, name)
    return round(x / unit) * unit


def round_root(square, name, negative=False):
    """Returns the root of a fraction in the format, rounded once."""
    if square == 0:
        return Fraction(0)
    near = Fraction(math.isqrt(square.numerator * square.denominator), square.denominator)
    unit = last_place(near or Fraction(1, square.denominator), name)
    n = math.isqrt(int(square / unit**2))
    # The middle of two numbers decides; a root that is the middle goes to the even one.
    middle = (2 * n + 1) ** 2 * unit**2 / 4
    x = (n + (square > middle or (square == middle and n % 2 == 1))) * unit
    return -x if negative else x


def twice_sigmoid(beta, name):
    """Returns 2 sigmoid(b) in fp32 for the logit b in the format, with many decimal digits."""
    with localcontext() as context:
        context.prec = 120
        x = Decimal(beta.numerator) / Decimal(beta.denominator)
        b = round_fraction(Fraction((x / (2 - x)).ln()), name)
        y = 2 / (1 + (-Decimal(b.numerator) / Decimal(b.denominator)).exp())
        return round_fraction(Fraction(y), "fp32")


def fp32(x):
    """Returns the float in fp32. Sums, products, quotients of fp32 that fp64 rounds first become
    the same number: 53 bits are more than twice 24 and two more."""
    return c_float(x).value


def fused(a, b, c):
    """Returns a b + c, rounded once: the product is exact in fp64, and the sum is rounded there to
    odd, so that the second rounding sees what was lost."""
    p = a * b
    s = p + c
    t = s - p
    lost = (p - (s - t)) + (c - t)
    if lost != 0 and math.isfinite(s):
        m, e = math.frexp(s)
        if int(math.ldexp(m, 53)) % 2 == 0:
            s = math.nextafter(s, math.inf if lost > 0 else -math.inf)
    return fp32(s)


def into(x, name, saturate=False):
    """Returns a float in the format."""
    if name == "fp32":
        return fp32(x)
    if x == 0 or not math.isfinite(x):
        return x
    p, emin, most = FORMATS[name]
    unit = math.ldexp(1.0, max(math.frexp(x)[1] - 1, emin) - p + 1)
    y = round(x / unit) * unit
    if abs(y) > most:
        return math.copysign(most if saturate else math.inf, y)
    return y
