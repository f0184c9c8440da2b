// The bytes of the runtime's own records per ABI, so that the compiler can print the method memory
// to the byte. The runtime static_asserts its structs against the row of its own ABI.
#pragma once

#include <cstdint>

#include "contract/isa.h"

namespace berth {

// One block of method memory holds, in this order, each part aligned to 8 bytes:
//   header · values · instructions · operators · delegates · input flags (1 byte each) · tensors ·
//   dynamic sizes
struct RuntimeSizes {
  uint32_t header;       // the Method object
  uint32_t value;        // per value
  uint32_t tensor;       // per tensor value
  uint32_t instruction;  // per instruction
  uint32_t op;           // per entry of the operator table
  uint32_t delegate;     // per delegate entry
};

constexpr RuntimeSizes kRuntimeSizes[kAbiCount] = {
    /*kHost64=*/{96, 16, 40, 24, 8, 32},
    /*kArm32=*/{64, 16, 20, 12, 4, 24},
};

constexpr uint32_t kMethodMemoryAlignment = 8;

struct MethodCounts {
  uint64_t values = 0;
  uint64_t tensors = 0;
  uint64_t instructions = 0;
  uint64_t operators = 0;
  uint64_t delegates = 0;
  uint64_t inputs = 0;
  uint64_t dynamic_dims = 0;  // sum of ranks of tensors whose shape may change: 4 bytes each
};

// The method memory of one method. Counts come from a checked file (each below 2^32), so the sum
// fits in 64 bits.
constexpr uint64_t method_bytes(const MethodCounts& counts, Abi abi) {
  const RuntimeSizes& sizes = kRuntimeSizes[static_cast<int>(abi)];
  const uint64_t blocks[] = {
      sizes.header,
      counts.values * sizes.value,
      counts.tensors * sizes.tensor,
      counts.instructions * sizes.instruction,
      counts.operators * sizes.op,
      counts.delegates * sizes.delegate,
      counts.inputs,
      counts.dynamic_dims * 4,
  };
  uint64_t sum = 0;
  for (uint64_t bytes : blocks) sum += (bytes + 7) & ~uint64_t{7};
  return sum;
}

}  // namespace berth
