// CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV of floats: all three are aten::convolution, over
// images, with filters in the images' form.
//
// That operator pads both ends alike; TFLite's SAME padding may have one more at the end. Two ways
// bring them together, and the one that takes fewer bytes is taken:
//
//   wider filter    a row (column) of zeros before the filter's first, and padding for it: the
//                   window begins where it began, and both ends are padded alike. Takes room for
//                   the zeros.
//   padded input    a copy of the image with the row (column) that is missing at its end. Takes
//                   room for the copy, which is working memory.
//
// Zeros times an infinity are NaN; that is the only difference that the first can make. A
// transposed convolution cuts where this one pads, and has the first way alone.
#include <algorithm>
#include <array>
#include <cstring>

#include "compiler/import/tflite/convolution_shapes.h"
#include "compiler/import/tflite/float_ops.h"
#include "compiler/import/tflite/translate.h"

namespace berth::import {
namespace {

struct FloatSlots {
  int input, filter, bias;
};

// A filter as the file has it: where its element (first, second, row, column) stands, first and
// second being the dims that aten::convolution's weights begin with.
struct Filter {
  int64_t first = 0, second = 0, rows = 0, columns = 0;
  int64_t first_step = 0, second_step = 0, row_step = 0, column_step = 0;
  bool is_image = false;  // these are the steps of the image form
};

struct FloatConvolution {
  FloatActivation activation;
  WindowPair windows;
  WindowPairResult sliding;
  Filter filter;
  int64_t groups = 1;
  bool transposed = false;
  int64_t more_rows = 0, more_columns = 0;  // transposed: of the output, behind the last window
};

// Of the output of a transposed convolution along an axis, behind what its windows reach.
int64_t rest(const Window& window, const WindowResult& result) {
  const int64_t reached = (result.output - 1) * window.stride + window.kernel;
  return std::max<int64_t>(window.input - reached, 0);
}

MaybeFailure check_operands(const OperatorContext& c, const FloatSlots& slots, int64_t channels) {
  for (const int i : {slots.input, slots.filter, OperatorContext::kOutput}) {
    BERTH_IMPORT_TRY(c.expect_dtype(i, ScalarType::kFloat));
    BERTH_IMPORT_TRY(c.expect_rank(i, 4));
  }
  if (!c.input(slots.filter).is_constant()) {
    return unsupported(c.input_text(slots.filter) +
                       " is computed at run time; constant filters are supported");
  }
  if (c.output().shape[3] != channels) {
    return malformed(c.output_text() + " has " + std::to_string(c.output().shape[3]) +
                     " channels; the filter makes " + std::to_string(channels));
  }
  if (!c.has_input(slots.bias)) return {};
  BERTH_IMPORT_TRY(c.expect_dtype(slots.bias, ScalarType::kFloat));
  const std::array<int64_t, 1> shape = {channels};
  return c.expect_shape(slots.bias, shape);
}

ir::Arg bias_of(OperatorContext& c, const FloatSlots& slots) {
  if (!c.has_input(slots.bias)) return none();
  if (c.input(slots.bias).is_constant()) return ref(c.constant_input(slots.bias, ".bias"));
  return ref(c.layout().plain(c.input_index(slots.bias)));
}

// The filter as weights of sizes (first, second, rows, columns) in the image form, behind
// `zero_rows` rows and `zero_columns` columns of zeros.
MaybeFailure add_weights(OperatorContext& c, int i, const Filter& f, int64_t zero_rows,
                         int64_t zero_columns, ir::ValueId* weights) {
  const int64_t rows = f.rows + zero_rows, columns = f.columns + zero_columns;
  const int64_t count = f.first * rows * columns * f.second;
  BERTH_IMPORT_TRY(c.pay(static_cast<uint64_t>(count) * sizeof(float)));
  ir::Bytes bytes(static_cast<size_t>(count) * sizeof(float));
  const std::byte* from = c.input(i).data.data();
  for (int64_t a = 0; a < f.first; ++a) {
    for (int64_t row = 0; row < f.rows; ++row) {
      for (int64_t column = 0; column < f.columns; ++column) {
        for (int64_t b = 0; b < f.second; ++b) {
          const int64_t at =
              ((a * rows + zero_rows + row) * columns + zero_columns + column) * f.second + b;
          const int64_t source =
              a * f.first_step + row * f.row_step + column * f.column_step + b * f.second_step;
          std::memcpy(bytes.data() + at * 4, from + source * 4, sizeof(float));
        }
      }
    }
  }
  const auto size = [](int64_t value) { return static_cast<int32_t>(value); };
  *weights = c.add_constant(".weights",
                            {ScalarType::kFloat,
                             {size(f.first), size(f.second), size(rows), size(columns)},
                             ir::channels_last_order()},
                            std::move(bytes));
  return {};
}

// Whether the filter is made wider to even out the padding, rather than the input copied.
bool widens(const OperatorContext& c, const FloatSlots& slots,
            const FloatConvolution& convolution) {
  if (convolution.transposed) return true;
  const WindowPair& windows = convolution.windows;
  const WindowPairResult& sliding = convolution.sliding;
  // The wider window must not reach a step further.
  const auto fits = [](const Window& window, const WindowResult& result) {
    return result.odd == 0 || window.dilation <= window.stride;
  };
  if (!fits(windows.height, sliding.height) || !fits(windows.width, sliding.width)) return false;
  const Filter& f = convolution.filter;
  const int64_t wide = (f.rows + sliding.height.odd) * (f.columns + sliding.width.odd);
  const int64_t zeros = f.first * f.second * (wide - f.rows * f.columns);
  const std::span<const int32_t> in = c.input(slots.input).shape;
  return zeros <=
         int64_t{in[0]} * (in[1] + sliding.height.odd) * (in[2] + sliding.width.odd) * in[3];
}

MaybeFailure add_convolution(OperatorContext& c, const FloatSlots& slots,
                             const FloatConvolution& convolution) {
  const WindowResult& height = convolution.sliding.height;
  const WindowResult& width = convolution.sliding.width;
  const Window& rows = convolution.windows.height;
  const Window& columns = convolution.windows.width;
  const bool wider = widens(c, slots, convolution);
  const int64_t zero_rows = wider ? height.odd : 0;
  const int64_t zero_columns = wider ? width.odd : 0;
  ir::ValueId weights = -1;
  if (convolution.filter.is_image && zero_rows == 0 && zero_columns == 0) {
    weights = c.constant_image_input(slots.filter, ".weights");
  } else {
    BERTH_IMPORT_TRY(
        add_weights(c, slots.filter, convolution.filter, zero_rows, zero_columns, &weights));
  }
  const bool is_copied = !wider && height.odd + width.odd > 0;
  ir::ValueId image = -1;
  if (is_copied) {
    const ir::ValueId padded = pad_end(c, slots.input, height.odd, width.odd, 0);
    const std::vector<int32_t>& nhwc = c.spec(padded).sizes;
    image = c.add_view(
        ".padded_image", padded,
        {ScalarType::kFloat, {nhwc[0], nhwc[3], nhwc[1], nhwc[2]}, ir::channels_last_order()});
  } else {
    image = c.layout().image(c.input_index(slots.input));
  }
  const ir::Arg bias = bias_of(c, slots);
  add_activated(c, ops::kAtenConvolution,
                {ref(image), ref(weights), bias, ints({rows.stride, columns.stride}),
                 ints({height.before + zero_rows * rows.dilation,
                       width.before + zero_columns * columns.dilation}),
                 ints({rows.dilation, columns.dilation}), flag(convolution.transposed),
                 ints({convolution.more_rows, convolution.more_columns}), num(convolution.groups)},
                convolution.activation, c.layout().define_image(c.output_index()));
  return {};
}

// Options: Conv2DOptions or DepthwiseConv2DOptions.
template <typename Options>
MaybeFailure slide_filter(const OperatorContext& c, const FloatSlots& slots, const Options& options,
                          FloatConvolution* out) {
  out->windows.height = {0, out->filter.rows, options.stride_h(), options.dilation_h_factor()};
  out->windows.width = {0, out->filter.columns, options.stride_w(), options.dilation_w_factor()};
  BERTH_IMPORT_TRY(read_float_activation(options.fused_activation_function(), &out->activation));
  return slide_over_input(c, slots.input, options.padding(), out->windows, &out->sliding);
}

}  // namespace

MaybeFailure translate_float_conv_2d(OperatorContext& c) {
  constexpr FloatSlots kSlots{0, 1, 2};
  const auto* options = c.options<wire::Conv2DOptions>();
  if (options == nullptr) return malformed("has no Conv2DOptions; a stride is needed");
  BERTH_IMPORT_TRY(c.expect_rank(kSlots.filter, 4));
  const std::span<const int32_t> f = c.input(kSlots.filter).shape;
  BERTH_IMPORT_TRY(check_operands(c, kSlots, f[0]));
  FloatConvolution convolution;
  BERTH_IMPORT_TRY(read_groups(c, kSlots.input, kSlots.filter, &convolution.groups));
  convolution.filter = {
      f[0], f[3], f[1], f[2], int64_t{f[1]} * f[2] * f[3], 1, int64_t{f[2]} * f[3], f[3], true};
  BERTH_IMPORT_TRY(slide_filter(c, kSlots, *options, &convolution));
  return add_convolution(c, kSlots, convolution);
}

MaybeFailure translate_float_depthwise_conv_2d(OperatorContext& c) {
  constexpr FloatSlots kSlots{0, 1, 2};
  const auto* options = c.options<wire::DepthwiseConv2DOptions>();
  if (options == nullptr) return malformed("has no DepthwiseConv2DOptions; a stride is needed");
  BERTH_IMPORT_TRY(c.expect_rank(kSlots.filter, 4));
  const std::span<const int32_t> f = c.input(kSlots.filter).shape;
  BERTH_IMPORT_TRY(check_operands(c, kSlots, f[3]));
  int32_t per_channel = 0;
  BERTH_IMPORT_TRY(read_depth_multiplier(c, kSlots.input, kSlots.filter,
                                         options->depth_multiplier(), &per_channel));
  FloatConvolution convolution;
  convolution.groups = c.input(kSlots.input).shape[3];
  convolution.filter = {f[3], 1, f[1], f[2], 1, 0, int64_t{f[2]} * f[3], f[3]};
  BERTH_IMPORT_TRY(slide_filter(c, kSlots, *options, &convolution));
  return add_convolution(c, kSlots, convolution);
}

MaybeFailure translate_float_transpose_conv(OperatorContext& c) {
  constexpr FloatSlots kSlots{2, 1, 3};
  const auto* options = c.options<wire::TransposeConvOptions>();
  if (options == nullptr) return malformed("has no TransposeConvOptions; a stride is needed");
  BERTH_IMPORT_TRY(c.expect_rank(kSlots.filter, 4));
  const std::span<const int32_t> f = c.input(kSlots.filter).shape;
  BERTH_IMPORT_TRY(check_operands(c, kSlots, f[0]));
  FloatConvolution convolution;
  convolution.transposed = true;
  BERTH_IMPORT_TRY(
      read_float_activation(options->fused_activation_function(), &convolution.activation));
  BERTH_IMPORT_TRY(slide_transposed(c, kSlots.input, kSlots.filter, *options, &convolution.windows,
                                    &convolution.sliding));
  convolution.more_rows = rest(convolution.windows.height, convolution.sliding.height);
  convolution.more_columns = rest(convolution.windows.width, convolution.sliding.width);
  convolution.filter = {
      f[3], f[0], f[1], f[2], 1, int64_t{f[1]} * f[2] * f[3], int64_t{f[2]} * f[3], f[3]};
  return add_convolution(c, kSlots, convolution);
}

}  // namespace berth::import
