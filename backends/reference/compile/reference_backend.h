// The compile half of the reference backend: the example to copy (docs/write-a-backend.md).
//
// Takes chains of float32 aten::convolution, mm, addmm and add. Compile specs:
//   share=1    calls of one lowered module share a handle; working memory is persistent then
//   scratch=N  a fixture: one more scratch buffer of N bytes, which nothing uses
//   align=A    its alignment, 16 when left out
//   pool=P     its pool, the board's default when left out
#pragma once

#include "compiler/delegate/compile_backend.h"

namespace berth::reference {

const delegate::Backend& compile_backend();

}  // namespace berth::reference
