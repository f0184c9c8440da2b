// sigmoid(x) by interpolation: the multiplier brings x to steps of 1/512 table entry, half of
// tanh's, which needs 2 x.
#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/berth/sigmoid_table.h"

namespace berth::runtime {

namespace {

int16_t logistic_at(const TablePosition& position) {
  const int32_t value = interpolate_sigmoid<9>(position.distance, 0x7FFF << 10);
  constexpr int32_t kOne = 1 << 25, kRound = 1 << 9;
  return static_cast<int16_t>((position.is_negative ? kOne - value + kRound - 1 : value + kRound) >>
                              10);
}

}  // namespace

Status run_berth_quantized_logistic(KernelContext&, const Args& args) {
  return apply_table_function(args, logistic_at);
}

}  // namespace berth::runtime
