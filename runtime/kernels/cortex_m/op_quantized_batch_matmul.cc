#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/sum_stages.h"
#include "runtime/kernels/window.h"

namespace berth::runtime {

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
  KERNEL_REQUIRE(scaling.multiplier != kInt32Min, kBadArguments);
  if (out.numel() == 0) return Status::kOk;
  KERNEL_REQUIRE(lhs.size(2) > 0, kBadShape);
  KERNEL_TRY(check_scratch(context, args.tensor(kScratch),
                           [&](Isa isa) { return batch_matmul_scratch_bytes(rhs.size(1), isa); }));

  stage.range = full_range<int8_t>();
  stage.scaling = {&scaling.multiplier, &scaling.shift, 0};
  const size_t rows = static_cast<size_t>(lhs.size(1)), depth = static_cast<size_t>(lhs.size(2));
  const size_t columns = static_cast<size_t>(rhs.size(1));
  for (int64_t batch = 0; batch < lhs.size(0); ++batch) {
    multiply<uint32_t>(
        MatrixSource<int8_t>{lhs.as<int8_t>() + batch * rows * depth, depth, lhs_offset}, rows,
        depth, rhs.as<int8_t>() + batch * columns * depth, columns, rhs_offset,
        RowSink<OutputStage, int8_t>{stage, out.as_mutable<int8_t>() + batch * rows * columns,
                                     columns});
  }
  return Status::kOk;
}

}  // namespace berth::runtime
