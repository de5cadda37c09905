"""What each function may do: the actions and resources of its role, and nothing wider."""

from template import functions, of_type, target

# The whole of each role, as action to logical resource. A new right is a reviewed line here.
RIGHTS = {
    "settle": {
        "dynamodb:GetItem": {"PaymentsTable"},
        "dynamodb:PutItem": {"PaymentsTable"},
        "logs:CreateLogStream": {"SettleLog"},
        "logs:PutLogEvents": {"SettleLog"},
        "secretsmanager:GetSecretValue": {"AWS::Partition"},
        "sqs:ChangeMessageVisibility": {"PaymentsQueue"},
        "sqs:DeleteMessage": {"PaymentsQueue"},
        "sqs:GetQueueAttributes": {"PaymentsQueue"},
        "sqs:ReceiveMessage": {"PaymentsQueue"},
        "sqs:SendMessage": {"PaymentsDeadLetters"},
    },
    "enqueue": {
        "logs:CreateLogStream": {"EnqueueLog"},
        "logs:PutLogEvents": {"EnqueueLog"},
        "sqs:SendMessage": {"PaymentsQueue", "AsyncFailures"},
    },
    "intake": {
        "dynamodb:GetItem": {"PaymentsTable"},
        "dynamodb:PutItem": {"PaymentsTable"},
        "logs:CreateLogStream": {"IntakeLog"},
        "logs:PutLogEvents": {"IntakeLog"},
        "sqs:SendMessage": {"PaymentsQueue"},
    },
    "sweep": {
        "dynamodb:Query": {"PaymentsTable"},
        "dynamodb:UpdateItem": {"PaymentsTable"},
        "logs:CreateLogStream": {"SweepLog"},
        "logs:PutLogEvents": {"SweepLog"},
        "sqs:GetQueueAttributes": {"PaymentsQueue"},
        "sqs:SendMessage": {"PaymentsQueue"},
    },
    "publish": {
        "dynamodb:DescribeStream": {"PaymentsTable"},
        "dynamodb:GetRecords": {"PaymentsTable"},
        "dynamodb:GetShardIterator": {"PaymentsTable"},
        "dynamodb:ListStreams": {"PaymentsTable"},
        "events:PutEvents": {"PaymentsBus"},
        "logs:CreateLogStream": {"PublishLog"},
        "logs:PutLogEvents": {"PublishLog"},
        "sqs:SendMessage": {"PublishFailures"},
    },
}
# Resources that end in a wildcard because AWS chooses the rest of the name.
WILDCARDS = {
    "${PaymentsTable.Arn}/stream/*",
    "arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret:${StripeSecretName}-??????",
}


def listed(value: object) -> list:
    """A value as a list, as IAM reads it."""
    return value if isinstance(value, list) else [value]


def statements(role: dict) -> list[dict]:
    """Every statement of a role's own policies."""
    assert "ManagedPolicyArns" not in role, "managed policies are wider than what is needed"
    return [item for policy in role["Policies"] for item in policy["PolicyDocument"]["Statement"]]


def every_function_has_a_role_of_its_own(template: dict) -> None:
    roles = [target(item["Role"]) for item in functions(template).values()]
    assert len(set(roles)) == len(roles)
    for name, function in functions(template).items():
        assert "Policies" not in function, f"{name}: the SAM policy templates are wider than what is needed"


def no_right_is_wider_than_a_named_resource(template: dict) -> None:
    for name, role in of_type(template, "AWS::IAM::Role").items():
        for statement in statements(role):
            for action in listed(statement["Action"]):
                assert "*" not in action, f"{name}: {action}"
            for resource in listed(statement["Resource"]):
                text = resource if isinstance(resource, str) else resource.get("Fn::Sub", "")
                assert text in WILDCARDS or not set("*?") & set(text), f"{name}: {text}"


def every_function_may_do_what_it_needs_and_no_more(template: dict) -> None:
    roles = of_type(template, "AWS::IAM::Role")
    for name, function in functions(template).items():
        found: dict[str, set[str]] = {}
        for statement in statements(roles[target(function["Role"])]):
            assert statement["Effect"] == "Allow"
            for action in listed(statement["Action"]):
                found.setdefault(action, set()).update(target(item) for item in listed(statement["Resource"]))
        assert found == RIGHTS[name], name


def the_secret_is_never_in_the_template(template: dict) -> None:
    assert not [item for item in template["Resources"].values() if item["Type"] == "AWS::SecretsManager::Secret"]
    for name, function in functions(template).items():
        assert not [key for key in function["Variables"] if key.endswith(("_KEY", "_TOKEN"))], name


def only_the_api_may_invoke_intake_and_only_signed_requests_reach_it(template: dict) -> None:
    (permission,) = of_type(template, "AWS::Lambda::Permission").values()
    assert target(permission["FunctionName"]) == "IntakeFunction"
    assert permission["Principal"] == "apigateway.amazonaws.com"
    assert permission["SourceArn"]["Fn::Sub"].endswith(":${PaymentsApi}/*")
    routes = of_type(template, "AWS::ApiGatewayV2::Route").values()
    opened = [route["RouteKey"] for route in routes if route["AuthorizationType"] != "AWS_IAM"]
    assert opened == ["GET /problems/{name}"]
