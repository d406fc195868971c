"""The table of facts, reports/facts.txt, and what is made from it.

    python3 tests/facts.py --update     writes reports/schema.json and docs/json.md
    python3 tests/facts.py --check      says whether they are what the table gives
    python3 tests/facts.py FILE ..      validates JSON reports against reports/schema.json

The validator knows the part of JSON Schema that the generator uses, and refuses a schema with
anything else.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "reports" / "facts.txt"
SCHEMA = ROOT / "reports" / "schema.json"
PAGE = ROOT / "docs/json.md"
BASIC = {
    "text": {"type": "string"},
    "count": {"type": "integer", "minimum": 0},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "truth": {"type": "boolean"},
    "null": {"type": "null"},
    "file": {"type": "object"},
}
VERSION = 2
# Objects that are printed one to a line, without a name of the report.
LINES = ("RunLine", "RunLabel", "PlannedRun", "PlannedWork")
# A fact of each but RunLabel that those before it have not.
LINE_FACTS = {"RunLine": "labels", "PlannedWork": "argv", "PlannedRun": "recipe"}
PLAN_SCHEMA = "fsa2lrnn-plan/1"  # of the lines of plans

# --- the table ---


def split_places(text):
    """Returns {place: whether the fact is always there}."""
    return {place.rstrip("?"): not place.endswith("?") for place in text.split()}


def read_table(text):
    """Returns [(name, places, type, unit, meaning)]."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split("|", 4)]
        if len(parts) != 5:
            raise ValueError(f"line {number}: {len(parts)} columns, not 5")
        name, places, kind, unit, meaning = parts
        if rows and name <= rows[-1][0]:
            raise ValueError(f"line {number}: {name} is twice in the table, or not in order")
        if not re.fullmatch(r"[A-Za-z][a-zA-Z0-9_]*", name) or not meaning.endswith("."):
            raise ValueError(f"line {number}: no name, or no sentence")
        rows.append((name, split_places(places), kind, unit, meaning))
    reports = {place: True for _, places, *_ in rows for place in places if place[0].islower()}
    return [
        (name, reports if places == {"*": True} else places, *rest) for name, places, *rest in rows
    ]


def is_report(place):
    return place[0].islower()


def type_schema(kind, objects):
    """Returns the schema of a type of the table."""
    if kind.endswith(" or null"):
        inner = type_schema(kind[: -len(" or null")], objects)
        return {"anyOf": [inner, BASIC["null"]]}
    if kind.startswith("[") and kind.endswith("]"):
        return {"type": "array", "items": type_schema(kind[1:-1], objects)}
    if kind.startswith('"'):
        return {"enum": [json.loads(text) for text in kind.split("/")]}
    if kind in BASIC:
        return dict(BASIC[kind])
    if kind not in objects:
        raise ValueError(f"no type {kind}")
    return {"$ref": f"#/$defs/{kind}"}


def make_schema(rows):
    objects = sorted({place for _, places, *_ in rows for place in places})
    definitions = {}
    for place in objects:
        facts = [row for row in rows if place in row[1]]
        properties = {
            name: {**type_schema(kind, objects), "description": meaning}
            for name, _, kind, _, meaning in facts
        }
        if is_report(place):
            properties["report"] = {"const": place, "description": "Name of the report."}
            properties["schema"] = {"const": VERSION, "description": "Version of the facts."}
        required = [name for name, places, *_ in facts if places[place]]
        if place in ("PlannedRun", "PlannedWork"):
            properties["schema"] = {"const": PLAN_SCHEMA, "description": "Version of the plan."}
            required.append("schema")
        definitions[place] = {
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What fsa2lrnn prints with --json, and report.json",
        **branches([place for place in objects if is_report(place)]),
        "$defs": definitions,
    }


def branches(reports):
    """Returns the members of the schema that choose the definition of a document by its name, so
    that a validator names the fact that is wrong; any of the definitions would do for `anyOf`, of
    which validators can say only that none fits. Lines have no name, and one of their facts."""
    named = {"required": ["report"]}
    lines = {"$ref": "#/$defs/RunLabel"}
    for place, fact in LINE_FACTS.items():
        lines = {"if": {"required": [fact]}, "then": {"$ref": f"#/$defs/{place}"}, "else": lines}
    return {
        "type": "object",
        "properties": {"report": {"enum": reports}},
        "allOf": [
            *(
                {
                    "if": {**named, "properties": {"report": {"const": place}}},
                    "then": {"$ref": f"#/$defs/{place}"},
                }
                for place in reports
            ),
            {"if": named, "else": lines},
        ],
    }


# --- the page ---

INTRODUCTION = """# JSON

<!-- Made by `make schema` from reports/facts.txt: do not edit. -->

Every command prints JSON with `--json`, and a compilation writes `report.json`. A report is a tree
of named facts. `schema` is the version of the names and their meaning, 2; CHANGELOG.md lists what a
version changed. `report` is the name of the report. A name means the same wherever it is. Objects
keep the order of their facts, and equal input gives equal bytes apart from `timing`.

[reports/schema.json](../reports/schema.json) is a JSON Schema of all reports. It allows no other
facts.

`run --json` prints a line for every word (RunLine), or with `--stream` for every letter (RunLabel);
`reproduce --plan` prints a line for every run (PlannedRun), and `plan` for every unit of work
(PlannedWork), whose `schema` is the text fsa2lrnn-plan/1.

"""


