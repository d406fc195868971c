"""What horizon-check must refuse: changed bytes, members, tensors, numbers and lines of
config.json, of the header and the weights of weights.safetensors, and of the certificate, all
hashes right.

The judge (trained/run_network.py) loads what Python's json and safetensors load, and evaluates the
network in float64, and in the format of the scope, on all words up to the certified length, or
2,000 of a length where there are more. A VERIFIED is wrong where an answer is wrong, where no
network is found, where a file is not byte for byte what the trainer writes for the network that is
loaded, where a number of the certificate cannot be right (trained/run_certificate.py), or where the
line of the verdict does not agree with the files. A configuration of which
only the training is another one must be accepted. Half of the changed networks get a new
certificate from fsa2lrnn, so that the conditions of the certificate hold where they can.

usage: horizon_mutate.py --tool build/release/fsa2lrnn --checker build/release/lrnn-check
[--count N] [--seed S] [--jobs J] [--record FILE]
--checker names the folder of horizon-check."""

import collections
import hashlib
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import mutant_run
import numpy as np
import triple
from trained import run_certificate, run_files, run_network
from trained.run_files import Files, rehashed

ROOT = Path(__file__).resolve().parent.parent.parent
NAMES = "automaton.fsa", "config.json", "weights.safetensors", "certificate"
JSON = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null|[{}\[\]:,]|\s+|.', re.S)
MEMBER = re.compile(rb',?"(\w+)":("[^"]*"|-?[0-9][0-9.eE+-]*|true|false|null)')
KINDS = {"exact": (np.float64,), "fp32 any-order": (np.float64, np.float32)}


# --- changes of a JSON text: (rng, bytes) -> bytes ---


def other(rng, value):
    """Returns another value of the same type."""
    if value in (b"true", b"false"):
        return b"false" if value == b"true" else b"true"
    if value.startswith(b'"'):
        return rng.choice((b'""', b'"x"', value[:-1] + b' "', b'"mlstm"', b'"F16"', b'"I32"'))
    if value == b"null":
        return rng.choice((b"0", b"[]", b"[1,1]"))
    return str(rng.choice((0, 1, 2, 3, 8, 1000000, "1e-06", "0.5", int(float(value)) + 1))).encode()


def token(rng, text):
    parts = JSON.findall(text)
    i = rng.randrange(len(parts))
    parts[i] = other(rng, parts[i]) if re.match(rb'["\dtfn-]', parts[i]) else rng.choice(parts)
    return b"".join(parts)


def respelled(rng, text):
    parts = JSON.findall(text)
    i = rng.randrange(len(parts))
    x = parts[i]
    if x.startswith(b'"') and len(x) > 2 and rng.random() < 0.7:
        at = rng.randrange(1, len(x) - 1)
        parts[i] = x[:at] + b"\\u%04x" % x[at] + x[at + 1 :]
    elif x[:1].isdigit():
        more = (x + b".0", x + b"e0", b"0" + x, b"+" + x, x + b"E+0", b"0x" + x, x + b"0")
        parts[i] = rng.choice(more)
    else:
        parts[i] = rng.choice((b" ", b"\n", b"\t", b"\r\n", b"")) + x + rng.choice((b" ", b"\n"))
    return b"".join(parts)


def twice(rng, text):
    """Names a member once more, with another value, before or behind it or at an object's end."""
    m = rng.choice(list(MEMBER.finditer(text)))
    again = b'"%s":%s' % (m[1], other(rng, m[2]))
    ends = [i for i in range(m.end(), len(text)) if text[i : i + 1] == b"}"]
    at = rng.choice((m.end(), m.end(), *ends[:1], *ends[-1:]))
    return text[:at] + b"," + again + text[at:]


def lost(rng, text):
    m = rng.choice(list(MEMBER.finditer(text)))
    return text[: m.start()] + text[m.end() :]


def swapped(rng, text):
    first, second = sorted(rng.sample(list(MEMBER.finditer(text)), 2), key=lambda m: m.start())
    a, b = first[0].lstrip(b","), second[0].lstrip(b",")
    out = text[: second.end() - len(b)] + a + text[second.end() :]
    return out[: first.end() - len(a)] + b + out[first.end() :]


def longer(rng, text):
    more = (b" ", b"\n", b"\0", b"{}", b"{", b'{"model":{}}', b",", b"x", b"\xff")
    return rng.choice((text + rng.choice(more), rng.choice(more) + text))


