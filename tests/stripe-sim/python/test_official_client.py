"""The official `stripe` package drives the simulated Stripe unchanged: what keeps the simulation honest."""

import pytest
import stripe
from official import client_of, create


def test_a_create_with_confirm_succeeds(client):
    intent = create(client, "p/charge/1")
    assert (intent.id, intent.status, intent.amount_received) == ("pi_000001", "succeeded", 2000)
    assert intent.metadata["operation_id"] == "p/charge/1"
    assert intent.latest_charge == "ch_000001"


def test_an_intent_can_be_created_first_and_confirmed_later(client):
    params = {"amount": 2000, "currency": "usd", "automatic_payment_methods": {"enabled": True}}
    intent = client.v1.payment_intents.create(params)
    assert intent.status == "requires_payment_method"
    paid = client.v1.payment_intents.confirm(intent.id, {"payment_method": "pm_card_visa"})
    assert paid.status == "succeeded"


def test_the_same_key_is_replayed_with_the_same_id_and_the_header(client):
    first = create(client, "p/charge/1")
    second = create(client, "p/charge/1")
    assert second.id == first.id
    assert "Idempotent-Replayed" not in first.last_response.headers
    assert second.last_response.headers["Idempotent-Replayed"] == "true"
    assert second.last_response.body == first.last_response.body


def test_a_decline_raises_a_card_error_with_the_intent(client):
    with pytest.raises(stripe.CardError) as caught:
        create(client, "p/charge/1", "pm_card_chargeDeclinedInsufficientFunds")
    error = caught.value
    assert (error.http_status, error.code) == (402, "card_declined")
    assert error.error.decline_code == "insufficient_funds"
    assert error.error.payment_intent["status"] == "requires_payment_method"
    assert error.error.payment_intent["last_payment_error"]["code"] == "card_declined"


def test_authentication_off_session_raises_a_card_error(client):
    with pytest.raises(stripe.CardError) as caught:
        create(client, "p/charge/1", "pm_card_authenticationRequired")
    assert caught.value.code == "authentication_required"


def test_other_parameters_under_a_key_raise_an_idempotency_error(client):
    create(client, "p/charge/1")
    with pytest.raises(stripe.IdempotencyError):
        create(client, "p/charge/1", description="drifted")


def test_a_canceled_intent_can_be_retrieved_and_refuses_a_second_cancel(client):
    with pytest.raises(stripe.CardError) as declined:
        create(client, "p/charge/1", "pm_card_chargeDeclined")
    intent_id = declined.value.error.payment_intent["id"]
    canceled = client.v1.payment_intents.cancel(intent_id, {"cancellation_reason": "abandoned"})
    assert canceled.status == "canceled"
    assert client.v1.payment_intents.retrieve(intent_id).cancellation_reason == "abandoned"
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.cancel(intent_id)
    assert caught.value.code == "payment_intent_unexpected_state"
    assert caught.value.error.payment_intent["status"] == "canceled"


def test_a_missing_intent_and_wrong_keys_raise_their_own_errors(server, client):
    with pytest.raises(stripe.InvalidRequestError) as caught:
        client.v1.payment_intents.retrieve("pi_999999")
    assert (caught.value.http_status, caught.value.code) == (404, "resource_missing")
    with pytest.raises(stripe.AuthenticationError):
        create(client_of(server, api_key="sk_test_wrong"), "p/charge/1")
    server.control("PUT", "/settings", {"restricted_key": "rk_test_none"})
    with pytest.raises(stripe.PermissionError):
        create(client_of(server, api_key="rk_test_none"), "p/charge/1")


def test_a_bad_parameter_raises_an_invalid_request_with_its_name(client):
    with pytest.raises(stripe.InvalidRequestError) as caught:
        create(client, "p/charge/1", colour="red")
    assert (caught.value.code, caught.value.param) == ("parameter_unknown", "colour")


def test_a_list_by_customer_pages_by_itself(client):
    for number in range(3):
        create(client, f"p{number}/charge/1")
    create(client, "q/charge/1", customer="cus_2")
    page = client.v1.payment_intents.list({"customer": "cus_1", "limit": 2, "created": {"gte": 1}})
    assert [intent.id for intent in page.data] == ["pi_000003", "pi_000002"]
    assert page.has_more
    assert [intent.id for intent in page.auto_paging_iter()] == ["pi_000003", "pi_000002", "pi_000001"]


def test_a_search_by_operation_id_finds_the_intent_and_pages(client):
    for number in range(3):
        create(client, f"p{number}/charge/1")
    found = client.v1.payment_intents.search({"query": "metadata['operation_id']:'p1/charge/1'"})
    assert [intent.id for intent in found.data] == ["pi_000002"]
    pages = client.v1.payment_intents.search({"query": "status:'succeeded'", "limit": 2})
    assert [intent.id for intent in pages.auto_paging_iter()] == ["pi_000003", "pi_000002", "pi_000001"]


@pytest.mark.parametrize(
    "fault", ["lose_reply_after_effect", "reset_before", "unavailable_503", "lock_timeout"]
)
def test_retries_heal_the_fault_with_one_effect(server, fault):
    server.script({"fault": fault})
    intent = create(client_of(server, retries=2), "p/charge/1")
    assert intent.status == "succeeded"
    count = server.operation("p/charge/1")
    assert (count["intents_created"], count["attempts"], count["amount_paid"]) == (1, 1, 2000)
    assert server.control("GET", "/counts")["faults"][fault] == 1
    bodies = {seen["body_hex"] for seen in server.control("GET", "/requests")["requests"]}
    assert len(bodies) == 1


def test_a_saved_500_is_not_retried_and_has_one_effect(server):
    server.script({"fault": "error_500_after"})
    client = client_of(server, retries=2)
    for _ in range(2):
        with pytest.raises(stripe.APIError) as caught:
            create(client, "p/charge/1")
        assert caught.value.http_status == 500
    assert caught.value.headers["Idempotent-Replayed"] == "true"
    assert server.operation("p/charge/1")["intents_succeeded"] == 1
    assert len(server.control("GET", "/requests")["requests"]) == 2


def test_a_rate_limit_raises_its_own_error_and_is_not_saved(server, client):
    server.script({"fault": "rate_limit"})
    with pytest.raises(stripe.RateLimitError):
        create(client, "p/charge/1")
    assert create(client, "p/charge/1").status == "succeeded"


def test_hostile_bodies_never_look_like_a_payment(server, client):
    for kind in ["empty", "html", "truncated", "not_utf8", "cut_off"]:
        server.script({"fault": "hostile_body", "hostile": kind})
        with pytest.raises((stripe.StripeError, UnicodeDecodeError)):
            create(client, f"{kind}/charge/1")
        assert server.operation(f"{kind}/charge/1")["intents_succeeded"] == 1
