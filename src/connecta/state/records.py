"""One item of the table as Python sees it, and as DynamoDB's wire writes it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef, UniversalAttributeValueTypeDef

Value: TypeAlias = str | int | float | bytes
"""What an attribute may hold. Anything richer is kept as JSON text or bytes."""


@dataclass(frozen=True, slots=True)
class Record:
    """One item: its two keys, when it ends (epoch seconds; ``None`` is never), and its other attributes."""

    pk: str
    sk: str
    expires_at: int | None
    values: Mapping[str, Value] = field(default_factory=dict[str, Value])

    def alive(self, now: float) -> bool:
        """DynamoDB deletes days after ``expires_at``, so every reader asks this first."""
        return self.expires_at is None or self.expires_at > now


def to_item(record: Record) -> "dict[str, UniversalAttributeValueTypeDef]":
    """``record`` as the wire writes it."""
    item = to_attributes({**record.values, "pk": record.pk, "sk": record.sk})
    if record.expires_at is not None:
        item["expires_at"] = {"N": str(record.expires_at)}
    return item


def from_item(item: "Mapping[str, AttributeValueTypeDef]") -> Record:
    """The record an item holds. Raises ``TypeError`` for an item this table never writes."""
    values = {name: _value(attribute) for name, attribute in item.items()}
    pk, sk, expires_at = values.pop("pk", None), values.pop("sk", None), values.pop("expires_at", None)
    if not isinstance(pk, str) or not isinstance(sk, str) or isinstance(expires_at, str | bytes):
        raise TypeError("An item of the state table has keys of the wrong type.")
    return Record(pk, sk, None if expires_at is None else int(expires_at), values)


def to_attributes(values: Mapping[str, Value]) -> "dict[str, UniversalAttributeValueTypeDef]":
    """Named values, tagged with their wire types."""
    return {name: _attribute(value) for name, value in values.items()}


def _attribute(value: Value) -> "UniversalAttributeValueTypeDef":
    match value:
        case str():
            return {"S": value}
        case bytes():
            return {"B": value}
        case int() | float():
            return {"N": str(value)}


def _value(attribute: "AttributeValueTypeDef") -> Value:
    if "S" in attribute:
        return attribute["S"]
    if "B" in attribute:
        return attribute["B"]
    if "N" in attribute:
        number = attribute["N"]
        return int(number) if number.lstrip("-").isdecimal() else float(number)
    raise TypeError("An item of the state table has an attribute of an unknown type.")
