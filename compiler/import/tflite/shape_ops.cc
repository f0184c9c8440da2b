// Operators about shapes and axes, all in plain form with TFLite's own axes.
#include <algorithm>
#include <array>
#include <cstring>

#include "compiler/import/tflite/float_ops.h"
#include "compiler/import/tflite/translate.h"

namespace berth::import {
namespace {

constexpr size_t kMostPaddings = 32;

bool is_float(const OperatorContext& c) { return c.input(0).dtype == ScalarType::kFloat; }

// int8, int16 and float32, one type on both sides.
MaybeFailure expect_moved_bytes(const OperatorContext& c) {
  if (c.input(0).dtype != ScalarType::kShort && !is_float(c))
    BERTH_IMPORT_TRY(c.expect_dtype(0, ScalarType::kChar));
  BERTH_IMPORT_TRY(c.expect_dtype(OperatorContext::kOutput, c.input(0).dtype));
  return c.expect_same_params(0);
}

const OperatorSchema& transpose_schema(const OperatorContext& c, size_t rank) {
  if (is_float(c)) return ops::kAtenPermuteCopy;
  return vendor_takes(c.input(0).dtype, rank) ? ops::kTranspose : ops::kBerthTranspose;
}

}  // namespace

// The output's shape is authoritative, so that the new shape (an option, or an input, or neither)
// need not be read.
MaybeFailure translate_reshape(OperatorContext& c) {
  BERTH_IMPORT_TRY(c.expect_dtype(OperatorContext::kOutput, c.input(0).dtype));
  BERTH_IMPORT_TRY(c.expect_same_params(0));
  if (c.input(0).element_count != c.output().element_count) {
    return malformed(c.output_text() + " has " + std::to_string(c.output().element_count) +
                     " elements; the input has " + std::to_string(c.input(0).element_count));
  }
  c.layout().define_alias(c.output_index(), c.input_index(0));
  return {};
}

MaybeFailure translate_transpose(OperatorContext& c) {
  BERTH_IMPORT_TRY(c.expect_dtype(OperatorContext::kOutput, c.input(0).dtype));
  BERTH_IMPORT_TRY(c.expect_same_params(0));
  const std::span<const int32_t> shape = c.input(0).shape;
  std::vector<int64_t> permutation;
  BERTH_IMPORT_TRY(c.read_ints(1, OperatorContext::kMostAxes, &permutation));
  std::vector<bool> seen(shape.size(), false);
  std::vector<int64_t> made;
  if (permutation.size() != shape.size()) {
    return malformed(c.input_text(1) + " has " + std::to_string(permutation.size()) +
                     " axes; the input has " + std::to_string(shape.size()));
  }
  for (int64_t& axis : permutation) {
    BERTH_IMPORT_TRY(c.normalise_axis(0, axis, &axis));
    if (seen[static_cast<size_t>(axis)])
      return malformed(c.input_text(1) + " names axis " + std::to_string(axis) + " twice");
    seen[static_cast<size_t>(axis)] = true;
    made.push_back(shape[static_cast<size_t>(axis)]);
  }
  BERTH_IMPORT_TRY(c.expect_shape(OperatorContext::kOutput, made));
  // Moving dimensions of size 1 moves no byte.
  int64_t last = -1;
  bool moves = false;
  for (const int64_t axis : permutation) {
    if (shape[static_cast<size_t>(axis)] == 1) continue;
    moves = moves || axis < last;
    last = axis;
  }
  if (!moves) {
    c.layout().define_alias(c.output_index(), c.input_index(0));
    return {};
  }
  BERTH_IMPORT_TRY(expect_moved_bytes(c));
  const ir::ValueId input = c.layout().plain(c.input_index(0));
  c.add_node(transpose_schema(c, shape.size()), {ref(input), ints(permutation)},
             c.layout().define_plain(c.output_index()));
  return {};
}

namespace {

// Blocks of pixels to channels or back: the dims (N, A, block, B, block, C) or (N, A, B, block,
// block, C) with the third and the fourth exchanged, A x B being the smaller image.
MaybeFailure translate_blocks(OperatorContext& c, int64_t block, bool to_channels) {
  BERTH_IMPORT_TRY(expect_moved_bytes(c));
  BERTH_IMPORT_TRY(c.expect_rank(0, 4));
  constexpr int64_t kMostBlock = 1 << 15;
  if (block < 1 || block > kMostBlock)
    return malformed("the block size is " + std::to_string(block) + "; 1 or more");
  const std::span<const int32_t> shape = c.input(0).shape;
  const int64_t area = block * block;
  const bool divides =
      to_channels ? shape[1] % block == 0 && shape[2] % block == 0 : shape[3] % area == 0;
  if (!divides) {
    return malformed("the block size is " + std::to_string(block) + "; " + c.input_text(0) +
                     (to_channels ? " has a height or width that is no multiple of it"
                                  : " has a number of channels that is no multiple of its square"));
  }
  const int64_t rows = to_channels ? shape[1] / block : shape[1];
  const int64_t columns = to_channels ? shape[2] / block : shape[2];
  const int64_t channels = to_channels ? shape[3] : shape[3] / area;
  const std::array<int64_t, 4> made =
      to_channels ? std::array<int64_t, 4>{shape[0], rows, columns, channels * area}
                  : std::array<int64_t, 4>{shape[0], rows * block, columns * block, channels};
  BERTH_IMPORT_TRY(c.expect_shape(OperatorContext::kOutput, made));
  const auto sizes = [&](std::array<int64_t, 4> middle) {
    std::vector<int32_t> all = {shape[0]};
    for (const int64_t size : middle) all.push_back(static_cast<int32_t>(size));
    all.push_back(static_cast<int32_t>(channels));
    return all;
  };
  const std::vector<int32_t> apart = sizes({rows, block, columns, block});
  const std::vector<int32_t> together = sizes({rows, columns, block, block});
  const ir::ValueId input = c.layout().reshaped(c.input_index(0), to_channels ? apart : together);
  c.add_node(transpose_schema(c, apart.size()), {ref(input), ints({0, 1, 3, 2, 4, 5})},
             c.layout().define_reshaped(c.output_index(), to_channels ? together : apart));
  return {};
}

}  // namespace

MaybeFailure translate_depth_to_space(OperatorContext& c) {
  const auto* options = c.options<wire::DepthToSpaceOptions>();
  return translate_blocks(c, options == nullptr ? 0 : options->block_size(), false);
}

MaybeFailure translate_space_to_depth(OperatorContext& c) {
  const auto* options = c.options<wire::SpaceToDepthOptions>();
  return translate_blocks(c, options == nullptr ? 0 : options->block_size(), true);
}

MaybeFailure translate_tile(OperatorContext& c) {
  BERTH_IMPORT_TRY(expect_moved_bytes(c));
  const std::span<const int32_t> shape = c.input(0).shape;
  std::vector<int64_t> repeats;
  BERTH_IMPORT_TRY(c.read_ints(1, OperatorContext::kMostAxes, &repeats));
  if (repeats.size() != shape.size()) {
    return malformed(c.input_text(1) + " has " + std::to_string(repeats.size()) +
                     " numbers; the input has " + std::to_string(shape.size()) + " dimensions");
  }
  std::vector<int64_t> made;
  for (size_t d = 0; d < shape.size(); ++d) {
    constexpr int64_t kMost = (int64_t{1} << 31) - 1;
    if (repeats[d] < 1 || repeats[d] > kMost) {
      return malformed(c.input_text(1) + " repeats dimension " + std::to_string(d) + " " +
                       std::to_string(repeats[d]) + " times; 1 or more");
    }
    made.push_back(shape[d] * repeats[d]);
  }
  BERTH_IMPORT_TRY(c.expect_shape(OperatorContext::kOutput, made));
  if (std::all_of(repeats.begin(), repeats.end(), [](int64_t n) { return n == 1; })) {
    c.layout().define_alias(c.output_index(), c.input_index(0));
    return {};
  }
  const ir::ValueId input = c.layout().plain(c.input_index(0));
  c.add_node(ops::kAtenRepeat, {ref(input), ints(repeats)},
             c.layout().define_plain(c.output_index()));
  return {};
}

namespace {

// The value that PADV2 pads with; PAD has none, and 0 is meant.
MaybeFailure read_pad_value(const OperatorContext& c, void* value, size_t size) {
  const FileTensor& constant = c.input(2);
  BERTH_IMPORT_TRY(c.expect_dtype(2, c.input(0).dtype));
  if (!constant.is_constant() || constant.element_count != 1)
    return unsupported(c.input_text(2) + " is no constant of one element");
  std::memcpy(value, constant.data.data(), size);
  return {};
}

// `before` and `after` have an entry for each dimension, and perhaps more in front.
MaybeFailure add_float_pad(OperatorContext& c, const std::vector<int64_t>& before,
                           const std::vector<int64_t>& after) {
  float value = 0;
  if (c.code() == wire::BuiltinOperator::PADV2)
    BERTH_IMPORT_TRY(read_pad_value(c, &value, sizeof(value)));
  std::vector<int64_t> pairs;  // from the last dimension on
  for (size_t back = 1; back <= c.input(0).shape.size(); ++back) {
    pairs.push_back(before[before.size() - back]);
    pairs.push_back(after[after.size() - back]);
  }
  while (pairs.size() > 2 && pairs.back() == 0 && pairs[pairs.size() - 2] == 0)
    pairs.resize(pairs.size() - 2);
  const ir::ValueId input = c.layout().plain(c.input_index(0));
  c.add_node(ops::kAtenConstantPadNd, {ref(input), ints(pairs), real(static_cast<double>(value))},
             c.layout().define_plain(c.output_index()));
  return {};
}

}  // namespace

MaybeFailure translate_pad(OperatorContext& c) {
  BERTH_IMPORT_TRY(expect_moved_bytes(c));
  const std::span<const int32_t> shape = c.input(0).shape;
  const size_t rank = shape.size();
  std::vector<int64_t> paddings;
  BERTH_IMPORT_TRY(c.read_ints(1, kMostPaddings, &paddings));
  if (paddings.size() != 2 * rank) {
    return malformed(c.input_text(1) + " has " + std::to_string(paddings.size()) +
                     " numbers; two per dimension of the input");
  }
  if (rank == 0) return malformed(c.input_text(0) + " has no dimension to pad");
  // Entries for the last dimension stand last; the vendor's operator wants all four.
  const size_t entries = std::max(rank, kVendorRank);
  std::vector<int64_t> before(entries, 0), after(entries, 0), made;
  for (size_t d = 0; d < rank; ++d) {
    const int64_t low = paddings[2 * d];
    const int64_t high = paddings[2 * d + 1];
    constexpr int64_t kMost = (int64_t{1} << 31) - 1;
    if (low < 0 || high < 0 || low > kMost || high > kMost) {
      return malformed(c.input_text(1) + " pads dimension " + std::to_string(d) + " by " +
                       std::to_string(low) + " and " + std::to_string(high) + "; 0 or more");
    }
    before[entries - rank + d] = low;
    after[entries - rank + d] = high;
    made.push_back(shape[d] + low + high);
  }
  BERTH_IMPORT_TRY(c.expect_shape(OperatorContext::kOutput, made));
  if (is_float(c)) return add_float_pad(c, before, after);
  int64_t value = 0;
  if (c.code() == wire::BuiltinOperator::PADV2) {
    BERTH_IMPORT_TRY(c.expect_same_params(2));
    int8_t narrow = 0;
    int16_t wide = 0;
    const bool is_8 = c.input(0).dtype == ScalarType::kChar;
    BERTH_IMPORT_TRY(is_8 ? read_pad_value(c, &narrow, sizeof(narrow))
                          : read_pad_value(c, &wide, sizeof(wide)));
    value = is_8 ? narrow : wide;
  } else {
    PerTensor params;
    BERTH_IMPORT_TRY(c.read_params(OperatorContext::kOutput, &params));
    value = params.zero_point;
  }
  const ir::ValueId input = c.layout().plain(c.input_index(0));
  c.add_node(vendor_takes(c.input(0)) ? ops::kPad : ops::kBerthPad,
             {ref(input), ints(before), ints(after), num(value)},
             c.layout().define_plain(c.output_index()));
  return {};
}

MaybeFailure translate_concatenation(OperatorContext& c) {
  const auto* options = c.options<wire::ConcatenationOptions>();
  if (c.fused_activation<wire::ConcatenationOptions>() != wire::ActivationFunctionType::NONE) {
    return unsupported("a fused activation; only NONE is supported here");
  }
  int64_t axis = 0;
  BERTH_IMPORT_TRY(c.normalise_axis(0, options == nullptr ? 0 : options->axis(), &axis));
  const std::span<const int32_t> first = c.input(0).shape;
  std::vector<int64_t> made(first.begin(), first.end());
  made[static_cast<size_t>(axis)] = 0;
  for (int i = 0; i < c.input_count(); ++i) {
    if (!c.has_input(i))
      return malformed("inputs[" + std::to_string(i) +
                       "] is absent; parts of a concatenation are not optional");
    BERTH_IMPORT_TRY(c.expect_dtype(i, c.output().dtype));
    BERTH_IMPORT_TRY(c.expect_same_params(i));
    BERTH_IMPORT_TRY(c.expect_rank(i, first.size()));
    const std::span<const int32_t> shape = c.input(i).shape;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (d == static_cast<size_t>(axis)) {
        made[d] += shape[d];
      } else if (shape[d] != first[d]) {
        return malformed(c.input_text(i) + " has " + std::to_string(shape[d]) + " in dimension " +
                         std::to_string(d) + "; the other parts have " + std::to_string(first[d]));
      }
    }
  }
  BERTH_IMPORT_TRY(c.expect_shape(OperatorContext::kOutput, made));
  ir::RefList parts;
  for (int i = 0; i < c.input_count(); ++i) parts.push_back({c.layout().plain(c.input_index(i))});
  c.add_node(ops::kAtenCat, {parts, num(axis)}, c.layout().define_plain(c.output_index()));
  return {};
}

