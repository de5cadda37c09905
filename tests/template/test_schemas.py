"""The published schemas are valid JSON Schema, and a full validator takes the samples as the Rust tests do."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

EVENTS = Path(__file__).resolve().parent.parent.parent / "events"


def read(name: str) -> dict:
    return json.loads((EVENTS / name).read_text())


@pytest.mark.parametrize("name", ["command-1", "event-1"])
def test_a_schema_is_one(name: str) -> None:
    Draft202012Validator.check_schema(read(f"schemas/{name}.schema.json"))


@pytest.mark.parametrize("sample", ["settle-charge", "settle-wake"])
def test_a_sample_message_is_a_command(sample: str) -> None:
    command = json.loads(read(f"{sample}.json")["Records"][0]["body"])
    validator = Draft202012Validator(read("schemas/command-1.schema.json"))
    validator.validate(command)
    for field in command:
        assert not validator.is_valid({**command, field: []})
    assert not validator.is_valid({**command, "unknown": 1})


def test_the_samples_of_the_http_api_are_documented_requests() -> None:
    document = json.loads((EVENTS.parent / "infra/openapi.json").read_text())
    schemas = document["components"]["schemas"]
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    sample = json.loads(read("intake-http-api.json")["body"])
    validator = Draft202012Validator(schemas["NewPayment"])
    validator.validate(sample)
    for field in sample:
        assert not validator.is_valid({**sample, field: []})
    assert not validator.is_valid({**sample, "tenant": "shop"})


def test_every_sample_is_json() -> None:
    samples = sorted(EVENTS.glob("*.json"))
    assert {path.name.split("-")[0] for path in samples} == {"enqueue", "intake", "settle", "sweep", "publish"}
    for path in samples:
        assert isinstance(read(path.name), dict)


def test_the_readme_names_every_file() -> None:
    text = (EVENTS / "README.md").read_text()
    for path in EVENTS.rglob("*.json"):
        assert f"`{path.relative_to(EVENTS)}`" in text
