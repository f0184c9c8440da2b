"""What the end-to-end tests of the command share: a folder per test, running berth, small models.
Standard library only."""

import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

BERTH = SOURCE = SHARED = None


def setup(argv):
    """Takes BERTH SOURCE_DIR SHARED_DIR from the command line; False when they are missing."""
    global BERTH, SOURCE, SHARED
    if len(argv) < 4:
        return False
    BERTH, SOURCE, SHARED = os.path.abspath(argv[1]), pathlib.Path(argv[2]), pathlib.Path(argv[3])
    return True


def main(usage):
    """What each of them runs."""
    if not setup(sys.argv):
        sys.exit(usage)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])


# Two clamps and a maximum. i8[1,100]: sizes are rounded to 112.
SMALL = """berth.ir 1
graph forward {
  input %x : i8[1,100]
  %a : i8[1,100] = aten::clamp.out(%x, -50, 50)
  %b : i8[1,100] = aten::clamp.out(%a, -40, 40)
  %y : i8[1,100] = cortex_m::maximum.out(%a, %b)
  output %y
}
"""

# NCHW sizes over channels-last memory.
CHANNELS_LAST = """berth.ir 1
graph forward {
  input %x : i8[1,2,3,4]{0,2,3,1}
  %y : i8[1,2,3,4]{0,2,3,1} = aten::clamp.out(%x, -100, 100)
  output %y
}
"""

TWO_PORTS = """berth.ir 1
graph forward {
  input %x : i8[1,4]
  input %z : i8[1,8]
  %y : i8[1,4] = aten::clamp.out(%x, -5, 5)
  %w : i8[1,8] = aten::clamp.out(%z, -5, 5)
  output %y
  output %w
}
"""

DIAGNOSTIC = re.compile(r"^(error|note|warning): \S")


def clamp(values, low, high):
    return [min(max(v, low), high) for v in values]


def i8(values):
    return struct.pack(f"{len(values)}b", *values)


def small_answer(values):
    a = clamp(values, -50, 50)
    return i8([max(p, q) for p, q in zip(a, clamp(a, -40, 40))])


SMALL_INPUT = [((i * 37) % 256) - 128 for i in range(100)]


class CliTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="berth_cli_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def run_berth(self, *args, code=0):
        """Runs berth, checks the exit code (any of 0 and 1 for None) and the form of every line on stderr."""
        done = subprocess.run([BERTH, *map(str, args)], cwd=self.folder, capture_output=True, timeout=120)
        text = " ".join(map(str, args))
        err = done.stderr.decode()
        if code is None:
            self.assertIn(done.returncode, (0, 1), f"berth {text}\n{err}")
            code = done.returncode
        self.assertEqual(done.returncode, code, f"berth {text}\n{err}\n{done.stdout.decode(errors='replace')}")
        if code != 2 and "--time" not in args:
            for line in err.splitlines():
                self.assertRegex(line, DIAGNOSTIC, f"berth {text}")
        if code not in (0, 3):
            self.assertIn("error: ", err, f"berth {text}")
        done.out, done.err = done.stdout.decode(errors="replace"), err
        return done

    def compile(self, text=SMALL, *args, code=0, output="out.pte", model="model.bir"):
        self.write(model, text)
        return self.run_berth("compile", model, "-o", output, *args, code=code)

    def summary(self, text=SMALL, *args):
        return json.loads(self.compile(text, "--json", *args).stdout)

    def files(self):
        return sorted(p.name for p in self.folder.iterdir())
