#include "runtime/kernels/depthwise.h"

namespace berth::runtime {

void add_products(const int8_t* in, int offset, const int8_t* weights, int count, uint32_t* sums) {
  for (int i = 0; i < count; ++i) {
    const int16_t product = static_cast<int16_t>(static_cast<int16_t>(in[i] + offset) * weights[i]);
    sums[i] += static_cast<uint32_t>(static_cast<int32_t>(product));
  }
}

void add_products(const int16_t* in, int offset, const int8_t* weights, int count, uint32_t* sums) {
  for (int i = 0; i < count; ++i) sums[i] += static_cast<uint32_t>((in[i] + offset) * weights[i]);
}

void add_products(const int16_t* in, int offset, const int8_t* weights, int count, int64_t* sums) {
  for (int i = 0; i < count; ++i) sums[i] += static_cast<int64_t>((in[i] + offset) * weights[i]);
}

}  // namespace berth::runtime
