"""The stock ExecuTorch runtime: fetches its wheel from PyPI, builds tests/interop/stock_runner.cc on it, runs jobs in it.
Standard library only.

    runtime = stock_runtime.prepare(folder)   # raises Unavailable where that cannot be done
    answers = runtime.run([Job(program, [("forward", ["t:6:2,3:0,1:in.bin"])], output_folder), ...])

As a command, makes it ready or says why that cannot be done: ctest would show of a skipped test nothing but its name.

  tests/interop/stock_runtime.py BUILD_FOLDER
"""

import dataclasses
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import venv

REQUIREMENT = "executorch==1.5.1"  # without its dependencies: no torch, 19 MB
RUNNER_SOURCE = pathlib.Path(__file__).with_name("stock_runner.cc")
PROBE_SOURCE = RUNNER_SOURCE.with_name("stock_probe_backend.h")
LIBRARIES = ["executorch", "executorch_kernels_optimized", "executorch_kernels_quantized", "executorch_backend_xnnpack",
             "executorch_threadpool", "executorch_etdump"]  # fmt: skip
PROBE_WORDS = ("@init ", "@call ", "@argument ", "@temp ", "@destroy ")
MISSING_OPERATOR = re.compile(r"[Mm]issing operator: \[\d+\] (\S+)")


class Unavailable(Exception):
    """Why the stock runtime cannot be had on this machine."""


@dataclasses.dataclass
class Job:
    program: pathlib.Path
    calls: list  # of (method, [argument as stock_runner.cc has them])
    folder: pathlib.Path  # where outputs go; made here
    data: list = dataclasses.field(default_factory=list)  # .ptd files
    trace: pathlib.Path | None = None  # where an ETDump of it goes


@dataclasses.dataclass
class Answer:
    end: str = "no answer"  # "done", "refused WHERE CODE", "overrun POOL", "crashed SIGNAL"
    outputs: dict = dataclasses.field(default_factory=dict)  # (call, index): words after them
    log: list = dataclasses.field(default_factory=list)
    probe: list = dataclasses.field(default_factory=list)  # what stock_probe_backend.h told: (word, numbers)

    def missing_operators(self):
        return [name for line in self.log for name in MISSING_OPERATOR.findall(line)]


def run_tool(words, what):
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=900)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{what}: {error}") from error
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise Unavailable(f"{what}: exit {done.returncode}: {lines[-1] if lines else 'no message'}")
    return done.stdout


def install(folder):
    """The executorch package's folder, in a virtual environment under `folder`."""
    given = os.environ.get("BERTH_STOCK_PACKAGE")
    if given:
        return pathlib.Path(given)
    environment = folder / "venv"
    stamp = environment / "installed"
    if not stamp.exists() or stamp.read_text() != REQUIREMENT:
        shutil.rmtree(environment, ignore_errors=True)
        try:
            venv.create(environment, with_pip=True)
        except (OSError, subprocess.SubprocessError) as error:  # Debian without python3-venv has no ensurepip
            raise Unavailable(f"no virtual environment (Debian: python3-venv): {error}") from error
        pip = [environment / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
               "--retries", "2", "--timeout", "30"]  # fmt: skip
        run_tool([*pip, "--no-deps", "--no-compile", REQUIREMENT], f"pip install --no-deps {REQUIREMENT}")
        stamp.write_text(REQUIREMENT)
    found = sorted(environment.glob("lib/python3*/site-packages/executorch"))
    if not found:
        raise Unavailable(f"{REQUIREMENT} holds no folder executorch")
    return found[0]


def build_runner(package, folder):
    """stock_runner, built once for each state of its source and package."""
    key = hashlib.sha256(RUNNER_SOURCE.read_bytes() + PROBE_SOURCE.read_bytes() + str(package.resolve()).encode()).hexdigest()[:16]
    runner = folder / f"stock_runner_{key}"
    if runner.exists():
        return runner
    compiler = shutil.which("g++")
    if not compiler:
        raise Unavailable("no g++ to build stock_runner.cc with")
    include = package / "include"
    # Not optimised: all the work is done in the wheel's libraries.
    command = [compiler, "-std=c++17", "-O0", "-w", RUNNER_SOURCE, "-o", f"{runner}.new", f"-I{include}", f"-I{RUNNER_SOURCE.parents[2]}",
               f"-I{include}/executorch/runtime/core/portable_type/c10", "-DC10_USING_CUSTOM_GENERATED_MACROS",
               "-DET_EVENT_TRACER_ENABLED", f"-L{package}/lib", "-Wl,--no-as-needed",
               *[f"-l{name}" for name in LIBRARIES], f"-Wl,-rpath,{package.resolve()}/lib"]  # fmt: skip
    run_tool(command, "building stock_runner.cc")
    os.replace(f"{runner}.new", runner)
    return runner


class StockRuntime:
    def __init__(self, runner, package):
        self.runner, self.package = runner, package

    def run(self, jobs):
        """An Answer per job."""
        lines = []
        for job in jobs:
            job.folder.mkdir(parents=True, exist_ok=True)
            lines.append(["job", job.folder, job.program, *job.data])
            if job.trace:
                lines.append(["trace", job.trace])
            lines += [["call", method, *arguments] for method, arguments in job.calls]
        text = "".join("\t".join(map(str, line)) + "\n" for line in lines)
        done = subprocess.run([self.runner], input=text.encode(), capture_output=True, timeout=1200)
        answers = []
        for line in done.stdout.decode(errors="replace").splitlines():
            if line.startswith("@job "):
                answers.append(Answer())
            elif line.startswith("@output "):
                call, index, words = line[8:].split(" ", 2)
                answers[-1].outputs[int(call), int(index)] = words
            elif line.startswith(PROBE_WORDS):
                word, *numbers = line[1:].split()
                answers[-1].probe.append((word, tuple(map(int, numbers))))
            elif line.startswith("@"):
                answers[-1].end = line[1:]
            elif answers:
                answers[-1].log.append(line)
        if done.returncode or len(answers) != len(jobs):
            sys.exit(f"stock_runner: exit {done.returncode}, {len(answers)} answers to {len(jobs)} jobs: {done.stderr[-500:]}")
        return answers


def prepare(folder):
    folder.mkdir(parents=True, exist_ok=True)
    package = install(folder)
    return StockRuntime(build_runner(package, folder), package)


def main():
    try:
        print(f"ready: {prepare(pathlib.Path(sys.argv[1]).resolve()).runner.name}")
    except Unavailable as error:
        print(f"SKIPPED, nothing is compared with the stock runtime: {error}")


if __name__ == "__main__":
    main()
