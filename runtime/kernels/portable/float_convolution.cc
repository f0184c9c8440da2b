#include "runtime/kernels/portable/float_convolution.h"

#include <cstring>

#include "runtime/kernels/portable/float_product.h"

namespace berth::runtime {
namespace {

int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// Where in a filter an element stands. Filters are walked in the order of their memory.
struct FilterPosition {
  int64_t channel, ky, kx;
};

bool is_channels_last(const FloatConvolution& c) {
  return c.in_c > 1 && c.weight_steps.channel == 1 && c.rows.kernel * c.columns.kernel > 1;
}

FilterPosition filter_position(const FloatConvolution& c, bool channels_last, int64_t k) {
  if (k == 0) return {0, 0, 0};
  if (channels_last)
    return {k % c.in_c, k / c.in_c / c.columns.kernel, k / c.in_c % c.columns.kernel};
  return {k / c.columns.kernel / c.rows.kernel, k / c.columns.kernel % c.rows.kernel,
          k % c.columns.kernel};
}

void advance(const FloatConvolution& c, bool channels_last, FilterPosition* at) {
  if (channels_last) {
    if (++at->channel < c.in_c) return;
    at->channel = 0;
    if (++at->kx < c.columns.kernel) return;
    at->kx = 0;
    ++at->ky;
  } else {
    if (++at->kx < c.columns.kernel) return;
    at->kx = 0;
    if (++at->ky < c.rows.kernel) return;
    at->ky = 0;
    ++at->channel;
  }
}

// Fills lanes [lane, lane + count) of `depth` lines of a panel, filter elements from k on, for the
// outputs (y, x), (y, x + 1), ...; `image` is the group's first channel.
void fill_lanes(const FloatConvolution& c, bool channels_last, const float* image, int64_t k,
                int depth, int64_t y, int64_t x, int lane, int count, float* panel) {
  FilterPosition at = filter_position(c, channels_last, k);
  const int64_t y0 = y * c.rows.stride - c.rows.pad, x0 = x * c.columns.stride - c.columns.pad;
  const int64_t span = (count - 1) * c.columns.stride;
  const size_t step = static_cast<size_t>(c.columns.stride) * c.in_steps.column;
  float* line = panel + lane;
  for (int i = 0; i < depth; ++i, line += kProductLanes, advance(c, channels_last, &at)) {
    const int64_t iy = y0 + at.ky * c.rows.dilation, ix = x0 + at.kx * c.columns.dilation;
    if (iy < 0 || iy >= c.rows.in) {
      for (int j = 0; j < count; ++j) line[j] = 0.0f;
      continue;
    }
    const float* row = image + static_cast<size_t>(at.channel) * c.in_steps.channel +
                       static_cast<size_t>(iy) * c.in_steps.row;
    if (ix < 0 || ix + span >= c.columns.in) {
      for (int j = 0; j < count; ++j) {
        const int64_t column = ix + j * c.columns.stride;
        const bool inside = column >= 0 && column < c.columns.in;
        line[j] = inside ? row[static_cast<size_t>(column) * c.in_steps.column] : 0.0f;
      }
      continue;
    }
    const float* from = row + static_cast<size_t>(ix) * c.in_steps.column;
    if (step == 1 && count == kProductLanes) {
      memcpy(line, from, sizeof(float) * kProductLanes);
    } else {
      for (int j = 0; j < count; ++j) line[j] = from[static_cast<size_t>(j) * step];
    }
  }
}

// One image, one group: out_c filters over all outputs. Panels go on from row to row where the
// output's memory does.
void convolve_windows(const FloatConvolution& c, const float* image, const FloatMatrix& filters,
                      const ProductOutput& target) {
  alignas(16) float panel[kPanelDepth * kProductLanes] = {};
  const bool channels_last = is_channels_last(c);
  const int64_t depth = c.in_c * c.rows.kernel * c.columns.kernel;
  const bool joined = c.out_steps.row == static_cast<size_t>(c.columns.out) * c.out_steps.column;
  const int64_t run = joined ? c.rows.out * c.columns.out : c.columns.out;
  for (int64_t first = 0; first < c.rows.out * c.columns.out; first += run) {
    ProductOutput out = target;
    out.data += static_cast<size_t>(first / c.columns.out) * c.out_steps.row;
    for (int64_t pixel = 0; pixel < run; pixel += kProductLanes) {
      const int lanes = static_cast<int>(smaller(run - pixel, kProductLanes));
      int64_t k = 0;
      do {
        const int length = static_cast<int>(smaller(depth - k, kPanelDepth));
        for (int lane = 0; lane < lanes;) {
          const int64_t at = first + pixel + lane;
          const int64_t x = at % c.columns.out;
          const int count = static_cast<int>(smaller(lanes - lane, c.columns.out - x));
          fill_lanes(c, channels_last, image, k, length, at / c.columns.out, x, lane, count, panel);
          lane += count;
        }
        const FloatMatrix part{filters.data + k, filters.row_step, 1};
        multiply_panel(part, static_cast<size_t>(c.out_c), length, panel, kProductLanes,
                       static_cast<size_t>(pixel), lanes, k == 0, out);
        k += length;
      } while (k < depth);
    }
  }
}

bool is_pixelwise(const FloatConvolution& c) {
  return c.rows.kernel == 1 && c.columns.kernel == 1 && c.rows.stride == 1 &&
         c.columns.stride == 1 && c.rows.pad == 0 && c.columns.pad == 0 &&
         c.in_steps.row == static_cast<size_t>(c.columns.in) * c.in_steps.column &&
         c.out_steps.row == static_cast<size_t>(c.columns.out) * c.out_steps.column;
}

// Adds the inputs that kernel element (ky, kx) brings to outputs (y, x), (y, x + stride), ... .
void add_transposed_tap(const FloatConvolution& c, const float* image, const float* weights,
                        int64_t ky, int64_t kx, int64_t y, int64_t x, int lanes, float* panel,
                        const ProductOutput& out) {
  const int64_t dy = y + c.rows.pad - ky * c.rows.dilation,
                dx = x + c.columns.pad - kx * c.columns.dilation;
  if (dy < 0 || dy % c.rows.stride != 0 || dx % c.columns.stride != 0) return;
  const int64_t iy = dy / c.rows.stride, ix = dx / c.columns.stride;
  if (iy >= c.rows.in || ix >= c.columns.in || ix + lanes <= 0) return;
  const float* row = image + static_cast<size_t>(iy) * c.in_steps.row;
  const float* taps = weights + static_cast<size_t>(ky) * c.weight_steps.row +
                      static_cast<size_t>(kx) * c.weight_steps.column;
  for (int64_t channel = 0; channel < c.in_c; channel += kPanelDepth) {
    const int depth = static_cast<int>(smaller(c.in_c - channel, kPanelDepth));
    for (int i = 0; i < depth; ++i) {
      const float* from = row + static_cast<size_t>(channel + i) * c.in_steps.channel;
      float* line = panel + i * kProductLanes;
      for (int j = 0; j < lanes; ++j) {
        const bool inside = ix + j >= 0 && ix + j < c.columns.in;
        line[j] = inside ? from[static_cast<size_t>(ix + j) * c.in_steps.column] : 0.0f;
      }
    }
    const FloatMatrix left{taps + static_cast<size_t>(channel) * c.weight_steps.batch,
                           c.weight_steps.channel, c.weight_steps.batch};
    multiply_panel(left, static_cast<size_t>(c.out_c), depth, panel, kProductLanes, 0, lanes, false,
                   out);
  }
}

void convolve_transposed_image(const FloatConvolution& c, const float* image, const float* weights,
                               const ProductOutput& target) {
  alignas(16) float panel[kPanelDepth * kProductLanes] = {};
  for (int64_t y = 0; y < c.rows.out; ++y) {
    for (int64_t phase = 0; phase < smaller(c.columns.stride, c.columns.out); ++phase) {
      for (int64_t x = phase; x < c.columns.out; x += kProductLanes * c.columns.stride) {
        const int64_t left = (c.columns.out - x + c.columns.stride - 1) / c.columns.stride;
        const int lanes = static_cast<int>(smaller(left, kProductLanes));
        ProductOutput out = target;
        out.data +=
            static_cast<size_t>(y) * c.out_steps.row + static_cast<size_t>(x) * c.out_steps.column;
        out.column_step = c.out_steps.column * static_cast<size_t>(c.columns.stride);
        multiply_panel({weights, 0, 0}, static_cast<size_t>(c.out_c), 0, panel, 0, 0, lanes, true,
                       out);
        for (int64_t ky = 0; ky < c.rows.kernel && c.in_c > 0; ++ky) {
          for (int64_t kx = 0; kx < c.columns.kernel; ++kx) {
            add_transposed_tap(c, image, weights, ky, kx, y, x, lanes, panel, out);
          }
        }
      }
    }
  }
}

// The part of one group of one image.
ProductOutput group_output(const FloatConvolution& c, int64_t image, int64_t group) {
  const size_t channel = static_cast<size_t>(group * c.out_c);
  return {c.out + static_cast<size_t>(image) * c.out_steps.batch + channel * c.out_steps.channel,
          c.out_steps.channel, c.out_steps.column, c.bias == nullptr ? nullptr : c.bias + channel};
}

const float* group_input(const FloatConvolution& c, int64_t image, int64_t group) {
  return c.in + static_cast<size_t>(image) * c.in_steps.batch +
         static_cast<size_t>(group * c.in_c) * c.in_steps.channel;
}

}  // namespace

void convolve_floats(const FloatConvolution& c) {
  const size_t rows = static_cast<size_t>(c.out_c);
  for (int64_t n = 0; n < c.batch; ++n) {
    for (int64_t group = 0; group < c.groups; ++group) {
      const float* image = group_input(c, n, group);
      const size_t filter_step = c.weight_steps.batch;
      const FloatMatrix filters{c.weights + static_cast<size_t>(group) * rows * filter_step,
                                filter_step, 1};
      const ProductOutput out = group_output(c, n, group);
      if (is_pixelwise(c)) {
        multiply_matrices(filters, {image, c.in_steps.channel, c.in_steps.column}, rows,
                          static_cast<size_t>(c.in_c),
                          static_cast<size_t>(c.rows.out * c.columns.out), out);
      } else {
        convolve_windows(c, image, filters, out);
      }
    }
  }
}

void convolve_floats_transposed(const FloatConvolution& c) {
  for (int64_t n = 0; n < c.batch; ++n) {
    for (int64_t group = 0; group < c.groups; ++group) {
      convolve_transposed_image(
          c, group_input(c, n, group),
          c.weights + static_cast<size_t>(group * c.in_c) * c.weight_steps.batch,
          group_output(c, n, group));
    }
  }
}

}  // namespace berth::runtime
