"""A running server, its control API and the official client: what the tests share.

Needs STRIPE_SIM_BIN (the built binary) and the packages stripe and pytest.
"""

import json
import os
import subprocess
import urllib.request

from stripe import StripeClient

KEY = "sk_test_sim"


class Server:
    """A running binary and its control API."""

    def __init__(self):
        binary = os.environ["STRIPE_SIM_BIN"]
        self.process = subprocess.Popen([binary, "--port", "0"], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("stripe-sim: listening on "), line
        self.base = line.split(" on ", 1)[1].strip()

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def control(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.base}/_sim{path}", data=data, method=method)
        with urllib.request.urlopen(request, timeout=10) as reply:
            return json.load(reply)

    def script(self, *faults):
        self.control("PUT", "/faults", {"script": list(faults)})

    def operation(self, operation_id):
        return self.control("GET", "/counts")["operations"][operation_id]


def client_of(server, retries=0, api_key=KEY):
    return StripeClient(api_key, base_addresses={"api": server.base}, max_network_retries=retries)


def charge(operation_id, payment_method="pm_card_visa", **more):
    return {
        "amount": 2000,
        "currency": "usd",
        "customer": "cus_1",
        "payment_method": payment_method,
        "confirm": True,
        "off_session": True,
        "metadata": {"operation_id": operation_id},
        **more,
    }


def create(client, operation_id, payment_method="pm_card_visa", key=None, **more):
    params = charge(operation_id, payment_method, **more)
    return client.v1.payment_intents.create(params, {"idempotency_key": key or operation_id})
