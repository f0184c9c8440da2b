#include "runtime/kernels/portable/quantized_decomposed_kernels.h"
#include "runtime/kernels/portable/quantized_rows.h"

namespace berth::runtime {

// (input, weight, scales, zero_points, dtype, out)
Status run_decomposed_mixed_linear(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  const Tensor& weight = args.tensor(1);
  Tensor& out = args.tensor(5);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kFloat) && has_dtype(weight, ScalarType::kChar) &&
                     has_dtype(out, ScalarType::kFloat),
                 kBadArguments);
  KERNEL_REQUIRE(args.is_none(3), kBadArguments);
  KERNEL_REQUIRE(args.is_none(4) || args.integer(4) == static_cast<int64_t>(out.dtype),
                 kBadArguments);
  KERNEL_REQUIRE(&in != &out && &weight != &out && &args.tensor(2) != &out, kBadArguments);
  QuantizedRows rows;
  KERNEL_TRY(read_quantized_rows(weight, 1, args.tensor(2), nullptr, &rows));
  KERNEL_REQUIRE(in.rank >= 1 && is_row_major(in), kBadShape);
  const int last = in.rank - 1;
  KERNEL_REQUIRE(in.sizes[last] == weight.sizes[1], kBadShape);
  Sizes sizes(in);
  sizes.at[last] = weight.sizes[0];
  KERNEL_REQUIRE(out.rank == in.rank && is_row_major_at(out, sizes), kBadShape);
  KERNEL_TRY(resize(out, sizes));
  const size_t count = out.numel();
  const float* from = in.as<float>();
  float* to = out.as_mutable<float>();
  for (size_t at = 0; at < count; ++at) {
    const size_t row = at % rows.rows;
    const float* line = from + at / rows.rows * rows.depth;
    const int8_t* factors = weight.as<int8_t>() + row * rows.depth;
    float total = 0.0f;
    for (size_t first = 0; first < rows.depth; first += rows.group) {
      float sum = 0.0f;
      for (size_t k = first; k < first + rows.group; ++k)
        sum += line[k] * static_cast<float>(factors[k]);
      total += sum * rows.scale(row, first);
    }
    to[at] = total;
  }
  return Status::kOk;
}

}  // namespace berth::runtime
