"""The conditions of theory/coq/checker/core.ml that weakened.py leaves out, one at a time, each
with a triple of files that only this condition refuses."""

import functools
from typing import NamedTuple

import boxed
import handmade
import handmade_cascades
import mutations

FSA, NET, CERT = range(3)
FLIP = "on 2 gate 1 factors 1\nfactor 2 u 1:1\n"
STAY = "on 1 gate 1 factors 0\n"


class Weakness(NamedTuple):
    name: str
    place: str  # in core.ml; the condition is between « and »
    base: str
    changes: tuple  # (file, text that it has, what replaces it)
    lax: bool = False  # the parser, which is not trusted, refuses it as well, unless it is lax


@functools.cache
def base_texts(name):
    if name == "boxes":
        return boxed.by_hand()
    if name in handmade_cascades.ALL:
        return handmade_cascades.texts(*handmade_cascades.ALL[name]())
    return handmade.texts(name)


def wrong_texts(weakness):
    texts = list(base_texts(weakness.base))
    for which, was, now in weakness.changes:
        assert was in texts[which], (weakness.name, was)
        texts[which] = texts[which].replace(was, now)
    return mutations.rehash(*texts)


def net(was, now):
    return NET, was, now


def cert(was, now):
    return CERT, was, now


def fsa(was, now):
    return FSA, was, now


NO_FACTORS = cert("householders 1", "householders 0")
STILL = (net(FLIP, "on 2 gate 1 factors 0\n"), NO_FACTORS)
RAW = net("value 1\ninitial", "value 1\nraw\ninitial")
PARITY = "parity-accept"


def parity(name, place, *changes):
    return Weakness(name, place, PARITY, changes)


def boxes(name, place, *changes):
    return Weakness(name, place, "boxes", changes)


