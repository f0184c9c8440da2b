#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/permutation.h"

namespace berth::runtime {

Status run_berth_transpose(KernelContext&, const Args& args) { return permute_tensor(args); }

}  // namespace berth::runtime
