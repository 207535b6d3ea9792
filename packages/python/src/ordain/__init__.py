"""The Kubernetes API server's verdict on objects, without a server.

`validate` runs the binary of this package once and gives back what it found.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional, Union

__all__ = ["Finding", "Invalid", "OrdainError", "Report", "binary", "run", "validate"]

#: A mapping, or a text of YAML or JSON with one object or several.
Object = Union[Mapping[str, Any], str]
#: As an object, or the path of a file or folder.
Definition = Union[Mapping[str, Any], str, "os.PathLike[str]"]

#: Exit codes of `ordain validate` that come with a report.
_REPORTED = (0, 1)


class OrdainError(Exception):
    """The binary is not there or cannot use what it was given, or a call of the test API was refused."""


class Invalid(Exception):
    """The server would refuse an object."""

    def __init__(self, report: "Report") -> None:
        self.report = report
        super().__init__("\n".join(str(it) for it in report.errors))


@dataclass(frozen=True)
class Finding:
    """One thing that was found."""

    severity: str
    #: The stable id of what was found, such as ``invalid`` or ``unknown-field``.
    rule: str
    #: The field as the server names it; empty when it is about the whole object.
    field: str
    #: The server's own words.
    message: str
    #: The reason of the cause in the server's answer; empty when it has none.
    reason: str = ""
    help: str = ""
    #: The place of the object among those that were given; none for texts.
    index: Optional[int] = None
    kind: str = ""
    name: str = ""

    def __str__(self) -> str:
        where = f"{self.kind} {self.name}: ".lstrip() if self.kind or self.name else ""
        path = f"{self.field}: " if self.field else ""
        return f"{where}{path}{self.message}"


@dataclass(frozen=True)
class Report:
    """What came of a validation."""

    findings: Sequence[Finding] = field(default_factory=tuple)
    #: Objects that were judged.
    judged: int = 0

    @property
    def errors(self) -> Sequence[Finding]:
        return tuple(it for it in self.findings if it.severity == "error")

    @property
    def warnings(self) -> Sequence[Finding]:
        return tuple(it for it in self.findings if it.severity == "warning")

    @property
    def ok(self) -> bool:
        """Whether the server would take all objects."""
        return not self.errors

    def check(self) -> "Report":
        """Gives the report back, or raises `Invalid`."""
        if not self.ok:
            raise Invalid(self)
        return self


def packed() -> Optional[str]:
    """The binary of the package. The command runs nothing else: a name on the PATH may be its own."""
    own = pathlib.Path(__file__).parent / "bin"
    found = [str(it) for it in own.glob("ordain*") if os.access(it, os.X_OK)]
    return found[0] if found else None


def binary() -> str:
    """The path of the binary: ``$ORDAIN``, that of the package, or one on the ``PATH``."""
    found = os.environ.get("ORDAIN") or packed() or shutil.which("ordain")
    if not found:
        raise OrdainError("there is no ordain binary in the package, in $ORDAIN or on the PATH")
    return found


def run(arguments: Sequence[str], text: str = "") -> "subprocess.CompletedProcess[str]":
    """Runs the binary with some arguments and a standard input."""
    command = [binary(), *arguments]
    return subprocess.run(
        command, input=text, capture_output=True, text=True, encoding="utf-8", check=False
    )


def _lines(objects: Iterable[Object]) -> tuple[str, bool]:
    """The objects as a text; whether each mapping has a line of its own."""
    objects = list(objects)
    if all(isinstance(it, Mapping) for it in objects):
        return "".join(json.dumps(it) + "\n" for it in objects), True
    texts = [json.dumps(it) if isinstance(it, Mapping) else it for it in objects]
    return "\n---\n".join(texts), False


def _definitions(crds: Iterable[Definition], folder: str) -> list[str]:
    """The arguments that name definitions; those without a file are written to a folder."""
    arguments = []
    for at, crd in enumerate(crds):
        path = pathlib.Path(folder, f"{at}.yaml")
        if isinstance(crd, Mapping):
            path.write_text(json.dumps(crd), encoding="utf-8")
        elif isinstance(crd, str) and "\n" in crd:
            path.write_text(crd, encoding="utf-8")
        else:
            path = pathlib.Path(crd)
        arguments += ["--crds", str(path)]
    return arguments


def validate(
    objs: Union[Object, Iterable[Object]],
    crds: Union[Definition, Iterable[Definition]] = (),
    *,
    ignore_missing_schemas: bool = False,
    arguments: Sequence[str] = (),
) -> Report:
    """Judges objects as a server with these definitions would judge their creation.

    ``arguments`` are further options of ``ordain validate``. Raises `OrdainError` when an object
    or a definition cannot be read; refusals are in the report.
    """
    objects = [objs] if isinstance(objs, (Mapping, str)) else objs
    definitions = [crds] if isinstance(crds, (Mapping, str, os.PathLike)) else crds
    text, by_line = _lines(objects)
    if not text.strip():
        return Report()
    more = ["--ignore-missing-schemas"] if ignore_missing_schemas else []
    with tempfile.TemporaryDirectory(prefix="ordain-") as folder:
        named = _definitions(definitions, folder)
        done = run(
            ["--config", "none", "validate", "-o", "json", *more, *named, *arguments, "-"], text
        )
    if done.returncode not in _REPORTED:
        raise OrdainError(done.stderr.strip() or f"ordain ended with {done.returncode}")
    report = json.loads(done.stdout)
    findings = tuple(_finding(it, by_line) for it in report["findings"])
    return Report(findings, report["summary"]["objects"])


def _finding(found: Mapping[str, Any], by_line: bool) -> Finding:
    about = found.get("object", {})
    return Finding(
        severity=found["severity"],
        rule=found["rule"],
        field=found.get("field", ""),
        message=found["message"],
        reason=found.get("reason", ""),
        help=found.get("help", ""),
        index=found["line"] - 1 if by_line else None,
        kind=about.get("kind", ""),
        name=about.get("name", ""),
    )
