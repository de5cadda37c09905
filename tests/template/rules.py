"""What must be true of template.yaml at every stage. Each rule takes the resolved template and asserts."""

import json
from pathlib import Path

from template import functions, mappings, of_type, target

CONTRACT = {
    "settle": {
        "TABLE_NAME", "DEAD_LETTER_URL", "STACK", "STRIPE_SECRET_ID", "STRIPE_BASE_URL", "PROVIDER_TIMEOUT_MS",
        "WRITE_MARGIN_MS", "RESEND_SCHEDULE_S", "LONGEST_EXECUTION_S", "SEARCH_LAG_S", "FUNCTION_TIMEOUT_S",
    },
    "sweep": {"TABLE_NAME", "QUEUE_URL", "STACK", "SWEEP_LEASE_S", "SWEEP_WAKES"},
    "publish": {"BUS_NAME", "EVENT_SOURCE", "QUARANTINE_URL"},
    "enqueue": {"QUEUE_URL"},
    "intake": {"TABLE_NAME", "QUEUE_URL", "RESEND_SCHEDULE_S", "LONGEST_EXECUTION_S", "SEARCH_LAG_S"},
}  # fmt: skip
# A first send and at most one resend under the same key.
PROVIDER_CALLS = 2
OPENAPI = Path(__file__).resolve().parent.parent.parent / "infra/openapi.json"
FOURTEEN_DAYS_S = 14 * 24 * 3600


def arn_of_queue(template: dict, value: object) -> str:
    """The logical name of a queue that a value points to; fails when it is no queue of the template."""
    name = target(value)
    assert name in of_type(template, "AWS::SQS::Queue"), f"{name} is no queue"
    return name


def every_mapping_reports_single_failures(template: dict) -> None:
    assert {item["Function"] for item in mappings(template).values()} == {"settle", "publish"}
    for name, item in mappings(template).items():
        assert item.get("FunctionResponseTypes") == ["ReportBatchItemFailures"], name


def a_message_stays_invisible_six_times_as_long_as_its_function_may_run(template: dict) -> None:
    queues = of_type(template, "AWS::SQS::Queue")
    for name, item in mappings(template).items():
        if item["Type"] == "SQS":
            visibility_s = int(queues[arn_of_queue(template, item["Queue"])]["VisibilityTimeout"])
            assert visibility_s >= 6 * int(functions(template)[item["Function"]]["Timeout"]), name


def the_command_queue_is_high_throughput_fifo(template: dict) -> None:
    for name, queue in of_type(template, "AWS::SQS::Queue").items():
        if queue.get("FifoQueue"):
            assert queue["DeduplicationScope"] == "messageGroup", name
            assert queue["FifoThroughputLimit"] == "perMessageGroupId", name
            assert not queue.get("ContentBasedDeduplication"), f"{name}: the deduplication id is the operation's"


def a_mapped_queue_dead_letters_to_its_own_kind_after_enough_tries(template: dict) -> None:
    queues = of_type(template, "AWS::SQS::Queue")
    for item in mappings(template).values():
        if item["Type"] == "SQS":
            queue = queues[arn_of_queue(template, item["Queue"])]
            redrive = queue["RedrivePolicy"]
            dead = queues[arn_of_queue(template, redrive["deadLetterTargetArn"])]
            assert redrive["maxReceiveCount"] >= 5
            assert queue["FifoQueue"] and dead["FifoQueue"]
            assert dead["MessageRetentionPeriod"] == FOURTEEN_DAYS_S


def a_batch_is_at_most_ten_and_concurrency_is_bounded(template: dict) -> None:
    for item in mappings(template).values():
        if item["Type"] == "SQS":
            assert item["BatchSize"] <= 10 and "MaximumBatchingWindowInSeconds" not in item
            assert 2 <= item["ScalingConfig"]["MaximumConcurrency"] <= 1000


