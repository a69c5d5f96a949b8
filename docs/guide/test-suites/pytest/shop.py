"""What the suite tests: a client of the pet store that repeats what may be repeated."""

import json
import uuid
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen


class Shop:
    def __init__(self, url, key):
        self.url, self.key = url, key

    def send(self, method, path, body=None, **headers):
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json", **headers}
        data = None if body is None else json.dumps(body).encode()
        with urlopen(Request(f"{self.url}/v1{path}", data, headers, method=method)) as response:
            return json.load(response)

    def order(self, pet_id, attempts=3):
        key = str(uuid.uuid4())
        for attempt in range(1, attempts + 1):
            try:
                return self.send("POST", "/store/orders", {"petId": pet_id}, **{"Idempotency-Key": key})
            except HTTPError as error:
                if error.code < 500 or attempt == attempts:
                    raise
            except (URLError, HTTPException, ConnectionError):
                if attempt == attempts:
                    raise
