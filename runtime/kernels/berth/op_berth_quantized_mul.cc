#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/quantized_product.h"

namespace berth::runtime {

Status run_berth_quantized_mul(KernelContext&, const Args& args) {
  return dispatch_dtype<int8_t, int16_t>(args.tensor(0).dtype, [&](auto zero) {
    return multiply_quantized<decltype(zero)>(args, true);
  });
}

}  // namespace berth::runtime
