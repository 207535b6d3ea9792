"""The command, as `python -m ordain` and under its own name."""

import os
import subprocess
import sys

from . import OrdainError, binary


def main() -> int:
    try:
        command = [binary(), *sys.argv[1:]]
    except OrdainError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if os.name == "posix":
        os.execv(command[0], command)
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
