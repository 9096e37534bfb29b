"""What the template promises, read from the template itself and by SAM CLI's own linter."""

import json
import re
import tomllib
from contextlib import closing
from typing import Any

import pytest

from connecta import Connecta, remote_mcp
from connecta.auth.sign_in.secret import KEY_CHARS
from connecta.limits import LIMITS
from connecta.state.client import open_client
from tests.fixtures.dynamodb import TABLE, running_moto
from tests.fixtures.sam import ROOT, load_template, run_sam

Resource = dict[str, Any]

ALLOWED_IN_LOGS = (
    "requestId",
    "requestTimeEpoch",
    "identity.sourceIp",
    "httpMethod",
    "path",
    "status",
    "responseLength",
    "responseLatency",
    "integrationStatus",
    "integrationErrorMessage",
)
VAULT_KEY = {"Fn::If": ["MakeVaultKey", {"Fn::GetAtt": "VaultKey.Arn"}, {"Ref": "VaultKeyArn"}]}
SIGN_IN_SECRET = {"Fn::If": ["MakeSignInSecret", {"Ref": "SignInSecret"}, {"Ref": "SignInSecretArn"}]}


@pytest.fixture(scope="module")
def template() -> dict[str, Any]:
    return load_template()


def properties(template: dict[str, Any], name: str) -> Resource:
    return template["Resources"][name]["Properties"]


def test_sam_finds_nothing_to_say() -> None:
    done = run_sam("validate", "--lint")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "is a valid SAM Template" in done.stdout


def test_the_function_answers_before_the_gateway_gives_up(template: dict[str, Any]) -> None:
    """HTTP API waits 30 s (aws.md); a request's own limit is what the function may take."""
    function = properties(template, "McpFunction")
    assert function["Timeout"] == LIMITS.request_s == 29
    waits = [event["Properties"]["TimeoutInMillis"] for event in function["Events"].values()]
    assert waits == [30_000, 30_000]


def test_every_path_and_method_reaches_the_function_as_payload_2(template: dict[str, Any]) -> None:
    events = properties(template, "McpFunction")["Events"].values()
    routes = {
        (event["Type"], event["Properties"]["Method"], event["Properties"]["Path"]): event["Properties"][
            "PayloadFormatVersion"
        ]
        for event in events
    }
    assert routes == {("HttpApi", "ANY", "/"): "2.0", ("HttpApi", "ANY", "/{proxy+}"): "2.0"}


def test_the_stage_has_no_name_in_the_path(template: dict[str, Any]) -> None:
    """A named stage breaks /.well-known/* at the root of the host (aws.md)."""
    assert properties(template, "McpApi")["StageName"] == "$default"


def test_the_function_runs_what_the_makefile_builds(template: dict[str, Any]) -> None:
    function = template["Resources"]["McpFunction"]
    assert function["Metadata"] == {"BuildMethod": "makefile"}
    wanted = {key: function["Properties"][key] for key in ("CodeUri", "Handler", "Runtime", "Architectures")}
    assert wanted == {
        "CodeUri": "src/",
        "Handler": "app.handler",
        "Runtime": "python3.13",
        "Architectures": [{"Ref": "Architecture"}],
    }
    assert template["Parameters"]["Architecture"]["Default"] == "x86_64"


def test_no_variable_of_the_function_holds_a_secret(template: dict[str, Any]) -> None:
    """The token stays in Secrets Manager; the function is told where."""
    secret = {"Fn::If": ["MakeTokenSecret", {"Ref": "TokenSecret"}, {"Ref": "TokenSecretArn"}]}
    assert properties(template, "McpFunction")["Environment"]["Variables"] == {
        "CONNECTA_DEPLOYMENT": "deployment:deployment",
        "CONNECTA_TABLE": {"Ref": "StateTable"},
        "CONNECTA_TOKEN_SECRET": secret,
        "CONNECTA_SIGN_IN_SECRET": SIGN_IN_SECRET,
        "CONNECTA_OIDC_SECRET": {"Ref": "OidcSecretArn"},
        "CONNECTA_KMS_KEY": VAULT_KEY,
        "PUBLIC_URL": {"Ref": "PublicUrl"},
        "POWERTOOLS_SERVICE_NAME": "connecta",
    }


