#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/cortex_m/int8_elements.h"
#include "runtime/kernels/strided.h"

namespace berth::runtime {

Status run_quantized_activation(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  const Tensor& table = args.tensor(1);
  Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kChar) && has_dtype(table, ScalarType::kChar) &&
                     has_dtype(out, ScalarType::kChar),
                 kBadArguments);
  KERNEL_REQUIRE(table.numel() == 256 && same_shape(in, out), kBadShape);
  const int8_t* entries = table.as<int8_t>();
  apply_runs<int8_t, int8_t>(in, out, [entries](const int8_t* from, size_t count, int8_t* to) {
    look_up_run(entries, from, count, to);
  });
  return Status::kOk;
}

}  // namespace berth::runtime
