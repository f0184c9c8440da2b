// AVERAGE_POOL_2D and MAX_POOL_2D: images in, images out, one scale on both sides of integers.
#include <algorithm>
#include <limits>
#include <optional>

#include "compiler/import/tflite/float_ops.h"
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

MaybeFailure read_windows(const OperatorContext& c, Pool* pool,
                          wire::ActivationFunctionType* activation) {
  const auto* options = c.options<wire::Pool2DOptions>();
  if (options == nullptr) return malformed("has no Pool2DOptions; a window is needed");
  *activation = options->fused_activation_function();
  pool->height = {0, options->filter_height(), options->stride_h(), 1};
  pool->width = {0, options->filter_width(), options->stride_w(), 1};
  BERTH_IMPORT_TRY(
      slide_over_input(c, 0, options->padding(), {pool->height, pool->width}, &pool->window));
  if (c.output().shape[3] == c.input(0).shape[3]) return {};
  return malformed(c.output_text() + " has " + std::to_string(c.output().shape[3]) +
                   " channels; the input has " + std::to_string(c.input(0).shape[3]));
}

MaybeFailure read_pool(OperatorContext& c, Pool* pool) {
  wire::ActivationFunctionType activation{};
  BERTH_IMPORT_TRY(read_windows(c, pool, &activation));
  pool->is_16 = c.input(0).dtype == ScalarType::kShort;
  if (!pool->is_16) BERTH_IMPORT_TRY(c.expect_dtype(0, ScalarType::kChar));
  BERTH_IMPORT_TRY(c.expect_dtype(OperatorContext::kOutput, c.input(0).dtype));
  BERTH_IMPORT_TRY(c.read_params(OperatorContext::kOutput, &pool->params));
  BERTH_IMPORT_TRY(c.expect_same_params(0));
  return c.read_activation(activation, pool->params, &pool->range);
}

struct FloatPool : Pool {
  FloatActivation activation;

  // Whether the windows lie side by side and leave nothing of the input out.
  bool tiles(const OperatorContext& c) const {
    return height.kernel == height.stride && width.kernel == width.stride &&
           window.height.output * height.kernel == c.input(0).shape[1] &&
           window.width.output * width.kernel == c.input(0).shape[2];
  }
};

MaybeFailure read_float_pool(const OperatorContext& c, FloatPool* pool) {
  wire::ActivationFunctionType activation{};
  BERTH_IMPORT_TRY(read_windows(c, pool, &activation));
  BERTH_IMPORT_TRY(expect_floats(c, 1));
  return read_float_activation(activation, &pool->activation);
}

// How many elements of the image each window sees, as a tensor (1, height, width, 1).
MaybeFailure add_counts(OperatorContext& c, const Pool& pool, ir::ValueId* counts) {
  const std::span<const int32_t> in = c.input(0).shape;
  const std::span<const int32_t> out = c.output().shape;
  const auto inside = [](int64_t at, const Window& axis, int64_t before, int64_t size) {
    const int64_t begin = at * axis.stride - before;
    return std::min(begin + axis.kernel, size) - std::max<int64_t>(begin, 0);
  };
  std::vector<float> numbers;
  BERTH_IMPORT_TRY(c.pay(uint64_t{2} * out[1] * out[2] * sizeof(float)));
  for (int64_t y = 0; y < out[1]; ++y) {
    for (int64_t x = 0; x < out[2]; ++x) {
      numbers.push_back(
          static_cast<float>(inside(y, pool.height, pool.window.height.before, in[1]) *
                             inside(x, pool.width, pool.window.width.before, in[2])));
    }
  }
  const auto bytes = std::as_bytes(std::span(numbers));
  *counts = c.add_constant(".counts", ScalarType::kFloat, {1, out[1], out[2], 1},
                           {bytes.begin(), bytes.end()});
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
    // ceil_mode: the vendor wants none, and looks at the output's shape.
    args.push_back(flag(false));
    args.push_back(num(pool.params.zero_point));
    args.push_back(num(pool.params.zero_point));
  }
  args.push_back(num(pool.range.min));
  args.push_back(num(pool.range.max));
  c.add_node(pool.is_16 ? ops::kBerthMaxPool2d : ops::kQuantizedMaxPool2d, std::move(args),
             c.layout().define_image(c.output_index()));
  return {};
}

