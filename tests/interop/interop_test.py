#!/usr/bin/env python3
"""Files that Berth wrote and files that it replanned load in the stock ExecuTorch runtime and answer what they must there.

  tests/interop/interop_test.py BERTH SOURCE_DIR SHARED_DIR BUILD_FOLDER

Needs g++ and, the first time, the network (pip); exit 77 with a message where the stock runtime cannot be had. What needs
../shared is left out, with a message, where it is missing. Standard library only.
"""

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import bir_answers
import stock_etdump
import stock_runtime
import tensor_values

BERTH = SOURCE = SHARED = STOCK = None
PLANS = [[], ["--no-reuse"], ["--planner", "greedy"], ["--io", "caller"], ["--strip"]]
EXIT_SKIPPED = 77
# Shapes of input and output, and (atol, rtol) of ../shared/models/README.md.
FLOAT_MODELS = {
    "ad01": ([1, 640], [1, 640], (0, 1e-3)),
    "resnet8": ([1, 32, 32, 3], [1, 10], (1e-4, 0)),
    "vww": ([1, 96, 96, 3], [1, 2], (1e-4, 0)),
}


def float_tensor(file, shape):
    return {"kind": "tensor", "dtype": "float32", "shape": shape, "dim_order": list(range(len(shape))), "file": file}


def berth(*words):
    """None, or what berth said when it did not exit with 0."""
    done = subprocess.run([BERTH, *map(str, words), "-q"], capture_output=True, text=True, timeout=600)
    return None if done.returncode == 0 else f"exit {done.returncode}: {done.stderr.strip()}"


def input_bytes(program):
    words = [BERTH, "inspect", program, "--json"]
    method = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)["methods"][0]
    return sum(port["bytes"] for port in method["inputs"])


def label(options):
    return " ".join(options) or "as it comes"


class Vectors:
    """The calls of one program with what they must answer, in a folder with their files."""

    def __init__(self, folder, calls, integer_atol=0, data=(), float_tolerance=(1e-5, 1e-4)):
        self.folder, self.calls, self.integer_atol = folder, calls, integer_atol
        self.float_tolerance = float_tolerance
        self.data = [folder / name for name in data]

    def job(self, program, outputs, trace=None):
        calls = [(method, [tensor_values.argument(value, self.folder) for value in inputs])
                 for method, inputs, _ in self.calls]  # fmt: skip
        return stock_runtime.Job(program, calls, outputs, self.data, trace)

    def list_for_berth(self):
        """The same calls for berth run --calls, as one sequence and without answers."""
        calls = []
        for method, inputs, _ in self.calls:
            files = [{**value, "file": str((self.folder / value["file"]).resolve())} if "file" in value else value
                     for value in inputs]  # fmt: skip
            calls.append({"method": method, "inputs": files})
        return json.dumps(calls)

    def faults(self, job, answer):
        """What is wrong with the answer to `job`: a list of words, empty when all is right."""
        if answer.end != "done":
            return [" ".join([answer.end, *answer.log[-1:]])]
        found = []
        for k, (method, _, outputs) in enumerate(self.calls):
            for i, want in enumerate(outputs):
                words = answer.outputs.get((k, i), "missing")
                fault = tensor_values.compare(words, job.folder / f"{k}_{i}.bin", want, self.folder, self.integer_atol,
                                              self.float_tolerance)  # fmt: skip
                if fault:
                    found.append(f"call {k} of {method}, output {i}: {fault}")
        return found


def golden_vectors(folder):
    """The vectors of one folder of ../shared/pte, and whether the stock runtime can run it."""
    case = json.loads((folder / "case.json").read_text())
    calls = [(v["method"], v["inputs"], v.get("eager_outputs", v["outputs"])) for v in case["vectors"]]
    # The place of a rounding tie depends on the machine's float kernels.
    ties = any(name.startswith("quantized_decomposed::") for name in case["operators"])
    runs = all(v["expected_from"] == "stock runtime" for v in case["vectors"])
    return Vectors(folder, calls, 1 if ties else 0, case.get("external_data", [])), runs


def probe_blob(inputs, outputs, scratch, work_bytes):
    return struct.pack("<BBBH", inputs, outputs, scratch, work_bytes).hex()


