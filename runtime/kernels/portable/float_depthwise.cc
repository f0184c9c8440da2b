// Depthwise convolution of floats (float_convolution.h says when). Sums stay in registers over the
// whole window; outputs whose window leaves the image are done one by one.
#include <cstring>

#include "runtime/kernels/portable/float_convolution.h"

namespace berth::runtime {
namespace {

typedef float Vector __attribute__((vector_size(16)));
constexpr int kWidth = 4;

// kStep elements between the inputs of neighbouring outputs; 0: c.columns.stride.
template <int kStep>
inline void load_outputs(const float* from, size_t step, Vector* value) {
  if (kStep == 1) {
    memcpy(value, from, sizeof(*value));
    return;
  }
  const size_t apart = kStep == 0 ? step : kStep;
  for (int i = 0; i < kWidth; ++i) (*value)[i] = from[static_cast<size_t>(i) * apart];
}

// kVectors * 4 outputs of a row, kernel rows as in `rows`, all kernel columns. `start`: where in
// the plane the first output's first tap is; before the plane where the window's first rows are
// above it.
template <int kVectors, int kStep>
void sum_row_part(const FloatConvolution& c, const float* plane, int64_t start,
                  const float* weights, const Taps& rows, float bias, float* out) {
  Vector total[kVectors];
  for (int v = 0; v < kVectors; ++v) total[v] = Vector{bias, bias, bias, bias};
  const size_t step = static_cast<size_t>(c.columns.stride);
  for (int64_t ky = rows.begin; ky < rows.end; ++ky) {
    const float* line =
        plane + (start + ky * c.rows.dilation * static_cast<int64_t>(c.in_steps.row));
    const float* factors = weights + static_cast<size_t>(ky) * c.weight_steps.row;
    for (int64_t kx = 0; kx < c.columns.kernel; ++kx) {
      const float factor = factors[static_cast<size_t>(kx) * c.weight_steps.column];
      const float* from = line + kx * c.columns.dilation;
      for (int v = 0; v < kVectors; ++v) {
        Vector inputs;
        load_outputs<kStep>(from + static_cast<size_t>(v) * kWidth * step, step, &inputs);
        total[v] += factor * inputs;
      }
    }
  }
  memcpy(out, total, sizeof(total));
}

float sum_one(const FloatConvolution& c, const float* plane, const float* weights, const Taps& rows,
              int64_t x, float bias) {
  const Taps columns = c.columns.taps(x);
  float total = bias;
  for (int64_t ky = rows.begin; ky < rows.end; ++ky) {
    const float* line =
        plane + static_cast<size_t>(rows.start + ky * c.rows.dilation) * c.in_steps.row;
    for (int64_t kx = columns.begin; kx < columns.end; ++kx) {
      total += weights[static_cast<size_t>(ky) * c.weight_steps.row +
                       static_cast<size_t>(kx) * c.weight_steps.column] *
               line[columns.start + kx * c.columns.dilation];
    }
  }
  return total;
}

template <int kStep>
void convolve_row(const FloatConvolution& c, const float* plane, const float* weights,
                  const Taps& rows, float bias, float* out) {
  // Outputs [low, high) have all their columns inside the image.
  const int64_t reach = (c.columns.kernel - 1) * c.columns.dilation;
  int64_t low = (c.columns.pad + c.columns.stride - 1) / c.columns.stride;
  const int64_t room = c.columns.in - 1 - reach + c.columns.pad;
  int64_t high = room < 0 ? 0 : room / c.columns.stride + 1;
  if (low > c.columns.out) low = c.columns.out;
  if (high > c.columns.out) high = c.columns.out;
  int64_t x = 0;
  for (; x < low; ++x) out[x] = sum_one(c, plane, weights, rows, x, bias);
  const int64_t start = rows.start * static_cast<int64_t>(c.in_steps.row) - c.columns.pad;
  if (rows.begin < rows.end) {
    for (; x + 2 * kWidth <= high; x += 2 * kWidth) {
      sum_row_part<2, kStep>(c, plane, start + x * c.columns.stride, weights, rows, bias, out + x);
    }
    for (; x + kWidth <= high; x += kWidth) {
      sum_row_part<1, kStep>(c, plane, start + x * c.columns.stride, weights, rows, bias, out + x);
    }
  }
  for (; x < c.columns.out; ++x) out[x] = sum_one(c, plane, weights, rows, x, bias);
}

void convolve_planes(const FloatConvolution& c) {
  for (int64_t n = 0; n < c.batch; ++n) {
    for (int64_t channel = 0; channel < c.groups * c.out_c; ++channel) {
      const float* plane = c.in + static_cast<size_t>(n) * c.in_steps.batch +
                           static_cast<size_t>(channel / c.out_c) * c.in_steps.channel;
      const float* weights = c.weights + static_cast<size_t>(channel) * c.weight_steps.batch;
      const float bias = c.bias == nullptr ? 0.0f : c.bias[channel];
      float* out = c.out + static_cast<size_t>(n) * c.out_steps.batch +
                   static_cast<size_t>(channel) * c.out_steps.channel;
      for (int64_t y = 0; y < c.rows.out; ++y) {
        const Taps rows = c.rows.taps(y);
        float* line = out + static_cast<size_t>(y) * c.out_steps.row;
        if (c.columns.stride == 1) {
          convolve_row<1>(c, plane, weights, rows, bias, line);
        } else if (c.columns.stride == 2) {
          convolve_row<2>(c, plane, weights, rows, bias, line);
        } else {
          convolve_row<0>(c, plane, weights, rows, bias, line);
        }
      }
    }
  }
}

// Channels [channel, channel + 4) or, with kWhole false, `count` of them, of one output pixel.
template <bool kWhole>
void sum_channels(const FloatConvolution& c, const float* image, const Taps& rows,
                  const Taps& columns, int64_t channel, int count, float* out) {
  Vector total{};
  const int lanes = kWhole ? kWidth : count;
  if (c.bias != nullptr) {
    for (int i = 0; i < lanes; ++i) total[i] = c.bias[channel + i];
  }
  const float* weights = c.weights + static_cast<size_t>(channel) * c.weight_steps.batch;
  for (int64_t ky = rows.begin; ky < rows.end; ++ky) {
    for (int64_t kx = columns.begin; kx < columns.end; ++kx) {
      const float* from =
          image + static_cast<size_t>(rows.start + ky * c.rows.dilation) * c.in_steps.row +
          static_cast<size_t>(columns.start + kx * c.columns.dilation) * c.in_steps.column +
          channel;
      const float* factors = weights + static_cast<size_t>(ky) * c.weight_steps.row +
                             static_cast<size_t>(kx) * c.weight_steps.column;
      Vector values{}, factor{};
      if (kWhole) {
        memcpy(&values, from, sizeof(values));
      } else {
        for (int i = 0; i < lanes; ++i) values[i] = from[i];
      }
      for (int i = 0; i < lanes; ++i)
        factor[i] = factors[static_cast<size_t>(i) * c.weight_steps.batch];
      total += factor * values;
    }
  }
  for (int i = 0; i < lanes; ++i) out[channel + i] = total[i];
}

void convolve_pixels(const FloatConvolution& c) {
  for (int64_t n = 0; n < c.batch; ++n) {
    const float* image = c.in + static_cast<size_t>(n) * c.in_steps.batch;
    for (int64_t y = 0; y < c.rows.out; ++y) {
      const Taps rows = c.rows.taps(y);
      for (int64_t x = 0; x < c.columns.out; ++x) {
        const Taps columns = c.columns.taps(x);
        float* out = c.out + static_cast<size_t>(n) * c.out_steps.batch +
                     static_cast<size_t>(y) * c.out_steps.row +
                     static_cast<size_t>(x) * c.out_steps.column;
        int64_t channel = 0;
        for (; channel + kWidth <= c.groups; channel += kWidth)
          sum_channels<true>(c, image, rows, columns, channel, kWidth, out);
        if (channel < c.groups) {
          sum_channels<false>(c, image, rows, columns, channel,
                              static_cast<int>(c.groups - channel), out);
        }
      }
    }
  }
}

}  // namespace

void convolve_floats_depthwise(const FloatConvolution& c) {
  if (c.in_steps.column == 1 && c.out_steps.column == 1) {
    convolve_planes(c);
  } else {
    convolve_pixels(c);
  }
}

}  // namespace berth::runtime
