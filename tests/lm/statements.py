"""What the rows are expected to show, written before they were trained, and whether they do.

    python3 statements.py --rows RESULTS.jsonl --tokens TOKENS --to reports/results/lm.json
        [--first first-ROW.json ...]

RESULTS.jsonl has the result.json of every row in a line, TOKENS/train.json the hashes of the text.
A trial, with seed 0, which chose the rate, may have read another text. --first has what
first_losses.py wrote. The thresholds below are committed before the run that counts. A difference
of two rows is paired: both read the same pieces. Its interval is of 2,000 bootstrap samples of
units (directories of code, pieces of the other domains), from seed 0.
*Degradation* is the loss at positions 16,384 to 32,767 minus the loss at 2,048 to 4,095."""

import argparse
import json
import math
import sys
from pathlib import Path

import numpy as np
from corpus import DOMAINS, Refused

SAMPLES = 2000
TRAINED = 4096  # positions that training has seen
FREE = 0.02  # nats a token that [-1, 1] may cost
FLAT = 0.02  # nats a token by which rows with gates may get worse
RISE = 0.05  # nats a token by which the last 50 losses may lie above the best 50
BLOCK = 50
RANGES = (
    ("delta-11", "delta-01"),
    ("product3-11", "product3-01"),
    ("mamba-11", "mamba-01"),
)
HELPED = RANGES[:2]
BY_FACTORS = ("delta-11", "product2-11", "product3-11")
MATCHED = ("product3-11", "delta-11-wide")
GATED = ("gated-delta-11", "gated-product3-11")
TEXTS = {
    "a": f"no row diverges: all losses are finite, the last {BLOCK} at most {RISE} above the best",
    "b1": f"[-1, 1] costs at most {FREE} nats a token to position {TRAINED}, in every domain",
    "b2": "[-1, 1] helps code and mathematics, in DeltaNet and with three factors",
    "c": "degradation falls with the number of factors, and three have less than one",
    "d": "three factors have less degradation than one with the same number of parameters",
    "e": f"with gates no row has a degradation above {FLAT}",
    "f": "pretraining uses what the range allows (rows with 3 % of state tracking)",
}