namespace {

struct Reduction {
  std::vector<int64_t> dims;
  bool keep = false;
  int64_t count = 1;  // elements that become one
};

MaybeFailure read_reduction(const OperatorContext& c, Reduction* out) {
  const auto* options = c.options<wire::ReducerOptions>();
  out->keep = options != nullptr && options->keep_dims();
  const std::span<const int32_t> shape = c.input(0).shape;
  std::vector<int64_t> axes;
  BERTH_IMPORT_TRY(c.read_ints(1, OperatorContext::kMostAxes, &axes));
  std::vector<bool> reduced(shape.size(), false);
  for (const int64_t axis : axes) {
    int64_t normal = 0;
    BERTH_IMPORT_TRY(c.normalise_axis(0, axis, &normal));
    reduced[static_cast<size_t>(normal)] = true;
  }
  if (axes.empty()) return unsupported(c.input_text(1) + " names no axis; one or more");
  std::vector<int64_t> made;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (reduced[d]) {
      out->dims.push_back(static_cast<int64_t>(d));
      out->count *= shape[d];
      if (out->keep) made.push_back(1);
    } else {
      made.push_back(shape[d]);
    }
  }
  return c.expect_shape(OperatorContext::kOutput, made);
}

}  // namespace

MaybeFailure translate_mean(OperatorContext& c) {
  if (c.input(0).dtype != ScalarType::kShort)
    BERTH_IMPORT_TRY(c.expect_dtype(0, ScalarType::kChar));
  BERTH_IMPORT_TRY(c.expect_dtype(OperatorContext::kOutput, c.input(0).dtype));
  PerTensor in, out;
  BERTH_IMPORT_TRY(c.read_params(0, &in));
  BERTH_IMPORT_TRY(c.read_params(OperatorContext::kOutput, &out));
  Reduction reduction;
  BERTH_IMPORT_TRY(read_reduction(c, &reduction));
  const double real = static_cast<double>(in.scale) / static_cast<double>(out.scale);
  const auto multiplier = quantize_multiplier(real);
  if (!multiplier)
    return unsupported("the scales ask for a multiplication by " + std::to_string(real));
  // A sum is the mean that is not divided.
  const Multiplier divided = c.code() == wire::BuiltinOperator::SUM
                                 ? *multiplier
                                 : divide_by_count(*multiplier, reduction.count);
  const ir::ValueId input = c.layout().plain(c.input_index(0));
  c.add_node(ops::kBerthMean,
             {ref(input), ints(reduction.dims), flag(reduction.keep), num(in.zero_point),
              num(out.zero_point), num(divided.multiplier), num(divided.shift)},
             c.layout().define_plain(c.output_index()));
  return {};
}

