"""ETDump files as the stock tools read them: decoded by the wheel's flatc with the wheel's schema, then turned into the
dataclasses that its Inspector works on. The Inspector itself needs torch and is not asked. Standard library only.

    answers = stock_etdump.read(package, files, folder)   # per file its runs, or the words against it

As a command, does the second half in a process of its own, since the packages above those dataclasses import torch and
have to be stood in for:

  tests/interop/stock_etdump.py PACKAGE FILE.json...
"""

import importlib
import json
import pathlib
import subprocess
import sys
import types

STOOD_IN = ["exir", "exir._serialize", "devtools", "devtools.etdump"]  # whose __init__.py is not run


def ask(words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300)


def read(package, files, folder):
    """Per file [[run name, bundled input index, [event]]] or a text, what the stock tools say against the file. An event is
    a list of all that is no time and no place of bytes. The files' names without suffix differ; `folder` is for scratch."""
    schema = package / "devtools" / "etdump" / "etdump_schema_flatcc.fbs"
    refused = {}
    for file in files:
        done = ask([package / "data" / "bin" / "flatc", "--json", "--defaults-json", "--strict-json", "--size-prefixed",
                    "-o", folder, schema, "--", file])  # fmt: skip
        if done.returncode:
            refused[file] = f"flatc: exit {done.returncode}: {(done.stderr or done.stdout).strip()[-500:]}"
    texts = {file: folder / (file.stem + ".json") for file in files if file not in refused}
    done = ask([sys.executable, __file__, package, *texts.values()])
    if done.returncode:
        sys.exit(f"stock_etdump.py: exit {done.returncode}: {done.stderr[-500:]}")
    return [{**refused, **dict(zip(texts, json.loads(done.stdout)))}[file] for file in files]


def tensor_words(tensor):
    return [tensor.scalar_type.name, tensor.sizes, tensor.strides]


def event_words(event):
    e = event.profile_event or event.debug_event
    words = [e.name, -1 if e.chain_index == 2**64 - 1 else e.chain_index, e.instruction_id, e.delegate_debug_id_int,
             e.delegate_debug_id_str]  # fmt: skip
    if event.profile_event:
        return ["time", *words]
    value = event.debug_event.debug_entry
    tensors = value.tensor_list.tensors if value.tensor_list else [value.tensor] if value.tensor else []
    scalars = [value.int_value, value.float_value, value.double_value, value.bool_value]
    return ["output" if value.output and value.output.bool_val else "value", *words, value.val,
            *map(tensor_words, tensors), *[repr(scalar) for scalar in scalars if scalar]]  # fmt: skip


def main():
    package = pathlib.Path(sys.argv[1]).resolve()
    sys.path.insert(0, str(package.parent))
    for name in STOOD_IN:
        module = types.ModuleType(f"executorch.{name}")
        module.__path__ = [str(package.joinpath(*name.split(".")))]
        sys.modules[module.__name__] = module
    schema = importlib.import_module("executorch.devtools.etdump.schema_flatcc")
    convert = importlib.import_module("executorch.exir._serialize._dataclass")._json_to_dataclass
    answers = []
    for path in sys.argv[2:]:
        try:
            dump = convert(json.loads(pathlib.Path(path).read_text()), cls=schema.ETDumpFlatCC)
        except TypeError as error:
            answers.append(str(error))
            continue
        answers.append([(run.name, run.bundled_input_index, [event_words(event) for event in run.events or []])
                        for run in dump.run_data])  # fmt: skip
    print(json.dumps(answers))


if __name__ == "__main__":
    main()
