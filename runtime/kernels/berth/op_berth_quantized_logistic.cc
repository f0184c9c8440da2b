// sigmoid(x) by interpolation: the multiplier brings x to steps of 1/512 table entry, half of
// tanh's, which needs 2 x.
#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/berth/sigmoid_table.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {
namespace {

int16_t logistic_at(int64_t position) {
  const uint64_t distance = static_cast<uint64_t>(position < 0 ? -position : position);
  const uint64_t entry = distance >> 9;
  int32_t value = 0x7FFF << 10;  // sigmoid with 25 fraction bits
  if (entry < 255) {
    const int32_t low = kSigmoidTable[entry], high = kSigmoidTable[entry + 1];
    value = (low << 9) + static_cast<int32_t>(distance & 0x1FF) * (high - low);
  }
  constexpr int32_t kOne = 1 << 25, kRound = 1 << 9;
  value = position >= 0 ? value + kRound : kOne - value + kRound - 1;
  return static_cast<int16_t>(value >> 10);
}

}  // namespace

Status run_berth_quantized_logistic(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  Tensor& out = args.tensor(3);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kShort) && has_dtype(out, ScalarType::kShort),
                 kBadArguments);
  KERNEL_REQUIRE(same_shape(in, out), kBadShape);
  Scaling scaling;
  KERNEL_TRY(read_scaling(args, 1, 2, &scaling));
  KERNEL_REQUIRE(scaling.shift >= 0, kBadArguments);
  apply_unary<int16_t, int16_t>(in, out, [scaling](int16_t x) {
    return logistic_at(to_table_position(x, scaling.multiplier, scaling.shift));
  });
  return Status::kOk;
}

}  // namespace berth::runtime
