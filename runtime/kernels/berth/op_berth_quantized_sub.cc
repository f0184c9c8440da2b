#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/quantized_sum.h"

namespace berth::runtime {

Status run_berth_quantized_sub(KernelContext&, const Args& args) {
  const Tensor& self = args.tensor(0);
  const Tensor& other = args.tensor(4);
  const Tensor& out = args.tensor(13);
  if (all_have_dtype(self, other, out, ScalarType::kChar)) return add_quantized<int8_t>(args, -1);
  if (all_have_dtype(self, other, out, ScalarType::kShort)) return add_quantized<int16_t>(args, -1);
  return Status::kBadArguments;
}

}  // namespace berth::runtime