def test_the_role_may_touch_this_table_these_secrets_this_key_and_this_log_only(template: dict[str, Any]) -> None:
    role = properties(template, "McpRole")
    assert "ManagedPolicyArns" not in role
    [policy] = role["Policies"]
    statements = policy["PolicyDocument"]["Statement"]
    resources = {statement["Sid"]: statement["Resource"] for statement in statements}
    assert resources == {
        "State": {"Fn::GetAtt": "StateTable.Arn"},
        "Token": {"Fn::If": ["MakeTokenSecret", {"Ref": "TokenSecret"}, {"Ref": "TokenSecretArn"}]},
        "SignIn": [
            SIGN_IN_SECRET,
            {"Fn::If": ["HasOidcSecret", {"Ref": "OidcSecretArn"}, {"Ref": "AWS::NoValue"}]},
        ],
        "Vault": VAULT_KEY,
        "Logs": {"Fn::GetAtt": "FunctionLogs.Arn"},
    }
    assert "*" not in json.dumps([statement["Action"] for statement in statements])


def test_the_secret_the_template_makes_is_one_that_sign_in_takes(template: dict[str, Any]) -> None:
    """As JSON with a key of letters and digits, and no passphrase before somebody has set one."""
    made = properties(template, "SignInSecret")["GenerateSecretString"]
    assert made == {
        "SecretStringTemplate": "{}",
        "GenerateStringKey": "key",
        "PasswordLength": 64,
        "ExcludePunctuation": True,
    }
    assert made["PasswordLength"] >= KEY_CHARS


def test_the_key_is_used_for_this_deployments_credentials_and_nothing_else(template: dict[str, Any]) -> None:
    """The function decrypts only with the right context, and neither manages the key nor lets others use it."""
    [policy] = properties(template, "McpRole")["Policies"]
    [vault] = [statement for statement in policy["PolicyDocument"]["Statement"] if statement["Sid"] == "Vault"]
    assert (vault["Action"], vault["Condition"]) == (
        ["kms:GenerateDataKey", "kms:Decrypt"],
        {
            "StringEquals": {"kms:EncryptionContext:deployment": {"Ref": "DeploymentName"}},
            "Null": {"kms:EncryptionContext:connector": "false", "kms:EncryptionContext:field": "false"},
            "ForAllValues:StringEquals": {"kms:EncryptionContextKeys": ["deployment", "connector", "field"]},
        },
    )


def test_the_key_is_for_the_name_a_deployment_has_unless_it_says_otherwise(template: dict[str, Any]) -> None:
    name = template["Parameters"]["DeploymentName"]
    assert re.fullmatch(name["AllowedPattern"], name["Default"])
    assert name["Default"] == Connecta(connectors=[remote_mcp("shop", url="https://shop.example/mcp")]).name


def test_the_key_of_the_credentials_turns_over_and_outlives_the_stack(template: dict[str, Any]) -> None:
    """Whoever loses it loses every credential kept."""
    key = template["Resources"]["VaultKey"]
    assert {name: key[name] for name in ("Condition", "DeletionPolicy", "UpdateReplacePolicy")} == {
        "Condition": "MakeVaultKey",
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
    }
    assert (key["Properties"]["EnableKeyRotation"], key["Properties"]["PendingWindowInDays"]) == (True, 30)
    [account] = key["Properties"]["KeyPolicy"]["Statement"]
    assert account["Principal"] == {"AWS": {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"}}
    assert properties(template, "VaultKeyAlias") == {
        "AliasName": {"Fn::Sub": "alias/${AWS::StackName}-credentials"},
        "TargetKeyId": {"Ref": "VaultKey"},
    }


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("", True),
        ("arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab", True),
        ("arn:aws-us-gov:kms:us-gov-west-1:123456789012:key/mrk-1234", True),
        ("arn:aws:kms:eu-central-1:123456789012:alias/connecta", False),
        ("1234abcd-12ab-34cd-56ef-1234567890ab", False),
    ],
)
def test_a_key_of_ones_own_is_given_by_the_arn_that_stands_in_what_it_wraps(
    template: dict[str, Any], given: str, taken: bool
) -> None:
    assert bool(re.fullmatch(template["Parameters"]["VaultKeyArn"]["AllowedPattern"], given)) is taken


def test_the_role_reads_and_writes_items_and_lists_one_partition_at_a_time(template: dict[str, Any]) -> None:
    """The operator's pages list activity, tokens and grants; nothing reads the table whole."""
    [policy] = properties(template, "McpRole")["Policies"]
    [state] = [statement for statement in policy["PolicyDocument"]["Statement"] if statement["Sid"] == "State"]
    one_at_a_time = [f"dynamodb:{action}Item" for action in ("Get", "Put", "Update", "BatchWrite", "Delete")]
    assert state["Action"] == [*one_at_a_time, "dynamodb:Query"]