def the_provider_calls_of_an_invocation_fit_into_it(template: dict) -> None:
    settle = functions(template)["settle"]
    variables = settle["Variables"]
    used_ms = PROVIDER_CALLS * int(variables["PROVIDER_TIMEOUT_MS"]) + int(variables["WRITE_MARGIN_MS"])
    assert used_ms < 1000 * int(settle["Timeout"])
    assert variables["FUNCTION_TIMEOUT_S"] == settle["Timeout"]


def the_sweep_is_slower_than_the_queue_and_sends_no_more_than_it_settles(template: dict) -> None:
    settle, sweep = functions(template)["settle"]["Variables"], functions(template)["sweep"]["Variables"]
    commands = next(item for item in mappings(template).values() if item["Type"] == "SQS")
    batches_a_minute = 60_000 // int(settle["PROVIDER_TIMEOUT_MS"])
    limit = commands["ScalingConfig"]["MaximumConcurrency"] * commands["BatchSize"] * batches_a_minute
    assert template["Parameters"]["SweepWakes"]["Default"] <= limit
    assert int(sweep["SWEEP_LEASE_S"]) >= int(functions(template)["settle"]["Timeout"])


def the_http_function_ends_before_its_api_gives_up(template: dict) -> None:
    (integration,) = of_type(template, "AWS::ApiGatewayV2::Integration").values()
    assert int(functions(template)["intake"]["Timeout"]) < 29
    assert 1000 * int(functions(template)["intake"]["Timeout"]) < integration["TimeoutInMillis"] <= 29_000
    assert target(integration["IntegrationUri"]) == "IntakeFunction"
    assert integration["PayloadFormatVersion"] == "2.0"


def the_api_has_the_documented_routes_and_a_request_rate(template: dict) -> None:
    paths = json.loads(OPENAPI.read_text())["paths"]
    documented = {
        f"{method.upper()} {path}" for path, item in paths.items() for method in item if method != "parameters"
    }
    routes = of_type(template, "AWS::ApiGatewayV2::Route").values()
    assert {route["RouteKey"] for route in routes} == documented | {"$default"}
    assert all(target(route["Target"]) == "PaymentsApiIntegration" for route in routes)
    (api,) = of_type(template, "AWS::ApiGatewayV2::Api").values()
    assert api["ProtocolType"] == "HTTP" and "CorsConfiguration" not in api
    (stage,) = of_type(template, "AWS::ApiGatewayV2::Stage").values()
    assert stage["StageName"] == "$default" and stage["AutoDeploy"]
    assert stage["DefaultRouteSettings"]["ThrottlingRateLimit"] > 0


def intake_counts_time_as_settle_does(template: dict) -> None:
    settle, intake = functions(template)["settle"]["Variables"], functions(template)["intake"]["Variables"]
    for name in ("RESEND_SCHEDULE_S", "LONGEST_EXECUTION_S", "SEARCH_LAG_S"):
        assert settle[name] == intake[name], name


def only_keys_expire(template: dict) -> None:
    (table,) = of_type(template, "AWS::DynamoDB::Table").values()
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}


def every_function_gets_the_environment_it_reads(template: dict) -> None:
    found = functions(template)
    assert found.keys() == CONTRACT.keys()
    for name, function in found.items():
        assert function["Variables"].keys() == CONTRACT[name] | {"RUST_LOG"}, name
        for variable, value in function["Variables"].items():
            assert isinstance(value, (str, dict)), f"{name}: {variable} is no string"


def every_function_keeps_its_logs_for_a_time(template: dict) -> None:
    groups = of_type(template, "AWS::Logs::LogGroup")
    for name, function in functions(template).items():
        group = groups[target(function["LoggingConfig"]["LogGroup"])]
        assert group["RetentionInDays"] > 0
        assert group["LogGroupName"]["Fn::Sub"] == f"/aws/lambda/{function['FunctionName']['Fn::Sub']}", name