def shorter(rng, text):
    return text[: rng.randrange(len(text))]


def byte(rng, text):
    at = rng.randrange(len(text))
    return text[:at] + bytes([rng.randrange(256)]) + text[at + 1 :]


def bit(rng, text):
    at = rng.randrange(len(text))
    return text[:at] + bytes([text[at] ^ 1 << rng.randrange(8)]) + text[at + 1 :]


TEXT = (token, token, respelled, respelled, twice, twice, lost, swapped, longer, shorter, byte, bit)


# --- changes of the configuration: (rng, what config.json says) ---


def numbers(model, tensors):
    return b"".join(tensors[name].astype("<f4").tobytes() for name in run_files.shapes(model))


def configured(rng, files, change, keep_header=False):
    """Writes config.json, and the header, in the trainer's spelling where there is one."""
    read, tensors = run_network.load(files.config, files.weights)
    change(rng, read)
    try:
        config = run_files.config_text(read).encode()
        weights = run_files.weights_of(read["model"], numbers(read["model"], tensors))
    except (run_files.NotLoaded, ValueError, KeyError, OverflowError):
        return files._replace(config=run_files.compact(read) + b"\n")
    return files._replace(config=config, weights=files.weights if keep_header else weights)


def configured_alone(rng, files, change):
    return configured(rng, files, change, rng.random() < 0.5)


def value_of_model(rng, read):
    model = read["model"]
    name = rng.choice(list(model))
    if name in ("epsilon", "slope"):
        model[name] *= rng.choice((0.5, 0.9, 1.000001, 2.0, 100.0))
    else:
        model[name] = json.loads(other(rng, json.dumps(model[name]).encode()))


def member_of_model(rng, read):
    """Sets a member that the trainer writes only where it has an effect."""
    name = rng.choice(list(run_files.UNSET))
    flag = run_files.UNSET[name] is False
    real = rng.choice((1e-6, 0.02, 1.0, 1e6))
    read["model"][name] = flag or (rng.choice((1, 5, 64)) if name == "window" else real)


def value_of_training(rng, read):
    """Changes what has no effect on the network to something else that the trainer may write."""
    places = [(read, n) for n in ("batch", "positions", "seed", "first_weights")]
    places += [(read["model"], n) for n in ("channels", "states", "step_rank", "window")]
    places += [(read[part], n) for part in ("train", "curriculum") for n in read[part]]
    where, name = rng.choice(places)
    choices = {
        "first_weights": hashlib.sha256(str(rng.random()).encode()).hexdigest(),
        "decay": rng.choice(("constant", "cosine", "linear")),
        "lengths": sorted(rng.sample(range(1, 999), rng.randrange(5))),
        "shorter_too": rng.random() < 0.5,
    }
    real = rng.choice((0.0, 1.0, 0.1, 1e-9, rng.random(), 3e-4, 1 / 3))
    is_real = name in (*run_files.RATES, "threshold")
    where[name] = choices.get(name, real if is_real else rng.randrange(1, 1 << 20))


# --- changes of the header: (rng, members, the numbers' bytes) -> other bytes, or None ---


def headed(rng, files, change):
    """Applies the change to the header's members, a list of [name, value], in which a
    name may come twice."""
    head, data = run_files.split(files.weights)
    members = [[n, v] for n, v in json.loads(head).items()]
    data = change(rng, members, data) or data
    parts = (json.dumps(n).encode() + b":" + run_files.compact(v) for n, v in members)
    text = b"{" + b",".join(parts) + b"}"
    return files._replace(weights=run_files.with_header(text, data))


def size(member):
    first, last = member[1]["data_offsets"]
    return last - first


def pair(rng, members):
    """Returns two tensors of one size."""
    a = rng.choice(members[1:])
    same = [m for m in members[1:] if m is not a and size(m) == size(a)]
    return (a, rng.choice(same)) if same else tuple(rng.sample(members[1:], 2))


def offsets_exchanged(rng, members, data):
    a, b = pair(rng, members)
    a[1]["data_offsets"], b[1]["data_offsets"] = b[1]["data_offsets"], a[1]["data_offsets"]


def names_exchanged(rng, members, data):
    a, b = pair(rng, members)
    a[0], b[0] = b[0], a[0]


