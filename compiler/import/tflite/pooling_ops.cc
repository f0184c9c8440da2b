// AVERAGE_POOL_2D and MAX_POOL_2D: images in, images out, one scale on both sides.
#include <algorithm>
#include <optional>

#include "compiler/import/tflite/sliding_window.h"
#include "compiler/import/tflite/translate.h"

namespace berth::import {
namespace {

// How many windows the vendor's average pool sees. With `ceil` a last one may hang over, unless it
// would begin in the padding behind the image.
int64_t symmetric_size(int64_t input, const Window& axis, int64_t pad, bool ceil) {
  const int64_t room = input + 2 * pad - axis.kernel;
  const int64_t size = room / axis.stride + 1;
  const bool hangs_over = ceil && room % axis.stride != 0 && size * axis.stride < input + pad;
  return size + (hangs_over ? 1 : 0);
}

struct Pool {
  bool is_16 = false;
  PerTensor params;
  Range range;
  Window height, width;
  WindowPairResult window;

  ir::Arg kernel() const { return ints({height.kernel, width.kernel}); }
  ir::Arg stride() const { return ints({height.stride, width.stride}); }
  ir::Arg padding() const { return ints({window.height.before, window.width.before}); }
  // Sums of a window are 32-bit.
  MaybeFailure check_average(const OperatorContext& c) const {
    const int64_t taps = std::min<int64_t>(height.kernel, c.input(0).shape[1]) *
                         std::min<int64_t>(width.kernel, c.input(0).shape[2]);
    const int64_t most = is_16 ? 1 << 15 : 1 << 23;
    if (taps <= most) return {};
    return unsupported("the window has " + std::to_string(taps) + " elements; up to " +
                       std::to_string(most) + " are supported");
  }
  // The vendor's average pool derives the output's size from symmetric padding and this flag, and
  // refuses another: the flag that makes both axes agree, or nothing.
  std::optional<bool> ceil_mode(const OperatorContext& c) const {
    for (const bool ceil : {false, true}) {
      if (symmetric_size(c.input(0).shape[1], height, window.height.before, ceil) ==
              window.height.output &&
          symmetric_size(c.input(0).shape[2], width, window.width.before, ceil) ==
              window.width.output) {
        return ceil;
      }
    }
    return std::nullopt;
  }
};

MaybeFailure read_pool(OperatorContext& c, Pool* pool) {
  const auto* options = c.options<wire::Pool2DOptions>();
  if (options == nullptr) return malformed("has no Pool2DOptions; a window is needed");
  pool->is_16 = c.input(0).dtype == ScalarType::kShort;
  if (!pool->is_16) BERTH_IMPORT_TRY(c.expect_dtype(0, ScalarType::kChar));
  BERTH_IMPORT_TRY(c.expect_dtype(OperatorContext::kOutput, c.input(0).dtype));
  BERTH_IMPORT_TRY(c.read_params(OperatorContext::kOutput, &pool->params));
  BERTH_IMPORT_TRY(c.expect_same_params(0));
  BERTH_IMPORT_TRY(
      c.read_activation(options->fused_activation_function(), pool->params, &pool->range));
  pool->height = {0, options->filter_height(), options->stride_h(), 1};
  pool->width = {0, options->filter_width(), options->stride_w(), 1};
  BERTH_IMPORT_TRY(
      slide_over_input(c, 0, options->padding(), {pool->height, pool->width}, &pool->window));
  if (c.output().shape[3] != c.input(0).shape[3]) {
    return malformed(c.output_text() + " has " + std::to_string(c.output().shape[3]) +
                     " channels; the input has " + std::to_string(c.input(0).shape[3]));
  }
  return {};
}

}  // namespace

MaybeFailure translate_average_pool_2d(OperatorContext& c) {
  Pool pool;
  BERTH_IMPORT_TRY(read_pool(c, &pool));
  BERTH_IMPORT_TRY(pool.check_average(c));
  const ir::ValueId input = c.layout().image(c.input_index(0));
  const std::optional<bool> ceil_mode = pool.ceil_mode(c);
  if (pool.is_16 || !ceil_mode) {
    c.add_node(ops::kBerthAvgPool2d,
               {ref(input), pool.kernel(), pool.stride(), pool.padding(), num(pool.range.min),
                num(pool.range.max)},
               c.layout().define_image(c.output_index()));
    return {};
  }
  // The vendor's operator has no bounds: a fused activation becomes a clamp behind it.
  const bool is_clamped = pool.range != type_range(ScalarType::kChar);
  const ir::ValueId average =
      is_clamped ? c.add_temporary(".average", c.layout().image_spec(c.output_index()))
                 : c.layout().define_image(c.output_index());
  // Multiplier 1, for input and output have one scale; kernels do not look at it.
  const Multiplier one = quantize_multiplier(1.0).value_or(Multiplier{});
  c.add_node(ops::kQuantizedAvgPool2d,
             {ref(input), pool.kernel(), pool.stride(), pool.padding(), flag(*ceil_mode),
              num(pool.params.zero_point), num(one.multiplier), num(one.shift), none()},
             average);
  if (is_clamped) {
    c.add_node(ops::kAtenClamp, {ref(average), num(pool.range.min), num(pool.range.max)},
               c.layout().define_image(c.output_index()));
  }
  return {};
}

MaybeFailure translate_max_pool_2d(OperatorContext& c) {
  Pool pool;
  BERTH_IMPORT_TRY(read_pool(c, &pool));
  const ir::ValueId input = c.layout().image(c.input_index(0));
  std::vector<ir::Arg> args = {ref(input), pool.kernel(), pool.stride(), pool.padding()};
  if (!pool.is_16) {
    args.push_back(ints({1, 1}));  // dilation
    args.push_back(
        flag(false));  // ceil_mode: the vendor wants none, and looks at the output's shape
    args.push_back(num(pool.params.zero_point));
    args.push_back(num(pool.params.zero_point));
  }
  args.push_back(num(pool.range.min));
  args.push_back(num(pool.range.max));
  c.add_node(pool.is_16 ? ops::kBerthMaxPool2d : ops::kQuantizedMaxPool2d, std::move(args),
             c.layout().define_image(c.output_index()));
  return {};
}

}  // namespace berth::import
