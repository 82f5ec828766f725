import pytest
from pydantic import BaseModel

from posttrain.config.complaint import section_of
from posttrain.config.run import RunConfig
from posttrain.config.schema import FILE_MODELS, json_schema
from posttrain.core.errors import ConfigError


def sections(model: type[BaseModel]) -> list[type[BaseModel]]:
    inner = [section_of(field.annotation) for field in model.model_fields.values()]
    return [model, *(s for found in inner if found for s in sections(found))]


@pytest.mark.parametrize("name", FILE_MODELS)
def test_every_file_has_a_schema_that_is_an_object(name):
    schema = json_schema(name)
    assert schema["type"] == "object"
    assert schema["$schema"].startswith("https://json-schema.org/")


def test_every_setting_has_a_text():
    tables = [section for section in sections(RunConfig) if section is not RunConfig]
    bare = [
        f"{table.__name__}.{name}"
        for table in tables
        for name, field in table.model_fields.items()
        if not field.description
    ]
    assert bare == []


def test_the_schema_shows_the_text_under_a_field():
    defs = json_schema("run")["$defs"]
    text = defs["RunSection"]["properties"]["seed"]["description"]
    assert text == "Every draw of the run derives from this number."


def test_metrics_are_named_as_they_are_written():
    assert "groups/solved_all" in json_schema("metrics")["properties"]


def test_an_unknown_schema_is_answered_by_the_nearest():
    with pytest.raises(ConfigError, match="did you mean 'metrics'"):
        json_schema("metric")
