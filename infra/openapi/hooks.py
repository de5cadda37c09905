"""What schemathesis needs to drive the API: requests signed as callers sign them, and payments to work on."""

import atexit
import os
import random
import threading
from pathlib import Path

import requests.auth
import schemathesis
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

USER, _, SECRET = os.environ["IKKAI_API_USER"].partition(":")
# The payments made so far: a made-up id is nobody's.
PAYMENTS: list[str] = []
COUNTS: dict[int, int] = {}
CHOICE = random.Random(1)
LOCK = threading.Lock()


class Signed(requests.auth.AuthBase):
    """Signs with Signature Version 4; of the headers only those that nothing here varies."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        signed = AWSRequest(method=request.method, url=request.url, data=request.body)
        SigV4Auth(Credentials(USER, SECRET), "execute-api", os.environ["AWS_REGION"]).add_auth(signed)
        request.headers.update(dict(signed.headers))
        return request


schemathesis.auth.set_from_requests(Signed())


@schemathesis.hook
def map_path_parameters(_context: object, parameters: dict | None) -> dict | None:
    """Three requests in four are for a payment that is there."""
    with LOCK:
        if parameters and "id" in parameters and PAYMENTS and CHOICE.random() < 0.75:
            return {**parameters, "id": CHOICE.choice(PAYMENTS)}
    return parameters


@schemathesis.hook
def map_body(_context: object, body: object) -> object:
    """Every other amount is one that any currency takes; the rest is refused by the currency's rules mostly."""
    with LOCK:
        if isinstance(body, dict) and type(body.get("amount")) is int and CHOICE.random() < 0.5:
            return {**body, "amount": 1000 * (1 + body["amount"] % 90)}
    return body


@schemathesis.hook
def after_call(_context: object, _case: object, response: schemathesis.Response) -> None:
    """Counts the replies, and remembers the payments made."""
    with LOCK:
        COUNTS[response.status_code] = COUNTS.get(response.status_code, 0) + 1
        if response.status_code == 202:
            PAYMENTS.append(response.json()["id"])
            del PAYMENTS[:-20]


@atexit.register
def tell_counts() -> None:
    """Leaves the counts where the caller looks for them."""
    lines = [f"{status} {count}" for status, count in sorted(COUNTS.items())]
    Path(os.environ["IKKAI_COUNTS_FILE"]).write_text("\n".join(lines) + "\n")
