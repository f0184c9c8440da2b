#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/berth/wide_arguments.h"
#include "runtime/kernels/linear_shapes.h"

namespace berth::runtime {
namespace {

enum : uint32_t {
  kIn,
  kWeights,
  kBias,
  kKernelSum,
  kInOffset,
  kFilterOffset,
  kOutOffset,
  kMultipliers,
  kShifts,
  kHigh,
  kLow,
  kOut
};

// Multipliers and shifts stand in lists of values; those of a block are gathered before its sums
// are finished.
template <typename Stage, typename T>
struct ListSink {
  const Args& args;
  Stage stage;
  T* out;
  size_t outputs;

  template <int kSize>
  struct Block {
    int32_t multipliers[kSize], shifts[kSize];
    Stage stage;
    typename Stage::template Block<kSize> prepared;
  };

  template <int kSize>
  void begin(size_t first, int count, Block<kSize>* block) const {
    const bool many = args.list_size(kMultipliers) > 1;
    for (int i = 0; i < (many ? count : 1); ++i) {
      const uint32_t channel = many ? static_cast<uint32_t>(first) + i : 0;
      block->multipliers[i] = static_cast<int32_t>(args.int_at(kMultipliers, channel));
      block->shifts[i] = static_cast<int32_t>(args.int_at(kShifts, channel));
    }
    block->stage = stage;
    block->stage.scaling = {block->multipliers, block->shifts, many ? size_t{1} : size_t{0}};
    if (stage.bias != nullptr) block->stage.bias = stage.bias + first;
    prepare<kSize>(block->stage, 0, count, 1, &block->prepared);
  }
  template <int kSize, typename Sum>
  void store(const Block<kSize>& block, size_t row, size_t first, int count,
             const Sum* sums) const {
    finish<kSize>(block.stage, block.prepared, count, sums, out + row * outputs + first);
  }
};

Status check_lists(const Args& args, size_t outputs, int32_t max_shift) {
  const uint32_t count = args.list_size(kMultipliers);
  KERNEL_REQUIRE(count == args.list_size(kShifts) && (count == 1 || count == outputs),
                 kBadArguments);
  for (uint32_t i = 0; i < count; ++i) {
    const int64_t multiplier = args.int_at(kMultipliers, i), shift = args.int_at(kShifts, i);
    KERNEL_REQUIRE(fits<int32_t>(multiplier) && multiplier != kInt32Min, kBadArguments);
    KERNEL_REQUIRE(shift >= -31 && shift <= max_shift, kBadArguments);
  }
  return Status::kOk;
}

Status run_int8(const Args& args, size_t rows, size_t depth, size_t outputs) {
  OutputStage stage;
  int32_t in_offset = 0, filter_offset = 0;
  KERNEL_TRY(read_input_offset(args, kInOffset, &in_offset));
  KERNEL_TRY(read_input_offset(args, kFilterOffset, &filter_offset));
  KERNEL_TRY(read_zero_point<int8_t>(args, kOutOffset, &stage.zero_point));
  KERNEL_TRY(read_range<int8_t>(args, kLow, kHigh, &stage.range));
  KERNEL_TRY(read_bias(args, kBias, outputs, &stage.bias));
  KERNEL_REQUIRE(args.is_none(kKernelSum), kUnsupported);
  KERNEL_TRY(check_lists(args, outputs, 31));
  multiply<uint32_t>(
      MatrixSource<int8_t>{args.tensor(kIn).as<int8_t>(), depth, in_offset}, rows, depth,
      args.tensor(kWeights).as<int8_t>(), outputs, filter_offset,
      ListSink<OutputStage, int8_t>{args, stage, args.tensor(kOut).as_mutable<int8_t>(), outputs});
  return Status::kOk;
}

Status run_int16(const Args& args, size_t rows, size_t depth, size_t outputs) {
  WideArguments wide;
  KERNEL_TRY(
      read_wide_arguments(args, {kBias, kInOffset, kOutOffset, kLow, kHigh}, outputs, &wide));
  KERNEL_REQUIRE(args.integer(kFilterOffset) == 0, kBadArguments);
  KERNEL_REQUIRE(args.is_none(kKernelSum), kUnsupported);
  KERNEL_TRY(check_lists(args, outputs, wide.max_shift()));
  const MatrixSource<int16_t> source{args.tensor(kIn).as<int16_t>(), depth, 0};
  const int8_t* weights = args.tensor(kWeights).as<int8_t>();
  int16_t* out = args.tensor(kOut).as_mutable<int16_t>();
  if (wide.narrow_bias) {
    multiply<uint32_t>(source, rows, depth, weights, outputs, 0,
                       ListSink<OutputStage, int16_t>{args, wide.narrow, out, outputs});
  } else {
    multiply<int64_t>(source, rows, depth, weights, outputs, 0,
                      ListSink<WideOutputStage, int16_t>{args, wide.wide, out, outputs});
  }
  return Status::kOk;
}

}  // namespace

Status run_berth_quantized_linear(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(kIn);
  const Tensor& weights = args.tensor(kWeights);
  const Tensor& out = args.tensor(kOut);
  KERNEL_REQUIRE(has_dtype(weights, ScalarType::kChar) && in.dtype == out.dtype, kBadArguments);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kChar) || has_dtype(in, ScalarType::kShort),
                 kBadArguments);
  size_t rows = 0;
  KERNEL_TRY(check_linear_shapes(in, weights, out, &rows));
  if (rows == 0) return Status::kOk;
  const size_t outputs = static_cast<size_t>(weights.size(0)),
               depth = static_cast<size_t>(weights.size(1));
  return has_dtype(in, ScalarType::kChar) ? run_int8(args, rows, depth, outputs)
                                          : run_int16(args, rows, depth, outputs);
}

}  // namespace berth::runtime
