"""The one DynamoDB table everything is kept in: ``pk``, ``sk`` and ``expires_at`` (TTL, epoch seconds).

No transactions, and no old item asked for when a condition fails: an emulator that keeps its data on disk
has neither, and the same tests run against it.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from connecta.state.client import ConditionFailed, DynamoClient
from connecta.state.records import Record, Value, from_item, to_attributes, to_item

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import (
        DeleteItemInputTypeDef,
        PutItemInputTypeDef,
        QueryInputTypeDef,
        WriteRequestUnionTypeDef,
    )


@dataclass(frozen=True, slots=True)
class Condition:
    """A DynamoDB condition on the record already there, with the ``:values`` it names (not ``:now``)."""

    expression: str
    values: Mapping[str, Value] = field(default_factory=dict[str, Value])


@dataclass(frozen=True, slots=True)
class Slice:
    """Part of a partition: records, the ``sk`` of the last one looked at where there may be more after it, and how
    many were looked at."""

    records: Sequence[Record]
    ended_at: str | None
    looked_at: int


class Table:
    """Records by key. An expired record reads as absent, also in conditions.

    Every method raises ``unavailable`` when DynamoDB cannot be reached, throttles or refuses.
    """

    def __init__(self, name: str, client: DynamoClient, *, now: Callable[[], float] = time.time) -> None:
        self._name = name
        self._client = client
        self._now = now

    def now(self) -> float:
        """The clock expiry is measured by, in epoch seconds."""
        return self._now()

    def prepare(self) -> None:
        """Begin to make ready what the first request to DynamoDB needs, and return at once."""
        self._client.prepare()

    async def get(self, pk: str, sk: str) -> Record | None:
        """The living record under a key. Reads are consistent: what was written before is seen."""

        def request(client: "DynamoDBClient") -> Record | None:
            key = to_attributes({"pk": pk, "sk": sk})
            answer = client.get_item(TableName=self._name, Key=key, ConsistentRead=True)
            return from_item(answer["Item"]) if "Item" in answer else None

        record = await self._client.call(request)
        return record if record is not None and record.alive(self._now()) else None

    async def put(self, record: Record, *, only_over: Condition | None = None) -> bool:
        """Write ``record`` over whatever its key holds.

        With ``only_over``, a living record is replaced only where that condition holds; an absent or expired
        one always. Returns whether it was written.
        """

        def request(client: "DynamoDBClient") -> None:
            put: PutItemInputTypeDef = {"TableName": self._name, "Item": to_item(record)}
            if only_over is not None:
                put["ConditionExpression"] = (
                    f"attribute_not_exists(pk) OR expires_at <= :now OR ({only_over.expression})"
                )
                put["ExpressionAttributeValues"] = to_attributes({**only_over.values, ":now": self._now()})
            client.put_item(**put)

        try:
            await self._client.call(request)
        except ConditionFailed:
            return False
        return True

    async def replace(self, record: Record, where: Condition) -> bool:
        """Write ``record`` over the living record under its key, where ``where`` holds for that one.

        Nothing is written where there is none: what somebody else deleted stays deleted. Returns whether it was
        written.
        """

        def request(client: "DynamoDBClient") -> None:
            client.put_item(
                TableName=self._name,
                Item=to_item(record),
                ConditionExpression=(
                    "attribute_exists(pk) AND (attribute_not_exists(expires_at) OR expires_at > :now) "
                    f"AND ({where.expression})"
                ),
                ExpressionAttributeValues=to_attributes({**where.values, ":now": self._now()}),
            )

        try:
            await self._client.call(request)
        except ConditionFailed:
            return False
        return True

    async def add(self, pk: str, sk: str, name: str, amount: int, *, where: Condition, expires_at: int) -> int | None:
        """Add ``amount`` to the number ``name`` of the living record under a key, where ``where`` holds for it, and
        have it end at ``expires_at``. One write: of many at once, each is added to what the others left.

        Returns the sum, ``None`` where nothing was written.
        """

        def request(client: "DynamoDBClient") -> int:
            answer = client.update_item(
                TableName=self._name,
                Key=to_attributes({"pk": pk, "sk": sk}),
                UpdateExpression="SET #name = #name + :amount, expires_at = :expires_at",
                ConditionExpression=f"expires_at > :now AND ({where.expression})",
                ExpressionAttributeNames={"#name": name},
                ExpressionAttributeValues=to_attributes(
                    {**where.values, ":amount": amount, ":expires_at": expires_at, ":now": self._now()}
                ),
                ReturnValues="UPDATED_NEW",
            )
            return int(answer["Attributes"][name].get("N", "0"))

        try:
            return await self._client.call(request)
        except ConditionFailed:
            return None

    async def take(self, pk: str, sk: str) -> Record | None:
        """Remove the living record under a key and return it: of all who take it, one gets it.

        Nobody gets it when the answer to the request that removed it was lost on the way.
        """

        def request(client: "DynamoDBClient") -> Record | None:
            key = to_attributes({"pk": pk, "sk": sk})
            answer = client.delete_item(TableName=self._name, Key=key, ReturnValues="ALL_OLD")
            return from_item(answer["Attributes"]) if answer.get("Attributes") else None

        record = await self._client.call(request)
        return record if record is not None and record.alive(self._now()) else None

    async def put_batch(self, records: Sequence[Record]) -> list[Record]:
        """Write up to ``limits.state_batch_items`` records in one request, each over whatever its key holds.

        Returns those DynamoDB had no capacity for; the others are written.
        """

        def request(client: "DynamoDBClient") -> list[Record]:
            puts: list[WriteRequestUnionTypeDef] = [{"PutRequest": {"Item": to_item(record)}} for record in records]
            answer = client.batch_write_item(RequestItems={self._name: puts})
            left = [put["PutRequest"] for put in answer["UnprocessedItems"].get(self._name, []) if "PutRequest" in put]
            return [from_item(put["Item"]) for put in left]

        return await self._client.call(request)

    async def delete(self, pk: str, sk: str, *, where: Condition | None = None) -> None:
        """Remove the record under a key, if there is one and ``where``, if given, holds for it."""

        def request(client: "DynamoDBClient") -> None:
            delete: DeleteItemInputTypeDef = {"TableName": self._name, "Key": to_attributes({"pk": pk, "sk": sk})}
            if where is not None:
                delete["ConditionExpression"] = where.expression
                delete["ExpressionAttributeValues"] = to_attributes(where.values)
            client.delete_item(**delete)

        with suppress(ConditionFailed):
            await self._client.call(request)

    async def query(self, pk: str, *, sk_prefix: str = "") -> list[Record]:
        """Every living record of a partition whose ``sk`` begins with ``sk_prefix``, in order of ``sk``."""

        def request(client: "DynamoDBClient") -> list[Record]:
            query: QueryInputTypeDef = {
                "TableName": self._name,
                "KeyConditionExpression": "pk = :pk",
                "ExpressionAttributeValues": to_attributes({":pk": pk}),
                "ConsistentRead": True,
            }
            if sk_prefix:
                query["KeyConditionExpression"] = "pk = :pk AND begins_with(sk, :prefix)"
                query["ExpressionAttributeValues"] = to_attributes({":pk": pk, ":prefix": sk_prefix})
            pages = client.get_paginator("query").paginate(**query)
            return [from_item(item) for page in pages for item in page["Items"]]

        records = await self._client.call(request)
        return [record for record in records if record.alive(self._now())]

    async def slice(self, pk: str, *, from_sk: str, before_sk: str, where: Condition | None, most: int) -> Slice:
        """Living records of a partition that ``where`` holds for, last ``sk`` first, between ``before_sk``, which is
        not among them, and ``from_sk``, which may be. One request, which looks at ``most`` records or 1 MB of them."""

        def request(client: "DynamoDBClient") -> Slice:
            query: QueryInputTypeDef = {
                "TableName": self._name,
                "KeyConditionExpression": "pk = :pk AND sk BETWEEN :from AND :before",
                "ExpressionAttributeValues": to_attributes(
                    {**(where.values if where else {}), ":pk": pk, ":from": from_sk, ":before": before_sk}
                ),
                "ScanIndexForward": False,
                "ConsistentRead": True,
                "Limit": most + 1,
            }
            if where is not None:
                query["FilterExpression"] = where.expression
            answer = client.query(**query)
            records = [from_item(item) for item in answer["Items"]]
            last = answer.get("LastEvaluatedKey", {}).get("sk", {}).get("S")
            return Slice([record for record in records if record.sk != before_sk], last, answer["ScannedCount"])

        if from_sk >= before_sk:
            return Slice([], None, 0)
        found = await self._client.call(request)
        return replace(found, records=[record for record in found.records if record.alive(self._now())])

    async def close(self) -> None:
        """Close the connections to DynamoDB; the table is not used again."""
        await self._client.close()
