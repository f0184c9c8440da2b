"""A small convolutional network in plain numpy: forward, backward, Adam. Only what the digits need.

Layouts are TensorFlow Lite's, so that weights go into the file as they are: activations NHWC, convolution weights
OHWI, depthwise weights 1HWC, dense weights [out, in].

    image 8x8x1 -> conv 3x3 (16) relu -> depthwise 3x3 relu -> conv 1x1 (32) relu -> average 2x2 -> dense 10 -> softmax
"""

import numpy as np

KERNEL = 3
CHANNELS = 16
WIDE = 32
CLASSES = 10


def patches(x):
    """[n,h,w,c] -> [n,h,w,3,3,c]: the neighbourhood of each pixel, zeros outside (SAME padding, stride 1)."""
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (KERNEL, KERNEL), axis=(1, 2))
    return windows.transpose(0, 1, 2, 4, 5, 3)


def unpatch(dp):
    """The gradient of patches(): adds every patch back to where it came from."""
    n, h, w, _, _, c = dp.shape
    out = np.zeros((n, h + 2, w + 2, c), dp.dtype)
    for i in range(KERNEL):
        for j in range(KERNEL):
            out[:, i : i + h, j : j + w] += dp[:, :, :, i, j]
    return out[:, 1:-1, 1:-1]


def relu(x):
    return np.maximum(x, 0)


def average(x):
    n, h, w, c = x.shape
    return x.reshape(n, h // 2, 2, w // 2, 2, c).mean(axis=(2, 4))


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def initial(rng):
    def normal(shape, fan_in):
        return rng.standard_normal(shape) * np.sqrt(2 / fan_in)

    return {
        "conv_w": normal((CHANNELS, KERNEL, KERNEL, 1), 9),
        "conv_b": np.full(CHANNELS, 0.05),  # above zero, so that no channel starts dead behind its relu
        "dw_w": normal((1, KERNEL, KERNEL, CHANNELS), 9),
        "dw_b": np.full(CHANNELS, 0.05),
        "pw_w": normal((WIDE, 1, 1, CHANNELS), CHANNELS),
        "pw_b": np.full(WIDE, 0.05),
        "fc_w": normal((CLASSES, 4 * 4 * WIDE), 4 * 4 * WIDE),
        "fc_b": np.zeros(CLASSES),
    }


def forward(p, x):
    """All activations by name; `logits` is the answer before softmax."""
    a = {"input": x}
    a["conv"] = relu(np.einsum("nhwijc,oijc->nhwo", patches(x), p["conv_w"], optimize=True) + p["conv_b"])
    a["dw"] = relu(np.einsum("nhwijc,ijc->nhwc", patches(a["conv"]), p["dw_w"][0], optimize=True) + p["dw_b"])
    a["pw"] = relu(a["dw"] @ p["pw_w"][:, 0, 0].T + p["pw_b"])
    a["pool"] = average(a["pw"])
    a["flat"] = a["pool"].reshape(len(x), -1)
    a["logits"] = a["flat"] @ p["fc_w"].T + p["fc_b"]
    return a


def gradients(p, x, labels):
    """d(mean cross entropy)/d(parameters)."""
    a = forward(p, x)
    n = len(x)
    d = softmax(a["logits"])
    d[np.arange(n), labels] -= 1
    d /= n
    g = {"fc_w": d.T @ a["flat"], "fc_b": d.sum(0)}
    d = (d @ p["fc_w"]).reshape(a["pool"].shape)
    d = np.repeat(np.repeat(d, 2, axis=1), 2, axis=2) / 4 * (a["pw"] > 0)
    g["pw_w"] = np.einsum("nhwo,nhwc->oc", d, a["dw"], optimize=True)[:, None, None]
    g["pw_b"] = d.sum((0, 1, 2))
    d = (d @ p["pw_w"][:, 0, 0]) * (a["dw"] > 0)
    g["dw_w"] = np.einsum("nhwijc,nhwc->ijc", patches(a["conv"]), d, optimize=True)[None]
    g["dw_b"] = d.sum((0, 1, 2))
    d = unpatch(d[:, :, :, None, None, :] * p["dw_w"][0]) * (a["conv"] > 0)
    g["conv_w"] = np.einsum("nhwijc,nhwo->oijc", patches(x), d, optimize=True)
    g["conv_b"] = d.sum((0, 1, 2))
    return g


def shifted(rng, x):
    """Each image moved by up to one pixel each way: the same digit, written a little elsewhere."""
    out = np.zeros_like(x)
    for k, (dy, dx) in enumerate(rng.integers(-1, 2, (len(x), 2))):
        out[k, max(dy, 0) : 8 + min(dy, 0), max(dx, 0) : 8 + min(dx, 0)] = x[
            k, max(-dy, 0) : 8 + min(-dy, 0), max(-dx, 0) : 8 + min(-dx, 0)
        ]
    return out


def train(x, labels, epochs=120, batch=32, rate=3e-3, decay=1e-4, seed=7):
    """Adam with a cosine rate and decoupled weight decay; the seed is fixed, so is the result on one machine."""
    rng = np.random.default_rng(seed)
    p = initial(rng)
    m = {k: np.zeros_like(v) for k, v in p.items()}
    s = {k: np.zeros_like(v) for k, v in p.items()}
    steps = epochs * (len(x) // batch)
    step = 0
    for _ in range(epochs):
        order = rng.permutation(len(x))
        for start in range(0, len(x) - batch + 1, batch):
            rows = order[start : start + batch]
            step += 1
            now = rate * 0.5 * (1 + np.cos(np.pi * step / steps))
            for k, g in gradients(p, shifted(rng, x[rows]), labels[rows]).items():
                m[k] = 0.9 * m[k] + 0.1 * g
                s[k] = 0.999 * s[k] + 0.001 * g * g
                p[k] -= now * (m[k] / (1 - 0.9**step) / (np.sqrt(s[k] / (1 - 0.999**step)) + 1e-8))
                if k.endswith("_w"):
                    p[k] -= now * decay * p[k]
    return p
