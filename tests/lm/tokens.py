"""A corpus as tokens.

    python3 tokens.py learn --corpus CORPUS --to tokenizer.json [--vocabulary 8192]
    python3 tokens.py encode --corpus CORPUS --tokenizer tokenizer.json --to TOKENS
    python3 tokens.py hold --corpus CORPUS --tokenizer tokenizer.json --to TOKENS

learn   a byte-level BPE from the part for training. Token 0 is the border of two documents.
encode  TOKENS/train.bin, 16 bits a token, each document followed by token 0; and train.json with
        its hash, the tokenizer's, and the tokens of each domain.
hold    TOKENS/held.npz: pieces of 32,768 tokens of what is held out, with domain and unit of each,
        the bytes of every token, and the tokenizer's hash. Of code a unit is a directory, whose
        files are joined in the order of their names, and has at most 2 pieces; of the other
        domains, where one source is one stream, a unit is a piece, and a stream has at most 48.

`Tokens` reads train.bin and refuses tokens beyond the vocabulary and a file of another hash."""

import argparse
import hashlib
import json
import sys
from pathlib import Path

import numpy as np
from corpus import DOMAINS, END, Refused

BORDER, BORDER_ID = "<|border|>", 0
VOCABULARY = 8192
LONG = 32768  # tokens of a piece that is held out
MOST = {"code": 2, "prose": 48, "mathematics": 48}  # pieces of a stream
BATCH, TOGETHER = 512, 8  # documents that are encoded together, and that are before a look at LONG


def sha256_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def texts(corpus, split, domain):
    """Returns the documents of a part as bytes; [] where there is no such part."""
    path = corpus / f"{split}-{domain}.txt"
    if not path.exists():
        return []
    about = json.loads((corpus / "corpus.json").read_text(encoding="utf-8"))
    if sha256_of(path) != about["sha256"][path.name]:
        raise Refused(f"{path}: it is not what corpus.json says")
    return path.read_bytes().split(END)[:-1]


def learn(corpus, vocabulary=VOCABULARY):
    """Returns a tokenizer of so many tokens, learnt from the part for training."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[BORDER],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    found = (text.decode("utf-8") for d in DOMAINS for text in texts(corpus, "train", d))
    tokenizer.train_from_iterator(found, trainer)
    if tokenizer.get_vocab_size() != vocabulary:
        raise Refused(f"the corpus gives {tokenizer.get_vocab_size()} tokens, not {vocabulary}")
    return tokenizer


def load(path):
    """Returns the tokenizer of a file."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise Refused(f"{path}: {error}") from error
    if tokenizer.token_to_id(BORDER) != BORDER_ID or tokenizer.get_vocab_size() > 2**16:
        raise Refused(f"{path}: token 0 is not {BORDER}, or there are more than 65,536")
    return tokenizer


def encoded(tokenizer, found):
    """Yields the tokens of documents, as arrays of 16 bits."""
    for begin in range(0, len(found), BATCH):
        batch = [text.decode("utf-8") for text in found[begin : begin + BATCH]]
        for one in tokenizer.encode_batch(batch, add_special_tokens=False):
            yield np.array(one.ids, np.uint16)


def byte_lengths(tokenizer):
    """Returns how many bytes each token stands for; the border counts as one."""
    names = [tokenizer.id_to_token(i) for i in range(tokenizer.get_vocab_size())]
    return np.array([1 if name == BORDER else len(name) for name in names], np.uint8)


def streams(corpus, domain):
    """Returns {stream: documents} of what is held out of a domain."""
    rows = [line.split("\t") for line in (corpus / "documents.tsv").read_text().splitlines()]
    about = [row for row in rows if row[:2] == [domain, "held"]]
    found = {}
    for row, text in zip(about, texts(corpus, "held", domain), strict=True):
        stream = row[2] if domain == "code" else row[3].partition("/")[0]
        found.setdefault(stream, []).append(text)
    return found


