"""What the .bir files of this folder must answer, computed here in plain Python: per file and method the inputs and the
outputs, each (dtype, shape, flat values). Standard library only."""

import math


def f32(shape, values):
    return "float32", shape, list(values)


def sample(count, step=0.375, start=-2.0):
    """Numbers that float32 holds exactly, neither sorted nor all of one sign, none of them 0."""
    return [start + step * ((i * 5) % count) + 0.0625 for i in range(count)]


def matmul(a, b, rows, inner, columns, bias=None):
    return [sum(a[r * inner + k] * b[k * columns + c] for k in range(inner)) + (bias[c] if bias else 0.0)
            for r in range(rows) for c in range(columns)]  # fmt: skip


W1 = [0.5, -1.0, 0.25, 2.0, 1.5, 0.75, -0.5, 1.0, -2.0, 0.125, 1.0, -0.25]


def mlp_forward():
    x = sample(6)
    w2 = [1.0, 0.5, -0.5, 0.25, -1.0, 2.0, 0.75, 1.5, -0.25, -1.5, 0.5, 1.0]
    hidden = [max(0.0, h) for h in matmul(x, W1, 2, 3, 4, [0.5, 0.25, -0.5, 1.0])]
    logits = matmul(hidden, w2, 2, 4, 3)
    y = []
    for row in (logits[:3], logits[3:]):
        powers = [math.exp(v - max(row)) for v in row]
        y += [p / sum(powers) for p in powers]
    return [f32([2, 3], x)], [f32([2, 3], y)]


def mlp_hidden():
    x = sample(3)
    return [f32([1, 3], x)], [f32([1, 4], matmul(x, W1, 1, 3, 4))]


def arithmetic():
    x, z = sample(21, 0.25), sample(7, 0.5, -1.0)
    a = [v + 2.0 * z[i % 7] for i, v in enumerate(x)]
    c = [p * q - p for p, q in zip(a, x)]
    f = [-max(min(max(v, -3.0), 3.0), p) for v, p in zip(c, a)]
    return [f32([3, 7], x), f32([7], z)], [f32([3, 7], f), f32([3], [sum(f[r * 7 : r * 7 + 7]) / 7 for r in range(3)])]


def convolution():
    x = sample(40, 0.125)
    w = [((k * 7) % 13 - 6) / 4 for k in range(24)]
    bias = [0.5, -0.25, 0.125]

    def at(channel, row, column):
        return x[(channel * 5 + row) * 4 + column] if 0 <= row < 5 and 0 <= column < 4 else 0.0

    best, where = [], []
    for o in range(3):
        plane = [max(0.0, bias[o] + sum(w[((o * 2 + c) * 2 + i) * 2 + j] * at(c, row + i - 1, column + j - 1)
                                        for c in range(2) for i in range(2) for j in range(2)))
                 for row in range(6) for column in range(5)]  # fmt: skip
        for row in range(0, 6, 2):
            for column in range(0, 4, 2):
                window = [(row + i) * 5 + column + j for i in range(2) for j in range(2)]
                where.append(max(window, key=lambda index: plane[index]))  # the first of equals
                best.append(plane[where[-1]])
    return [f32([1, 2, 5, 4], x)], [f32([1, 3, 3, 2], best), ("int64", [1, 3, 3, 2], where)]


def shapes():
    x = sample(12)
    joined = [abs(v) for v in x] + [-v for v in x]
    transposed = [[joined[c], joined[12 + c]] for c in range(12)]
    parts = transposed[1:12:3]
    return [f32([2, 6], x)], [f32([4, 4], [v for part in parts for v in part + part]),
                              f32([4, 6], [2 * v for v in joined])]  # fmt: skip


def choices():
    x, n = sample(5, 0.5, -0.5), [2, -3, 4, 1 << 30, 2]
    taken = [v > 0.5 and m != 2 for v, m in zip(x, n)]
    w = [v if k else 1 / v for k, v in zip(taken, x)]
    return [f32([5], x), ("int64", [5], n)], [f32([5], w), ("bool", [5], [not k for k in taken]),
                                              ("int64", [5], [m * m for m in n])]  # fmt: skip


# Per file the calls: (method, function that gives inputs and outputs).
ANSWERS = {
    "arithmetic.bir": [("forward", arithmetic)],
    "choices.bir": [("forward", choices)],
    "convolution.bir": [("forward", convolution)],
    "mlp.bir": [("forward", mlp_forward), ("hidden", mlp_hidden), ("forward", mlp_forward)],
    "shapes.bir": [("forward", shapes)],
}
