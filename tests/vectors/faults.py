"""Faults that kernels have had, in the words of tests/vectors/chunked.py."""

import numpy as np

from chunked import ROUND, Fault, neumann, newton, substitution


def scaled(name, factor):
    """Returns results of which one is off by a factor."""

    def change(results):
        return {**results, name: np.float32(factor) * results[name]}

    return change


def every_row(gate, factors):
    return np.repeat(gate, factors)


def last_row(gate, factors):
    rows = np.ones(len(gate) * factors, np.float32)
    rows[factors - 1 :: factors] = gate
    return rows


# name: (fault, files on which it must show, of at least two of which all claims are about it)
FAULTS = {
    "inverse by Neumann's series in fp32": (
        Fault(rows=(64,), invert=neumann),
        ["delta-rule/t65", "delta-rule/t129", "delta-product/t64-n3"],
    ),
    "inverse by Neumann's series in fp16": (
        Fault(rows=(16,), invert=lambda A: neumann(A, ROUND["fp16"])),
        ["delta-rule/t65", "delta-rule/t129", "delta-rule/t65-read-out"],
    ),
    "inverse by 3 rounds of Newton and Schulz": (
        Fault(rows=(64,), invert=newton(3)),
        ["delta-rule/t65", "delta-rule/t129"],
    ),
    "inverse by 4 rounds of Newton and Schulz": (
        Fault(rows=(64,), invert=newton(4)),
        ["delta-rule/t65", "delta-rule/t129"],
    ),
    "inverse in tf32": (
        Fault(rows=(16, 32, 64), invert=lambda A: substitution(A, ROUND["tf32"])),
        ["delta-rule/t129-fine", "delta-product/t129-n2-fine"],
    ),
    "read-out in fp16 before the scale": (
        Fault(read_out=ROUND["fp16"]),
        ["delta-rule/t65-read-out", "delta-product/t65-n2-read-out"],
    ),
    "dk without the scale": (
        Fault(results=scaled("dk", 8)),
        ["delta-rule/t65", "delta-product/t64-n3"],
    ),
    "sigmoid for 2 sigmoid": (
        Fault(beta=lambda beta: beta / 2),
        ["delta-rule/t65", "delta-product/t64-n3"],
    ),
    "state of the sequence before": (
        Fault(start=lambda start, before: start + before),
        ["delta-rule/packed", "gated-delta-product/packed-n2"],
    ),
    "state in bf16 at borders": (
        Fault(carry=ROUND["bf16"]),
        ["delta-rule/t65", "delta-rule/t65-read-out", "gated-delta-product/t65-n8"],
    ),
    "state in tf32 at borders": (
        Fault(carry=ROUND["tf32"]),
        ["delta-rule/t65", "gated-delta-product/t65-n8"],
    ),
    "key heads that take turns": (
        Fault(head=lambda head, heads, value_heads: head % heads),
        ["delta-rule/t193-grouped", "delta-product/t193-n3-grouped"],
    ),
    "no gradient from the final state": (
        Fault(end=np.zeros_like),
        ["delta-rule/t65", "gated-delta-product/t65-n8"],
    ),
    "gate at every factor": (
        Fault(gate=every_row),
        ["gated-delta-product/t65-n8", "gated-delta-product/packed-n2"],
    ),
    "gate after the factors": (
        Fault(gate=last_row),
        ["gated-delta-product/t65-n8", "gated-delta-product/packed-n2"],
    ),
}
