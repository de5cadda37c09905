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
