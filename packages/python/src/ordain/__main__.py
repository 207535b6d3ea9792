"""The command, as `python -m ordain` and under its own name."""

import os
import subprocess
import sys

from . import packed


def main() -> int:
    program = packed()
    if program is None:
        print("error: the package has no ordain binary", file=sys.stderr)
        return 2
    command = [program, *sys.argv[1:]]
    if os.name == "posix":
        os.execv(program, command)
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