MaybeFailure translate_float_reduction(OperatorContext& c) {
  BERTH_IMPORT_TRY(expect_floats(c, 1));
  Reduction reduction;
  BERTH_IMPORT_TRY(read_reduction(c, &reduction));
  const wire::BuiltinOperator code = c.code();
  const OperatorSchema& schema = code == wire::BuiltinOperator::SUM          ? ops::kAtenSumIntList
                                 : code == wire::BuiltinOperator::REDUCE_MAX ? ops::kAtenAmax
                                 : code == wire::BuiltinOperator::REDUCE_MIN ? ops::kAtenAmin
                                                                             : ops::kAtenMean;
  const ir::ValueId input = c.layout().plain(c.input_index(0));
  std::vector<ir::Arg> args = {ref(input), ints(reduction.dims), flag(reduction.keep)};
  if (code == wire::BuiltinOperator::MEAN || code == wire::BuiltinOperator::SUM)
    args.push_back(none());  // dtype: the input's
  c.add_node(schema, std::move(args), c.layout().define_plain(c.output_index()));
  return {};
}

// The first of equal ones, as both have it.
MaybeFailure translate_arg_extreme(OperatorContext& c) {
  const ScalarType dtype = c.input(0).dtype;
  if (dtype != ScalarType::kFloat && dtype != ScalarType::kInt && dtype != ScalarType::kByte)
    BERTH_IMPORT_TRY(c.expect_dtype(0, ScalarType::kChar));
  std::vector<int64_t> axes;
  BERTH_IMPORT_TRY(c.read_ints(1, 1, &axes));
  if (axes.size() != 1) return malformed(c.input_text(1) + " has no number; an axis");
  int64_t axis = 0;
  BERTH_IMPORT_TRY(c.normalise_axis(0, axes[0], &axis));
  std::vector<int64_t> made;
  for (size_t d = 0; d < c.input(0).shape.size(); ++d) {
    if (d != static_cast<size_t>(axis)) made.push_back(c.input(0).shape[d]);
  }
  BERTH_IMPORT_TRY(c.expect_shape(OperatorContext::kOutput, made));
  const bool is_narrow = c.output().dtype == ScalarType::kInt;
  if (!is_narrow) BERTH_IMPORT_TRY(c.expect_dtype(OperatorContext::kOutput, ScalarType::kLong));
  const bool is_max = c.code() == wire::BuiltinOperator::ARG_MAX;
  const ir::ValueId input = c.layout().plain(c.input_index(0));
  const ir::ValueId result = c.layout().define_plain(c.output_index());
  ir::TensorSpec wide = c.spec(result);
  wide.dtype = ScalarType::kLong;
  const ir::ValueId found = is_narrow ? c.add_temporary(".index", wide) : result;
  c.add_node(is_max ? ops::kAtenArgmax : ops::kAtenArgmin, {ref(input), num(axis), flag(false)},
             found);
  if (is_narrow) c.add_node(ops::kAtenToCopy, {ref(found), flag(false), none()}, result);
  return {};
}

}  // namespace berth::import
