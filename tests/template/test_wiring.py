"""Field case H2 and what belongs to it: the template wires queues, timeouts, rights and alarms together."""

import copy
from collections.abc import Callable
from inspect import getmembers, isfunction
from types import ModuleType

import pytest
import rights
import rules
from template import STAGES, load


def asserting(module: ModuleType) -> list[Callable]:
    """The rules of a module: what it defines with a template for its only argument."""
    own = [item for _, item in getmembers(module, isfunction) if item.__module__ == module.__name__]
    return [item for item in own if item.__code__.co_varnames[: item.__code__.co_argcount] == ("template",)]


RULES = asserting(rules) + asserting(rights)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_template_keeps(rule: Callable, stage: str) -> None:
    rule(load(stage))


# One way to break each rule: a path into the resources, and what is put there (None takes it out).
BREAKS = [
    (rules.every_mapping_reports_single_failures, "SettleFunction Events Commands FunctionResponseTypes", None),
    (rules.every_mapping_reports_single_failures, "PublishFunction Events Announcements FunctionResponseTypes", []),
    (
        rules.a_message_stays_invisible_six_times_as_long_as_its_function_may_run,
        "PaymentsQueue VisibilityTimeout",
        "59",
    ),
    (rules.the_command_queue_is_high_throughput_fifo, "PaymentsQueue DeduplicationScope", "queue"),
    (rules.a_mapped_queue_dead_letters_to_its_own_kind_after_enough_tries, "PaymentsDeadLetters FifoQueue", False),
    (
        rules.a_mapped_queue_dead_letters_to_its_own_kind_after_enough_tries,
        "PaymentsQueue RedrivePolicy maxReceiveCount",
        3,
    ),
    (
        rules.a_batch_is_at_most_ten_and_concurrency_is_bounded,
        "SettleFunction Events Commands ScalingConfig MaximumConcurrency",
        1,
    ),
    (
        rules.the_provider_calls_of_an_invocation_fit_into_it,
        "SettleFunction Environment Variables PROVIDER_TIMEOUT_MS",
        "30000",
    ),
    (
        rules.the_sweep_is_slower_than_the_queue_and_sends_no_more_than_it_settles,
        "SweepFunction Environment Variables SWEEP_LEASE_S",
        "5",
    ),
    (rules.the_http_function_ends_before_its_api_gives_up, "IntakeFunction Timeout", 29),
    (rules.the_api_has_the_documented_routes_and_a_request_rate, "RefundRoute RouteKey", "POST /v1/refunds"),
    (rules.intake_counts_time_as_settle_does, "IntakeFunction Environment Variables SEARCH_LAG_S", "1"),
    (rules.only_keys_expire, "PaymentsTable TimeToLiveSpecification AttributeName", "due_at"),
    (rules.every_function_gets_the_environment_it_reads, "SettleFunction Environment Variables SEARCH_LAG_S", None),
    (rules.every_function_gets_the_environment_it_reads, "SweepFunction Environment Variables SWEEP_WAKES", 300),
    (rules.every_function_keeps_its_logs_for_a_time, "PublishLog RetentionInDays", 0),
    (rules.every_asynchronous_failure_goes_somewhere, "EnqueueFunction EventInvokeConfig DestinationConfig", {}),
    (
        rules.every_asynchronous_failure_goes_somewhere,
        "PublishFunction Events Announcements MaximumRecordAgeInSeconds",
        -1,
    ),
    (
        rules.the_stream_filter_tests_only_that_there_is_an_announcement,
        "PublishFunction Events Announcements FilterCriteria Filters",
        [{"Pattern": '{"dynamodb":{"NewImage":{"version":{"N":[{"exists":true}]}}}}'}],
    ),
    (rules.the_table_is_kept_and_its_indexes_hold_keys_only, "PaymentsTable GlobalSecondaryIndexes", []),
    (rules.every_queue_is_encrypted, "AsyncFailures SqsManagedSseEnabled", False),
    (rules.every_end_state_has_an_alarm, "PublishFailuresDepthAlarm MetricName", "NumberOfMessagesSent"),
    (rules.every_alarm_tells_somebody, "OldestCommandAlarm AlarmActions", {"Fn::If": ["IsProd", []]}),
    (rights.every_function_has_a_role_of_its_own, "SweepFunction Role", {"Fn::GetAtt": ["SettleRole", "Arn"]}),
    (rights.no_right_is_wider_than_a_named_resource, "EnqueueRole Policies 0 PolicyDocument Statement 1 Resource", "*"),
    (
        rights.every_function_may_do_what_it_needs_and_no_more,
        "SettleRole Policies 0 PolicyDocument Statement 2 Action",
        ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:DeleteItem"],
    ),
    (
        rights.only_the_api_may_invoke_intake_and_only_signed_requests_reach_it,
        "RefundRoute AuthorizationType",
        "NONE",
    ),
    (rights.the_secret_is_never_in_the_template, "SettleFunction Environment Variables STRIPE_KEY", "sk_live"),
]


def broken(stage: str, path: str, value: object) -> dict:
    """The template with one value of a resource changed or taken out."""
    template = copy.deepcopy(load(stage))
    name, *steps, last = path.split()
    place = template["Resources"][name]["Properties"]
    for step in steps:
        place = place[int(step)] if isinstance(place, list) else place[step]
        place = place["Properties"] if isinstance(place, dict) and "Type" in place and "Properties" in place else place
    if value is None:
        del place[last]
    else:
        place[last] = value
    return template


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(("rule", "path", "value"), BREAKS, ids=[f"{r.__name__}-{p}" for r, p, _ in BREAKS])
def test_a_broken_template_is_noticed(rule: Callable, path: str, value: object, stage: str) -> None:
    with pytest.raises((AssertionError, KeyError)):
        rule(broken(stage, path, value))


def test_every_rule_is_known_to_notice_a_fault() -> None:
    assert {rule for rule, _, _ in BREAKS} == set(RULES)
