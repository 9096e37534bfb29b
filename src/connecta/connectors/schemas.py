"""From a tool function's annotations to the schemas it advertises and the arguments it is called with."""

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, create_model
from pydantic.errors import PydanticUserError
from pydantic.json_schema import GenerateJsonSchema

from connecta.connectors.rejections import rejection
from connecta.connectors.results import Image
from connecta.text import Json, JsonObject

Function = Callable[..., object]


class SchemaProblem(Exception):
    """Why no schema can be made of a function, as words for its author."""


class _WithoutTitles(GenerateJsonSchema):
    """A title that repeats the name of its field only costs the model context."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Signature:
    """A function's parameters after ``ctx``, as a model and as the schema of that model."""

    model: type[BaseModel]
    input_schema: JsonObject
    output_schema: JsonObject | None

    def arguments(self, args: Mapping[str, Json], name: str) -> dict[str, object]:
        """``args`` of the tool called ``name`` as the annotated Python values, defaults filled in. Raises
        ``invalid_args`` (E8)."""
        try:
            model = self.model.model_validate(dict(args))
        except ValidationError as error:
            raise rejection(error, self.input_schema, args, name) from None
        return {field: getattr(model, field) for field in self.model.model_fields}


def signature_of(function: Function) -> Signature:
    """Raises ``SchemaProblem`` where an annotation is missing or has no JSON Schema."""
    try:
        hints = get_type_hints(function, include_extras=True)
    except (NameError, TypeError, SyntaxError):
        raise SchemaProblem("annotations that cannot be evaluated; import the types it names") from None
    try:
        model = _model(function, hints)
        input_schema = model.model_json_schema(schema_generator=_WithoutTitles)
        output_schema = _output_schema(hints.get("return"))
    except PydanticUserError as error:
        raise SchemaProblem(f"annotations no JSON Schema can be made of ({error.code}); use JSON types") from None
    except RecursionError:
        raise SchemaProblem("an annotation that refers to itself without a name; use Any or a model") from None
    input_schema.pop("title", None)
    return Signature(model, input_schema, output_schema)


def _model(function: Function, hints: Mapping[str, Any]) -> type[BaseModel]:
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters:
        raise SchemaProblem("no parameters; its first one must be ctx")
    fields: dict[str, Any] = {}
    for parameter in parameters[1:]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            raise SchemaProblem(
                f'the parameter "{parameter.name}" that cannot be passed by name; give it input_schema='
            )
        if parameter.name not in hints:
            raise SchemaProblem(f'no annotation on the parameter "{parameter.name}"; add one, or give input_schema=')
        required = parameter.default is parameter.empty
        fields[parameter.name] = (hints[parameter.name], ... if required else parameter.default)
    try:
        return create_model(function.__name__, __config__=ConfigDict(extra="forbid"), **fields)
    except NameError:
        raise SchemaProblem("a parameter name that starts with an underscore; rename it") from None


def _output_schema(annotation: Any) -> JsonObject | None:
    """``None`` where the annotation says nothing a caller can use: nothing, anything, or an image."""
    if annotation in (None, Any, object, types.NoneType, inspect.Parameter.empty) or _mentions_image(annotation):
        return None
    schema = TypeAdapter(annotation).json_schema(schema_generator=_WithoutTitles, mode="serialization")
    schema.pop("title", None)
    return cast("JsonObject", schema)


def _mentions_image(annotation: Any) -> bool:
    return annotation is Image or any(_mentions_image(inner) for inner in get_args(annotation))