def named_again(rng, members, data):
    """Names two tensors once more, with exchanged numbers."""
    a, b = pair(rng, members)
    again = [[x[0], {**x[1], "data_offsets": y[1]["data_offsets"]}] for x, y in ((a, b), (b, a))]
    at = rng.choice((1, len(members)))
    members[at:at] = again


def moved(rng, members, data):
    """Brings tensors into another order, with their numbers: the same network."""
    order = members[1:]
    if rng.random() < 0.5:
        rng.shuffle(order)
    else:
        order.sort()
    out = b""
    for m in order:
        first, last = m[1]["data_offsets"]
        m[1]["data_offsets"] = [len(out), len(out) + last - first]
        out += data[first:last]
    members[1:] = order
    return out


def listed_otherwise(rng, members, data):
    rng.shuffle(members)


def shape_changed(rng, members, data):
    shape = rng.choice(members[1:])[1]["shape"]
    if len(shape) > 1 and rng.random() < 0.7:
        shape.reverse()
    elif rng.random() < 0.5:
        shape.append(1)
    else:
        shape[:] = [int(np.prod(shape))]


def type_changed(rng, members, data):
    """Names another type; of F64 and F16 with numbers of that width for all tensors behind it."""
    i = rng.randrange(1, len(members))
    kind = rng.choice(("F64", "F16", "BF16", "I32", "I64", "f32"))
    if kind not in ("F64", "F16"):
        members[i][1]["dtype"] = kind
        return None
    out = b""
    for j, (_, entry) in enumerate(members[1:], 1):
        first, last = entry["data_offsets"]
        numbers = np.frombuffer(data[first:last], "<f4")
        new = numbers.astype("<f8" if kind == "F64" else "<f2") if j == i else numbers
        entry["data_offsets"] = [len(out), len(out) + new.nbytes]
        entry["dtype"] = kind if j == i else entry["dtype"]
        out += new.tobytes()
    return out


def tensor_lost(rng, members, data):
    del members[rng.randrange(len(members))]


