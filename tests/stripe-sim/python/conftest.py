"""The fixtures of all tests with the official client."""

import pytest
from official import Server, client_of


@pytest.fixture(name="server")
def running_server():
    server = Server()
    yield server
    server.stop()


@pytest.fixture(name="client")
def client_without_retries(server):
    return client_of(server)
