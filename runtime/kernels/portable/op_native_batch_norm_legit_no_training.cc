#include <cmath>

#include "runtime/kernels/portable/network_kernels.h"
#include "runtime/kernels/portable/tensor_dims.h"

namespace berth::runtime {
namespace {

constexpr size_t kChannelBlock = 64;

// null or `channels` floats.
Status read_channels(const Tensor* tensor, int64_t channels, const float** out) {
  *out = nullptr;
  if (tensor == nullptr) return Status::kOk;
  KERNEL_REQUIRE(has_dtype(*tensor, ScalarType::kFloat), kBadArguments);
  KERNEL_REQUIRE(tensor->rank == 1 && tensor->sizes[0] == channels, kBadShape);
  *out = tensor->as<float>();
  return Status::kOk;
}

}  // namespace

// (input, weight, bias, running_mean, running_var, momentum, eps, out, save_mean, save_invstd): the
// last two are left empty.
Status run_native_batch_norm_legit_no_training(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  Tensor& out = args.tensor(7);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kFloat) && has_dtype(out, ScalarType::kFloat),
                 kBadArguments);
  KERNEL_REQUIRE(in.rank >= 2, kBadShape);
  const int64_t channels = in.sizes[1];
  const float *weight, *bias, *mean, *variance;
  KERNEL_TRY(read_channels(args.optional_tensor(1), channels, &weight));
  KERNEL_TRY(read_channels(args.optional_tensor(2), channels, &bias));
  KERNEL_TRY(read_channels(&args.tensor(3), channels, &mean));
  KERNEL_TRY(read_channels(&args.tensor(4), channels, &variance));
  const float epsilon = static_cast<float>(args.number(6));
  KERNEL_REQUIRE(out.rank == in.rank, kBadShape);
  Sizes sizes(in), empty;
  Tensor shaped = out;
  shaped.sizes = sizes.at;
  KERNEL_REQUIRE(same_layout(in, shaped), kBadShape);
  // Elements of memory inside a channel and around all of them.
  size_t inner = 1, outer = 1;
  bool inside = false;
  for (int i = 0; i < in.rank; ++i) {
    const int dim = in.dim_order[i];
    if (dim == 1) {
      inside = true;
    } else {
      (inside ? inner : outer) *= static_cast<size_t>(in.sizes[dim]);
    }
  }
  KERNEL_TRY(append_size(0, &empty));
  KERNEL_TRY(resize(args.tensor(8), empty));
  KERNEL_TRY(resize(args.tensor(9), empty));
  KERNEL_TRY(resize(out, sizes));

  const float* from = in.as<float>();
  float* to = out.as_mutable<float>();
  const size_t count = static_cast<size_t>(channels);
  for (size_t first = 0; first < count && inner * outer > 0; first += kChannelBlock) {
    const size_t block = count - first < kChannelBlock ? count - first : kChannelBlock;
    float scale[kChannelBlock], center[kChannelBlock], shift[kChannelBlock];
    for (size_t c = 0; c < block; ++c) {
      scale[c] = 1.0f / std::sqrt(variance[first + c] + epsilon);
      if (weight != nullptr) scale[c] *= weight[first + c];
      center[c] = mean[first + c];
      shift[c] = bias == nullptr ? 0.0f : bias[first + c];
    }
    for (size_t o = 0; o < outer; ++o) {
      const size_t at = (o * count + first) * inner;
      if (inner == 1) {
        for (size_t c = 0; c < block; ++c)
          to[at + c] = (from[at + c] - center[c]) * scale[c] + shift[c];
        continue;
      }
      for (size_t c = 0; c < block; ++c) {
        const float* line = from + at + c * inner;
        float* target = to + at + c * inner;
        const float factor = scale[c], middle = center[c], offset = shift[c];
        for (size_t i = 0; i < inner; ++i) target[i] = (line[i] - middle) * factor + offset;
      }
    }
  }
  return Status::kOk;
}

}  // namespace berth::runtime
