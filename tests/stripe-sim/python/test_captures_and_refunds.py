"""The rest of a payment's life with the official client: captures, cancels and refunds."""

import pytest
import stripe
from official import client_of, create

DAY_MS = 24 * 60 * 60 * 1000


def authorize(client, operation_id="p/charge/1", **more):
    return create(client, operation_id, capture_method="manual", **more)


def refund(client, operation_id, key=None, **params):
    params = {"payment_intent": "pi_000001", "metadata": {"operation_id": operation_id}, **params}
    return client.v1.refunds.create(params, {"idempotency_key": key or operation_id})


def refused(action, *arguments, **more):
    """Returns the error of an action that Stripe refuses with 400."""
    with pytest.raises(stripe.InvalidRequestError) as caught:
        action(*arguments, **more)
    assert caught.value.http_status == 400
    return caught.value


def test_a_full_capture_takes_the_whole_amount(server, client):
    held = authorize(client)
    assert (held.status, held.amount_capturable, held.amount_received) == ("requires_capture", 2000, 0)
    captured = client.v1.payment_intents.capture(held.id)
    assert (captured.status, captured.amount_capturable, captured.amount_received) == ("succeeded", 0, 2000)
    count = server.operation("p/charge/1")
    assert (count["captures"], count["amount_captured"], count["amount_paid"]) == (1, 2000, 2000)


def test_a_partial_capture_releases_the_rest(client):
    held = authorize(client)
    captured = client.v1.payment_intents.capture(held.id, {"amount_to_capture": 500})
    assert (captured.amount, captured.amount_received, captured.amount_capturable) == (2000, 500, 0)
    error = refused(client.v1.payment_intents.capture, held.id, {"amount_to_capture": 100})
    assert error.code == "payment_intent_unexpected_state"
    assert error.error.payment_intent["status"] == "succeeded"


def test_a_capture_above_the_authorized_amount_is_too_large(client):
    held = authorize(client)
    error = refused(client.v1.payment_intents.capture, held.id, {"amount_to_capture": 2001})
    assert error.code == "amount_too_large"
    assert error.error.payment_intent["status"] == "requires_capture"
    assert client.v1.payment_intents.capture(held.id).status == "succeeded"


def test_a_capture_with_the_same_key_is_replayed_and_a_second_one_refused(server, client):
    held = authorize(client)
    options = {"idempotency_key": "p/capture/1"}
    first = client.v1.payment_intents.capture(held.id, {"amount_to_capture": 700}, options)
    second = client.v1.payment_intents.capture(held.id, {"amount_to_capture": 700}, options)
    assert second.last_response.headers["Idempotent-Replayed"] == "true"
    assert second.last_response.body == first.last_response.body
    assert refused(client.v1.payment_intents.capture, held.id).code == "payment_intent_unexpected_state"
    assert server.operation("p/charge/1")["captures"] == 1


def test_a_capture_after_a_cancel_meets_the_canceled_intent(client):
    held = authorize(client)
    canceled = client.v1.payment_intents.cancel(held.id, {"cancellation_reason": "duplicate"})
    assert (canceled.status, canceled.amount_capturable) == ("canceled", 0)
    error = refused(client.v1.payment_intents.capture, held.id)
    assert error.code == "payment_intent_unexpected_state"
    assert error.error.payment_intent["status"] == "canceled"


def test_an_authorization_that_is_too_old_was_canceled_automatically(server, client):
    held = authorize(client)
    server.control("POST", "/clock", {"advance_ms": 7 * DAY_MS})
    error = refused(client.v1.payment_intents.capture, held.id)
    assert error.code == "payment_intent_unexpected_state"
    expired = client.v1.payment_intents.retrieve(held.id)
    assert (expired.status, expired.cancellation_reason) == ("canceled", "automatic")
    assert server.operation("p/charge/1")["intents_expired"] == 1


def test_a_cancel_of_a_paid_intent_is_refused(server, client):
    paid = create(client, "p/charge/1")
    error = refused(client.v1.payment_intents.cancel, paid.id)
    assert error.code == "payment_intent_unexpected_state"
    assert error.error.payment_intent["status"] == "succeeded"
    assert server.operation("p/charge/1")["cancels"] == 0


def test_a_cancel_while_the_payment_is_processing_is_refused_where_it_is_set(server, client):
    server.control("PUT", "/settings", {"cancels_processing": False})
    waiting = create(client, "p/charge/1", "pm_sim_processing")
    error = refused(client.v1.payment_intents.cancel, waiting.id)
    assert error.code == "payment_intent_unexpected_state"
    assert error.error.payment_intent["status"] == "processing"


def test_a_refund_without_an_amount_refunds_what_remains(server, client):
    paid = create(client, "p/charge/1")
    part = refund(client, "p/refund/1", amount=700, reason="requested_by_customer")
    assert (part.id, part.object, part.status, part.amount) == ("re_000001", "refund", "succeeded", 700)
    assert (part.payment_intent, part.charge, part.currency) == (paid.id, paid.latest_charge, "usd")
    assert (part.reason, part.metadata["operation_id"]) == ("requested_by_customer", "p/refund/1")
    assert refund(client, "p/refund/2").amount == 1300
    assert client.v1.payment_intents.retrieve(paid.id).status == "succeeded"
    assert server.operation("p/refund/1")["amount_refunded"] == 700
    payment = server.control("GET", "/counts")["payments"]["p"]
    assert (payment["refunds"], payment["amount_refunded"], payment["refunded_on_intents"]) == (2, 2000, 2000)


