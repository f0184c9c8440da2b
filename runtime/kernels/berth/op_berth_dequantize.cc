#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/dequantization.h"

namespace berth::runtime {

Status run_berth_dequantize(KernelContext&, const Args& args) {
  constexpr uint32_t kIn = 0, kOut = 3;
  const Tensor& in = args.tensor(kIn);
  return dispatch_dtype<uint8_t, int8_t, int16_t, int32_t>(
      in.dtype, [&](auto zero) { return dequantize<decltype(zero)>(args, in, args.tensor(kOut)); });
}

}  // namespace berth::runtime
