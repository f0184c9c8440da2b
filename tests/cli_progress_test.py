#!/usr/bin/env python3
"""The line that plan, compile and replan rewrite on a terminal while they search: there when it takes long, gone at the
end, and on a terminal only. Standard library only.

  tests/cli_progress_test.py BERTH SOURCE_DIR SHARED_DIR
"""

import json
import os
import pty
import random
import subprocess
import threading
import time
import unittest

import cli_case
from cli_case import CliTest

SHOWN = b"\rplanning: "
TAKEN_AWAY = b"\r\x1b[K"


def graph(count):
    """Maxima of values of twenty sizes, in random order, some used long after they were made."""
    dice = random.Random(1)
    lines, made, used = ["berth.ir 1", "graph forward {"], [], set()
    for size in (dice.randrange(16, 4000) for _ in range(20)):
        names = [f"%i{size}_{k}" for k in range(2)]
        lines += [f"  input {name} : i8[1,{size}]" for name in names]
        made.append((size, names))
    for k in range(count):
        size, names = dice.choice(made)
        a, b = dice.sample(names[-30:], 2)
        lines.append(f"  %v{k} : i8[1,{size}] = cortex_m::maximum.out({a}, {b})")
        names.append(f"%v{k}")
        used |= {a, b}
    lines += [f"  output {name}" for _, names in made for name in names if name not in used]
    return "\n".join(lines) + "\n}\n"


def problem(count):
    """A rectangle cut at random into `count` pieces and a thin one more: no plan reaches the bound, none is proven."""
    dice = random.Random(1)
    pieces = [(0, 1 << 20, 0, 1 << 20)]
    while len(pieces) < count:
        k = max(range(len(pieces)), key=lambda i: dice.random() * (pieces[i][1] - pieces[i][0]) * (pieces[i][3] - pieces[i][2]))
        begin, end, low, high = pieces.pop(k)
        if end - begin > high - low:
            cut = dice.randrange(begin + (end - begin) // 4, end - (end - begin) // 4)
            pieces += [(begin, cut, low, high), (cut, end, low, high)]
        else:
            cut = dice.randrange(low + (high - low) // 4, high - (high - low) // 4)
            pieces += [(begin, end, low, cut), (begin, end, cut, high)]
    dice.shuffle(pieces)
    return "id,lower,upper,size\n" + "".join(f"{i},{b},{e},{h - l}\n" for i, (b, e, l, h) in enumerate(pieces))


class ProgressTest(CliTest):
    def run_on_terminal(self, *args):
        """What came on a terminal as stderr, what on a pipe as stdout, and seconds."""
        try:
            ours, theirs = pty.openpty()
        except OSError as none:  # a chroot without /dev/pts
            self.skipTest(f"no terminal to be had: {none}")
        seen = bytearray()

        def read():
            try:
                while chunk := os.read(ours, 4096):
                    seen.extend(chunk)
            except OSError:  # the other end is closed
                pass

        reader = threading.Thread(target=read)
        reader.start()
        start = time.monotonic()
        done = subprocess.run([cli_case.BERTH, *args], cwd=self.folder, stdout=subprocess.PIPE, stderr=theirs, timeout=300)
        seconds = time.monotonic() - start
        os.close(theirs)
        reader.join()
        os.close(ours)
        self.assertEqual(done.returncode, 0, bytes(seen))
        return bytes(seen), done.stdout, seconds

    def run_until_long(self, prepare, *args):
        """The same for larger and larger inputs, until the line is there."""
        for count in (300, 1000, 2000, 4000, 8000):
            prepare(count)
            seen, out, seconds = self.run_on_terminal(*args)
            if SHOWN in seen:
                return seen, out
            self.assertLess(seconds, 4, f"no line after {seconds:.1f} s, {count} buffers")
        self.fail("nothing takes long")

    def check_line(self, seen):
        self.assertTrue(seen.endswith(TAKEN_AWAY), seen[-200:])
        for line in seen[: -len(TAKEN_AWAY)].split(SHOWN)[1:]:
            self.assertRegex(line, rb"^\d+ nodes, \d+ bytes, bound \d+( \(\d+\.\d\d % above\))?\x1b\[K$")

    def test_plan_shows_it_and_prints_nothing_else_there(self):
        seen, out = self.run_until_long(lambda count: self.write("p.csv", problem(count)), "plan", "p.csv", "--json")
        self.check_line(seen)
        plan = json.loads(out)
        first = seen.split(SHOWN)[1].split(b" ")
        self.assertLess(int(first[0]), plan["nodes"])
        self.assertGreaterEqual(int(first[2]), plan["bytes"])
        # Neither with -q nor where stderr is no terminal.
        self.assertEqual(self.run_on_terminal("plan", "p.csv", "-q")[0], b"")
        self.assertEqual(self.run_berth("plan", "p.csv").err, "")

    def test_compile_and_replan_show_it_too(self):
        seen, _ = self.run_until_long(
            lambda count: self.write("m.bir", graph(count)), "compile", "m.bir", "-o", "a.pte", "--schedule", "off"
        )
        self.check_line(seen)
        self.run_berth("compile", "m.bir", "-o", "b.pte", "--schedule", "off", "--planner", "greedy")
        seen, _, _ = self.run_on_terminal("replan", "b.pte", "-o", "c.pte", "--time")
        self.assertIn(SHOWN, seen)
        # The lines of --time stand on lines of their own.
        *lines, last = seen.split(b"\r\n")
        self.assertEqual(last, b"")
        for line in lines:
            self.assertTrue(line.split(TAKEN_AWAY)[-1].startswith(b"time: "), line)


if __name__ == "__main__":
    cli_case.main(__doc__)