EXACT = [
    parity(
        "a row goes on in the automaton",
        "(&&) «(same_state (fst s) (fst (fst t0)).at_state)» (same_label",
        *STILL,
        cert("rows 2", "rows 1"),
        cert("codes 1 next 1 2\nrow 2 state 2 codes 2 next 2 1\nend 2", "codes 1 next 1 1\nend 1"),
    ),
    parity(
        "a row's label",
        "(fst (fst t0)).at_state) «(same_label (PM.find (snd t0) ls) (match m.labels_are with"
        " | Edges -> snd s | _ -> snd (fst t0)))»",
        net("code 2 2 ", "code 2 1 "),
    ),
    parity(
        "the first row's state",
        "(all2 same_name m.alphabet (letter_names a))) «(same_state r0.at_state (start a))»)",
        fsa("start even", "start odd"),
        net("start 1", "start 2"),
    ),
    parity(
        "the first row's codes",
        "«(begins m.layers ds r0.at_codes)»",
        net("initial 1.1:1", "initial 1.1:-1"),
    ),
    parity(
        "a step leads to the code",
        "if «leads d x i j» then",
        net("factor 2 u 1:1", "factor 1 u 1:1"),
    ),
    parity(
        "a state is a code",
        "| Point n0 -> «all2 equal0 m n0»",
        net(STAY, "on 1 gate 1/2 factors 0\n"),
    ),
    parity(
        "the start's label",
        "| Some y -> «same_label (PM.find y ls) (label_of x a (start a))» | None -> false",
        net("start 1", "start 2"),
    ),
    parity(
        "letters of the network",
        "«(all2 same_name m.alphabet (letter_names a))») (same_state r0.at_state",
        net("letter 0\nletter 1", "letter 1\nletter 0"),
    ),
    parity(
        "gates of 0 or more",
        "(&&) «(qle_bool q0 a.gate)» ((&&) (qle_bool a.gate q1)",
        net(FLIP, "on 2 gate -1 factors 0\n"),
        NO_FACTORS,
    ),
    parity(
        "gates of 1 or less",
        "((&&) «(qle_bool a.gate q1)» (forallb (factor_in_class h)",
        net(STAY, "on 1 gate 2 factors 1\nfactor 1/2 u 1:1\n"),
    ),
    parity(
        "betas of 0 or more",
        "(&&) «(qle_bool q0 f.beta)» ((&&) (if h.raw",
        net(STAY, "on 1 gate 1/2 factors 1\nfactor -1 u 1:1\n"),
    ),
    parity(
        "betas of 2 or less",
        "else «qle_bool f.beta q2»)",
        net(FLIP, "on 2 gate 1/2 factors 1\nfactor 3 u 1:1\n"),
    ),
    parity(
        "beta u^T u of 2 or less",
        "then «qle_bool (qmult f.beta (square f.key (Coq_Pos.to_nat h.rows))) q2»",
        RAW,
        net(FLIP, "on 2 gate 1/2 factors 1\nfactor 3 u 1:1\n"),
    ),
    parity(
        "keys that are not 0",
        "«(existsb (fun i -> negb (qeq_bool (entry f.key i) q0)) (iota O (Coq_Pos.to_nat"
        " h.rows)))»",
        RAW,
        net(STAY, "on 1 gate 1 factors 1\nfactor 1 u\n"),
    ),
    parity(
        "codes are different",
        "if «distinct (all2 equal0) cs» then",
        *STILL,
        net("code 2 2 1.1:-1", "code 2 2 1.1:1"),
    ),
    parity(
        "letters of the automaton are different",
        "«(distinct same_name (letter_names a))» (forallb name_ok (letter_names a))",
        fsa("letters 0 1", "letters 0 0"),
        fsa("even 1 odd", "even 0 odd"),
        fsa("odd 1 even", "odd 0 even"),
        net("letter 1", "letter 0"),
    ),
    parity(
        "names of states have one spelling",
        "(distinct same_name states) «(forallb name_ok states)»",
        fsa("even", '"even"'),
    ),
    parity(
        "labels are different",
        "«(distinct same_name m.labels)») (start_ok m)",
        net("labels 2\n", "labels 3\nsymbol reject\n"),
        net("symbols 2", "symbols 3"),
        net("start 1", "start 2"),
        net("code 1 1", "code 1 2"),
        net("code 2 2", "code 2 3"),
    ),
    parity(
        "names of labels have one spelling",
        "«(forallb name_ok m.labels)») (distinct",
        net('symbol "accept"\n', 'symbol "accept"\nsymbol "x"\n'),
        net("labels 2", "labels 3"),
        net("symbols 2", "symbols 3"),
    ),
    parity(
        "the last symbols are the labels",
        "| [] -> (&&) (layer_ok letters l) «(Coq_Pos.eqb l.gives labels0)»",
        net("symbols 2", "symbols 3"),
    ),
    parity(
        "a symbol is one of the layer's",
        "| Some i -> «Coq_Pos.leb i symbols» | None -> true",
        net("codes 2", "codes 3"),
        net("1.1:-1\nend", "1.1:-1\ncode 3 3 1.1:5\nend"),
    ),
    parity(
        "numbers are in lowest terms",
        "(&&) «(lowest q3)» (negb (Z.eqb q3.qnum",
        net("initial 1.1:1", "initial 1.1:2/2"),
    ),
    parity(
        "no entry is 0",
        "(lowest q3) «(negb (Z.eqb q3.qnum Big_int_Z.zero_big_int))»",
        net("factor 2 u 1:1", "factor 2 u 1:1 c 1:0"),
    ),
    parity(
        "betas are in lowest terms",
        "(&&) «(lowest f.beta)» (svec_ok h.rows f.key)",
        net("factor 2 u 1:1", "factor 4/2 u 1:1"),
    ),
    parity(
        "gates are in lowest terms",
        "(&&) «(lowest a.gate)» (smat_ok h.rows h.cols a.bias)",
        net("on 1 gate 1 ", "on 1 gate 2/2 "),
    ),
    parity(
        "indices increase",
        "(&&) «(N.ltb before0 i)» (Coq_Pos.leb i n0)) (number_ok q3)) (svec_from",
        net("factor 2 u 1:1", "factor 2 u 1:1 1:1"),
    ),
    parity(
        "indices are in the head",
        "(N.ltb before0 i) «(Coq_Pos.leb i n0)») (number_ok q3)) (svec_from",
        net("factor 2 u 1:1", "factor 2 u 1:1 2:1"),
    ),
    Weakness(
        "classes of letters are numbered as they come",
        "«(N.eqb (classes_from Big_int_Z.zero_big_int cs) n0)»",
        "classes",
        (
            net("letter-classes 2 1 2 1 2 2", "letter-classes 2 2 1 2 1 1"),
            net(STAY + FLIP, "on 1 gate 1 factors 1\nfactor 2 u 1:1\non 2 gate 1 factors 0\n"),
            cert("codes 1 next 1 2", "codes 1 next 2 1"),
            cert("codes 2 next 2 1", "codes 2 next 1 2"),
        ),
    ),
]

