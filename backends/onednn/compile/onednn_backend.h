// The compile half of the oneDNN backend: float32 convolutions, matrix products with constant
// weights, pools, softmax and elementwise operators, with the elementwise ones behind them fused
// in. docs/onednn.md says what it takes and what the library allocates. Compile specs:
//   threads=N  the primitive runs on N threads, 1 when left out
//   isa=NAME   it uses this instruction set: "avx2", "avx512_core", ...
//   share=1    calls of one lowered module share a handle; the scratchpad is persistent then
//   pool=P     the pool of scratchpad and weights, the board's default when left out
#pragma once

#include "compiler/delegate/compile_backend.h"

namespace berth::onednn {

const delegate::Backend& compile_backend();

}  // namespace berth::onednn
