// tanh(x) = 2 sigmoid(2 x) - 1, from the sigmoid's table: the multiplier brings x to steps of 1/256
// table entry.
#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/berth/sigmoid_table.h"

namespace berth::runtime {

namespace {

int16_t tanh_at(const TablePosition& position) {
  const int32_t value = interpolate_sigmoid<8>(position.distance, 0xFFFF << 8);
  constexpr int32_t kHalf = 1 << 23, kRound = 1 << 7;
  return static_cast<int16_t>(
      (position.is_negative ? kHalf - value + kRound - 1 : value - kHalf + kRound) >> 8);
}

}  // namespace

Status run_berth_quantized_tanh(KernelContext&, const Args& args) {
  return apply_table_function(args, tanh_at);
}

}  // namespace berth::runtime
