"""Losses of a model on what is held out, by position.

    python3 evaluate.py --model RUN/model --config CONFIG --tokens TOKENS --to losses.json

Every piece is read from its beginning, after the border. A bin of positions has the mean of the
losses there, in nats; the first is 0 to 63, and each later one ends at twice the position. The
numbers of each piece are kept, so that models can be compared piece by piece."""

import argparse
import json
import math
import sys
from pathlib import Path

import networks
import numpy as np
from corpus import Refused

FIRST, CHUNK = 64, 4096  # positions of the first bin, and of a part of the logits


def bins(long):
    """Returns the ends of the bins of so many positions."""
    if long < 1:
        raise Refused("a piece of no tokens has no loss")
    ends = [min(FIRST, long)]
    while ends[-1] < long:
        ends.append(min(2 * ends[-1], long))
    return ends


def losses(model, tokens):
    """Returns the loss at every position of tokens [long], each predicted from those before."""
    import torch
    from torch.nn import functional

    device = next(model.parameters()).device
    labels = torch.as_tensor(tokens.astype(np.int64), device=device)
    inputs = torch.cat([labels.new_zeros(1), labels[:-1]])
    found = []
    with torch.no_grad(), networks.narrow(device):
        hidden = networks.hidden(model, inputs[None])[0]
        for begin in range(0, len(labels), CHUNK):
            logits = model.lm_head(hidden[begin : begin + CHUNK]).float()
            part = labels[begin : begin + CHUNK]
            found.append(functional.cross_entropy(logits, part, reduction="none"))
    return torch.cat(found).double().cpu().numpy()


def evaluate(model, held):
    """Returns the losses of each piece by bin, and of each domain."""
    pieces = held["tokens"]
    if pieces.ndim != 2 or pieces.shape[1] == 0 or len(pieces) == 0:
        raise Refused(f"pieces are [count][tokens], and these are {list(pieces.shape)}")
    if int(pieces.max()) >= model.config.vocab_size:
        raise Refused(f"token {pieces.max()}, and the model has {model.config.vocab_size}")
    ends = bins(pieces.shape[1])
    by_piece, by_domain = [], {}
    for domain, tokens in zip(held["domain"], pieces):
        found = losses(model, tokens)
        by_piece.append([float(part.mean()) for part in np.split(found, ends[:-1])])
        size = int(held["byte_lengths"][tokens].sum())
        total = by_domain.setdefault(str(domain), {"nats": 0.0, "tokens": 0, "bytes": 0})
        total["nats"] += float(found.sum())
        total["tokens"] += len(tokens)
        total["bytes"] += size
    for total in by_domain.values():
        nats = total.pop("nats")
        total["nats_a_token"] = round(nats / total["tokens"], 5)
        total["bits_a_byte"] = round(nats / math.log(2) / total["bytes"], 5)
    return {
        "ends": ends,
        "domain": [str(x) for x in held["domain"]],
        "unit": [str(x) for x in held["unit"]],
        "losses": [[round(x, 5) for x in row] for row in by_piece],
        "domains": by_domain,
    }


def open_model(folder, config):
    """Returns the model of a folder that train.py wrote."""
    import torch

    model = type(networks.make(config, str(folder))).from_pretrained(str(folder))
    model = networks.without_triton(model)
    return model.to("cuda" if torch.cuda.is_available() else "cpu").eval()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--config", type=Path, required=True, help="the row's configuration")
    parser.add_argument("--tokens", type=Path, required=True)
    parser.add_argument("--to", type=Path, required=True)
    args = parser.parse_args()
    try:
        config = networks.read(args.config)
        found = evaluate(open_model(args.model, config), dict(np.load(args.tokens / "held.npz")))
        args.to.write_text(json.dumps(found) + "\n", encoding="utf-8")
        for domain, numbers in found["domains"].items():
            print(domain, *(f"{value} {name}" for name, value in numbers.items()))
    except (Refused, OSError) as error:
        print(f"evaluate.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