def test_refunds_over_the_cap_are_refused(client):
    create(client, "p/charge/1")
    refund(client, "p/refund/1", amount=700)
    over = refused(refund, client, "p/refund/2", amount=1301)
    assert (over.code, over.param) == (None, "amount")
    assert "greater than unrefunded amount on charge ($13.00)" in over.user_message
    refund(client, "p/refund/3", amount=1300)
    assert refused(refund, client, "p/refund/4", amount=1).code == "charge_already_refunded"


def test_a_refund_of_what_was_never_captured_is_refused(client):
    held = authorize(client)
    assert "uncaptured Charge" in refused(refund, client, "p/refund/1").user_message
    client.v1.payment_intents.cancel(held.id)
    assert "does not have a successful charge" in refused(refund, client, "p/refund/2").user_message


def test_the_same_key_replays_the_refund_and_other_parameters_are_an_error(server, client):
    create(client, "p/charge/1")
    first = refund(client, "p/refund/1", amount=700)
    second = refund(client, "p/refund/1", amount=700)
    assert second.last_response.headers["Idempotent-Replayed"] == "true"
    assert second.last_response.body == first.last_response.body
    with pytest.raises(stripe.IdempotencyError):
        refund(client, "p/refund/1", amount=701)
    assert server.operation("p/refund/1")["refunds"] == 1


@pytest.mark.parametrize("fault", ["lose_reply_after_effect", "reset_before", "unavailable_503", "lock_timeout"])
def test_retries_heal_the_fault_with_one_refund(server, client, fault):
    create(client, "p/charge/1")
    server.script({"fault": fault, "operation_id": "p/refund/1"})
    assert refund(client_of(server, retries=2), "p/refund/1", amount=700).status == "succeeded"
    count = server.operation("p/refund/1")
    assert (count["refunds"], count["amount_refunded"]) == (1, 700)
    assert server.control("GET", "/counts")["faults"][fault] == 1


def test_a_saved_500_refunded_once(server, client):
    create(client, "p/charge/1")
    server.script({"fault": "error_500_after", "operation_id": "p/refund/1"})
    for _ in range(2):
        with pytest.raises(stripe.APIError) as caught:
            refund(client, "p/refund/1", amount=700)
        assert caught.value.http_status == 500
    assert caught.value.headers["Idempotent-Replayed"] == "true"
    assert [found.amount for found in client.v1.refunds.list({"payment_intent": "pi_000001"}).data] == [700]


def test_refunds_are_listed_by_intent_in_pages_and_retrieved(client):
    create(client, "p/charge/1")
    create(client, "q/charge/1")
    for number in range(1, 4):
        refund(client, f"p/refund/{number}", amount=100)
    refund(client, "q/refund/1", payment_intent="pi_000002", amount=50)
    page = client.v1.refunds.list({"payment_intent": "pi_000001", "limit": 2})
    assert ([found.id for found in page.data], page.has_more) == (["re_000003", "re_000002"], True)
    assert [found.id for found in page.auto_paging_iter()] == ["re_000003", "re_000002", "re_000001"]
    assert client.v1.refunds.retrieve("re_000004").amount == 50
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.refunds.retrieve("re_000009")
    assert (caught.value.http_status, caught.value.code) == (404, "resource_missing")


@pytest.mark.parametrize("end", ["failed", "canceled"])
def test_a_pending_refund_that_ends_gives_its_amount_back(server, client, end):
    create(client, "p/charge/1", "pm_card_pendingRefund")
    pending = refund(client, "p/refund/1", amount=1500)
    assert (pending.status, pending.pending_reason) == ("pending", "processing")
    assert refused(refund, client, "p/refund/2", amount=1500).param == "amount"
    server.control("POST", f"/refunds/{pending.id}/settle", {"status": end})
    ended = client.v1.refunds.retrieve(pending.id)
    assert ended.status == end
    assert getattr(ended, "failure_reason", None) == ("expired_or_canceled_card" if end == "failed" else None)
    assert refund(client, "p/refund/3", amount=1500).status == "pending"
    assert server.operation("p/refund/1")[f"refunds_{end}"] == 1
    assert server.control("GET", "/counts")["payments"]["p"]["amount_refunded"] == 1500


def test_a_refund_that_succeeded_may_fail_as_time_passes(server, client):
    server.control("PUT", "/settings", {"refund_delay_ms": 60_000})
    create(client, "p/charge/1", "pm_card_refundFail")
    sent = refund(client, "p/refund/1")
    assert sent.status == "succeeded"
    server.control("POST", "/clock", {"advance_ms": 60_000})
    failed = client.v1.refunds.retrieve(sent.id)
    assert (failed.status, failed.failure_reason) == ("failed", "expired_or_canceled_card")
    assert refund(client, "p/refund/2").amount == 2000


def test_only_a_refund_that_waits_for_the_customer_can_be_canceled(client):
    create(client, "p/charge/1", "pm_sim_refund_requires_action")
    waiting = refund(client, "p/refund/1", amount=100)
    assert waiting.status == "requires_action"
    assert client.v1.refunds.cancel(waiting.id).status == "canceled"
    assert "unsupported" in refused(client.v1.refunds.cancel, waiting.id).user_message
