"""`round --schedule` with rows of other fields: how a state is stored decides the verdict, as the
figures of states show; what has no statement says so; what is no schedule is refused."""

import json


def network(t, *keys):
    name = f"s5{'n' if keys else ''}.lrnn"
    t.tool(t.examples() / "s5_generators.fsa", *keys, "--out", name, "--quiet")
    return name


def files(t, folder):
    path = t.folder / folder
    return sorted(p.name for p in path.iterdir()) if path.exists() else []


def verdict(t, name, schedule, rc=0, formats="bf16"):
    text = t.tool(
        *("round", name, "--formats", formats, "--schedule", schedule, "--json"),
        *("--limit", "3000", "--letters", "2000"),
        rc=rc,
    )
    (entry,) = json.loads(text)["formats"]
    return entry


def test_exact_keys_survive_every_store_but_a_scale_by_the_largest_number(t):
    name = network(t)
    for schedule in (
        "serving",
        "state16",
        "store64",
        "tf32",
        "state8",
        "state8,block=head",
        "state8,residual=feedback",
        "serving,state=e4m3",
        "serving,state=bf16:stochastic",
        "recurrent,state=int16,scale=pow2,letters=7",
    ):
        entry = verdict(t, name, schedule)
        assert (entry["verdict"], entry["how"]) == ("VERIFIED", "nothing rounds"), (schedule, entry)
    for schedule in ("state8,scale=amax", "recurrent,state=e4m3,scale=amax"):
        entry = verdict(t, name, schedule, rc=2)
        assert entry["verdict"] == "UNKNOWN" and "stored" in entry["rounds"], (schedule, entry)
        assert entry["horizon"] is None, entry


def test_rounded_keys_are_repaired_by_a_grid_and_not_by_choices(t):
    name = network(t, "--keys", "naive")
    for schedule in ("serving", "state8", "serving,state=e4m3"):
        entry = verdict(t, name, schedule)
        assert (entry["verdict"], entry["joint_states"]) == ("VERIFIED", 120), (schedule, entry)
    entry = verdict(t, name, "serving,state=bf16:stochastic", rc=1)
    assert entry["verdict"] == "REFUTED", entry


def test_no_certificate_for_a_row_that_the_checker_has_not(t):
    name = network(t)
    t.tool("round", name, "--formats", "bf16", "--schedule", "state8", "--certificates", "c")
    assert files(t, "c") == [], files(t, "c")
    # acc32 with the fields of `recurrent` but another name has none either.
    args = ("--formats", "bf16", "--schedule", "every,work=fp32")
    t.tool("round", name, *args, "--certificates", "d")
    assert files(t, "d") == [], files(t, "d")
    t.tool("round", name, "--formats", "bf16", "--schedules", "acc32", "--certificates", "e")
    assert files(t, "e") == ["bf16.acc32.cert"], files(t, "e")


def test_wrong_schedules(t):
    name = network(t)
    for schedule, message in (
        ("serving,scale=max", "expected none, amax or pow2"),
        ("serving,skale=amax", "expected a setting: sum"),
        ("chunk64,sum=left", "expected eps=E or raw=R"),
        ("every,letters=0", "expected a number of letters from 1 to 4096"),
    ):
        t.tool("round", name, "--schedule", schedule, rc=64, err=message)
    entry = verdict(t, name, "every,scale=amax", rc=2)
    assert "for operations in fp32" in entry["reason"], entry
