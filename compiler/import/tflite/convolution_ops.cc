// CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV. int8 activations run on the cortex_m:: operators,
// int16 ones on berth::'s; a multiplier and a shift per output channel become two constant tensors,
// also when the file has one scale for all weights.
#include <array>
#include <cstring>

#include "compiler/import/tflite/convolution_shapes.h"
#include "compiler/import/tflite/translate.h"
#include "contract/fixed_point.h"

namespace berth::import {
namespace {

// What the three have in common once their tensors are checked.
struct Convolution {
  bool is_16 = false;
  PerTensor input, output;
  Range range;
  int64_t channels = 0;  // of the output
  ir::Arg bias;
  std::vector<int32_t> multipliers, shifts;

  // Zero points as kernels add them.
  ir::Arg input_offset() const { return num(-int64_t{input.zero_point}); }
  ir::Arg output_offset() const { return num(output.zero_point); }
};

// Where an operator has its tensors. `channel_dimension` is the filter's dimension of output
// channels.
struct Slots {
  int input, filter, bias;
  int32_t channel_dimension;
};

MaybeFailure check_filter(const OperatorContext& c, const Slots& slots) {
  BERTH_IMPORT_TRY(c.expect_dtype(slots.filter, ScalarType::kChar));
  BERTH_IMPORT_TRY(c.expect_rank(slots.filter, 4));
  const FileTensor& filter = c.input(slots.filter);
  const std::string text = c.input_text(slots.filter);
  if (!filter.is_constant())
    return unsupported(text + " is computed at run time; constant filters are supported");
  const Quantization& q = filter.quantization;
  if (q.scales.empty()) return unsupported(text + " has no scale");
  if (q.scales.size() > 1 && q.dimension != slots.channel_dimension) {
    return unsupported(text + " is quantised along dimension " + std::to_string(q.dimension) +
                       "; " + std::to_string(slots.channel_dimension) + " is supported here");
  }
  for (const int64_t zero_point : q.zero_points) {
    if (zero_point != 0) {
      return unsupported(text + " has the zero point " + std::to_string(zero_point) +
                         "; filters are symmetric (0)");
    }
  }
  return {};
}

MaybeFailure read_bias(OperatorContext& c, const Slots& slots, Convolution* out) {
  out->bias = none();
  if (!c.has_input(slots.bias)) return {};
  const FileTensor& bias = c.input(slots.bias);
  const bool wide = out->is_16 && bias.dtype == ScalarType::kLong;
  if (!wide) BERTH_IMPORT_TRY(c.expect_dtype(slots.bias, ScalarType::kInt));
  if (!bias.is_constant())
    return unsupported(c.input_text(slots.bias) +
                       " is computed at run time; a constant bias is supported");
  const std::array<int64_t, 1> shape = {out->channels};
  BERTH_IMPORT_TRY(c.expect_shape(slots.bias, shape));
  out->bias = ref(c.constant_input(slots.bias, ".bias"));
  return {};
}

// Tensors, channels, bias and requantisation: input and filter have 4 dimensions then.
MaybeFailure read_convolution(OperatorContext& c, const Slots& slots,
                              wire::ActivationFunctionType activation, Convolution* out) {
  const FileTensor& input = c.input(slots.input);
  out->is_16 = input.dtype == ScalarType::kShort;
  if (!out->is_16) BERTH_IMPORT_TRY(c.expect_dtype(slots.input, ScalarType::kChar));
  BERTH_IMPORT_TRY(c.expect_dtype(OperatorContext::kOutput, input.dtype));
  BERTH_IMPORT_TRY(c.expect_rank(slots.input, 4));
  BERTH_IMPORT_TRY(check_filter(c, slots));
  out->channels = c.input(slots.filter).shape[static_cast<size_t>(slots.channel_dimension)];
  BERTH_IMPORT_TRY(c.read_params(slots.input, &out->input));
  BERTH_IMPORT_TRY(c.read_params(OperatorContext::kOutput, &out->output));
  BERTH_IMPORT_TRY(c.read_activation(activation, out->output, &out->range));
  const FileTensor& output = c.output();
  if (output.shape.size() == 4 && output.shape[3] != out->channels) {
    return malformed(c.output_text() + " has " + std::to_string(output.shape[3]) +
                     " channels; the filter makes " + std::to_string(out->channels));
  }
  BERTH_IMPORT_TRY(read_bias(c, slots, out));

  // With a 64-bit accumulator (16-bit activations without a 32-bit bias) the shift must leave room
  // for 16 bits.
  const bool wide_sum =
      out->is_16 && !(c.has_input(slots.bias) && c.input(slots.bias).dtype == ScalarType::kInt);
  const std::span<const float> scales = c.input(slots.filter).quantization.scales;
  BERTH_IMPORT_TRY(c.pay(static_cast<uint64_t>(out->channels) * 2 * sizeof(int32_t)));
  for (int64_t channel = 0; channel < out->channels; ++channel) {
    const float scale = scales.size() == 1 ? scales[0] : scales[static_cast<size_t>(channel)];
    const double real = channel_multiplier(out->input.scale, scale, out->output.scale);
    const auto multiplier = quantize_multiplier(real);
    if (!multiplier || (wide_sum && !is_valid_shift64(multiplier->shift))) {
      return unsupported("the scales of channel " + std::to_string(channel) +
                         " ask for a multiplication by " + std::to_string(real) +
                         "; kernels cannot shift that far");
    }
    out->multipliers.push_back(multiplier->multiplier);
    out->shifts.push_back(multiplier->shift);
  }
  return {};
}

// The arguments behind the geometry: offsets, multipliers, shifts, bounds.
void append_requantisation(OperatorContext& c, const Convolution& convolution,
                           std::vector<ir::Arg>* args) {
  args->push_back(convolution.input_offset());
  args->push_back(convolution.output_offset());
  args->push_back(ref(c.add_constant(".multipliers", convolution.multipliers)));
  args->push_back(ref(c.add_constant(".shifts", convolution.shifts)));
  args->push_back(num(convolution.range.min));
  args->push_back(num(convolution.range.max));
}

ir::Arg pair(int64_t height, int64_t width) { return ints({height, width}); }

// The filter's way over the input.
struct Sliding {
  WindowPair windows;
  WindowPairResult result;
};

// Options: Conv2DOptions or DepthwiseConv2DOptions.
template <typename Options>
MaybeFailure slide_filter(const OperatorContext& c, const Slots& slots, const Options& options,
                          Sliding* out) {
  const std::span<const int32_t> filter = c.input(slots.filter).shape;
  out->windows.height = {0, filter[1], options.stride_h(), options.dilation_h_factor()};
  out->windows.width = {0, filter[2], options.stride_w(), options.dilation_w_factor()};
  return slide_over_input(c, slots.input, options.padding(), out->windows, &out->result);
}

// The arguments from the input to the padding.
std::vector<ir::Arg> first_args(ir::ValueId image, ir::ValueId weights,
                                const Convolution& convolution, const Sliding& sliding) {
  return {ref(image), ref(weights), convolution.bias,
          pair(sliding.windows.height.stride, sliding.windows.width.stride),
          pair(sliding.result.height.before, sliding.result.width.before)};
}

// A depthwise filter (1, H, W, C) as filters of one input channel, (C, H, W, 1).
MaybeFailure regroup_filter(OperatorContext& c, int i, ir::ValueId* result) {
  const FileTensor& filter = c.input(i);
  BERTH_IMPORT_TRY(c.pay(filter.data.size()));
  const std::span<const int32_t> shape = filter.shape;
  const auto channels = static_cast<size_t>(shape[3]);
  const size_t taps = filter.data.size() / channels;
  ir::Bytes bytes(filter.data.size());
  for (size_t tap = 0; tap < taps; ++tap) {
    for (size_t channel = 0; channel < channels; ++channel) {
      bytes[channel * taps + tap] = filter.data[tap * channels + channel];
    }
  }
  *result =
      c.add_constant(".weights", filter.dtype, {shape[3], shape[1], shape[2], 1}, std::move(bytes));
  return {};
}

}  // namespace

MaybeFailure translate_conv_2d(OperatorContext& c) {
  constexpr Slots kSlots{0, 1, 2, 0};
  const auto* options = c.options<wire::Conv2DOptions>();
  if (options == nullptr) return malformed("has no Conv2DOptions; a stride is needed");
  Convolution convolution;
  BERTH_IMPORT_TRY(read_convolution(c, kSlots, options->fused_activation_function(), &convolution));
  int64_t groups = 0;
  BERTH_IMPORT_TRY(read_groups(c, kSlots.input, kSlots.filter, &groups));
  Sliding sliding;
  BERTH_IMPORT_TRY(slide_filter(c, kSlots, *options, &sliding));

  const ir::ValueId image = c.layout().image(c.input_index(kSlots.input));
  std::vector<ir::Arg> args =
      first_args(image, c.constant_input(kSlots.filter, ".weights"), convolution, sliding);
  args.push_back(pair(sliding.windows.height.dilation, sliding.windows.width.dilation));
  append_requantisation(c, convolution, &args);
  if (!convolution.is_16) args.push_back(none());  // scratch
  c.add_node(convolution.is_16 ? ops::kBerthConv2d : ops::kQuantizedConv2d, std::move(args),
             c.layout().define_image(c.output_index()));
  return {};
}

MaybeFailure translate_depthwise_conv_2d(OperatorContext& c) {
  constexpr Slots kSlots{0, 1, 2, 3};
  const auto* options = c.options<wire::DepthwiseConv2DOptions>();
  if (options == nullptr) return malformed("has no DepthwiseConv2DOptions; a stride is needed");
  Convolution convolution;
  BERTH_IMPORT_TRY(read_convolution(c, kSlots, options->fused_activation_function(), &convolution));
  int32_t per_channel = 0;
  BERTH_IMPORT_TRY(read_depth_multiplier(c, kSlots.input, kSlots.filter,
                                         options->depth_multiplier(), &per_channel));
  Sliding sliding;
  BERTH_IMPORT_TRY(slide_filter(c, kSlots, *options, &sliding));

  // The vendor's depthwise kernel takes one image at a time. A batch is a convolution with a group
  // per input channel, whose filters stand one after the other.
  const bool is_grouped = !convolution.is_16 && c.input(kSlots.input).shape[0] > 1;
  ir::ValueId weights = -1;
  if (is_grouped) {
    BERTH_IMPORT_TRY(regroup_filter(c, kSlots.filter, &weights));
  } else {
    weights = c.constant_input(kSlots.filter, ".weights");
  }
  const ir::ValueId image = c.layout().image(c.input_index(kSlots.input));
  std::vector<ir::Arg> args = first_args(image, weights, convolution, sliding);
  args.push_back(pair(sliding.windows.height.dilation, sliding.windows.width.dilation));
  if (!is_grouped) args.push_back(num(per_channel));
  append_requantisation(c, convolution, &args);
  if (!convolution.is_16) args.push_back(none());  // scratch
  const OperatorSchema& schema = convolution.is_16 ? ops::kBerthDepthwiseConv2d
                                 : is_grouped      ? ops::kQuantizedConv2d
                                                   : ops::kQuantizedDepthwiseConv2d;
  c.add_node(schema, std::move(args), c.layout().define_image(c.output_index()));
  return {};
}

MaybeFailure translate_transpose_conv(OperatorContext& c) {
  constexpr Slots kSlots{2, 1, 3, 0};
  const auto* options = c.options<wire::TransposeConvOptions>();
  if (options == nullptr) return malformed("has no TransposeConvOptions; a stride is needed");
  BERTH_IMPORT_TRY(c.expect_dtype(kSlots.input, ScalarType::kChar));
  Convolution convolution;
  BERTH_IMPORT_TRY(read_convolution(c, kSlots, options->fused_activation_function(), &convolution));
  Sliding sliding;
  BERTH_IMPORT_TRY(slide_transposed(c, kSlots.input, kSlots.filter, *options, &sliding.windows,
                                    &sliding.result));
  const WindowPairResult& window = sliding.result;
  // The vendor's output padding is the unit by which the other end is cut more.
  const ir::ValueId image = c.layout().image(c.input_index(kSlots.input));
  std::vector<ir::Arg> args =
      first_args(image, c.constant_input(kSlots.filter, ".weights"), convolution, sliding);
  args.push_back(pair(window.height.odd, window.width.odd));
  args.push_back(pair(1, 1));
  append_requantisation(c, convolution, &args);
  args.push_back(none());  // scratch
  args.push_back(none());
  c.add_node(ops::kQuantizedTransposeConv2d, std::move(args),
             c.layout().define_image(c.output_index()));
  return {};
}

}  // namespace berth::import
