"""`round`: where the statements on exactness end (theory/pages/keys.md R3.6, R3.7;
theory/pages/t4.md T4.12; theory/pages/definite.md K.2).

Each format here is one side of a bound: with the schedule `every`, either nothing rounds or a
shortest wrong word is known."""

import json

EXACT = ("VERIFIED", "nothing rounds")


def verdict(t, net, numbers):
    """Returns (VERIFIED, how) or (REFUTED, the length of the shortest wrong word)."""
    out = t.tool("round", net, "--format", numbers, "--schedule", "every", "--json", rc=(0, 1))
    (f,) = json.loads(out)["formats"]
    return (f["verdict"], len(f["witness"]["word"]) if f["verdict"] == "REFUTED" else f["how"])


def compiled(t, name, *options):
    net = "-".join([name.removesuffix(".fsa"), *(o.strip("-") for o in options)])
    t.tool(name, "-o", net, "--quiet", *options)
    return net


def family(t, name, *kind):
    t.new(name, *kind)
    return name


def test_fp8_needs_room_for_the_codes(t):
    net = compiled(t, family(t, "s6.fsa", "symmetric", "6", "--generators"))
    assert verdict(t, net, "e4m3") == EXACT
    assert verdict(t, net, "e5m2") == ("REFUTED", 5)


def test_levels_in_doubled_coordinates(t):
    for n in ("4", "5"):
        name = family(t, f"t{n}.fsa", "transformations", n)
        plain, gated = compiled(t, name), compiled(t, name, "--gated")
        for net in (plain, gated):
            assert verdict(t, net, "p=2,emin=-2,emax=1,subnormals=no") == EXACT
            assert verdict(t, net, "p=2,emin=-2,emax=0,subnormals=no") == ("REFUTED", 1)
        # Only resets by pairs of projections need 1/4.
        assert verdict(t, plain, "p=6,emin=-1,emax=5,subnormals=no") == ("REFUTED", 5)
        assert verdict(t, gated, "p=2,emin=-1,emax=1,subnormals=no") == EXACT


def test_register_scalar_meets_4(t):
    net = compiled(t, t.write("two.fsa", "start 1\n1 a 2\n2 a 3\n3 a 3\n1 b 3\n2 b 2\n3 b 3\n"))
    assert verdict(t, net, "p=2,emin=-1,emax=2,subnormals=no") == EXACT
    assert verdict(t, net, "p=2,emin=-1,emax=1,subnormals=no") == ("REFUTED", 1)


def test_levels_in_root_systems(t):
    t.write("p7.fsa", "points 7\ntrack points 1\npermute c (1 2 3 4 5 6 7)\npermute w (1 2)\n")
    t.new("bit.fsa", "flipflop")
    net = compiled(t, family(t, "both.fsa", "product", "p7.fsa", "bit.fsa"), "--gated")
    assert verdict(t, net, "p=6,emin=-1,emax=4,subnormals=no") == EXACT
    assert verdict(t, net, "e5m2") == ("REFUTED", 32)


def test_register_of_letters(t):
    net = compiled(t, family(t, "last2.fsa", "definite", "2"))
    assert verdict(t, net, "p=2,emin=-1,emax=1,subnormals=no") == EXACT
    assert verdict(t, net, "p=8,emin=0,emax=3,subnormals=no") == ("REFUTED", 2)


def test_register_of_129_classes(t):
    edges = [f"s{q} a{a} s{a}\n" for q in range(129) for a in range(129)]
    net = compiled(t, t.write("last.fsa", "start s0\n" + "".join(edges)))
    assert verdict(t, net, "p=8,emin=0,emax=7,subnormals=no") == EXACT
    assert verdict(t, net, "p=8,emin=-1,emax=6,subnormals=no") == ("REFUTED", 1)
