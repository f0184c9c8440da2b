#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/linear.h"

namespace berth::runtime {

Status run_berth_quantized_linear(KernelContext&, const Args& args) {
  return dispatch_dtype<int8_t, int16_t>(args.tensor(linear::kIn).dtype, [&](auto zero) {
    return run_linear<decltype(zero)>(args, LinearForm::kPerOutput);
  });
}

}  // namespace berth::runtime
