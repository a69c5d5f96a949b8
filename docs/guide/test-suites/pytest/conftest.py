import json
import os
import subprocess
from urllib.request import Request, urlopen

import pytest


class Petstore:
    """The executable as a store of its own. It ends with this process, however that ends."""

    def __init__(self):
        command = [os.environ.get("PETSTORE", "petstore"), "serve", "--ephemeral", "--port", "0", "--json"]
        options = ["--clock", "manual", "--exit-with-parent"]
        self.process = subprocess.Popen(
            command + options, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        started = json.loads(self.process.stdout.readline())
        self.url, self.key = started["url"], started["key"]

    def control(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.url}/test/{path}", data, {"Authorization": f"Bearer {self.key}"}, method=method)
        with urlopen(request) as response:
            text = response.read()
            return json.loads(text) if text else None

    def advance(self, seconds):
        return self.control("POST", "clock", {"advanceMs": seconds * 1000})

    def fail(self, fault, **match):
        return self.control("POST", "faults", {"fault": fault, **match})

    def requests(self):
        return self.control("GET", "requests")

    def reset(self, **beginning):
        return self.control("POST", "reset", beginning)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


@pytest.fixture(scope="session")
def petstore_process():
    store = Petstore()
    yield store
    store.stop()


@pytest.fixture
def petstore(petstore_process):
    """A store without limits, which begins again for each test."""
    petstore_process.reset(
        plan="unlimited", now="2026-11-20T10:00:00Z", seed={"pets": [{"name": "Ada", "categoryId": 2}]}
    )
    return petstore_process