namespace {

// Windows that tile the image are dimensions of their own in a view, and reduced: schema(windows,
// dims, false, ...).
void add_tiles(OperatorContext& c, const FloatPool& pool, const OperatorSchema& schema,
               const std::vector<ir::Arg>& more) {
  const std::span<const int32_t> in = c.input(0).shape;
  const std::span<const int32_t> out = c.output().shape;
  const ir::ValueId windows = c.layout().reshaped(
      c.input_index(0), {in[0], out[1], in[1] / out[1], out[2], in[2] / out[2], in[3]});
  std::vector<ir::Arg> args = {ref(windows), ints({2, 4}), flag(false)};
  args.insert(args.end(), more.begin(), more.end());
  add_activated(c, schema, std::move(args), pool.activation,
                c.layout().define_plain(c.output_index()));
}

// Stock pools take the default dim order alone.
ir::ValueId channels_first(OperatorContext& c, ir::ValueId image) {
  const std::vector<int32_t>& nhwc = c.spec(image).sizes;
  ir::TensorSpec spec = {
      ScalarType::kFloat, {nhwc[0], nhwc[3], nhwc[1], nhwc[2]}, ir::contiguous_order(nhwc.size())};
  const ir::ValueId moved = c.add_temporary(".channels_first", std::move(spec));
  c.add_node(ops::kAtenPermuteCopy, {ref(image), ints({0, 3, 1, 2})}, moved);
  return moved;
}

// The output as they write it.
ir::TensorSpec channels_first_output(const OperatorContext& c, ScalarType dtype) {
  const ir::TensorSpec image = c.layout().image_spec(c.output_index());
  return {dtype, image.sizes, ir::contiguous_order(image.sizes.size())};
}

}  // namespace

// aten:: derives the output's size from padding that is the same at both ends. Where no flag makes
// it TFLite's, sums over a padded image are divided by what is inside.
MaybeFailure translate_float_average_pool_2d(OperatorContext& c) {
  FloatPool pool;
  BERTH_IMPORT_TRY(read_float_pool(c, &pool));
  if (pool.tiles(c)) {
    add_tiles(c, pool, ops::kAtenMean, {none()});
    return {};
  }
  const std::optional<bool> ceil_mode = pool.ceil_mode(c);
  ir::ValueId counts = -1;
  if (!ceil_mode) BERTH_IMPORT_TRY(add_counts(c, pool, &counts));
  const ir::ValueId image = ceil_mode
                                ? c.layout().plain(c.input_index(0))
                                : pad_end(c, 0, pool.window.height.odd, pool.window.width.odd, 0);
  const ir::ValueId pooled =
      c.add_temporary(".pooled", channels_first_output(c, ScalarType::kFloat));
  c.add_node(ops::kAtenAvgPool2d,
             {ref(channels_first(c, image)), pool.kernel(), pool.stride(), pool.padding(),
              flag(ceil_mode.value_or(false)), flag(!ceil_mode), ceil_mode ? none() : num(1)},
             pooled);
  if (ceil_mode) {
    add_activated(c, ops::kAtenPermuteCopy, {ref(pooled), ints({0, 2, 3, 1})}, pool.activation,
                  c.layout().define_plain(c.output_index()));
    return {};
  }
  const ir::ValueId sums = c.add_temporary(".sums", c.layout().plain_spec(c.output_index()));
  c.add_node(ops::kAtenPermuteCopy, {ref(pooled), ints({0, 2, 3, 1})}, sums);
  add_activated(c, ops::kAtenDiv, {ref(sums), ref(counts)}, pool.activation,
                c.layout().define_plain(c.output_index()));
  return {};
}

// The pool of this name also writes where each maximum was, eight bytes for each; tiles need none
// of it.
MaybeFailure translate_float_max_pool_2d(OperatorContext& c) {
  FloatPool pool;
  BERTH_IMPORT_TRY(read_float_pool(c, &pool));
  if (pool.tiles(c)) {
    add_tiles(c, pool, ops::kAtenAmax, {});
    return {};
  }
  const std::optional<bool> ceil_mode = pool.ceil_mode(c);
  const ir::ValueId image =
      ceil_mode ? c.layout().plain(c.input_index(0))
                : pad_end(c, 0, pool.window.height.odd, pool.window.width.odd,
                          static_cast<double>(std::numeric_limits<float>::lowest()));
  const ir::ValueId pooled =
      c.add_temporary(".pooled", channels_first_output(c, ScalarType::kFloat));
  const ir::ValueId indices =
      c.add_temporary(".indices", channels_first_output(c, ScalarType::kLong));
  c.add_node(ops::kAtenMaxPool2dWithIndices,
             {ref(channels_first(c, image)), pool.kernel(), pool.stride(), pool.padding(),
              ints({1, 1}), flag(ceil_mode.value_or(false))},
             {pooled, indices});
  add_activated(c, ops::kAtenPermuteCopy, {ref(pooled), ints({0, 2, 3, 1})}, pool.activation,
                c.layout().define_plain(c.output_index()));
  return {};
}

}  // namespace berth::import
