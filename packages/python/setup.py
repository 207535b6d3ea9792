"""Puts the binary into the wheel, which then is one for a platform and for every Python."""

import os
import pathlib
import shutil

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).parent


def binary() -> pathlib.Path:
    """The binary that is packed: $ORDAIN_BINARY, or what cargo built."""
    named = os.environ.get("ORDAIN_BINARY")
    found = pathlib.Path(named) if named else HERE / "../../target/release/ordain"
    if not found.is_file():
        raise SystemExit(f"{found}: no binary; build it first, or name it with ORDAIN_BINARY")
    return found


class Build(build_py):
    def run(self):
        super().run()
        source = binary()
        target = pathlib.Path(self.build_lib, "ordain", "bin", "ordain" + source.suffix)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)
        target.chmod(0o755)


class Wheel(bdist_wheel):
    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        # Nothing in it depends on the interpreter.
        return ("py3", "none", super().get_tag()[2])


setup(cmdclass={"build_py": Build, "bdist_wheel": Wheel})
