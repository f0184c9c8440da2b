#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/quantized_sum.h"

namespace berth::runtime {

Status run_berth_quantized_sub(KernelContext&, const Args& args) {
  return run_quantized_sum(args, -1);
}

}  // namespace berth::runtime
