#include "runtime/kernels/portable/image_window.h"
#include "runtime/kernels/portable/network_kernels.h"

namespace berth::runtime {

// (input, kernel, stride, padding, dilation, ceil_mode, out, indices)
Status run_max_pool2d_with_indices(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  Tensor& out = args.tensor(6);
  Tensor& indices = args.tensor(7);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kFloat) && has_dtype(out, ScalarType::kFloat) &&
                     has_dtype(indices, ScalarType::kLong),
                 kBadArguments);
  ImagePool pool;
  Sizes sizes;
  KERNEL_TRY(read_window_list(args, 4, 1, &pool.rows.dilation, &pool.columns.dilation));
  KERNEL_TRY(read_pool(args, args.boolean(5), &pool, &sizes));
  KERNEL_REQUIRE(&in != &out, kBadArguments);
  KERNEL_TRY(resize(out, sizes));
  KERNEL_TRY(resize(indices, sizes));
  if (out.numel() == 0) return Status::kOk;

  const Window rows = pool.rows, columns = pool.columns;
  const ImageSteps in_steps = pool.in_steps, out_steps = image_steps(out),
                   index_steps = image_steps(indices);
  const float* from = in.as<float>();
  float* to = out.as_mutable<float>();
  int64_t* where = indices.as_mutable<int64_t>();
  for_each_pixel(pool.batch, pool.channels, rows.out, columns.out,
                 [=](int64_t n, int64_t channel, int64_t y, int64_t x) {
                   const float* plane = from + image_offset(in_steps, n, channel, 0, 0);
                   float best = -std::numeric_limits<float>::infinity();
                   int64_t best_at = -1;
                   const Taps row_taps = rows.taps(y), column_taps = columns.taps(x);
                   for (int64_t ky = row_taps.begin; ky < row_taps.end; ++ky) {
                     const int64_t row = row_taps.start + ky * rows.dilation;
                     for (int64_t kx = column_taps.begin; kx < column_taps.end; ++kx) {
                       const int64_t column = column_taps.start + kx * columns.dilation;
                       const float value = plane[image_offset(in_steps, 0, 0, row, column)];
                       // As stock kernels have it a NaN stays only where it comes first.
                       if (best_at < 0 || value > best) {
                         best = value;
                         best_at = row * columns.in + column;
                       }
                     }
                   }
                   to[image_offset(out_steps, n, channel, y, x)] = best;
                   where[image_offset(index_steps, n, channel, y, x)] = best_at;
                 });
  return Status::kOk;
}

}  // namespace berth::runtime