def every_asynchronous_failure_goes_somewhere(template: dict) -> None:
    enqueue = functions(template)["enqueue"]
    arn_of_queue(template, enqueue["EventInvokeConfig"]["DestinationConfig"]["OnFailure"]["Destination"])
    rules = [item["Properties"] for item in enqueue["Events"].values() if item["Type"] == "EventBridgeRule"]
    assert rules
    for rule in rules:
        arn_of_queue(template, rule["DeadLetterConfig"]["Arn"])
        assert rule["RetryPolicy"]["MaximumRetryAttempts"] > 0
    for name, item in mappings(template).items():
        if item["Type"] == "DynamoDB":
            arn_of_queue(template, item["DestinationConfig"]["OnFailure"]["Destination"])
            assert item["BisectBatchOnFunctionError"] and item["MaximumRetryAttempts"] > 0, name
            assert 0 < item["MaximumRecordAgeInSeconds"] < 24 * 3600, f"{name}: the stream keeps 24 h"


def the_stream_filter_tests_only_that_there_is_an_announcement(template: dict) -> None:
    (outbox,) = [item for item in mappings(template).values() if item["Type"] == "DynamoDB"]
    (pattern,) = outbox["FilterCriteria"]["Filters"]
    assert json.loads(pattern["Pattern"]) == {"dynamodb": {"NewImage": {"announce": {"S": [{"exists": True}]}}}}
    (table,) = of_type(template, "AWS::DynamoDB::Table").values()
    assert table["StreamSpecification"]["StreamViewType"] == "NEW_IMAGE"
    assert outbox["StartingPosition"] == "TRIM_HORIZON"


def the_table_is_kept_and_its_indexes_hold_keys_only(template: dict) -> None:
    (table,) = of_type(template, "AWS::DynamoDB::Table").values()
    assert [key["AttributeName"] for key in table["KeySchema"]] == ["pk"]
    indexes = {
        index["IndexName"]: [key["AttributeName"] for key in index["KeySchema"]]
        for index in table["GlobalSecondaryIndexes"]
        if index["Projection"] == {"ProjectionType": "KEYS_ONLY"}
    }
    assert indexes == {"due": ["due_shard", "due_at"], "review": ["review_shard", "review_at"]}
    assert table["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"]
    assert table["SSESpecification"]["SSEEnabled"]
    assert table["DeletionProtectionEnabled"]["Fn::If"] == ["IsProd", True, False]
    for name, item in template["Resources"].items():
        if item["Type"] in ("AWS::DynamoDB::Table", "AWS::SQS::Queue"):
            assert item["DeletionPolicy"] == item["UpdateReplacePolicy"] == "Retain", name


def every_queue_is_encrypted(template: dict) -> None:
    for name, queue in of_type(template, "AWS::SQS::Queue").items():
        assert queue.get("SqsManagedSseEnabled") is True, name


def alarmed(template: dict, metric: str, dimension: str) -> set[str]:
    """What an alarm of a metric watches, by logical name."""
    alarms = of_type(template, "AWS::CloudWatch::Alarm").values()
    found = [alarm for alarm in alarms if alarm["MetricName"] == metric]
    return {target(item["Value"]) for alarm in found for item in alarm["Dimensions"] if item["Name"] == dimension}


def every_end_state_has_an_alarm(template: dict) -> None:
    sources = {target(item["Queue"]) for item in mappings(template).values() if item["Type"] == "SQS"}
    ends = of_type(template, "AWS::SQS::Queue").keys() - sources
    assert alarmed(template, "ApproximateNumberOfMessagesVisible", "QueueName") == ends
    assert alarmed(template, "ApproximateAgeOfOldestMessage", "QueueName") == sources
    functions_by_name = {item["Logical"] for item in functions(template).values()}
    assert alarmed(template, "Errors", "FunctionName") == functions_by_name
    assert alarmed(template, "IteratorAge", "FunctionName") == {"PublishFunction"}
    for metric in ("DueBacklog", "OpenReviews", "ProviderUnauthorized"):
        assert alarmed(template, metric, "Stack") == {"AWS::StackName"}, metric


def every_alarm_tells_somebody(template: dict) -> None:
    for name, alarm in of_type(template, "AWS::CloudWatch::Alarm").items():
        assert alarm["AlarmActions"]["Fn::If"][0] == "HasAlarmTopic", name
        assert alarm["Threshold"] is not None and alarm["TreatMissingData"] in ("breaching", "notBreaching"), name