# x is added to itself, and that to x, by a delegate with two scratch buffers; what comes out goes twice through one that
# shares its handle.
PROBE_BIR = """berth.ir 1
lowered @add {
  backend "berth_probe"
  input f32[1,16]
  input f32[1,16]
  output f32[1,16]
  WORK
  processed = hex "BLOB"
}
lowered @copy {
  backend "berth_probe"
  input f32[1,16]
  output f32[1,16]
  share_handle
  processed = hex "COPY"
}
graph forward {
  input %x : f32[1,16]
  %a : f32[1,16] = aten::relu.out(%x)
  %b : f32[1,16] = delegate @add(%a, %a)
  %c : f32[1,16] = delegate @copy(%b)
  %d : f32[1,16] = delegate @add(%c, %a)
  %e : f32[1,16] = delegate @copy(%d)
  %y : f32[1,16] = aten::relu.out(%e)
  output %y
}
"""
PROBE_WORK = """scratch "work" : 3008 align=64
  scratch "more" : 48"""


def probe_source(with_scratch):
    text = PROBE_BIR.replace("COPY", probe_blob(1, 1, 0, 0))
    text = text.replace("BLOB", probe_blob(2, 1, 2, 3056))
    return text.replace("WORK", PROBE_WORK if with_scratch else "")


def planned_arguments(program):
    """Per delegate call its (bytes, mem_id, offset) for each argument, as berth inspect shows them."""
    words = [BERTH, "inspect", program, "--json"]
    method = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)["methods"][0]
    mem_ids = {pool["name"]: pool["mem_id"] for pool in method["pools"]}
    place = {value: (buffer["bytes"], mem_ids[buffer["pool"]], buffer["offset"])
             for buffer in method["buffers"] for value in buffer["values"]}  # fmt: skip
    return [[place[arg] for arg in instruction["args"]] for instruction in method["instructions"]
            if instruction["kind"] == "delegate"]  # fmt: skip


class InteropTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="berth_interop_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def need_shared(self, name):
        path = SHARED / name
        if not path.is_dir():
            self.skipTest(f"no {path}")
        return path

    def check_all(self, work):
        """`work`: (name, vectors, program). Runs everything in one go and reports each that is wrong."""
        jobs = [vectors.job(program, self.folder / f"out{n}") for n, (_, vectors, program) in enumerate(work)]
        for (name, vectors, _), job, answer in zip(work, jobs, STOCK.run(jobs)):
            for fault in vectors.faults(job, answer):
                with self.subTest(name):
                    self.fail(f"{name}: {fault}")

    def goldens(self):
        return [path.parent for path in sorted(self.need_shared("pte").glob("*/case.json"))]

    def replan(self, program, options, name):
        output = self.folder / f"{name}{''.join(options)}.pte"
        error = berth("replan", program, "-o", output, *options)
        self.assertIsNone(error, f"replan {label(options)} of {program}")
        return output

    # The runner itself, on files of the stock tools: where it is wrong, nothing else here means anything.
    def test_files_of_the_stock_tools_as_they_are(self):
        work = []
        for folder in self.goldens():
            vectors, runs = golden_vectors(folder)
            if runs and folder.name != "cond_two_in_a_row":  # its plan is wrong, that is what it is for
                work.append((folder.name, vectors, folder / "model.pte"))
        self.assertGreater(len(work), 70)
        self.check_all(work)

    def test_a_wrong_plan_is_seen_here(self):
        folder = self.need_shared("pte") / "cond_two_in_a_row"
        vectors, _ = golden_vectors(folder)
        job = vectors.job(folder / "model.pte", self.folder / "out")
        self.assertTrue(vectors.faults(job, STOCK.run([job])[0]))

    def test_replanned_files_answer_what_they_answered(self):
        work = []
        for folder in self.goldens():
            vectors, runs = golden_vectors(folder)
            if runs:
                for options in PLANS:
                    program = self.replan(folder / "model.pte", options, folder.name)
                    work.append((f"{folder.name}, {label(options)}", vectors, program))
        self.assertGreater(len(work), 74 * len(PLANS))
        self.check_all(work)

    # Files for backends and operators that the wheel has not: nothing but that stands against them, before and after.
    def test_replanned_files_are_refused_for_no_new_reason(self):
        pairs = []
        for folder in self.goldens():
            vectors, runs = golden_vectors(folder)
            if not runs:
                pairs.append((folder.name, vectors, [folder / "model.pte", self.replan(folder / "model.pte", [], folder.name)]))
        for path in sorted(self.need_shared("pte").glob("chain/*.pte")):
            pairs.append((path.name, Vectors(path.parent, []), [path, self.replan(path, [], path.stem)]))
        self.assertGreater(len(pairs), 6)
        jobs = [vectors.job(program, self.folder / "out") for _, vectors, programs in pairs for program in programs]
        answers = STOCK.run(jobs)
        for (name, _, _), before, after in zip(pairs, answers[::2], answers[1::2]):
            with self.subTest(name):
                self.assertEqual((before.end, before.missing_operators()), (after.end, after.missing_operators()))

    # One module called three times: three entries of one blob in the file, then one, prepared once.
    def test_merged_handles_answer_what_they_answered(self):
        folder = self.need_shared("pte") / "xnnpack_repeated_call"
        vectors, _ = golden_vectors(folder)
        work = []
        for options in PLANS:
            program = self.replan(folder / "model.pte", ["--share-handles", "XnnpackBackend", *options], "shared")
            work.append((label(options), vectors, program))
            inspect = subprocess.run([BERTH, "inspect", program, "--json"], capture_output=True, check=True)
            (delegate,) = json.loads(inspect.stdout)["methods"][0]["delegates"]
            self.assertEqual(len(delegate["calls"]), 3)
        self.check_all(work)

    # A backend that knows nothing of Berth gets inputs, outputs, then scratch, each where the plan put it; from a file whose
    # compiler declares no scratch it gets none, and takes what it needs from the temp allocator.
    def test_a_backend_receives_its_scratch_where_the_plan_put_it(self):
        values = [0.5 * k - 3 for k in range(16)]
        (self.folder / "x.bin").write_bytes(struct.pack("<16f", *values))
        (self.folder / "y.bin").write_bytes(struct.pack("<16f", *(3 * max(value, 0) for value in values)))
        ports = [[float_tensor(name, [1, 16])] for name in ("x.bin", "y.bin")]
        vectors = Vectors(self.folder, [("forward", *ports), ("forward", *ports)])
        work = []
        for with_scratch in (True, False):
            source = self.folder / f"probe{with_scratch}.bir"
            source.write_text(probe_source(with_scratch))
            for options in PLANS:
                program = self.folder / f"probe{with_scratch}{''.join(options)}.pte"
                error = berth("compile", source, "-o", program, *options)
                self.assertIsNone(error, f"compile {label(options)}")
                work.append((f"scratch {with_scratch}, {label(options)}", with_scratch, vectors, program))
        jobs = [vectors.job(program, self.folder / f"out{n}") for n, (_, _, vectors, program) in enumerate(work)]
        for (name, with_scratch, vectors, program), job, answer in zip(work, jobs, STOCK.run(jobs)):
            with self.subTest(name):
                self.assertEqual(vectors.faults(job, answer), [])
                told = answer.probe
                # Two calls of @add have a handle each, those of @copy one.
                self.assertEqual([numbers for word, numbers in told if word == "init"], [(0,), (1,), (2,)])
                self.assertEqual(len([0 for word, _ in told if word == "destroy"]), 3)
                self.assertEqual([numbers[0] for word, numbers in told if word == "call"], [0, 1, 2, 1] * 2)
                self.assertEqual([numbers[1] for word, numbers in told if word == "call"],
                                 [5, 2, 5, 2] * 2 if with_scratch else [3, 2, 3, 2] * 2)  # fmt: skip
                temp = [numbers for word, numbers in told if word == "temp"]
                self.assertEqual(temp, [] if with_scratch else [(0, 3056), (2, 3056)] * 2)
                arguments = [numbers[2:] for word, numbers in told if word == "argument"]
                planned = [place for call in planned_arguments(program) for place in call]
                self.assertEqual(arguments, planned * 2)
                if with_scratch:
                    self.assertEqual([(size, offset % 64) for size, _, offset in planned[3:4]], [(3008, 0)])

    def bir_vectors(self, name):
        folder = self.folder / f"{name}_vectors"
        folder.mkdir()
        calls = []
        for k, (method, answer) in enumerate(bir_answers.ANSWERS[name]):
            ports = []
            for side, tensors in zip("io", answer()):
                ports.append([])
                for i, (dtype, shape, values) in enumerate(tensors):
                    file = f"{k}_{side}{i}.bin"
                    code = f"<{len(values)}{tensor_values.DTYPES[dtype][1]}"
                    (folder / file).write_bytes(struct.pack(code, *values))
                    ports[-1].append({"kind": "tensor", "dtype": dtype, "shape": shape,
                                      "dim_order": list(range(len(shape))), "file": file})  # fmt: skip
            calls.append((method, *ports))
        return Vectors(folder, calls)

    def test_files_that_berth_compiled(self):
        names = sorted(path.name for path in pathlib.Path(__file__).parent.glob("*.bir"))
        self.assertEqual(names, sorted(bir_answers.ANSWERS))
        work = []
        for name in names:
            vectors = self.bir_vectors(name)
            for options in PLANS:
                program = self.folder / f"{name}{''.join(options)}.pte"
                error = berth("compile", pathlib.Path(__file__).parent / name, "-o", program, *options)
                self.assertIsNone(error, f"compile {label(options)} of {name}")
                work.append((f"{name}, {label(options)}", vectors, program))
                again = self.replan(program, [], f"{name}{''.join(options)}_replanned")
                work.append((f"{name}, {label(options)}, replanned", vectors, again))
        self.check_all(work)

    # Their operators are all aten::, so the stock runtime runs them. Its sums are in another order than those of the
    # answers' maker.
    def test_float_models_answer_as_they_must(self):
        root = self.need_shared("models") / "f32"
        work = []
        for name, (input_shape, output_shape, tolerance) in FLOAT_MODELS.items():
            folder = root / name
            calls = [("forward", [float_tensor(f"input{k}.bin", input_shape)], [float_tensor(f"output{k}.bin", output_shape)])
                     for k in range(2)]  # fmt: skip
            vectors = Vectors(folder, calls, float_tolerance=tolerance)
            for options in PLANS:
                program = self.folder / f"{name}{''.join(options)}.pte"
                self.assertIsNone(berth("compile", folder / "model.tflite", "-o", program, *options), name)
                work.append((f"{name}, {label(options)}", vectors, program))
        self.assertEqual(sorted(FLOAT_MODELS), sorted(path.parent.name for path in root.glob("*/model.tflite")))
        self.check_all(work)

    def trace_here(self, name, vectors, program):
        """The trace of these calls in berth, or None where it has no backend for them."""
        calls, trace = self.folder / f"{name}.calls", self.folder / f"{name}-berth.etdump"
        calls.write_text(vectors.list_for_berth())
        data = [word for path in vectors.data for word in ("--ptd", path)]
        error = berth("run", program, "--calls", calls, "--etdump", trace, *data)
        if error and "no backend here" in error:
            return None
        self.assertIsNone(error, name)
        return trace

    # Order, names, ids, shapes; times and places of bytes are each runtime's own.
    def test_traces_have_the_stock_runtimes_events(self):
        work = []
        for name in bir_answers.ANSWERS:
            program = self.folder / f"{name}.pte"
            self.assertIsNone(berth("compile", pathlib.Path(__file__).parent / name, "-o", program), name)
            work.append((name, self.bir_vectors(name), program))
        for folder in self.goldens():
            vectors, runs = golden_vectors(folder)
            if runs and folder.name != "cond_two_in_a_row":
                work.append((folder.name, vectors, folder / "model.pte"))
        traced = [(*item, trace) for item in work if (trace := self.trace_here(*item))]
        self.assertGreater(len(traced), 66)
        jobs = [vectors.job(program, self.folder / f"out_{name}", self.folder / f"{name}-stock.etdump")
                for name, vectors, program, _ in traced]  # fmt: skip
        answers = STOCK.run(jobs)
        ours = stock_etdump.read(STOCK.package, [trace for *_, trace in traced], self.folder)
        theirs = stock_etdump.read(STOCK.package, [job.trace for job in jobs], self.folder)
        compared = 0
        for (name, *_), answer, our_runs, their_runs in zip(traced, answers, ours, theirs):
            with self.subTest(name):
                self.assertEqual(answer.end, "done")
                self.assertIsInstance(our_runs, list, our_runs)
                # Of an element type that it cannot write the stock runtime spoils its whole file.
                if any("is not yet supported in ETDump" in line for line in answer.log):
                    continue
                compared += 1
                self.assertEqual([run[:2] for run in our_runs], [run[:2] for run in their_runs])
                for our_run, their_run in zip(our_runs, their_runs):
                    self.assertEqual(our_run[2], their_run[2])
        self.assertGreater(compared, 65)

    def test_traces_of_compiled_models_are_read_by_the_stock_tools(self):
        program, trace = self.folder / "digits.pte", self.folder / "digits.etdump"
        self.assertIsNone(berth("compile", SOURCE / "examples" / "digits" / "digits.tflite", "-o", program))
        (self.folder / "zeros.bin").write_bytes(bytes(input_bytes(program)))
        error = berth("run", program, "--input", self.folder / "zeros.bin", "--repeat", "2", "--etdump", trace)
        self.assertIsNone(error)
        (runs,) = stock_etdump.read(STOCK.package, [trace], self.folder)
        self.assertEqual([run[0] for run in runs], ["Default", "Execute", "Execute"])
        names = [event[1] for event in runs[1][2] if event[0] == "time"]
        self.assertIn("native_call_quantized_conv2d.out", names)
        self.assertEqual(names[-1], "Method::execute")
        self.assertEqual(runs[1], runs[2])

    # Scratch is no value of a delegate's call.
    def test_traces_of_delegates_are_read_by_the_stock_tools(self):
        program, trace = self.folder / "mlp.pte", self.folder / "mlp.etdump"
        error = berth("compile", pathlib.Path(__file__).parent / "mlp.bir", "-o", program,
                      "--backend", "reference,scratch=64")  # fmt: skip
        self.assertIsNone(error)
        scratch = [buffer for delegate in json.loads(subprocess.run([BERTH, "inspect", program, "--json"], capture_output=True,
                   check=True).stdout)["methods"][0]["delegates"] for buffer in delegate["scratch"]]  # fmt: skip
        self.assertTrue(scratch)
        (self.folder / "x.bin").write_bytes(bytes(24))
        self.assertIsNone(berth("run", program, "--input", self.folder / "x.bin", "--etdump", trace))
        (runs,) = stock_etdump.read(STOCK.package, [trace], self.folder)
        self.assertIsInstance(runs, list, runs)
        events = runs[1][2]
        self.assertIn("DELEGATE_CALL", [event[1] for event in events if event[0] == "time"])
        tensors = [event[7] for event in events if event[0] == "value"]
        self.assertTrue(tensors)
        self.assertEqual({dtype for dtype, _, _ in tensors}, {"FLOAT"})

    # Our int8 operators are not in the wheel; all that stands before the search for kernels must have passed.
    def test_compiled_models_are_refused_for_nothing_but_operators(self):
        models = [path for path in sorted(self.need_shared("models").glob("**/model.tflite")) if "f32" not in path.parts]
        programs = []
        for n, model in enumerate(models):
            program = self.folder / f"{n}.pte"
            error = berth("compile", model, "-o", program)
            self.assertIsNone(error, f"compile {model}")
            programs.append((model, program))
        jobs = [stock_runtime.Job(program, [], self.folder / "out") for _, program in programs]
        for (model, _), answer in zip(programs, STOCK.run(jobs)):
            with self.subTest(model=model):
                if answer.end == "done":
                    continue
                missing = answer.missing_operators()
                self.assertTrue(missing, f"{answer.end}: {answer.log[-3:]}")
                for name in missing:
                    self.assertRegex(name, "^(cortex_m|berth)::")


def main():
    global BERTH, SOURCE, SHARED, STOCK
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    BERTH, SOURCE, SHARED, build = os.path.abspath(sys.argv[1]), *map(pathlib.Path, sys.argv[2:])
    begin = time.monotonic()
    try:
        STOCK = stock_runtime.prepare(build.resolve())
    except stock_runtime.Unavailable as error:
        print(f"SKIPPED, nothing is compared with the stock runtime: {error}")
        sys.exit(EXIT_SKIPPED)
    print(f"stock runtime ready after {time.monotonic() - begin:.1f} s")
    unittest.main(argv=sys.argv[:1], verbosity=2)


if __name__ == "__main__":
    main()
