"""What `fsa2lrnn inspect` and `evaluate` say of rows that were trained, in short.

    python3 heads.py --looks DIR --rows RESULTS.jsonl --to reports/results/lm-heads.json

DIR has inspect-ROW-SEED.json and evaluate-ROW-SEED-look-DOMAIN.json, what the two commands write
with --json of texts of tokens: the first 4,096 of a piece of each domain, and whole pieces. Of each
head the record has the betas, how many eigenvalues of one token's A and of five are negative or
complex, the norm and the effective rank of the state by position, and the rank before a document
and after tokens of it. RESULTS.jsonl has the loss of the same pieces in bf16 on the GPU: the
program computes in double."""

import argparse
import json
import sys
from pathlib import Path

from corpus import Refused

BETAS = ("average", "share_below_0_1", "share_above_1", "share_above_1_9")
PIECES = {"code": "linux/fs/xfs/libxfs", "prose": "linux:0", "mathematics": "set.mm:0"}


def short(value):
    return None if value is None else float(f"{value:.4g}")


def by_position(found):
    return [[one["from_position"], short(one["average"])] for one in found]


def of_head(head):
    """Returns a head's numbers in short."""
    betas, gates = head["token_betas"], head["token_gates"]
    return {
        "layer": head["layer"],
        "head": head["head"],
        "beta": betas and {name: short(betas[name]) for name in BETAS},
        "gate": gates and short(gates["average"]),
        "negative": short(head["one_token"]["share_negative"]),
        "near_minus_1": short(head["one_token"]["share_near_minus_1"]),
        "negative_of_five": short(head["five_tokens"]["share_negative"]),
        "complex_of_five": short(head["five_tokens"]["share_complex"]),
        "norm": by_position(head["norm_by_position"]),
        "rank": by_position(head["rank_by_position"]),
        "rank_at_documents": head["rank_at_documents"],
    }


def mean(values):
    found = [value for value in values if value is not None]
    return short(sum(found) / len(found)) if found else None


def of_row(about):
    """Returns a row's heads, and their means."""
    heads = [of_head(head) for head in about["token_heads"]]
    last = [head["rank"][-1][1] for head in heads if head["rank"]]
    betas = [head["beta"] for head in heads if head["beta"]]
    return {
        "model": about["model_text"],
        "tokens": about["token_count"],
        "loss": about["all_positions"]["mean_loss"],
        "beta_mean": mean(b["average"] for b in betas),
        "beta_above_1": mean(b["share_above_1"] for b in betas),
        "beta_above_1_9": mean(b["share_above_1_9"] for b in betas),
        "beta_below_0_1": mean(b["share_below_0_1"] for b in betas),
        "gate": mean(head["gate"] for head in heads),
        "near_minus_1": mean(head["near_minus_1"] for head in heads),
        "rank_mean": mean(last),
        "rank_least": min(last, default=None),
        "rank_greatest": max(last, default=None),
        "state": [about["state_rows"], about["state_columns"]],
        "heads": heads,
    }


def on_gpu(row, domain):
    """Returns the loss of the piece of a domain that evaluate.py found."""
    found = row["evaluation"]
    starts = [0, *found["ends"][:-1]]
    widths = [end - start for start, end in zip(starts, found["ends"])]
    place = found["unit"].index(PIECES[domain])
    return sum(w * x for w, x in zip(widths, found["losses"][place])) / sum(widths)


def collect(looks, rows):
    """Returns the record; rows: {(name, seed): result.json}."""
    found, apart = {}, []
    for path in sorted(looks.glob("inspect-*.json")):
        name, _, seed = path.stem.removeprefix("inspect-").rpartition("-")
        found[f"{name}, seed {seed}"] = of_row(json.loads(path.read_text(encoding="utf-8")))
    for path in sorted(looks.glob("evaluate-*-look-*.json")):
        rest, _, domain = path.stem.removeprefix("evaluate-").rpartition("-look-")
        name, _, seed = rest.rpartition("-")
        about = json.loads(path.read_text(encoding="utf-8"))
        one = {"row": name, "seed": int(seed), "domain": domain, "count": 0, "double": None}
        one["count"] = about["all_positions"]["count"]
        one["double"] = about["all_positions"]["mean_loss"]
        one["bf16"] = round(on_gpu(rows[name, int(seed)], domain), 6)
        one["by_position"] = [[x["from_position"], x["mean_loss"]] for x in about["by_position"]]
        apart.append(one)
    if not found:
        raise Refused(f"{looks}: no inspect-ROW-SEED.json")
    return {"rows": found, "losses": apart}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--looks", type=Path, required=True)
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--to", type=Path, required=True)
    args = parser.parse_args()
    try:
        lines = map(json.loads, args.rows.read_text(encoding="utf-8").splitlines())
        about = collect(args.looks, {(row["row"], row["seed"]): row for row in lines})
    except (Refused, OSError, ValueError) as error:
        print(f"heads.py: {error}", file=sys.stderr)
        return 1
    args.to.write_text(json.dumps(about, separators=(",", ":")) + "\n", encoding="utf-8")
    for name, row in about["rows"].items():
        print(name, {k: v for k, v in row.items() if k not in ("heads", "model")})
    for one in about["losses"]:
        print(one["row"], one["domain"], one["double"], one["bf16"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