BOXES = [
    boxes(
        "a corner is not below the box",
        "| Between (l, h) -> (&&) «(all2 at_most_all l m)» (all2 at_most_all m h)",
        net("1.1:0,1/4 ;", "1.1:1/16,1/4 ;"),
    ),
    boxes(
        "a corner is not above the box",
        "| Between (l, h) -> (&&) (all2 at_most_all l m) «(all2 at_most_all m h)»",
        net("1.1:0,1/4 ;", "1.1:0,1/5 ;"),
    ),
    boxes(
        "keys of one entry",
        "«(one_entry l.heads)») (boxes_apart",
        net("factors 1\nfactor 1/8 u 2:2", "factors 1\nfactor 1/8 u 1:1/100 2:2"),
    ),
    boxes(
        "boxes are apart",
        "(one_entry l.heads)) «(boxes_apart l.heads (combine (map0 (fun c -> c.matrices) l.codes)"
        " bs))»",
        net("1.1:1/2,1 ", "1.1:0,1 "),
        net("1.1:-1,-1/2 ", "1.1:-1,0 "),
    ),
    boxes(
        "a code is in its box",
        "((&&) «(around s)» (forallb",
        net(" 1.1:1/8 ;", " 1.1:3/8 ;"),
    ),
    boxes(
        "a box ends before the middle",
        "«(less (qplus s.high s.high) sum)»",
        net("1.1:0,1/4 ;", "1.1:0,5/8 ;"),
    ),
    boxes(
        "a box begins behind the middle",
        "«(less sum (qplus t0.low t0.low))»",
        net("1.1:3/4,1 ;", "1.1:1/4,1 ;"),
    ),
]

# The cascade of a flip-flop has one level. A pair of a set without contexts has no steps.
WRONG_HOLD = net("yield 3 1 2 1", "yield 3 1 1 1")
SECOND = "pair 2 set 1 codes 2 next 1 2 2\n"


def cascade(name, place, base, *changes, lax=False):
    return Weakness(name, place, base, changes, lax)


CASCADES = [
    cascade(
        "a step leads into the context's set",
        "(&&) «(Coq_Pos.eqb p'.set_of c.to0)» (match passes",
        "flipflop",
        WRONG_HOLD,
        cert(SECOND, "pair 2 set 2 codes 2 next\n"),
    ),
    cascade(
        "a step of a cascade leads to the codes",
        "(Coq_Pos.eqb p'.set_of c.to0) «(match passes ls ds c.heard p.codes_of p'.codes_of with"
        " | Some y -> handed a m ss names0 next0 y c.letter p.child p'.child | None -> false)»",
        "flipflop",
        net("factor 1 u 1:1 c 1:1", "factor 1/2 u 1:1 c 1:1"),
    ),
    cascade(
        "the last sets hold the states that follow",
        "((&&) «(holds ss y (fst s))» (same_label",
        "twins",
        fsa("on' hold on", "on' hold off"),
        cert("members 2 4", "members 2"),
        lax=True,
    ),
    cascade(
        "the label of a cascade's step",
        "(holds ss y (fst s)) «(same_label (PM.find y0 names0) (match m.labels_are with"
        " | Edges -> snd s | x -> label_of x a (fst s)))»",
        "twins",
        fsa("accept on on'", "accept on"),
    ),
    cascade(
        "the step of the letter that is read",
        "«(negb (Coq_Pos.eqb k c))»",
        "twins",
        fsa("accept on on'", "accept on'"),
    ),
    cascade(
        "the start is in the last set",
        "if «holds ss x (start a)» then Some []",
        "flipflop",
        fsa("start off", "start on"),
        net("start 1", "start 2"),
    ),
    cascade(
        "the start pair has the set that is handed on",
        "if «Coq_Pos.eqb p.set_of x» then",
        "flipflop",
        WRONG_HOLD,
        cert("contexts 3 pairs 2", "contexts 3 pairs 1"),
        cert("pair 1 set 1 codes 1 next 1 2 1\n" + SECOND, "pair 1 set 3 codes 1 next\n"),
    ),
    cascade(
        "the first codes of a cascade",
        "| Some cs -> «begins m.layers ds cs» | None -> false",
        "flipflop",
        net("initial 1.1:-1", "initial 1.1:1"),
    ),
    cascade(
        "the start's label in a cascade",
        "«(start_right a m names0)»",
        "flipflop",
        net("start 1", "start 2"),
    ),
    cascade(
        "letters of a cascade's network",
        "«(all2 same_name m.alphabet (letter_names a))») (start_right a m names0)",
        "flipflop",
        net("letter 0\nletter 1", "letter 1\nletter 0"),
    ),
    cascade(
        "the first level reads every letter",
        "«(first_contexts a m ss names0 c.levels)»",
        "flipflop",
        net("factor 1 u 1:1 c 1:1", "factor 1 u 1:1 c 1:5"),
        cert("letter 2 from 1 to 1", "letter 2 from 2 to 2"),
        cert("contexts 3 pairs 2", "contexts 3 pairs 1"),
        cert("pair 1 set 1 codes 1 next 1 2 1\n" + SECOND, "pair 1 set 1 codes 1 next 1 1\n"),
        lax=True,
    ),
    cascade(
        "what a level hands on is a context",
        "| Some l -> «existsb (means c x y0) l» | None -> false",
        "t3",
        net("yield 1 1 3 1 2", "yield 1 1 2 1 3"),
    ),
    cascade(
        "the letter of a context",
        "(&&) «(Coq_Pos.eqb c.letter a)» ((&&) (Coq_Pos.eqb c.from x)",
        "t3",
        net("yield 1 1 3 1 2", "yield 1 1 3 4 2"),
    ),
    cascade(
        "the old set of a context",
        "((&&) «(Coq_Pos.eqb c.from x)» (Coq_Pos.eqb c.to0 y))",
        "t3",
        net("yield 3 2 7 8 9", "yield 3 2 8 8 9"),
    ),
]

