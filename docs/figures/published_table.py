"""Makes reports/results/published-table.md: every model of every setting with its published
numbers, what is recorded here, and the shortest word that is known to fail.

    python3 docs/figures/published_table.py --tool build/release/fsa2lrnn            writes it
    python3 docs/figures/published_table.py --tool build/release/fsa2lrnn --check    exit status 1
                                                          where it is not what the records give
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = ROOT / "reports/results/published-table.md"
RECORDS = ROOT / "reports/results/training"
SETTINGS = "paper", "released", "best"
SHOWN = 128, 256, 512, 1024

HEAD = """# Published numbers beside recorded ones

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
  N letters for each seed ([how](../../docs/published.md#how-the-table-counts)); *none in N words*
  proves nothing.
- A row of fewer than three seeds says so in the last column; *without curves* are rows of
  2026-11-26 and before.
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
        if len(values) < 3:
            return each(values)
        return f"**{number(statistics.median(values))}** ({each(values)})"
    lengths = outcome["by_length"] + outcome["every_length"]
    by_length = {x["length"]: x["values"] for x in lengths}
    return "; ".join(f"{n}: {each(by_length[n])}" for n in SHOWN if n in by_length) or "-"


def failing_text(outcome):
    """Returns the letters of the shortest failing word of each seed, and what was searched."""
    seeds = outcome["failing"]
    texts = [str(s["wrong_letters"]) if s["wrong_letters"] else "none" for s in seeds]
    words = max(s["random_words"] for s in seeds)
    searched = [s["letters_read"] for s in seeds if s["letters_read"] is not None]
    search = f" and a search of {max(searched):,} letters" if searched else ", not searched"
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
    """Returns the row of the setting that stands for it, or None."""
    rows = [o for o in outcomes if o["row"]["setting"] == setting]
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
                lines.append(f"{head}not run: about {minutes(missing)} a seed | - | 0 |")
    return [*lines, ""]


def page_of(table):
    """Returns the page."""
    not_run = {
        (r["preset"], r["setting"], r["model"]): r["expected_seconds"] for r in table["not_run"]
    }
    wanted, left = table["wanted_runs"], len(not_run)
    lines = [f"Of {wanted} models in their settings {left} have no outcome of the present recipe."]
    lines.append("")
    for preset in table["presets"]:
        if preset["preset"] != "mlregtest":
            lines += preset_lines(preset, not_run)
    return HEAD + "\n".join(lines).rstrip("\n") + "\n"


def main():
    """Writes or checks the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tool", required=True, help="the program fsa2lrnn")
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    command = [options.tool, "reproduce", "--table", str(RECORDS), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    page = page_of(json.loads(done.stdout))
    if not options.check:
        PAGE.write_text(page)
    elif PAGE.read_text() != page:
        sys.exit(f"{PAGE.name}: not what docs/figures/published_table.py writes")


if __name__ == "__main__":
    main()
