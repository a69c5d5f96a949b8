from urllib.error import HTTPError

import pytest
from shop import Shop


def test_an_order_whose_response_was_lost_is_placed_once(petstore):
    petstore.fail({"lost": "response"}, method="POST", times=1)
    assert Shop(petstore.url, petstore.key).order(1)["id"] == 1
    assert [request["status"] for request in petstore.requests()] == [201, 201]


def test_an_order_is_given_up_after_three_attempts(petstore):
    petstore.fail({"status": 503}, path="/v1/store/orders")
    with pytest.raises(HTTPError):
        Shop(petstore.url, petstore.key).order(1)
    assert len(petstore.requests()) == 3


def test_a_free_key_is_admitted_again_after_its_minute(petstore):
    petstore.reset(plan="free")
    shop = Shop(petstore.url, petstore.key)
    for _ in range(60):
        shop.send("GET", "/pets")
    with pytest.raises(HTTPError, match="429"):
        shop.send("GET", "/pets")
    petstore.advance(61)
    assert shop.send("GET", "/pets")[0]["name"] == "Ada"