class Evaluated:
    """The losses of a row by piece and bin."""

    def __init__(self, about):
        found = about["evaluation"]
        self.losses, self.ends = np.array(found["losses"]), list(found["ends"])
        self.domain, self.unit = np.array(found["domain"]), np.array(found["unit"])

    def between(self, begin, end):
        """Returns the loss of each piece at positions begin to end - 1; both are ends of bins."""
        starts = [0, *self.ends[:-1]]
        widths = np.array([e - s for s, e in zip(starts, self.ends)], float)
        inside = np.array([s >= begin and e <= end for s, e in zip(starts, self.ends)])
        if widths[inside].sum() != end - begin:
            raise Refused(f"positions {begin} to {end} are not whole bins of {self.ends}")
        return self.losses[:, inside] @ widths[inside] / (end - begin)

    def degradation(self):
        last = self.ends[-1]
        return self.between(last // 2, last) - self.between(TRAINED // 2, TRAINED)


def interval(values, units):
    """Returns the mean of values, its 95 % interval over units, and how many there are."""
    names, index = np.unique(units, return_inverse=True)
    sums = np.bincount(index, values)
    counts = np.bincount(index).astype(float)
    drawn = np.random.default_rng(0).integers(0, len(names), (SAMPLES, len(names)))
    means = sums[drawn].sum(1) / counts[drawn].sum(1)
    low, high = np.quantile(means, (0.025, 0.975))
    return {
        "mean": round(float(values.mean()), 5),
        "low": round(float(low), 5),
        "high": round(float(high), 5),
        "pieces": len(values),
        "units": len(names),
    }


def difference(one, other, what):
    """Returns the interval of a number of each piece in one row minus that in another."""
    if not np.array_equal(one.unit, other.unit):
        raise Refused("two rows were evaluated on different pieces")
    return interval(what(one) - what(other), one.unit)


def in_domain(one, other, domain):
    """Returns the interval of the difference to position TRAINED in a domain."""
    if not np.array_equal(one.unit, other.unit):
        raise Refused("two rows were evaluated on different pieces")
    here = one.domain == domain
    values = one.between(0, TRAINED) - other.between(0, TRAINED)
    return interval(values[here], one.unit[here])


def converged(losses):
    """Returns whether a run ended near the lowest losses that it had."""
    if not all(map(math.isfinite, losses)) or len(losses) < BLOCK:
        return False
    count = len(losses) // BLOCK
    blocks = np.array(losses[len(losses) - count * BLOCK :]).reshape(count, BLOCK).mean(1)
    return bool(blocks[-1] <= blocks.min() + RISE)


# --- the statements: each returns (whether it holds, numbers), or None without its rows ---


def statement_a(rows, _):
    ended = {name: converged(row["losses"]) for name, row in rows.items()}
    return (all(ended.values()), ended) if ended else None


def statement_b1(_, evaluated):
    if not {name for pair in RANGES for name in pair} <= set(evaluated):
        return None
    found = {
        f"{one}, {domain}": in_domain(evaluated[one], evaluated[other], domain)
        for one, other in RANGES
        for domain in DOMAINS
    }
    return all(x["high"] <= FREE for x in found.values()), found


def statement_b2(_, evaluated):
    if not {name for pair in HELPED for name in pair} <= set(evaluated):
        return None
    found = {
        f"{one}, {domain}": in_domain(evaluated[one], evaluated[other], domain)
        for one, other in HELPED
        for domain in ("code", "mathematics")
    }
    return all(x["high"] < 0 for x in found.values()), found


def statement_c(_, evaluated):
    if not set(BY_FACTORS) <= set(evaluated):
        return None
    each = {n: interval(evaluated[n].degradation(), evaluated[n].unit) for n in BY_FACTORS}
    means = [each[name]["mean"] for name in BY_FACTORS]
    gap = difference(evaluated[BY_FACTORS[2]], evaluated[BY_FACTORS[0]], Evaluated.degradation)
    return means[0] > means[1] > means[2] and gap["high"] < 0, {**each, "three minus one": gap}


def statement_d(_, evaluated):
    if not set(MATCHED) <= set(evaluated):
        return None
    gap = difference(*(evaluated[name] for name in MATCHED), Evaluated.degradation)
    return gap["high"] < 0, {" minus ".join(MATCHED): gap}


def statement_e(_, evaluated):
    if not set(GATED) <= set(evaluated):
        return None
    each = {n: interval(evaluated[n].degradation(), evaluated[n].unit) for n in GATED}
    return all(x["high"] <= FLAT for x in each.values()), each


def statement_f(_rows, _evaluated):
    return None


STATEMENTS = {
    "a": statement_a,
    "b1": statement_b1,
    "b2": statement_b2,
    "c": statement_c,
    "d": statement_d,
    "e": statement_e,
    "f": statement_f,
}


def judge(rows):
    """Returns a statement's outcome for each: failed ones first, then those that hold, then those
    that could not be looked at. rows: {name: result.json} of one seed."""
    evaluated = {name: Evaluated(row) for name, row in rows.items() if "evaluation" in row}
    found = []
    for name, statement in STATEMENTS.items():
        outcome = statement(rows, evaluated)
        said = "not run" if outcome is None else "holds" if outcome[0] else "does not hold"
        numbers = outcome[1] if outcome else {}
        found.append({"statement": name, "text": TEXTS[name], "outcome": said, "numbers": numbers})
    order = ("does not hold", "holds", "not run")
    return sorted(found, key=lambda one: order.index(one["outcome"]))


def command_of(name, count):
    return (
        f"python3 tests/lm/train.py --config tests/lm/configs/{name}.json --tokens TOKENS "
        f"--to RUN --count {count} --evaluate"
    )


def collect(lines, wanted, tokens, first=()):
    """Returns what lm.json has: lines are result.json of all seeds, wanted the names of rows,
    tokens what train.json has, and first what first_losses.py wrote of each row."""
    runs = [json.loads(line) for line in lines if line.strip()]
    trials = [run for run in runs if run["seed"] == 0]
    counted = [run for run in runs if run["seed"] != 0]
    if not counted:
        raise Refused("no run with a seed that counts")
    keys = {(run["row"], run["seed"]) for run in counted}
    texts = {run["data"]["sha256"] for run in counted}
    if len(keys) != len(counted) or texts != {tokens["sha256"]}:
        raise Refused("a row came twice, or not all rows were trained on these tokens")
    rows = {run["row"]: run for run in counted if run["seed"] == 1}
    count = max(run["tokens"] for run in counted)
    return {
        "what": "the same comparison as the papers', with a tenth of the parameters and a "
        "hundredth of the tokens or fewer",
        "statements": judge(rows),
        "not_run": {name: command_of(name, count) for name in sorted(set(wanted) - set(rows))},
        "first_losses": list(first),
        "tokens": tokens,
        "rows": counted,
        "trials": trials,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--tokens", type=Path, required=True)
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--first", type=Path, nargs="*", default=[])
    args = parser.parse_args()
    wanted = [path.stem for path in (Path(__file__).parent / "configs").glob("*.json")]
    try:
        tokens = json.loads((args.tokens / "train.json").read_text(encoding="utf-8"))
        first = [json.loads(path.read_text(encoding="utf-8")) for path in args.first]
        about = collect(args.rows.read_text(encoding="utf-8").splitlines(), wanted, tokens, first)
    except (Refused, OSError, ValueError) as error:
        print(f"statements.py: {error}", file=sys.stderr)
        return 1
    args.to.write_text(json.dumps(about, separators=(",", ":")) + "\n", encoding="utf-8")
    for one in about["statements"]:
        print(f"{one['outcome']:14} ({one['statement']}) {one['text']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
