#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/extremes.h"

namespace berth::runtime {

Status run_berth_maximum(KernelContext&, const Args& args) {
  return dispatch_dtype<int8_t, int16_t, int32_t>(
      args.tensor(2).dtype, [&](auto zero) { return run_extremes<Larger, decltype(zero)>(args); });
}

}  // namespace berth::runtime
