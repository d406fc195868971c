"""Makes reports/results/published-table.md: every model of every setting with its published
numbers, what is recorded here, and the shortest word that is known to fail.

    python3 docs/figures/published_table.py --tool build/release/fsa2lrnn            writes it
    python3 docs/figures/published_table.py --tool build/release/fsa2lrnn --check    exit status 1
                                                          where it is not what the records give
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "reports/results/published-table.md"
RECORDS = ROOT / "reports/results/training"
SETTINGS = "paper", "released", "best"
SHOWN = 128, 256, 512, 1024
HEADER = ROOT / "reports/training/outcome.h"
LEAST_SEEDS = int(re.search(r"LEAST_SEEDS .*?(\d+)\)", HEADER.read_text())[1])
NO_SEARCH = "2026-11-29"  # until then programs did not search, or not all

HEAD = f"""# Published numbers beside recorded ones

Made by `python3 docs/figures/published_table.py` from `fsa2lrnn reproduce --table
reports/results/training`, which has more of each row: all lengths, in what it differs from the
published run, device, commit. A row is a model in a setting
([presets](../../docs/published.md#presets)) with outcomes of the recipe that this setting has now;
where there are none, outcomes of earlier recipes, and marked *earlier recipe*. Of several rows the
one of the most seeds is here. Numbers are one per seed, in the order of the seeds (one number: all
agree), `-` was not evaluated.

- Where the last answer counts: scaled accuracy, 0 for guessing, averaged over lengths 40 to 256;
  the median in bold.
- Of groups: the fraction of words without a wrong answer at 128, 256, 512 and 1,024 letters.
- *shortest failing word*: its letters for each seed, of the test words (N words) and of a search of
  N letters for each seed ([how](../../docs/published.md#how-the-table-counts)), and of searches of
  the same weights later (horizon.json, fresh-seeds.json); *none in N words* proves nothing.
- *not searched* are rows of 2026-11-29 and before, by programs that did not search; a later one
  says why.
- *without curves* are rows of 2026-11-26 and before. Outcomes of fewer than {LEAST_SEEDS} seeds
  have no figure: the line of the cell says how many there are and how many are missing.
- *not run*: `fsa2lrnn reproduce PRESET --setting SETTING --model MODEL --seeds 3 --backend cuda`
  makes the row.

"""


def number(value):
    """Returns a fraction with three digits, 1.0 and 0 where it is exactly that."""
    if value is None:
        return "-"
    return {1: "1.0", 0: "0"}.get(value, f"{value:.3f}".lstrip("0").replace("-0.", "-."))


def each(values):
    """Returns the values of all seeds, one where they agree."""
    texts = [number(v) for v in values]
    return texts[0] if len(set(texts)) == 1 else ", ".join(texts)


def published_text(rows):
    """Returns the numbers of papers, without this project's own."""
    texts = []
    for p in rows:
        if not p["paper"]:
            continue
        value = "" if p["value"] is None else number(p["value"])
        if p["deviation"]:
            value += f" +- {number(p['deviation'])}"
        at = f" at {p['length']}" if p["length"] else ""
        texts.append(f"{value}{at} {p['what']}".strip())
    return "; ".join(dict.fromkeys(texts)) or "-"


def here_text(outcome):
    """Returns the numbers of a row of outcomes."""
    if outcome["mean"]:
        values = outcome["values"]
        return f"**{number(statistics.median(values))}** ({each(values)})"
    lengths = outcome["by_length"] + outcome["every_length"]
    by_length = {x["length"]: x["values"] for x in lengths}
    return "; ".join(f"{n}: {each(by_length[n])}" for n in SHOWN if n in by_length) or "-"


def searched_elsewhere():
    """Returns {SHA-256 of weights: letters of a failing word} of searches after training."""
    found = {}
    for name in ("horizon.json", "fresh-seeds.json"):
        for run in json.loads((PAGE.parent / name).read_text())["runs"]:
            wrong = run.get("first_failure") or (run.get("failing_word") or {}).get("wrong_letters")
            if wrong:
                known = found.get(run["weights_sha256"], wrong)
                found[run["weights_sha256"]] = min(wrong, known)
    return found


ELSEWHERE = searched_elsewhere()


def failing_text(outcome):
    """Returns the letters of the shortest failing word of each seed, and what was searched."""
    seeds = outcome["failing"]
    later = [ELSEWHERE.get(s["weights"]) for s in outcome["row"]["seeds"]]
    both = [[x for x in (s["wrong_letters"], y) if x] for s, y in zip(seeds, later)]
    texts = [str(min(x)) if x else "none" for x in both]
    words = max(s["random_words"] for s in seeds)
    searched = [s["letters_read"] for s in seeds if s["letters_read"] is not None]
    search = f" and a search of {max(searched):,} letters" if searched else ", not searched"
    if not searched and outcome["row"].get("note") and outcome["row"]["timing"]["date"] > NO_SEARCH:
        search += f": {outcome['row']['note']}"
    letters = texts[0] if len(set(texts)) == 1 else ", ".join(texts)
    return f"{letters} in {words:,} words{search}"


def seeds_text(outcome):
    """Returns how many seeds the row has, and what did not end as it should."""
    row, texts = outcome["row"], [str(len(outcome["row"]["seeds"]))]
    if row["steps"] != row["full_steps"]:
        texts.append(f"{row['scale']:g} of the steps")
    for what in ("stopped", "diverged"):
        if outcome[f"runs_{what}"]:
            texts.append(f"{outcome[f'runs_{what}']} {what}")
    if not outcome["present_recipe"]:
        texts.append("*earlier recipe*" if row["steps"] == row["full_steps"] else "")
    if not outcome["curves_known"]:
        texts.append("without curves")
    return ", ".join(t for t in texts if t)


def chosen(outcomes, setting):
    """Returns the row of the setting that stands for it, of enough seeds, or None."""
    rows = [
        o
        for o in outcomes
        if o["row"]["setting"] == setting and o["seeds_missing"] == 0
    ]
    return max(
        rows,
        default=None,
        key=lambda o: (
            o["present_recipe"] is True,
            o["row"]["steps"],
            len(o["row"]["seeds"]),
            o["failing"][0]["letters_read"] is not None,
            o["row"]["timing"]["date"] or "",
        ),
    )


def few(model, setting):
    """Returns how many seeds the outcomes of a setting have that are too few for a figure."""
    rows = [o for o in model["outcomes"] if o["row"]["setting"] == setting]
    seeds = {s["seed"] for o in rows for s in o["row"]["seeds"]}
    missing = min((o["seeds_missing"] for o in rows), default=0)
    return f"0; {len(seeds)} of another recipe, {missing} missing" if seeds else "0"


def minutes(seconds):
    """Returns the expected time of a seed."""
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def preset_lines(preset, not_run):
    """Returns the part of a preset."""
    lines = [f"## {preset['preset']}", "", f"{preset['text']} ({preset['source']}).", ""]
    lines += ["| setting | model | published | here | shortest failing word, in letters | seeds |"]
    lines += ["|---|---|---|---|---|---|"]
    for setting in SETTINGS:
        for m in preset["models"]:
            outcome = chosen(m["outcomes"], setting)
            missing = not_run.get((preset["preset"], setting, m["model"]))
            head = f"| {setting} | {m['model']} | {published_text(m['published'])} | "
            if outcome:
                texts = here_text(outcome), failing_text(outcome), seeds_text(outcome)
                lines.append(head + " | ".join(texts) + " |")
            elif missing:
                cost = f"not run: about {minutes(missing)} a seed"
                lines.append(f"{head}{cost} | - | {few(m, setting)} |")
    return [*lines, ""]


def completed(table, every):
    """Returns the presets with all models: those of `every`, with the outcomes of the table."""
    found = {(p["preset"], m["model"]): m for p in table["presets"] for m in p["models"]}
    return [
        {**p, "models": [found.get((p["preset"], m["model"]), m) for m in p["models"]]}
        for p in every["presets"]
        if p["preset"] != "mlregtest"
    ]


def page_of(table, every):
    """Returns the page of the table of the records, and of the table without records."""
    not_run = {
        (r["preset"], r["setting"], r["model"]): r["expected_seconds"] for r in table["not_run"]
    }
    wanted, left = table["wanted_runs"], len(not_run)
    hours = sum(not_run.values()) / 3600
    lines = [
        f"Of {wanted} models in their settings {left} have no outcome of the present recipe, about",
        f"{hours:.1f} h a seed in all on one H100 or H200.",
        "",
    ]
    for preset in completed(table, every):
        lines += preset_lines(preset, not_run)
    return HEAD + "\n".join(lines).rstrip("\n") + "\n"


def table_of(tool, *records):
    """Returns what `reproduce --table` prints of the records."""
    command = [tool, "reproduce", "--table", *records, "--json"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main():
    """Writes or checks the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tool", required=True, help="the program fsa2lrnn")
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    page = page_of(table_of(options.tool, str(RECORDS)), table_of(options.tool))
    if not options.check:
        PAGE.write_text(page)
    elif PAGE.read_text() != page:
        sys.exit(f"{PAGE.name}: not what docs/figures/published_table.py writes")


if __name__ == "__main__":
    main()
