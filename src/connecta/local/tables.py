"""The state table, made where no CloudFormation template makes it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from botocore.exceptions import ClientError
    from mypy_boto3_dynamodb.client import DynamoDBClient


def create_table(client: "DynamoDBClient", name: str) -> None:
    """Create the state table ``name`` unless it is there, and return when it can be used."""
    from botocore.exceptions import ClientError

    try:
        client.create_table(
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[
                {"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "sk", "AttributeType": "S"},
            ],
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        )
    except ClientError as error:
        if _code(error) != "ResourceInUseException":
            raise
        return
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 30})
    try:
        client.update_time_to_live(
            TableName=name, TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires_at"}
        )
    except ClientError as error:
        # Dynalite has no TTL. Nothing rests on it: every read checks the expiry itself.
        if _code(error) != "UnknownOperationException":
            raise


def _code(error: "ClientError") -> str:
    return error.response.get("Error", {}).get("Code", "")
