"""A Kubernetes API server for tests, with pytest fixtures.

    # conftest.py
    pytest_plugins = ["ordain.testing"]

    # test_operator.py
    def test_it(ordain_server):
        ordain_server.request("POST", "/api/v1/namespaces/default/configmaps",
                              {"metadata": {"name": "a"}})

One server serves a session; each test begins with the state after set-up. Only the standard library is
needed; clients of Kubernetes use ``ordain_server.kubeconfig``.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

from . import OrdainError, binary

__all__ = ["Answer", "OrdainError", "TestServer", "ordain_server", "ordain_session"]


class Answer(dict):
    """The answer to a request: its JSON, with the code as ``.code``."""

    def __init__(self, code: int, body: object):
        super().__init__(body if isinstance(body, dict) else {"body": body})
        self.code = code


class TestServer:
    """A server of its own, over plain HTTP on the loopback interface, that ends with ``close``."""

    __test__ = False  # its name is no invitation to pytest

    def __init__(self, manifests=(), controllers="none", fake_outcomes=None):
        command = [binary(), "test-server", "--insecure-http", f"--controllers={controllers}"]
        for path in manifests:
            command += ["--filename", str(path)]
        if fake_outcomes is not None:
            command += ["--fake-outcomes", str(fake_outcomes)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        line = self._process.stdout.readline()
        if not line:
            raise OrdainError(f"{' '.join(command)} ended with {self._process.wait()}")
        told = json.loads(line)
        self.url: str = told["url"]
        self.token: str = told["token"]
        self._test_api: str = told["testApi"]
        self._folder = tempfile.TemporaryDirectory(prefix="ordain-")
        #: The path of a kubeconfig.
        self.kubeconfig = str(Path(self._folder.name) / "kubeconfig")
        Path(self.kubeconfig).write_text(
            "apiVersion: v1\nkind: Config\ncurrent-context: test\n"
            f"clusters:\n- name: test\n  cluster:\n    server: {self.url}\n"
            "contexts:\n- name: test\n  context:\n    cluster: test\n    user: test\n"
            "users:\n- name: test\n  user: {}\n"
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self) -> None:
        """Ends the server."""
        self._process.stdin.close()
        self._process.wait(timeout=30)
        self._process.stdout.close()
        self._folder.cleanup()

    @staticmethod
    def _send(method, url, body, headers, timeout=3600):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refusal:
            return refusal.code, refusal.read().decode()

    def request(self, method: str, path: str, body=None, content_type="application/json") -> Answer:
        """Makes a request of the API. Refusals are answers too."""
        code, text = self._send(method, self.url + path, body, {"Content-Type": content_type})
        try:
            return Answer(code, json.loads(text))
        except ValueError:
            return Answer(code, text)

    def _call(self, method, what, body=None):
        headers = {"X-Ordain-Test-Token": self.token, "Content-Type": "application/json"}
        code, text = self._send(method, self._test_api + what, body, headers)
        if code >= 400:
            raise OrdainError(json.loads(text).get("message", text))
        return text

    def reset(self) -> None:
        """Goes back to the state of the last mark. Faults, schedule and story are empty again."""
        self._call("POST", "reset")

    def mark(self) -> None:
        """Makes the present state the one that ``reset`` goes back to."""
        self._call("POST", "mark")

    def snapshot(self, name: str) -> None:
        """Keeps the present state under a name."""
        self._call("POST", "snapshot", {"name": name})

    def restore(self, name: str) -> None:
        """Goes back to a state that was kept."""
        self._call("POST", "restore", {"name": name})

    def fork(self) -> str:
        """Starts another server with the present state, and returns its address."""
        return json.loads(self._call("POST", "fork"))["url"]

    def fault(self, fault: dict, **rule) -> None:
        """Lets some requests go wrong: ``fault({"type": "error", "code": 409}, verbs=["update"],
        nth=2)``."""
        self._call("POST", "faults", {**rule, "fault": fault})

    def schedule(self, seed: int, **limits) -> None:
        """Delays, drops and reorders what arrives, by a seed."""
        self._call("POST", "schedule", {"seed": seed, **limits})

    def clock(self, **moves) -> str:
        """Moves the clock (``advanceMilliseconds``, ``set``, ``stopped``) and returns the time."""
        return json.loads(self._call("POST", "clock", moves))["now"]

    def wait(self, resource: str, condition: str = "", timeout: float = 10, **where) -> dict:
        """Waits for a CEL condition on ``self`` and gives the object that fulfils it.

        ``where`` may have group, version, namespace, name, labelSelector and gone.
        """
        where["timeoutMilliseconds"] = int(timeout * 1000)
        body = {"resource": resource, "condition": condition, **where}
        return json.loads(self._call("POST", "wait", body))

    def quiet(self, milliseconds: int = 100, timeout: float = 10) -> bool:
        """Waits until nothing was written for a while and nothing is under way."""
        body = {"milliseconds": milliseconds, "timeoutMilliseconds": int(timeout * 1000)}
        return json.loads(self._call("POST", "quiet", body))["quiet"]

    def story(self) -> str:
        """Who wrote what since the last reset, with what changed."""
        return self._call("GET", "story")

    def transcript(self) -> str:
        """Every request since the last reset, for ``ordain replay``."""
        return self._call("GET", "transcript")


try:
    import pytest
except ImportError:  # TestServer needs no pytest
    pytest = None

if pytest is not None:

    @pytest.fixture(scope="session")
    def ordain_options():
        """What the server of the session begins with: override it to give ``manifests``,
        ``controllers`` or ``fake_outcomes``."""
        return {}

    @pytest.fixture(scope="session")
    def ordain_session(ordain_options):
        """The server of the session."""
        with TestServer(**ordain_options) as server:
            yield server

    @pytest.fixture
    def ordain_server(ordain_session, request):
        """The server of the session, with the state after set-up. The story of a failed test is
        shown with it."""
        ordain_session.reset()
        yield ordain_session
        report = getattr(request.node, "ordain_report", None)
        if report is not None and report.failed:
            report.sections.append(("what ordain saw", ordain_session.story()))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(item, call):
        outcome = yield
        if call.when == "call":
            item.ordain_report = outcome.get_result()
