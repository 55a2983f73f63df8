"""Checks documents of lab against their schemas, and that YAML is YAML.

    check.py SCHEMAS FILE…     JSON documents, one or one a line, against SCHEMAS/ID.json
    check.py yaml FILE…        one document or more each; prints their number

Ends with 1, and a line for each problem, when something is wrong.
"""

import json
import pathlib
import sys

import yaml
from jsonschema import Draft202012Validator


def schemas(folder):
    found = {}
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        schema = json.loads(path.read_text())
        Draft202012Validator.check_schema(schema)
        found[schema["$id"]] = Draft202012Validator(schema)
    return found


def documents(text):
    try:
        return [json.loads(text)]
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()]


def problems(known, path):
    for document in documents(pathlib.Path(path).read_text()):
        name = document.get("schema")
        if name not in known:
            yield f"{path}: no schema {name!r}"
            continue
        for error in known[name].iter_errors(document):
            place = "/".join(str(part) for part in error.absolute_path)
            yield f"{path}: {name}: {place}: {error.message[:200]}"
        print(f"ok {name}")


def main(folder, *paths):
    if folder == "yaml":
        for path in paths:
            print(len(list(yaml.safe_load_all(pathlib.Path(path).read_text()))))
        return 0
    known = schemas(folder)
    found = [problem for path in paths for problem in problems(known, path)]
    for problem in found:
        print(problem, file=sys.stderr)
    return 1 if found else 0


sys.exit(main(*sys.argv[1:]))
