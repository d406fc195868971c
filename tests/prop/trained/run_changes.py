"""Changes of a run with a certificate: of members, tensors, numbers and lines, and of the spelling
of its texts. AREAS says how often each is made. None of them repairs a hash."""

import hashlib
import json
import re
from typing import NamedTuple

import numpy as np
import triple
from trained import run_files, run_network

JSON = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|true|false|null|[{}\[\]:,]|\s+|.', re.S)
MEMBER = re.compile(rb',?"(\w+)":("[^"]*"|-?[0-9][0-9.eE+-]*|true|false|null)')


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
    numbers = [i for i, x in enumerate(parts) if x[:1].isdigit()]
    i = rng.choice(rng.choice((numbers, range(len(parts)))))
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
    places += [(read["data"], n) for n in run_files.SHARES]
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
    real = max(real, 1e-9) if name in run_files.SHARES else real
    is_real = name in (*run_files.RATES, *run_files.SHARES, "threshold")
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
    kinds = (
        b"form .|norm .|letters .|prefix .|period .|suffix .|answer .|after .|directions .|set ."
        b"|leaf |heads |denominator |joint "
    )
    found = [i for i, x in enumerate(lines) if re.match(kinds, x)]
    if not found:
        return
    i = rng.choice(found)
    words = lines[i].split(b" ")
    w = rng.randrange(1, len(words))
    x = int(words[w])
    more = int(x * rng.uniform(1, 4))
    new = (x // 2, x * 9 // 10, x - 1, x + 1, more, more, 2 * x, 0, -x, 1, x + (1 << 20))
    words[w] = str(rng.choice(new)).encode()
    lines[i] = b" ".join(words)


def all_numbers(rng, lines):
    """Scales all numbers of one kind, in hundredths."""
    word = rng.choice((b"norm", b"norm", b"form"))
    if b"claim forever" in lines:
        word = rng.choice((b"set", b"set", b"directions"))
    factor = rng.choice((0, 50, 90, 99, 101, 200, 10**4))
    for i, line in enumerate(lines):
        if line.startswith(word):
            first = 1 if word in (b"form", b"directions") else 2
            words = line.split(b" ")
            new = [str(int(x) * factor // 100).encode() for x in words[first:]]
            lines[i] = b" ".join(words[:first] + new)


def shorter_settling(rng, lines):
    """Claims that the states settle after fewer letters, or to another answer."""
    word = rng.choice((b"after ", b"after ", b"answer "))
    at = next((i for i, x in enumerate(lines) if x.startswith(word)), None)
    if at is not None:
        x = int(lines[at].split(b" ")[1])
        less = (x - 1, x - 1, x * 9 // 10, x // 2, x // 4, x // 8, 0)
        new = rng.choice(less if word == b"after " else (1, 2, 3, x + 1))
        lines[at] = word + b"%d" % max(0, new)


def other_suffix(rng, lines):
    """Puts a word behind the periods, or another one, which changes the answer in general."""
    at = next((i for i, x in enumerate(lines) if x.startswith(b"answer ")), None)
    if at is None:
        return
    word = b" ".join(b"%d" % rng.randint(1, 6) for _ in range(rng.randrange(4)))
    kept = lines[at - 1].startswith(b"suffix") and rng.random() < 0.9
    answer = rng.choice((lines[at], b"answer 1", b"answer 2"))
    lines[at - kept : at + 1] = [b"suffix " + word, answer]


def smaller_sets(rng, lines):
    """Takes from some numbers of the sets: a unit, or a part."""
    at = [i for i, x in enumerate(lines) if x.startswith(b"set ")]
    less = rng.choice((1, 1, 1 << 10, 1 << 20, 1 << 30))
    for i in at if rng.random() < 0.5 else at[:1]:
        words = lines[i].split(b" ")
        some = words[2:] if rng.random() < 0.3 else rng.sample(words[2:], 1)
        lines[i] = b" ".join(
            [*words[:2], *(b"%d" % (int(x) - less if x in some else int(x)) for x in words[2:])]
        )


def other_tree(rng, lines):
    """Takes a node away, puts one in, or makes one of the other kind."""
    at = [i for i, x in enumerate(lines) if re.match(b"leaf|inner", x)]
    if not at:
        return
    i, what = rng.choice(at), rng.randrange(5)
    inner = [j for j in at if lines[j] == b"inner"]
    if what == 0:
        del lines[i]
    elif what == 1:
        lines.insert(i, rng.choice((b"inner", b"leaf 0", b"leaf 2", b"leaf 25")))
    elif what == 2 and inner:
        j = rng.choice(inner)
        lines[j : j + 3] = [b"leaf %d" % rng.choice((0, 1, 4))]  # for two leaves as children
    elif what == 3:
        lines[i : i + 1] = [b"inner", b"leaf 1", b"leaf 1"]
    else:
        lines[i] = rng.choice((b"inner", b"leaf 0", b"leaf 9"))


def other_states(rng, lines):
    """Claims other heads, states or denominators."""
    word = rng.choice((b"heads ", b"denominator ", b"joint "))
    at = next((i for i, x in enumerate(lines) if x.startswith(word)), None)
    if at is None:
        return
    if word == b"heads ":
        lines[at] = word + rng.choice((b"1", b"2", b"1 2", b"2 1", b"1 1", b"0", b"1 2 3", b""))
    else:
        x = int(lines[at].split(b" ")[1])
        lines[at] = word + b"%d" % rng.choice((x - 1, x + 1, 2 * x, 3 * x, x // 2, 0, 2**30, 2**31))


def other_roots(rng, lines):
    """Claims another order, prime or period."""
    word = rng.choice((b"order ", b"prime ", b"period "))
    at = next((i for i, x in enumerate(lines) if x.startswith(word)), None)
    if at is None:
        return
    x = lines[at].split(b" ")[1:]
    if word == b"period ":
        x = rng.choice((x + x[:1], x[::-1], [b"1"], [b"2"], x + x, x[1:]))
    else:
        x = [b"%d" % rng.choice((2, 3, 4, 5, 7, 8, 9, 11, 13, 17, 15, 1, 0, 65537, 1 << 20))]
    lines[at] = word + b" ".join(x)


def longer_claim(rng, lines):
    """Claims a greater length, or the same without one letter of the prefix; of all lengths,
    smaller sets, or another tree, or states."""
    if b"claim finite" in lines:
        return other_states(rng, lines)
    if b"claim roots" in lines:
        return other_roots(rng, lines)
    if b"claim forever" in lines:
        return rng.choice((smaller_sets, other_tree))(rng, lines)
    word = rng.choice((b"horizon ", b"prefix "))
    more = rng.choice((1, 2) if word == b"horizon " else (-1, 1))
    at = next((i for i, x in enumerate(lines) if x.startswith(word)), None)
    if at is None:
        return shorter_settling(rng, lines)
    lines[at] = word + b"%d" % max(0, int(lines[at].split(b" ")[1]) + more)


def other_letters(rng, lines):
    words = rng.sample((b"letters ", b"prefix ", b"period ", b"suffix "), 4)
    found = [i for word in words for i, x in enumerate(lines) if x.startswith(word)]
    if not found:
        return
    at = found[0]
    word = lines[at].split(b" ")[0]
    group = lines[at].split(b" ")[1:]
    more = [*group, b"7"], [b"0", *group]
    new = rng.choice((group[1:], group[:-1], group[:1], group[::-1], *more))
    lines[at] = b" ".join([word, *new])


def claim_changed(rng, lines):
    claims = b"horizon |prefix |scope |claim |after |answer |order |prime "
    at = rng.choice([i for i, x in enumerate(lines) if re.match(claims, x)])
    word = lines[at].split(b" ")[0] + b" "
    scopes = (b"exact", b"fp32 any-order", b"fp64 any-order", b"fp16 any-order", b"exact ")
    number = rng.choice((b"0", b"1", b"2", b"3", b"9", b"1000000"))
    other_claims = (b"forever", b"settles", b"horizon", b"settles ", b"finite", b"roots")
    texts = {b"scope ": scopes, b"claim ": other_claims}
    lines[at] = word + rng.choice(texts.get(word, (number,)))


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
    all_numbers,
    longer_claim,
    longer_claim,
    other_letters,
    other_suffix,
    other_suffix,
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


def header_blanks(rng, files):
    head, data = run_files.split(files.weights)
    blanks = b" " * 8 * rng.randrange(1, 3)
    return files._replace(weights=run_files.with_header(head + blanks, data))


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
        (second_model, header_length, header_blanks, automaton),
        lambda rng, files, change: change(rng, files),
        True,
    ),
    "spelling of the config": Area(6, TEXT, config_text),
    "spelling of the header": Area(6, TEXT, header_text),
    "spelling of the certificate": Area(2, (longer, shorter, byte, bit), certificate_text),
}
