#!/usr/bin/env python3
"""Makes the files of this folder: trains a network on the 8x8 digits that scikit-learn ships, quantises it, writes it
as .tflite twice (int8 and float), and stores the held-out images with the answers of TensorFlow Lite Micro.

Only needed to make the files anew; they are committed.

  python3 -m venv v && v/bin/pip install numpy scikit-learn flatbuffers tflite-micro ai-edge-litert
  v/bin/python examples/digits/train.py
"""

import pathlib

import network
import numpy as np
import tflite_writer as tflite
from sklearn.datasets import load_digits

HERE = pathlib.Path(__file__).parent


def held_out(labels):
    """The last fifth of each digit's images: written by people whose hand the training has not seen."""
    held = np.zeros(len(labels), bool)
    for digit in range(10):
        rows = np.flatnonzero(labels == digit)
        held[rows[-(len(rows) // 5) :]] = True
    return held


def activation_range(a):
    """Scale and zero point of an int8 activation: its range, widened to hold zero exactly."""
    low, high = min(float(a.min()), 0.0), max(float(a.max()), 0.0)
    scale = np.float32((high - low) / 255)
    return scale, int(np.round(-128 - low / scale))


def quantise(values, scale, zero_point=0, low=-128, dtype=np.int8):
    info = np.iinfo(dtype)
    return np.clip(np.round(values / scale) + zero_point, max(low, info.min), info.max).astype(dtype)


def layers(p):
    """The network as the file has it: (operator, weights, bias, channel axis of the weights, output, its shape, options)."""
    one = {"stride_w": 1, "stride_h": 1, "activation": tflite.RELU}
    two = {"stride_w": 2, "stride_h": 2, "filter_w": 2, "filter_h": 2, "padding": tflite.VALID}
    c, w = network.CHANNELS, network.WIDE
    return [
        ("CONV_2D", "conv", 0, "conv", [1, 8, 8, c], {**one, "padding": tflite.SAME}),
        ("DEPTHWISE_CONV_2D", "dw", 3, "dw", [1, 8, 8, c], {**one, "padding": tflite.SAME, "depth_multiplier": 1}),
        ("CONV_2D", "pw", 0, "pw", [1, 8, 8, w], {**one, "padding": tflite.VALID}),
        ("AVERAGE_POOL_2D", None, None, "pool", [1, 4, 4, w], two),
        ("RESHAPE", None, None, "flat", [1, 16 * w], {"new_shape": [1, 16 * w]}),
        ("FULLY_CONNECTED", "fc", None, "logits", [1, 10], {}),
        ("SOFTMAX", None, None, "probabilities", [1, 10], {"beta": 1.0}),
    ]


def write_float(p):
    model = tflite.Model("Handwritten digits 8x8, float32")
    here = source = model.tensor("image", [1, 8, 8, 1], "float32")
    for operator, weights, _, name, shape, options in layers(p):
        inputs = [here]
        if weights:
            for part in ("w", "b"):
                data = p[f"{weights}_{part}"].astype(np.float32)
                inputs.append(model.tensor(f"{weights}_{part}", data.shape, "float32", data))
        elif operator == "RESHAPE":
            inputs.append(model.tensor("flat_shape", [2], "int32", np.asarray(shape, np.int32)))
        here = model.tensor(name, shape, "float32")
        model.operator(operator, inputs, here, **options)
    return model.write([source], [here])


def write_int8(p, calibration):
    """Full-integer rules: symmetric weights (per channel for convolutions), asymmetric activations, int32 biases."""
    seen = network.forward(p, calibration)
    model = tflite.Model("Handwritten digits 8x8, int8")
    scale, zero = activation_range(seen["input"])
    here = source = model.tensor("image", [1, 8, 8, 1], "int8", scale=scale, zero_point=zero)
    first = (scale, zero)
    for operator, weights, axis, name, shape, options in layers(p):
        inputs = [here]
        if weights:
            w = p[f"{weights}_w"]
            others = None if axis is None else tuple(i for i in range(w.ndim) if i != axis)
            w_scale = (np.abs(w).max(axis=others) / 127).astype(np.float32)
            spread = w_scale if axis is None else w_scale.reshape([-1 if i == axis else 1 for i in range(w.ndim)])
            data = quantise(w, spread, low=-127)
            inputs.append(model.tensor(f"{weights}_w", w.shape, "int8", data, w_scale, axis=axis or 0))
            b_scale = (np.float32(scale) * w_scale).astype(np.float32)
            data = quantise(p[f"{weights}_b"], b_scale.astype(np.float64), low=-(2**31), dtype=np.int32)
            inputs.append(model.tensor(f"{weights}_b", data.shape, "int32", data, b_scale))
            scale, zero = activation_range(seen[name])
        elif operator == "RESHAPE":
            inputs.append(model.tensor("flat_shape", [2], "int32", np.asarray(shape, np.int32)))
        elif operator == "SOFTMAX":
            scale, zero = np.float32(1 / 256), -128  # what the format prescribes
        here = model.tensor(name, shape, "int8", scale=scale, zero_point=zero)
        model.operator(operator, inputs, here, **options)
    return model.write([source], [here]), first


def run_micro(model, inputs):
    """All outputs of TensorFlow Lite Micro's reference kernels, one row per input."""
    from tflite_micro.python.tflite_micro import runtime

    interpreter = runtime.Interpreter.from_bytes(model)
    rows = []
    for one in inputs:
        interpreter.set_input(one[None], 0)
        interpreter.invoke()
        rows.append(interpreter.get_output(0)[0].copy())
    return np.array(rows)


def run_litert(path, inputs):
    """The same from the LiteRT interpreter, which also reads the float file."""
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_path=str(path))
    interpreter.allocate_tensors()
    rows = []
    for one in inputs:
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], one[None])
        interpreter.invoke()
        rows.append(interpreter.get_tensor(interpreter.get_output_details()[0]["index"])[0].copy())
    return np.array(rows)


def main():
    digits = load_digits()
    images, labels = (digits.images / 16)[..., None], digits.target
    held = held_out(labels)
    p = network.train(images[~held], labels[~held])
    test, answers = images[held], labels[held]

    def accuracy(outputs):
        return f"{(outputs.argmax(axis=1) == answers).mean():.4f}"

    print(f"held out {held.sum()} of {len(labels)}; numpy accuracy {accuracy(network.forward(p, test)['logits'])}")

    (HERE / "digits_f32.tflite").write_bytes(write_float(p))
    model, (scale, zero) = write_int8(p, images[~held])
    (HERE / "digits.tflite").write_bytes(model)
    inputs = quantise(test, scale, zero)
    outputs = run_micro(model, inputs)
    (HERE / "heldout.bin").write_bytes(inputs.tobytes())
    (HERE / "heldout_labels.txt").write_text("".join(f"{label}\n" for label in answers))
    (HERE / "expected.bin").write_bytes(outputs.tobytes())
    print(f"int8 in TensorFlow Lite Micro {accuracy(outputs)}")
    floats = run_litert(HERE / "digits_f32.tflite", test.astype(np.float32))
    print(f"int8 in LiteRT {accuracy(run_litert(HERE / 'digits.tflite', inputs))}")
    print(f"float in LiteRT {accuracy(floats)}")
    worst = np.abs(floats - network.softmax(network.forward(p, test)["logits"])).max()
    print(f"float file against numpy: largest difference of a probability {worst:.2e}")


if __name__ == "__main__":
    main()
