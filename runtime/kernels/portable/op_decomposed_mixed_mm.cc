// A float matrix times an int8 one, each of whose rows has a scale.
#include "runtime/kernels/portable/quantized_decomposed_kernels.h"
#include "runtime/kernels/portable/tensor_dims.h"

namespace berth::runtime {

// (input, weight, scales, zero points, out)
Status run_decomposed_mixed_mm(KernelContext&, const Args& args) {
  const Tensor &in = args.tensor(0), &weight = args.tensor(1), &scales = args.tensor(2);
  Tensor& out = args.tensor(4);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kFloat) && has_dtype(weight, ScalarType::kChar) &&
                     has_dtype(scales, ScalarType::kFloat) && has_dtype(out, ScalarType::kFloat),
                 kBadArguments);
  KERNEL_REQUIRE(args.is_none(3), kBadArguments);
  KERNEL_REQUIRE(&in != &out && &scales != &out, kBadArguments);
  KERNEL_REQUIRE(in.rank == 2 && weight.rank == 2 && scales.rank == 1, kBadShape);
  KERNEL_REQUIRE(is_row_major(in) && is_row_major(weight), kBadShape);
  KERNEL_REQUIRE(in.sizes[1] == weight.sizes[0] && scales.sizes[0] == weight.sizes[0], kBadShape);
  Sizes sizes(in);
  sizes.at[1] = weight.sizes[1];
  KERNEL_REQUIRE(out.rank == 2 && is_row_major_at(out, sizes), kBadShape);
  KERNEL_TRY(resize(out, sizes));
  const size_t rows = static_cast<size_t>(in.sizes[0]), depth = static_cast<size_t>(in.sizes[1]);
  const size_t columns = static_cast<size_t>(weight.sizes[1]);
  for (size_t row = 0; row < rows; ++row) {
    float* to = out.as_mutable<float>() + row * columns;
    for (size_t c = 0; c < columns; ++c) to[c] = 0.0f;
    for (size_t k = 0; k < depth; ++k) {
      const float factor = in.as<float>()[row * depth + k] * scales.as<float>()[k];
      const int8_t* line = weight.as<int8_t>() + k * columns;
      for (size_t c = 0; c < columns; ++c) to[c] += factor * static_cast<float>(line[c]);
    }
  }
  return Status::kOk;
}

}  // namespace berth::runtime
