#include "runtime/kernels/portable/image_window.h"
#include "runtime/kernels/portable/network_kernels.h"

namespace berth::runtime {
namespace {

// What both ways of resizing know of one dim.
struct Resized {
  int64_t in = 1, out = 1;
  float step = 1.0f;  // input elements per output element
};

// The output's size comes from a list of sizes or one of factors, never both. Factors also give the
// step, rounded as they are.
Status read_resized(const Args& args, uint32_t sizes, uint32_t factors, uint32_t entry, int64_t in,
                    Resized* out) {
  out->in = in;
  if (!args.is_none(sizes)) {
    out->out = args.int_at(sizes, entry);
    KERNEL_REQUIRE(out->out > 0 && fits<int32_t>(out->out), kBadArguments);
    out->step = static_cast<float>(in) / static_cast<float>(out->out);
    return Status::kOk;
  }
  const double factor = args.double_at(factors, entry);
  const double size = static_cast<double>(in) * factor;
  KERNEL_REQUIRE(factor > 0 && size >= 1 && size <= INT32_MAX, kBadArguments);
  out->out = static_cast<int64_t>(size);
  out->step = static_cast<float>(1.0 / factor);
  return Status::kOk;
}

struct ResizedImage {
  int64_t batch = 1, channels = 1;
  Resized rows, columns;
  ImageSteps in_steps{}, out_steps{};
};

// (input, sizes at 1, ..., factors, out): reads all and resizes out.
Status start(const Args& args, uint32_t factors, Tensor& out, ResizedImage* image) {
  const Tensor& in = args.tensor(0);
  KERNEL_REQUIRE(has_dtype(in, ScalarType::kFloat) && has_dtype(out, ScalarType::kFloat),
                 kBadArguments);
  KERNEL_REQUIRE(&in != &out, kBadArguments);
  KERNEL_REQUIRE(in.rank == 4, kBadShape);
  KERNEL_REQUIRE(args.is_none(1) != args.is_none(factors), kBadArguments);
  KERNEL_REQUIRE(args.list_size(args.is_none(1) ? factors : 1) == 2, kBadArguments);
  image->batch = in.sizes[0];
  image->channels = in.sizes[1];
  KERNEL_REQUIRE(in.sizes[2] > 0 && in.sizes[3] > 0, kBadShape);
  KERNEL_TRY(read_resized(args, 1, factors, 0, in.sizes[2], &image->rows));
  KERNEL_TRY(read_resized(args, 1, factors, 1, in.sizes[3], &image->columns));
  Sizes sizes(in);
  sizes.at[2] = static_cast<int32_t>(image->rows.out);
  sizes.at[3] = static_cast<int32_t>(image->columns.out);
  image->in_steps = image_steps(in);
  KERNEL_TRY(resize(out, sizes));
  image->out_steps = image_steps(out);
  return Status::kOk;
}

int64_t nearest(const Resized& dim, int64_t at) {
  const int64_t index = static_cast<int64_t>(static_cast<float>(at) * dim.step);
  return index < dim.in ? index : dim.in - 1;
}

// Two neighbours and the share of the second.
struct Between {
  int64_t first, second;
  float share;
};

Between between(const Resized& dim, bool align_corners, int64_t at) {
  float where = 0.0f;
  if (align_corners) {
    const float step =
        dim.out > 1 ? static_cast<float>(dim.in - 1) / static_cast<float>(dim.out - 1) : 0.0f;
    where = step * static_cast<float>(at);
  } else {
    where = dim.step * (static_cast<float>(at) + 0.5f) - 0.5f;
    if (where < 0.0f) where = 0.0f;
  }
  int64_t first = static_cast<int64_t>(where);
  if (first > dim.in - 1) first = dim.in - 1;
  float share = where - static_cast<float>(first);
  share = share > 1.0f ? 1.0f : share;
  return {first, first < dim.in - 1 ? first + 1 : first, share};
}

}  // namespace

// (input, output_size, scale_factors, out)
Status run_upsample_nearest2d_vec(KernelContext&, const Args& args) {
  Tensor& out = args.tensor(3);
  ResizedImage image;
  KERNEL_TRY(start(args, 2, out, &image));
  if (out.numel() == 0) return Status::kOk;
  const float* from = args.tensor(0).as<float>();
  float* to = out.as_mutable<float>();
  for_each_pixel(image.batch, image.channels, image.rows.out, image.columns.out,
                 [=, &image](int64_t n, int64_t channel, int64_t y, int64_t x) {
                   to[image_offset(image.out_steps, n, channel, y, x)] =
                       from[image_offset(image.in_steps, n, channel, nearest(image.rows, y),
                                         nearest(image.columns, x))];
                 });
  return Status::kOk;
}

// (input, output_size, align_corners, scale_factors, out)
Status run_upsample_bilinear2d_vec(KernelContext&, const Args& args) {
  Tensor& out = args.tensor(4);
  const bool align_corners = args.boolean(2);
  ResizedImage image;
  KERNEL_TRY(start(args, 3, out, &image));
  if (out.numel() == 0) return Status::kOk;
  const float* from = args.tensor(0).as<float>();
  float* to = out.as_mutable<float>();
  for_each_pixel(image.batch, image.channels, image.rows.out, image.columns.out,
                 [=, &image](int64_t n, int64_t channel, int64_t y, int64_t x) {
                   const Between row = between(image.rows, align_corners, y);
                   const Between column = between(image.columns, align_corners, x);
                   const float* plane = from + image_offset(image.in_steps, n, channel, 0, 0);
                   const auto read = [&](int64_t iy, int64_t ix) {
                     return plane[image_offset(image.in_steps, 0, 0, iy, ix)];
                   };
                   const float top = (1.0f - column.share) * read(row.first, column.first) +
                                     column.share * read(row.first, column.second);
                   const float bottom = (1.0f - column.share) * read(row.second, column.first) +
                                        column.share * read(row.second, column.second);
                   to[image_offset(image.out_steps, n, channel, y, x)] =
                       (1.0f - row.share) * top + row.share * bottom;
                 });
  return Status::kOk;
}

}  // namespace berth::runtime
