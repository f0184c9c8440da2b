#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/padding.h"

namespace berth::runtime {

Status run_berth_pad(KernelContext&, const Args& args) { return pad_tensor(args); }

}  // namespace berth::runtime
