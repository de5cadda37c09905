"""Reads template.yaml as plain data, and resolves it for one stage as far as its values are fixed."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

PATH = Path(__file__).resolve().parent.parent.parent / "template.yaml"
STAGES = ["prod", "local"]


class Loader(yaml.SafeLoader):
    """Reads the short intrinsic functions in their long form."""


def _intrinsic(loader: Loader, suffix: str, node: yaml.Node) -> dict:
    if isinstance(node, yaml.ScalarNode):
        value: Any = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        value = loader.construct_mapping(node, deep=True)
    if suffix == "GetAtt":
        value = value.split(".", 1)
    return {suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}": value}


Loader.add_multi_constructor("!", _intrinsic)


@cache
def load(stage: str) -> dict:
    """The template as one stage sees it, with parameters at their defaults. Not to be changed: copy it first."""
    raw = yaml.load(PATH.read_text(), Loader)
    defaults = {name: item["Default"] for name, item in raw["Parameters"].items()} | {"Stage": stage}
    return _resolve(raw, raw["Mappings"], defaults)


def _resolve(value: Any, mappings: dict, parameters: dict) -> Any:
    if isinstance(value, list):
        return [_resolve(item, mappings, parameters) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"Fn::FindInMap"}:
        table, row, column = (_resolve(item, mappings, parameters) for item in value["Fn::FindInMap"])
        return mappings[table][row][column]
    if value.keys() == {"Ref"} and value["Ref"] in parameters:
        return parameters[value["Ref"]]
    return {key: _resolve(item, mappings, parameters) for key, item in value.items()}


def of_type(template: dict, kind: str) -> dict[str, dict]:
    """The properties of every resource of a kind, by logical name."""
    found = {name: item["Properties"] for name, item in template["Resources"].items() if item["Type"] == kind}
    assert found, f"the template has no {kind}"
    return found


def functions(template: dict) -> dict[str, dict]:
    """The properties of every function, globals included, by the name of its folder."""
    shared = template["Globals"]["Function"]
    found = {}
    for name, own in of_type(template, "AWS::Serverless::Function").items():
        variables = shared["Environment"]["Variables"] | own["Environment"]["Variables"]
        found[own["CodeUri"].rstrip("/").rpartition("/")[2]] = {**shared, **own, "Variables": variables, "Logical": name}
    return found


def mappings(template: dict) -> dict[str, dict]:
    """Every queue or stream mapping, by function and event."""
    return {
        f"{function}/{event}": {**item["Properties"], "Type": item["Type"], "Function": function}
        for function, properties in functions(template).items()
        for event, item in properties.get("Events", {}).items()
        if item["Type"] in ("SQS", "DynamoDB", "Kinesis")
    }


def target(value: Any) -> str:
    """The logical name that a Ref, a GetAtt or a Sub of one resource points to."""
    if "Ref" in value:
        return value["Ref"]
    if "Fn::GetAtt" in value:
        return value["Fn::GetAtt"][0]
    return value["Fn::Sub"].split("${")[1].split("}")[0].split(".")[0]
