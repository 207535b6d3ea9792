"""The fixtures on a server: `ORDAIN=.../ordain python -m pytest packages/python/tests`."""

import pytest

from ordain.testing import OrdainError

pytest_plugins = ["ordain.testing"]

MAPS = "/api/v1/namespaces/default/configmaps"


def test_objects_are_made(ordain_server):
    assert ordain_server.request("POST", MAPS, {"metadata": {"name": "a"}}).code == 201
    assert "configmaps default/a created" in ordain_server.story()


def test_the_next_test_begins_anew(ordain_server):
    assert ordain_server.request("GET", f"{MAPS}/a").code == 404


def test_faults_conditions_and_clock(ordain_server):
    ordain_server.fault({"type": "error", "code": 503}, verbs=["create"], nth=1)
    assert ordain_server.request("POST", MAPS, {"metadata": {"name": "b"}}).code == 503
    assert ordain_server.request("POST", MAPS, {"metadata": {"name": "b"}}).code == 201
    found = ordain_server.wait("configmaps", "self.metadata.name == 'b'", namespace="default")
    assert found["metadata"]["name"] == "b"
    with pytest.raises(OrdainError, match="no such object"):
        ordain_server.wait("configmaps", name="none", timeout=0.05)
    assert ordain_server.clock(set="2030-01-01T00:00:00Z").startswith("2030-01-01T00:00:0")
    assert ordain_server.quiet(milliseconds=20)
    assert ordain_server.transcript().count("\n") == 2


def test_states_and_forks(ordain_server):
    ordain_server.snapshot("empty")
    ordain_server.request("POST", MAPS, {"metadata": {"name": "c"}})
    assert ordain_server.fork().startswith("http://127.0.0.1:")
    ordain_server.restore("empty")
    assert ordain_server.request("GET", f"{MAPS}/c").code == 404