def pieces(tokenizer, documents, long, most):
    """Returns at most so many pieces [long] of documents that are joined with borders."""
    joined, size = [], 0
    for begin in range(0, len(documents), TOGETHER):
        if size >= most * long:
            break
        for tokens in encoded(tokenizer, documents[begin : begin + TOGETHER]):
            joined.append(np.append(tokens, np.uint16(BORDER_ID)))
            size += len(joined[-1])
    count = min(size // long, most)
    return np.concatenate(joined)[: count * long].reshape(count, long) if count else []


def hold(corpus, path, to, long=LONG, most=MOST):
    """Writes held.npz; returns how many pieces each domain has."""
    tokenizer, rows = load(path), []
    for domain in DOMAINS:
        for stream, documents in streams(corpus, domain).items():
            found = pieces(tokenizer, documents, long, most[domain])
            for number, tokens in enumerate(found):
                name = f"{stream}:{number}"
                rows.append((domain, stream if domain == "code" else name, name, tokens))
    if not rows:
        raise Refused(f"{corpus}: no piece of {long} tokens is held out")
    domain, unit, name, tokens = zip(*rows)
    arrays = {"domain": domain, "unit": unit, "name": name, "tokens": np.stack(tokens)}
    to.mkdir(parents=True, exist_ok=True)
    lengths = byte_lengths(tokenizer)
    np.savez(to / "held.npz", **arrays, byte_lengths=lengths, tokenizer=sha256_of(path))
    return {d: domain.count(d) for d in DOMAINS}


def encode(corpus, path, to):
    """Writes train.bin and train.json; returns what the latter has."""
    tokenizer = load(path)
    domains, parts = {}, []
    for domain in DOMAINS:
        found = texts(corpus, "train", domain)
        arrays = [np.append(tokens, np.uint16(0)) for tokens in encoded(tokenizer, found)]
        parts += arrays
        count = sum(map(len, arrays))
        size = sum(map(len, found))
        domains[domain] = {"documents": len(found), "bytes": size, "tokens": count}
    if not parts:
        raise Refused(f"{corpus}: nothing to train on")
    to.mkdir(parents=True, exist_ok=True)
    np.concatenate(parts).tofile(to / "train.bin")
    about = {
        "vocabulary": tokenizer.get_vocab_size(),
        "tokenizer": sha256_of(path),
        "sha256": sha256_of(to / "train.bin"),
        "domains": domains,
        "corpus": json.loads((corpus / "corpus.json").read_text(encoding="utf-8"))["sha256"],
    }
    (to / "train.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return about


def held(folder, tokenizer):
    """Returns the arrays of held.npz; refuses those of another tokenizer."""
    arrays = dict(np.load(folder / "held.npz"))
    if str(arrays["tokenizer"]) != tokenizer:
        raise Refused(f"{folder}/held.npz: it was made with another tokenizer")
    return arrays


class Tokens:
    """Windows of train.bin, as many tokens each; the labels of a window are its tokens."""

    def __init__(self, folder, window):
        self.about = json.loads((folder / "train.json").read_text(encoding="utf-8"))
        path, self.window = folder / "train.bin", window
        if window < 2:
            raise Refused(f"a window of {window} tokens has nothing to predict")
        if sha256_of(path) != self.about["sha256"]:
            raise Refused(f"{path}: it is not what train.json says")
        self.tokens = np.memmap(path, np.uint16, "r")
        beyond = int(self.tokens.max()) >= self.about["vocabulary"]
        if beyond or len(self.tokens) < window:
            what = "tokens beyond the vocabulary" if beyond else f"less than {window} tokens"
            raise Refused(f"{path}: {what}")

    def __len__(self):
        return len(self.tokens) // self.window

    def __getitem__(self, number):
        tokens = self.tokens[number * self.window : (number + 1) * self.window].astype(np.int64)
        return {"input_ids": tokens, "labels": tokens.copy()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("learn", "encode", "hold"):
        one = commands.add_parser(name)
        one.add_argument("--corpus", type=Path, required=True)
        one.add_argument("--to", type=Path, required=True)
        if name == "learn":
            one.add_argument("--vocabulary", type=int, default=VOCABULARY)
        else:
            one.add_argument("--tokenizer", type=Path, required=True)
    args = parser.parse_args()
    try:
        if args.command == "learn":
            learn(args.corpus, args.vocabulary).save(str(args.to), pretty=False)
        elif args.command == "hold":
            print("pieces held out", hold(args.corpus, args.tokenizer, args.to))
        else:
            for domain, sizes in encode(args.corpus, args.tokenizer, args.to)["domains"].items():
                rate = sizes["bytes"] / max(sizes["tokens"], 1)
                print(domain, *(f"{n} {what}" for what, n in sizes.items()), f"{rate:.2f} a token")
    except (Refused, OSError) as error:
        print(f"tokens.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
