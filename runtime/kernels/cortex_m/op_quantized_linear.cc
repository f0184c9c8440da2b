#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/linear_shapes.h"
#include "runtime/kernels/output_stage.h"
#include "runtime/kernels/window.h"

namespace berth::runtime {

Status run_quantized_linear(KernelContext&, const Args& args) {
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
  const Tensor& in = args.tensor(kIn);
  const Tensor& weights = args.tensor(kWeights);
  Tensor& out = args.tensor(kOut);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kChar) && has_dtype(weights, ScalarType::kChar) &&
                     has_dtype(out, ScalarType::kChar),
                 kBadArguments);
  size_t rows = 0;
  KERNEL_TRY(check_linear_shapes(in, weights, out, &rows));
  if (rows == 0) return Status::kOk;
  const size_t outputs = static_cast<size_t>(weights.size(0)),
               depth = static_cast<size_t>(weights.size(1));

  OutputStage stage;
  int32_t in_offset = 0, filter_offset = 0;
  KERNEL_TRY(read_input_offset(args, kInOffset, &in_offset));
  KERNEL_TRY(read_input_offset(args, kFilterOffset, &filter_offset));
  KERNEL_TRY(read_zero_point<int8_t>(args, kOutOffset, &stage.zero_point));
  KERNEL_TRY(read_range<int8_t>(args, kLow, kHigh, &stage.range));
  KERNEL_REQUIRE(args.list_size(kMultipliers) == 1 && args.list_size(kShifts) == 1, kBadArguments);
  const int64_t multiplier = args.int_at(kMultipliers, 0), shift = args.int_at(kShifts, 0);
  KERNEL_REQUIRE(fits<int32_t>(multiplier) && multiplier != kInt32Min && is_valid_shift(shift),
                 kBadArguments);
  KERNEL_TRY(read_bias(args, kBias, outputs, &stage.bias));
  const int32_t* kernel_sum = nullptr;
  KERNEL_TRY(read_bias(args, kKernelSum, outputs, &kernel_sum));
  if (stage.bias == nullptr && kernel_sum != nullptr) {
    // Made for MVE: bias and what the input offset adds, summed beforehand.
    stage.bias = kernel_sum;
    in_offset = 0;
  }

  const int32_t multiplier32 = static_cast<int32_t>(multiplier),
                shift32 = static_cast<int32_t>(shift);
  stage.scaling = {&multiplier32, &shift32, 0};
  multiply<uint32_t>(MatrixSource<int8_t>{in.as<int8_t>(), depth, in_offset}, rows, depth,
                     weights.as<int8_t>(), outputs, filter_offset,
                     RowSink<OutputStage, int8_t>{stage, out.as_mutable<int8_t>(), outputs});
  return Status::kOk;
}

}  // namespace berth::runtime