def test_the_function_may_invoke_itself_and_no_other(template: dict[str, Any]) -> None:
    """Work that outlives a request is sent to another invocation ("Catalogs")."""
    assert properties(template, "McpSelfInvocation") == {
        "PolicyName": "connecta-self",
        "Roles": [{"Ref": "McpRole"}],
        "PolicyDocument": {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Sid": "Self",
                    "Effect": "Allow",
                    "Action": "lambda:InvokeFunction",
                    "Resource": {"Fn::GetAtt": "McpFunction.Arn"},
                }
            ],
        },
    }


def test_what_the_function_sends_itself_is_done_soon_or_not_at_all(template: dict[str, Any]) -> None:
    """A refresh that comes late or again has nothing left to do: Lambda's own hours of retries would be waste."""
    assert properties(template, "McpFunction")["EventInvokeConfig"] == {
        "MaximumRetryAttempts": 0,
        "MaximumEventAgeInSeconds": 60,
    }


def test_what_is_kept_survives_the_stack_and_is_recoverable(template: dict[str, Any]) -> None:
    table = template["Resources"]["StateTable"]
    assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("Retain", "Retain")
    wanted = {key: value for key, value in table["Properties"].items() if key not in {"AttributeDefinitions"}}
    assert wanted == {
        "BillingMode": "PAY_PER_REQUEST",
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        "TimeToLiveSpecification": {"AttributeName": "expires_at", "Enabled": True},
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
        "SSESpecification": {"SSEEnabled": True},
    }


def test_the_local_table_has_the_keys_of_the_deployed_one(template: dict[str, Any]) -> None:
    """What runs on an emulator is what will run on the stack's table."""
    with running_moto() as endpoint_url, closing(open_client(endpoint_url, LIMITS)) as client:
        local = client.describe_table(TableName=TABLE)["Table"]
        expiry = client.describe_time_to_live(TableName=TABLE)["TimeToLiveDescription"]
    deployed = properties(template, "StateTable")
    assert local.get("KeySchema") == deployed["KeySchema"]
    assert local.get("AttributeDefinitions") == deployed["AttributeDefinitions"]
    assert expiry.get("AttributeName") == deployed["TimeToLiveSpecification"]["AttributeName"]


def test_logs_end_and_say_nothing_a_query_string_holds(template: dict[str, Any]) -> None:
    """An authorization code travels in the query string."""
    groups = [r for r in template["Resources"].values() if r["Type"] == "AWS::Logs::LogGroup"]
    assert [group["Properties"]["RetentionInDays"] for group in groups] == [{"Ref": "LogRetentionDays"}] * 2
    line = json.loads(properties(template, "McpApi")["AccessLogSettings"]["Format"])
    used = set(re.findall(r"\$context\.[A-Za-z.]+", " ".join(line.values())))
    assert used <= {f"$context.{name}" for name in ALLOWED_IN_LOGS}


def test_the_layer_is_built_by_its_own_makefile_for_the_same_architecture(template: dict[str, Any]) -> None:
    layer = template["Resources"]["QuickJsLayer"]
    assert layer["Metadata"] == {"BuildMethod": "makefile"}
    assert layer["Properties"]["ContentUri"] == "layers/quickjs"
    assert layer["Properties"]["CompatibleArchitectures"] == [{"Ref": "Architecture"}]
    assert properties(template, "McpFunction")["Layers"] == [{"Ref": "QuickJsLayer"}]


def test_the_function_installs_what_the_project_pins() -> None:
    """requirements.txt is pyproject's list without boto3, which Lambda's runtime brings."""
    pins: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    lines = (ROOT / "src/requirements.txt").read_text().splitlines()
    installed = [line for line in lines if line and not line.startswith("#")]
    assert installed == [pin for pin in pins if not pin.startswith("boto3==")]


def test_deploying_asks_for_no_more_than_it_needs() -> None:
    config = tomllib.loads((ROOT / "samconfig.toml").read_text())["default"]
    assert config["global"]["parameters"]["stack_name"] == "connecta"
    assert config["deploy"]["parameters"]["capabilities"] == "CAPABILITY_IAM"
