// Linear layers, int8 and int16: a product of matrices whose factors stand in lists of values.
#pragma once

#include "runtime/kernels/cortex_m/int8_rows.h"
#include "runtime/kernels/sum_stages.h"
#include "runtime/kernels/window.h"

namespace berth::runtime {

namespace linear {
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
}  // namespace linear

// Whose operator it is: the vendor's has one multiplier and may have a kernel_sum; ours has one
// multiplier or one per output, and no kernel_sum.
enum class LinearForm : uint8_t { kVendor, kPerOutput };

// What most tensors here are; sooner said than is_row_major, which has the last word.
inline bool is_plain_matrix(const Tensor& tensor) {
  return tensor.rank == 2 && tensor.dim_order[0] == 0 && tensor.dim_order[1] == 1;
}

// in (..., depth), weights (outputs, depth), out (..., outputs), all row-major; as many rows in
// both. nothing is to be done.
inline Status check_linear_shapes(const Tensor& in, const Tensor& weights, const Tensor& out,
                                  size_t* rows) {
  if (is_plain_matrix(in) && is_plain_matrix(weights) && is_plain_matrix(out)) {
    const int32_t *x = in.sizes, *w = weights.sizes, *y = out.sizes;
    KERNEL_REQUIRE(w[1] > 0 && x[1] == w[1] && y[1] == w[0], kBadShape);
    KERNEL_REQUIRE(x[0] == y[0], kBadShape);
    *rows = static_cast<size_t>(x[0]);
    return Status::kOk;
  }
  KERNEL_REQUIRE(in.rank >= 1 && weights.rank == 2 && out.rank >= 1, kBadShape);
  KERNEL_REQUIRE(is_row_major(in) && is_row_major(weights) && is_row_major(out), kBadShape);
  KERNEL_REQUIRE(weights.size(1) > 0 && in.size(in.rank - 1) == weights.size(1), kBadShape);
  KERNEL_REQUIRE(out.size(out.rank - 1) == weights.size(0), kBadShape);
  *rows = count_rows(in);
  KERNEL_REQUIRE(count_rows(out) == *rows, kBadShape);
  return Status::kOk;
}

inline Status check_linear_factor(const Args& args, uint32_t output, int32_t max_shift) {
  const int64_t multiplier = args.int_at(linear::kMultipliers, output);
  const int64_t shift = args.int_at(linear::kShifts, output);
  KERNEL_REQUIRE(fits<int32_t>(multiplier) && fits<int32_t>(shift), kBadArguments);
  const int32_t narrow = static_cast<int32_t>(shift);
  KERNEL_REQUIRE(static_cast<int32_t>(multiplier) != kInt32Min, kBadArguments);
  KERNEL_REQUIRE(narrow >= -31 && narrow <= max_shift, kBadArguments);
  return Status::kOk;
}

inline Status check_linear_factors(const Args& args, size_t most, int32_t max_shift) {
  const uint32_t count = args.list_size(linear::kMultipliers);
  KERNEL_REQUIRE(count == args.list_size(linear::kShifts) && (count == 1 || count == most),
                 kBadArguments);
  KERNEL_REQUIRE(count > 0, kBadArguments);
  KERNEL_TRY(check_linear_factor(args, 0, max_shift));
  for (uint32_t i = 1; i < count; ++i) KERNEL_TRY(check_linear_factor(args, i, max_shift));
  return Status::kOk;
}

// A sink of multiply(). The factors of a block of outputs are gathered before its sums are
// finished.
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
    const bool many = args.list_size(linear::kMultipliers) > 1;
    for (int i = 0; i < (many ? count : 1); ++i) {
      const uint32_t channel = many ? static_cast<uint32_t>(first) + i : 0;
      block->multipliers[i] = static_cast<int32_t>(args.int_at(linear::kMultipliers, channel));
      block->shifts[i] = static_cast<int32_t>(args.int_at(linear::kShifts, channel));
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

// The weights' offset: an int16 layer's weights have none.
template <typename T>
Status read_filter_offset(const Args& args, int32_t* out) {
  KERNEL_TRY(read_input_offset(args, linear::kFilterOffset, out));
  KERNEL_REQUIRE(sizeof(T) == 1 || *out == 0, kBadArguments);
  return Status::kOk;
}

// Files made for MVE bring bias and what the input offset adds, summed beforehand; with a bias it
// does not count.
inline Status take_kernel_sum(const Args& args, size_t outputs, SumStages<int8_t>* sums) {
  const int32_t* kernel_sum = nullptr;
  KERNEL_TRY(read_bias(args, linear::kKernelSum, ScalarType::kInt, outputs, &kernel_sum));
  if (sums->stage.bias != nullptr || kernel_sum == nullptr) return Status::kOk;
  sums->stage.bias = kernel_sum;
  sums->in_offset = 0;
  return Status::kOk;
}

// int8 on a Cortex-M, a multiplier and a shift for each output. `filters`: all of them, with the
// bias.
[[gnu::noinline]] inline void multiply_int8_per_output(const Args& args, const Int8Rows& rows,
                                                       Int8Filters filters, int8_t* out) {
  constexpr int kBlock = 32;
  int32_t multipliers[kBlock], shifts[kBlock];
  const int32_t* const bias = filters.channels.bias;
  const int outputs = filters.count;
  for (int first = 0; first < outputs; first += kBlock) {
    filters.count = outputs - first < kBlock ? outputs - first : kBlock;
    for (int i = 0; i < filters.count; ++i) {
      const uint32_t output = static_cast<uint32_t>(first + i);
      multipliers[i] = static_cast<int32_t>(args.int_at(linear::kMultipliers, output));
      shifts[i] = static_cast<int32_t>(args.int_at(linear::kShifts, output));
    }
    filters.channels = {bias == nullptr ? nullptr : bias + first, multipliers, shifts, false};
    multiply_rows(rows, filters, out + first, static_cast<size_t>(outputs));
    filters.weights += kBlock * filters.depth;
  }
}

// An integer argument in [low, low + span]. Its cell's address is hidden from the compiler, which
// would make two of it, one for each half.
inline bool read_between(const Args& args, uint32_t index, int32_t low, uint32_t span,
                         int32_t* out) {
  const EValue* cell = &args.value(index);
  asm("" : "+r"(cell));
  const int64_t value = cell->integer;
  *out = static_cast<int32_t>(value);
  return *out == value && static_cast<uint32_t>(*out) - static_cast<uint32_t>(low) <= span;
}

// read_bias in place, where there may be none.
[[gnu::always_inline]] inline Status take_sums(const Tensor* sums, size_t outputs,
                                               const int32_t** out) {
  if (sums == nullptr) return Status::kOk;
  KERNEL_REQUIRE(has_dtype(*sums, ScalarType::kInt), kBadArguments);
  KERNEL_REQUIRE(has_elements(*sums, outputs), kBadShape);
  *out = sums->as<int32_t>();
  return Status::kOk;
}

// int8 on a Cortex-M, where a layer may take fewer instructions than checks take that are not made
// for it. The checks are run_linear's.
inline Status run_int8_linear(const Args& args, LinearForm form) {
  const Tensor& in = args.tensor(linear::kIn);
  const Tensor& weights = args.tensor(linear::kWeights);
  const Tensor& out = args.tensor(linear::kOut);
  KERNEL_REQUIRE(all_have_dtype(ScalarType::kChar, in, weights, out), kBadArguments);
  size_t rows = 0;
  KERNEL_TRY(check_linear_shapes(in, weights, out, &rows));
  if (rows == 0) return Status::kOk;
  const size_t outputs = static_cast<size_t>(weights.size(0));

  Int8Rows all{in.as<int8_t>(), rows, 0};
  Int8Filters filters;
  filters.weights = weights.as<int8_t>();
  filters.depth = static_cast<size_t>(weights.size(1));
  filters.count = static_cast<int>(outputs);
  Int8Bounds& bounds = filters.bounds;
  KERNEL_REQUIRE(read_between(args, linear::kInOffset, -127, 255, &filters.row_offset),
                 kBadArguments);
  KERNEL_REQUIRE(read_between(args, linear::kFilterOffset, -127, 255, &all.filter_offset),
                 kBadArguments);
  KERNEL_REQUIRE(read_between(args, linear::kOutOffset, -128, 255, &bounds.zero_point),
                 kBadArguments);
  KERNEL_REQUIRE(read_between(args, linear::kLow, -128, 255, &bounds.low), kBadArguments);
  KERNEL_REQUIRE(read_between(args, linear::kHigh, -128, 255, &bounds.high), kBadArguments);
  KERNEL_REQUIRE(bounds.low <= bounds.high, kBadArguments);

  const int32_t *bias = nullptr, *kernel_sum = nullptr;
  KERNEL_TRY(take_sums(args.optional_tensor(linear::kBias), outputs, &bias));
  KERNEL_REQUIRE(form == LinearForm::kVendor || args.is_none(linear::kKernelSum), kUnsupported);
  KERNEL_TRY(take_sums(args.optional_tensor(linear::kKernelSum), outputs, &kernel_sum));
  if (bias == nullptr && kernel_sum != nullptr) bias = kernel_sum, filters.row_offset = 0;
  int8_t* const to = out.as_mutable<int8_t>();
  if (args.list_size(linear::kMultipliers) == 1 && args.list_size(linear::kShifts) == 1) {
    const int64_t multiplier = args.int_at(linear::kMultipliers, 0);
    const int64_t shift = args.int_at(linear::kShifts, 0);
    const int32_t factors[] = {static_cast<int32_t>(multiplier), static_cast<int32_t>(shift)};
    KERNEL_REQUIRE(factors[0] == multiplier && factors[0] != kInt32Min, kBadArguments);
    KERNEL_REQUIRE(factors[1] == shift && static_cast<uint32_t>(wrapping_add(factors[1], 31)) <= 62,
                   kBadArguments);
    filters.channels = {bias, &factors[0], &factors[1], true};
    multiply_rows(all, filters, to, outputs);
    return Status::kOk;
  }
  KERNEL_TRY(check_linear_factors(args, form == LinearForm::kVendor ? 1 : outputs, 31));
  filters.channels.bias = bias;
  multiply_int8_per_output(args, all, filters, to);
  return Status::kOk;
}

// Activations of T, weights int8.
template <typename T>
Status run_linear(const Args& args, LinearForm form) {
  if constexpr (sizeof(T) == 1 && kBuildIsa != Isa::kHost) return run_int8_linear(args, form);
  const Tensor& in = args.tensor(linear::kIn);
  const Tensor& weights = args.tensor(linear::kWeights);
  const Tensor& out = args.tensor(linear::kOut);
  constexpr ScalarType kType = scalar_type_of<T>();
  KERNEL_REQUIRE(has_dtype(in, kType) && has_dtype(out, kType), kBadArguments);
  KERNEL_REQUIRE(has_dtype(weights, ScalarType::kChar), kBadArguments);
  size_t rows = 0;
  KERNEL_TRY(check_linear_shapes(in, weights, out, &rows));
  if (rows == 0) return Status::kOk;
  const size_t outputs = static_cast<size_t>(weights.size(0));
  const size_t depth = static_cast<size_t>(weights.size(1));

  SumStages<T> sums;
  int32_t filter_offset = 0;
  KERNEL_TRY(sums.read(
      args, {linear::kBias, linear::kInOffset, linear::kOutOffset, linear::kLow, linear::kHigh},
      outputs));
  KERNEL_TRY(read_filter_offset<T>(args, &filter_offset));
  KERNEL_REQUIRE(form == LinearForm::kVendor || args.is_none(linear::kKernelSum), kUnsupported);
  if constexpr (sizeof(T) == 1) KERNEL_TRY(take_kernel_sum(args, outputs, &sums));
  const size_t most = form == LinearForm::kVendor ? 1 : outputs;
  KERNEL_TRY(check_linear_factors(args, most, sums.max_shift()));

  sums.run([&](auto zero, int32_t in_offset, const auto& stage) {
    using Stage = std::decay_t<decltype(stage)>;
    multiply<decltype(zero)>(MatrixSource<T>{in.as<T>(), depth, in_offset}, rows, depth,
                             weights.as<int8_t>(), outputs, filter_offset,
                             ListSink<Stage, T>{args, stage, out.as_mutable<T>(), outputs});
  });
  return Status::kOk;
}

}  // namespace berth::runtime
