#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/pooling.h"

namespace berth::runtime {

Status run_berth_quantized_avg_pool2d(KernelContext&, const Args& args) {
  return run_ranged_pool<AverageRule>(args);
}

}  // namespace berth::runtime
