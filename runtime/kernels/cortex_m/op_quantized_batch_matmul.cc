#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/cortex_m/int8_rows.h"
#include "runtime/kernels/sum_stages.h"
#include "runtime/kernels/window.h"

namespace berth::runtime {
namespace {

// One matrix: rows of `depth` times `columns` of them.
struct MatrixPair {
  const int8_t *lhs, *rhs;
  size_t rows, columns, depth;
  int32_t lhs_offset, rhs_offset;
};

void multiply_pair(const MatrixPair& pair, const OutputStage& stage,
                   [[maybe_unused]] int32_t* column_shares, int8_t* out) {
  if constexpr (kBuildIsa == Isa::kHost) {
    multiply<uint32_t>(MatrixSource<int8_t>{pair.lhs, pair.depth, pair.lhs_offset}, pair.rows,
                       pair.depth, pair.rhs, pair.columns, pair.rhs_offset,
                       RowSink<OutputStage, int8_t>{stage, out, pair.columns});
    return;
  }
  const Int8Rows rows{pair.lhs, pair.rows, pair.rhs_offset};
  Int8Filters filters{pair.rhs,
                      pair.depth,
                      static_cast<int>(pair.columns),
                      {nullptr, stage.scaling.multipliers, stage.scaling.shifts, true},
                      {stage.zero_point, stage.range.low, stage.range.high},
                      pair.lhs_offset};
#if defined(__ARM_FEATURE_MVE)
  // The left offset's share, once for all rows: lhs_offset * (sum of b + depth * rhs_offset).
  if (pair.lhs_offset != 0) {
    const int32_t constant = wrapping_mul(static_cast<int32_t>(pair.depth), pair.rhs_offset);
    for (size_t i = 0; i < pair.columns; ++i) {
      const int32_t sum = wrapping_add(sum_of(pair.rhs + i * pair.depth, pair.depth), constant);
      column_shares[i] = wrapping_mul(pair.lhs_offset, sum);
    }
    filters.channels.bias = column_shares;
    filters.row_offset = 0;
  }
#endif
  multiply_rows(rows, filters, out, pair.columns);
}

}  // namespace

Status run_quantized_batch_matmul(KernelContext& context, const Args& args) {
  enum : uint32_t {
    kLhs,
    kLhsOffset,
    kRhs,
    kRhsOffset,
    kOutOffset,
    kMultiplier,
    kShift,
    kScratch,
    kOut
  };
  const Tensor& lhs = args.tensor(kLhs);
  const Tensor& rhs = args.tensor(kRhs);
  Tensor& out = args.tensor(kOut);
  const Tensor* const tensors[] = {&lhs, &rhs, &out};
  for (const Tensor* tensor : tensors) {
    KERNEL_REQUIRE(has_dtype(*tensor, ScalarType::kChar), kBadArguments);
    KERNEL_REQUIRE(tensor->rank == 3 && is_row_major(*tensor), kBadShape);
  }
  KERNEL_REQUIRE(lhs.size(0) == rhs.size(0) && lhs.size(0) == out.size(0), kBadShape);
  KERNEL_REQUIRE(
      lhs.size(2) == rhs.size(2) && lhs.size(1) == out.size(1) && rhs.size(1) == out.size(2),
      kBadShape);
  int32_t lhs_offset = 0, rhs_offset = 0;
  Scaling scaling;
  OutputStage stage;
  KERNEL_TRY(read_input_offset(args, kLhsOffset, &lhs_offset));
  KERNEL_TRY(read_input_offset(args, kRhsOffset, &rhs_offset));
  KERNEL_TRY(read_zero_point<int8_t>(args, kOutOffset, &stage.zero_point));
  KERNEL_TRY(read_scaling(args, kMultiplier, kShift, &scaling));
  if (out.numel() == 0) return Status::kOk;
  KERNEL_REQUIRE(lhs.size(2) > 0, kBadShape);
  KERNEL_TRY(check_scratch(context, args.tensor(kScratch),
                           [&](Isa isa) { return batch_matmul_scratch_bytes(rhs.size(1), isa); }));
  KERNEL_REQUIRE(kBuildIsa != Isa::kMve || is_word_aligned(args.tensor(kScratch)), kMisaligned);

  stage.range = full_range<int8_t>();
  stage.scaling = {&scaling.multiplier, &scaling.shift, 0};
  MatrixPair pair{lhs.as<int8_t>(),
                  rhs.as<int8_t>(),
                  static_cast<size_t>(lhs.size(1)),
                  static_cast<size_t>(rhs.size(1)),
                  static_cast<size_t>(lhs.size(2)),
                  lhs_offset,
                  rhs_offset};
  int8_t* to = out.as_mutable<int8_t>();
  for (int64_t n = lhs.size(0); n > 0; --n) {
    multiply_pair(pair, stage, args.tensor(kScratch).as_mutable<int32_t>(), to);
    pair.lhs += pair.rows * pair.depth;
    pair.rhs += pair.columns * pair.depth;
    to += pair.rows * pair.columns;
  }
  return Status::kOk;
}

}  // namespace berth::runtime
