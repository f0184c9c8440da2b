#include "runtime/kernels/portable/image_window.h"
#include "runtime/kernels/portable/network_kernels.h"

namespace berth::runtime {
namespace {

struct Range1d {
  int64_t begin, end;
};

Range1d cut(int64_t begin, int64_t end, int64_t size) {
  return {begin < 0 ? 0 : begin, end < size ? end : size};
}

float sum_of(const float* plane, const ImageSteps& steps, const Range1d& rows,
             const Range1d& columns) {
  float sum = 0.0f;
  for (int64_t row = rows.begin; row < rows.end; ++row) {
    for (int64_t column = columns.begin; column < columns.end; ++column)
      sum += plane[image_offset(steps, 0, 0, row, column)];
  }
  return sum;
}

}  // namespace

// (input, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override, out)
Status run_avg_pool2d(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  Tensor& out = args.tensor(7);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kFloat) && has_dtype(out, ScalarType::kFloat),
                 kBadArguments);
  KERNEL_REQUIRE(&in != &out, kBadArguments);
  const bool count_pad = args.boolean(5), has_divisor = !args.is_none(6);
  const float divisor = has_divisor ? static_cast<float>(args.integer(6)) : 1.0f;
  KERNEL_REQUIRE(!has_divisor || args.integer(6) != 0, kBadArguments);
  ImagePool pool;
  Sizes sizes;
  KERNEL_TRY(read_pool(args, args.boolean(4), &pool, &sizes));
  KERNEL_TRY(resize(out, sizes));
  if (out.numel() == 0) return Status::kOk;

  const Window rows = pool.rows, columns = pool.columns;
  const ImageSteps in_steps = pool.in_steps, out_steps = image_steps(out);
  const float* from = in.as<float>();
  float* to = out.as_mutable<float>();
  for_each_pixel(
      pool.batch, pool.channels, rows.out, columns.out,
      [=](int64_t n, int64_t channel, int64_t y, int64_t x) {
        // The padding behind the image ends the window; what lies further counts for nothing.
        const int64_t y0 = rows.taps(y).start, x0 = columns.taps(x).start;
        const int64_t y1 = cut(y0, y0 + rows.kernel, rows.in + rows.pad).end;
        const int64_t x1 = cut(x0, x0 + columns.kernel, columns.in + columns.pad).end;
        const Range1d inner_rows = cut(y0, y1, rows.in), inner_columns = cut(x0, x1, columns.in);
        const int64_t inside =
            (inner_rows.end - inner_rows.begin) * (inner_columns.end - inner_columns.begin);
        const float count = static_cast<float>(count_pad ? (y1 - y0) * (x1 - x0) : inside);
        const float sum = sum_of(from + image_offset(in_steps, n, channel, 0, 0), in_steps,
                                 inner_rows, inner_columns);
        to[image_offset(out_steps, n, channel, y, x)] = sum / (has_divisor ? divisor : count);
      });
  return Status::kOk;
}

// (input, output_size, out)
Status run_adaptive_avg_pool2d(KernelContext&, const Args& args) {
  const Tensor& in = args.tensor(0);
  Tensor& out = args.tensor(2);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kFloat) && has_dtype(out, ScalarType::kFloat),
                 kBadArguments);
  KERNEL_REQUIRE(&in != &out, kBadArguments);
  KERNEL_REQUIRE(in.rank == 3 || in.rank == 4, kBadShape);
  KERNEL_REQUIRE(args.list_size(1) == 2, kBadArguments);
  const int lead = in.rank - 3;
  const int64_t in_h = in.sizes[lead + 1], in_w = in.sizes[lead + 2];
  KERNEL_REQUIRE(in_h > 0 && in_w > 0, kBadShape);
  const int64_t batch = lead == 1 ? in.sizes[0] : 1, channels = in.sizes[lead];
  Sizes sizes(in);
  sizes.rank = lead + 1;
  KERNEL_TRY(append_size(args.int_at(1, 0), &sizes));
  KERNEL_TRY(append_size(args.int_at(1, 1), &sizes));
  const ImageSteps in_steps = image_steps(in);
  KERNEL_TRY(resize(out, sizes));
  if (out.numel() == 0) return Status::kOk;

  const int64_t out_h = sizes.at[lead + 1], out_w = sizes.at[lead + 2];
  const ImageSteps out_steps = image_steps(out);
  const float* from = in.as<float>();
  float* to = out.as_mutable<float>();
  for_each_pixel(
      batch, channels, out_h, out_w, [=](int64_t n, int64_t channel, int64_t y, int64_t x) {
        const Range1d rows{y * in_h / out_h, ((y + 1) * in_h + out_h - 1) / out_h};
        const Range1d columns{x * in_w / out_w, ((x + 1) * in_w + out_w - 1) / out_w};
        const float count =
            static_cast<float>((rows.end - rows.begin) * (columns.end - columns.begin));
        to[image_offset(out_steps, n, channel, y, x)] =
            sum_of(from + image_offset(in_steps, n, channel, 0, 0), in_steps, rows, columns) /
            count;
      });
  return Status::kOk;
}

}  // namespace berth::runtime