# Conditions of the parser that only refuse more: (file, place).
LAX = [
    (
        "levels.ml",
        "if «not (List.for_all (fun q -> List.mem (next q letter) members)"
        " sets.(from - 1).members)» then",
    ),
    ("levels.ml", "if «first && (letter <> i || from <> 1 || to_ <> 1)» then"),
]

PARTIAL = handmade.texts("partial-states")[FSA]
LINE = next(line for line in PARTIAL.split("\n") if line.startswith("fsa added "))
EDGES = PARTIAL[PARTIAL.index("p a p") :]


def with_outputs(outputs):
    """Returns the change that gives the nine transitions outputs."""
    lines = (f"{line} {y}\n" for line, y in zip(EDGES.split("\n"), outputs))
    return fsa(EDGES, "".join(lines))


def partial(name, place, *changes):
    return Weakness(name, place, "partial-states", changes)


ADDED = [
    partial("a hash of 64 digits", "(&&) «(hash_ok hash)» (at_most", fsa(LINE, LINE[:-1])),
    partial("a hash of digits", "(&&) «(hash_ok hash)» (at_most", fsa(LINE, LINE[:-1] + "g")),
    Weakness(
        "the added state is not the start",
        "(at_most (N.of_nat (length states)) q3)) «(negb (Coq_Pos.eqb q3 start0))»",
        "trivial",
        (fsa("start \"accept\"\n", f"start \"accept\"\n{LINE}\n".replace("sink", '"accept"')),),
    ),
    partial(
        "the added state is not left",
        "(match get edges q3 with | Some row0 -> «forallb (fun e -> Coq_Pos.eqb (fst e) q3) row0»",
        fsa(LINE, LINE.replace("sink", "q")),
    ),
    partial(
        "the added state does not accept",
        "(match a.accepts with | Some l -> «negb (existsb (same_name (nth_name states q3)) l)»",
        fsa("accept p", "accept p sink"),
    ),
    partial(
        "the added state's output",
        "| Some s -> «forallb (fun p0 -> (||) (same_name (fst p0) (fst s))"
        " (negb (same_name (snd p0) (snd s)))) l»",
        fsa("accept p\n", "accept p\noutput p x\noutput q y\noutput sink x\n"),
    ),
    partial(
        "the output of transitions to the added state",
        "| Some z0 -> «eqb (same_name z0 y) (Coq_Pos.eqb (fst e0) q3)»",
        with_outputs("xxxxxxxxx"),
    ),
]
CASES = EXACT + BOXES + CASCADES + ADDED

# The parser's guess is compared with the bytes. Without that, lies.ml is believed: (place, base).
COMPARED = [
    ("«(spells (automaton_tokens a) fsa)» (spells (network_tokens m) lrnn)) (check a m c)", PARITY),
    ("«(spells (network_tokens m) lrnn)») (check a m c)", PARITY),
    (
        "«(spells (automaton_tokens a) fsa)» (spells (network_tokens m) lrnn))"
        " (check_cascade a m c)",
        "flipflop",
    ),
    ("«(spells (network_tokens m) lrnn)») (check_cascade a m c)", "flipflop"),
]