def listing(rows, place):
    facts = [(name, places[place]) for name, places, *_ in rows if place in places]
    return ", ".join(f"`{name}`" + ("" if always else "?") for name, always in facts)


def make_page(rows):
    places = sorted({place for _, places, *_ in rows for place in places})
    text = INTRODUCTION + "## Reports and objects\n\n"
    text += "A question mark says that the fact may be missing there.\n\n"
    text += "| report or object | facts |\n|---|---|\n"
    for place in sorted(places, key=lambda place: (not is_report(place), place)):
        text += f"| {place} | {listing(rows, place)} |\n"
    text += "\n## Facts\n\n| name | type | unit | meaning |\n|---|---|---|---|\n"
    for name, _, kind, unit, meaning in rows:
        meaning = re.sub(r"\|", r"\\|", meaning)
        text += f"| `{name}` | {kind} | {unit} | {meaning} |\n"
    return text


# --- the validator ---

KNOWN = {
    "$schema", "title", "$defs", "$ref", "anyOf", "type", "enum", "const", "minimum",
    "properties", "required", "additionalProperties", "items", "description", "allOf", "if",
    "then", "else",
}  # fmt: skip
TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


def faults(value, schema, root, path):
    """Yields what is wrong with the value, each with its path."""
    unknown = set(schema) - KNOWN
    if unknown:
        raise ValueError(f"the schema has {unknown}, which this validator does not know")
    if "$ref" in schema:
        target = root["$defs"][schema["$ref"].removeprefix("#/$defs/")]
        yield from faults(value, target, root, path)
    if "anyOf" in schema:
        each = [list(faults(value, choice, root, path)) for choice in schema["anyOf"]]
        if all(each):
            yield each[0][0]
    if "type" in schema and not TYPES[schema["type"]](value):
        yield f"{path}: {json.dumps(value)[:60]} is no {schema['type']}"
        return
    for part in schema.get("allOf", ()):
        yield from faults(value, part, root, path)
    if "if" in schema:
        branch = "else" if any(faults(value, schema["if"], root, path)) else "then"
        yield from faults(value, schema.get(branch, {}), root, path)
    if "enum" in schema and value not in schema["enum"]:
        yield f"{path}: {json.dumps(value)[:60]} is none of {schema['enum']}"
    if "const" in schema and value != schema["const"]:
        yield f"{path}: {json.dumps(value)[:60]} is not {schema['const']}"
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{path}: {value} is less than {schema['minimum']}"
    if "items" in schema:
        for i, item in enumerate(value):
            yield from faults(item, schema["items"], root, f"{path}[{i}]")
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{path}: {name} is missing"
    for name, inner in schema.get("properties", {}).items():
        if name in value:
            yield from faults(value[name], inner, root, f"{path}.{name}")
    if schema.get("additionalProperties") is False:
        for name in value:
            if name not in schema["properties"]:
                yield f"{path}: {name} is not in the table of facts"


def validate(document, schema):
    """Returns the faults of a report, which is known by its name, or of a line, by its facts."""
    name = document.get("report", "line") if isinstance(document, dict) else "document"
    return list(faults(document, schema, schema, str(name)))


def validate_text(text, schema):
    """Returns the faults of one document, or of lines that each are one."""
    try:
        documents = [json.loads(text)]
    except json.JSONDecodeError:
        documents = [json.loads(line) for line in text.splitlines()]
    return [fault for document in documents for fault in validate(document, schema)]


def schema_text(schema):
    """Returns the schema with one line for each fact."""
    shown = {**schema, "allOf": [], "$defs": {}}
    head, tail = json.dumps(shown, indent=1).split('"allOf": []')
    branches = ",\n".join(f"  {json.dumps(branch)}" for branch in schema["allOf"])
    text = f'{head}"allOf": [\n{branches}\n ]{tail}'[: -len("{}\n}")] + "{"
    for number, (place, definition) in enumerate(schema["$defs"].items()):
        facts = [
            f"    {json.dumps(name)}: {json.dumps(inner)}"
            for name, inner in definition["properties"].items()
        ]
        shown = {**definition, "properties": {}}
        head, tail = json.dumps(shown).split('"properties": {}')
        text += ",\n" if number else "\n"
        text += f'  {json.dumps(place)}: {head}"properties": {{\n' + ",\n".join(facts)
        text += "\n  }" + tail
    return text + "\n }\n}\n"


def load_schema():
    return json.loads(SCHEMA.read_text())


def main(arguments):
    rows = read_table(TABLE.read_text())
    made = {SCHEMA: schema_text(make_schema(rows)), PAGE: make_page(rows)}
    if arguments == ["--update"]:
        for path, text in made.items():
            path.write_text(text)
        return 0
    if arguments == ["--check"]:
        old = [path for path, text in made.items() if path.read_text() != text]
        for path in old:
            print(f"{path.relative_to(ROOT)} is not what reports/facts.txt gives: run make schema")
        return 1 if old else 0
    if not arguments or arguments[0].startswith("-"):
        print(__doc__)
        return 64
    wrong = 0
    for file in arguments:
        for fault in validate_text(Path(file).read_text(), load_schema()):
            print(f"{file}: {fault}")
            wrong = 1
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