def tensor_more(rng, members, data):
    name = rng.choice(("x", "layers.0.mixer.k_conv1d.weight", "layers.0.mixer.v_proj.weight"))
    end, more = len(data), rng.choice((0, 4, 4, 32))
    entry = {"dtype": "F32", "shape": [more // 4], "data_offsets": [end, end + more]}
    members.insert(rng.choice((1, len(members))), [name, entry])
    return data + b"\0" * more


def metadata_changed(rng, members, data):
    about = dict(members[0][1])
    name = rng.choice(list(about))
    about[name] = rng.choice(("", "2", about[name] + " ", about[name].replace("2", "3", 1)))
    members[0][1] = rng.choice((about, {}, {**about, "x": "y"}, {"config": about["config"]}))


def gap(rng, members, data):
    """Leaves bytes between two tensors, or before the first one, or has two share bytes."""
    i, step = rng.randrange(1, len(members)), rng.choice((4, 8, -4))
    for m in members[i:]:
        m[1]["data_offsets"] = [x + step for x in m[1]["data_offsets"]]
    at = members[i][1]["data_offsets"][0] - step
    return data[:at] + b"\0" * step + data[at:] if step > 0 else data


def numbers_longer(rng, members, data):
    return data + rng.choice((b"\0", b"\0" * 4, b" " * 8))


def numbers_shorter(rng, members, data):
    return data[: -rng.choice((1, 4, 8))]


HEADER = (
    offsets_exchanged,
    names_exchanged,
    named_again,
    named_again,
    moved,
    listed_otherwise,
    shape_changed,
    type_changed,
    tensor_lost,
    tensor_more,
    metadata_changed,
    gap,
    numbers_longer,
    numbers_shorter,
)


# --- changes of the weights: (rng, name, array) ---


def number_changed(rng, name, x):
    i = rng.randrange(x.size)
    x.flat[i] *= rng.choice((-1, 0, 0.5, 0.99, 1.01, 2, 16, 1e4))


def number_strange(rng, name, x):
    strange = (np.nan, np.inf, -np.inf, -0.0, 1e-45, -1e-40, 3e38, 1e20, 1e-30)
    x.flat[rng.randrange(x.size)] = rng.choice(strange)


def number_bit(rng, name, x):
    x.reshape(-1).view("<u4")[rng.randrange(x.size)] ^= np.uint32(1 << rng.randrange(32))


def tensor_shaken(rng, name, x):
    noise = np.random.default_rng(rng.randrange(1 << 32)).normal(size=x.shape)
    x += rng.choice((1e-6, 1e-4, 1e-3, 1e-2, 0.1)) * noise * np.abs(x).mean()


def tensor_scaled(rng, name, x):
    x *= rng.choice((-1, 0.5, 0.9, 0.99, 1.01, 2, 100, 0))


def rows_exchanged(rng, name, x):
    if x.ndim > 1 and len(x) > 1:
        i, j = rng.sample(range(len(x)), 2)
        x[[i, j]] = x[[j, i]]


WEIGHTS = (
    number_changed,
    number_strange,
    number_bit,
    tensor_shaken,
    tensor_shaken,
    tensor_scaled,
    rows_exchanged,
)


def weighted(rng, files, change):
    read, tensors = run_network.load(files.config, files.weights)
    tensors = {n: np.array(x) for n, x in tensors.items()}
    name = rng.choice(list(tensors))
    with np.errstate(all="ignore"):
        change(rng, name, tensors[name])
    data = numbers(read["model"], tensors)
    return files._replace(weights=run_files.weights_of(read["model"], data))


# --- changes of the certificate: (rng, lines) ---


def number_of_certificate(rng, lines):
    i = rng.choice([i for i, x in enumerate(lines) if re.match(b"form|norm|radius|margin", x)])
    words = lines[i].split(b" ")
    w = rng.randrange(1, len(words))
    x = int(words[w])
    new = (x // 2, x * 9 // 10, x - 1, x + 1, x * 11 // 10, 2 * x, 0, -x, 1, x + (1 << 20))
    words[w] = str(rng.choice(new)).encode()
    lines[i] = b" ".join(words)


def all_numbers(rng, lines):
    """Scales all numbers of one kind."""
    word, factor = rng.choice((b"norm", b"radius", b"margin", b"form")), rng.choice(
        (0, 50, 99, 101)
    )
    for i, line in enumerate(lines):
        if line.startswith(word):
            first = 2 if word == b"norm" else 1
            words = line.split(b" ")
            new = [str(int(x) * factor // 100).encode() for x in words[first:]]
            lines[i] = b" ".join(words[:first] + new)


def longer_claim(rng, lines):
    """Claims a greater length, with the lines of the last one once more for it."""
    at = next(i for i, x in enumerate(lines) if x.startswith(b"horizon "))
    length = int(lines[at][8:])
    lines[at] = b"horizon %d" % (length + 1)
    last = [i for i, x in enumerate(lines) if x == b"length %d" % length]
    for i in reversed(last):
        lines[i + 3 : i + 3] = [b"length %d" % (length + 1), *lines[i + 1 : i + 3]]


def claim_changed(rng, lines):
    word = rng.choice((b"horizon ", b"prefix ", b"scope "))
    at = next(i for i, x in enumerate(lines) if x.startswith(word))
    scopes = (b"exact", b"fp32 any-order", b"fp64 any-order", b"fp16 any-order", b"exact ")
    number = rng.choice((b"0", b"1", b"2", b"3", b"9", b"1000000"))
    lines[at] = word + (rng.choice(scopes) if word == b"scope " else number)


def lines_changed(rng, lines):
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    what = rng.randrange(4)
    if what == 0:
        del lines[i]
    elif what == 1:
        lines.insert(j, lines[i])
    elif what == 2:
        lines[i], lines[j] = lines[j], lines[i]
    else:
        lines.append(rng.choice((b"end", b"", b"scope exact", lines[j])))


CERTIFICATE = (number_of_certificate,) * 3 + (
    all_numbers,
    longer_claim,
    claim_changed,
    lines_changed,
)


def restated(rng, files, change):
    lines = files.certificate.split(b"\n")
    change(rng, lines)
    return files._replace(certificate=b"\n".join(lines))


# --- changes of files: (rng, files) ---


def second_model(rng, files):
    """Appends a second model, which is the one that counts for programs that read JSON."""
    read = json.loads(files.config)
    value_of_model(rng, read)
    again = b',"model":' + run_files.compact(read["model"]) + b"}\n"
    return files._replace(config=files.config.rstrip()[:-1] + again)


def header_length(rng, files):
    length = int.from_bytes(files.weights[:8], "little")
    new = rng.choice((length + 8, length - 8, length + 1, 0, 1 << 63, len(files.weights)))
    return files._replace(weights=new.to_bytes(8, "little") + files.weights[8:])


def automaton(rng, files):
    """Leads an edge to another state, or starts in another one."""
    a = triple.read_automaton(files.fsa.decode())
    if a.points is not None:
        rng.shuffle(a.image)
    elif rng.random() < 0.8:
        rng.choice(a.next)[rng.randrange(len(a.letters))] = rng.randrange(len(a.states))
    else:
        a.start = rng.randrange(len(a.states))
    return files._replace(fsa=a.text().encode())


# --- changes of texts ---


def config_text(rng, files, change):
    return files._replace(config=change(rng, files.config))


def certificate_text(rng, files, change):
    return files._replace(certificate=change(rng, files.certificate))


def header_text(rng, files, change):
    head, data = run_files.split(files.weights)
    return files._replace(weights=run_files.with_header(change(rng, head.rstrip(b" ")), data))


class Area(NamedTuple):
    weight: int  # how often, of the sum of all weights
    changes: tuple
    apply: object  # (rng, files, change) -> files
    again: bool = False  # half of the changed files get a new certificate
    must: bool = False  # the changed files must be accepted


AREAS = {
    "config": Area(12, (value_of_model, value_of_model, member_of_model), configured_alone, True),
    "training": Area(4, (value_of_training,), configured, must=True),
    "header": Area(24, HEADER, headed),
    "weights": Area(30, WEIGHTS, weighted, True),
    "certificate": Area(22, CERTIFICATE, restated),
    "files": Area(
        6,
        (second_model, header_length, automaton),
        lambda rng, files, change: change(rng, files),
        True,
    ),
    "spelling of the config": Area(6, TEXT, config_text),
    "spelling of the header": Area(6, TEXT, header_text),
    "spelling of the certificate": Area(2, (longer, shorter, byte, bit), certificate_text),
}


# --- one change and its judgement ---


def certified(tool, folder, files):
    """Returns the files with a certificate that fsa2lrnn makes of them, of the same scope and at
    most the same length; the old one where it makes none."""
    claim = re.search(rb"\nscope (\S+).*\nhorizon (\d{1,3})\n", files.certificate)
    if not claim:
        return files
    for name, data in zip(NAMES, files):
        Path(folder, name).write_bytes(data)
    made = Path(folder, "made")
    made.unlink(missing_ok=True)
    options = ["--most", claim[2], "--format", claim[1], "--no-report", "-o", str(made)]
    silent = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
    silent["stderr"] = subprocess.DEVNULL
    subprocess.run([tool, "horizon", str(folder), *options], **silent, timeout=300)
    return files._replace(certificate=made.read_bytes()) if made.exists() else files


def mutant(rng, files, tool, folder):
    """Returns (kind, changed files, whether they must be accepted), or None where nothing was
    changed."""
    name = rng.choices(list(AREAS), [area.weight for area in AREAS.values()])[0]
    area = AREAS[name]
    change = rng.choice(area.changes)
    new = rehashed(area.apply(rng, files, change))
    if new == files:
        return None
    if area.again and rng.random() < 0.5:
        new = certified(tool, folder, new)
    return f"{name}: {change.__name__}", new, area.must


def line_of(files, a, read):
    """Returns the line of the verdict that is right for the files."""
    claim = re.match(
        rb"horizon-cert 1\nfsa .*\nconfig .*\nweights .*\nscope (.*)\nhorizon (\d+)\n",
        files.certificate,
    )
    if not claim:
        raise run_files.NotLoaded("no claim")
    hashes = [hashlib.sha256(x).hexdigest() for x in files[:3]]
    line = (
        f"s VERIFIED horizon {claim[2].decode()} scope {claim[1].decode()} label states letters"
        f" {len(a.letters)} states {len(a.states)} layers 1 heads"
        f" {read['model']['heads']} fsa {hashes[0]} config {hashes[1]} weights {hashes[2]}\n"
    )
    return int(claim[2]), claim[1].decode(), line.encode()


def judge(files):
    """Returns the verdict's line if the claim of the files is true, else why it is not."""
    try:
        a = triple.read_automaton(files.fsa.decode())
        read, tensors = run_network.load(files.config, files.weights)
        length, scope, line = line_of(files, a, read)
        begin, model = read["data"].get("begin") is True, read["model"]
        if not run_files.is_spelled(files.config, files.weights):
            return "not what the trainer writes"
        sizes = len(a.letters) + begin, len(a.states) + begin
        if (model["letters"], model["labels"]) != sizes:
            return "other letters or labels"
        if length > 64:
            return "a length for which no certificate here has lines"
        with np.errstate(all="ignore"):
            for kind in KINDS.get(scope, (np.float64,)):
                network = run_network.Network(model, tensors, kind)
                right = run_network.right_up_to(network, a, begin, length)
                if right < length:
                    return f"wrong after {right + 1} letters"
            network = run_network.Network(model, tensors, np.float64)
            run_certificate.check(files.certificate, network, a, begin)
    except (run_files.NotLoaded, triple.Malformed, UnicodeDecodeError) as error:
        return f"not loaded: {error}"
    except (run_certificate.Wrong, np.linalg.LinAlgError) as error:
        return f"the certificate: {error}"
    return line


def verdict(checker, folder, files):
    paths = [str(Path(folder, name)) for name in NAMES]
    for path, data in zip(paths, files):
        Path(path).write_bytes(data)
    return mutant_run.say(str(Path(checker).parent / "horizon-check"), paths)


def outcome_of(seen, found, must):
    """Returns under which name a verdict is counted, from what the judge found."""
    said, right = mutant_run.accepted(seen), isinstance(found, bytes)
    fine = said is not None and (not said or right and seen[1] == found) and (said or not must)
    if not fine:
        return "WRONG"
    return f"{'right' if right else 'wrong'} and {'accepted' if said else 'refused'}"


def meaning_chunk(checker, base, seed, runs):
    files, tool = base
    rng, tally, bad = random.Random(seed), collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        while runs:
            made = mutant(rng, files, tool, folder)
            if made is None:
                continue
            runs -= 1
            kind, changed, must = made
            found, seen = judge(changed), verdict(checker, folder, changed)
            outcome = outcome_of(seen, found, must)
            tally["meaning", kind, outcome] += 1
            if outcome == "WRONG":
                bad.append((f"{kind}; the judge says {found!r}", seen, changed))
    return tally, bad


# --- the networks that are changed ---


def of_corpus(path):
    """Returns the files of an input of tests/fuzz/fuzz_horizon.c."""
    fsa, config, certificate, weights = path.read_bytes().split(b"%%\n", 3)
    return rehashed(Files(fsa, config, weights, certificate))


def networks(tool, folder):
    """Returns {name: files}."""
    corpus = sorted((ROOT / "tests/fuzz/corpus/horizon").iterdir())
    scopes = "-exact", "-fp32", "-fp64"  # the others are refused
    out = {path.name: of_corpus(path) for path in corpus if path.name.endswith(scopes)}
    data = ROOT / "tests/data/learned-s3"
    s3 = [(data / name).read_bytes() for name in NAMES[:3]]
    for scope in ("exact", "fp32"):
        claim = f"horizon-cert 1\nscope {scope}\nhorizon 3\n".encode()
        out[f"S3, {scope}"] = certified(tool, folder, Files(*s3, claim))
    return out


def facts(checker, folder, files):
    """Yields what must hold of each unchanged network."""
    for name, one in files.items():
        seen, found = verdict(checker, folder, one), judge(one)
        yield f"{name}: verified, and right by the judge", outcome_of(seen, found, True) == (
            "right and accepted"
        )
        for i, part in enumerate(NAMES[:3]):
            other_hash = Files(*(x + b"\n" if i == j else x for j, x in enumerate(one)))
            yield f"{name}: another {part}", verdict(checker, folder, other_hash)[0] == 1


def main():
    args = mutant_run.arguments(__doc__, 200)
    with tempfile.TemporaryDirectory() as folder:
        files = networks(args.tool, folder)
        failed = mutant_run.print_facts(list(facts(args.checker, folder, files)))
    bases = [(one, args.tool) for one in files.values()]
    tally, wrong = mutant_run.run(args, bases, (meaning_chunk,))
    return mutant_run.close(
        f"{len(files)} networks, seed {args.seed}, {mutant_run.spent(args.begin)}",
        sum(tally.values()) + 4 * len(files),
        failed + wrong,
    )


if __name__ == "__main__":
    sys.exit(main())
