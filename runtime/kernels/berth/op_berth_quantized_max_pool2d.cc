#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/pooling.h"

namespace berth::runtime {

Status run_berth_quantized_max_pool2d(KernelContext&, const Args& args) {
  return run_ranged_pool<MaxRule>(args);
}

}  // namespace berth::runtime
