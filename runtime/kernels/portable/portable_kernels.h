// Stock operators, in plain C++ for any machine: a header per family. An image links only the
// kernels that its own table names; portable_kernels() names all.
#pragma once

#include "runtime/core/kernel.h"
#include "runtime/core/span.h"
#include "runtime/kernels/portable/comparison_kernels.h"
#include "runtime/kernels/portable/copy_kernels.h"
#include "runtime/kernels/portable/index_kernels.h"
#include "runtime/kernels/portable/math_kernels.h"
#include "runtime/kernels/portable/network_kernels.h"
#include "runtime/kernels/portable/prim_kernels.h"
#include "runtime/kernels/portable/quantized_decomposed_kernels.h"
#include "runtime/kernels/portable/reduction_kernels.h"
#include "runtime/kernels/portable/shape_kernels.h"

namespace berth::runtime {

Span<const Kernel> portable_kernels();

}  // namespace berth::runtime
