// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR: images in, images out. TFLite has three rules for
// where an output pixel lies in the input, aten:: has other ones; float images that those do not
// fit are put together from rows and columns that constants name.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "compiler/import/tflite/float_ops.h"
#include "compiler/import/tflite/translate.h"

namespace berth::import {
namespace {

struct Resize {
  bool align_corners = false, half_pixel = false;
  int64_t height = 0, width = 0;  // of the output
};

MaybeFailure check_resize(const OperatorContext& c, Resize* resize) {
  BERTH_IMPORT_TRY(c.expect_rank(0, 4));
  BERTH_IMPORT_TRY(c.expect_dtype(OperatorContext::kOutput, c.input(0).dtype));
  BERTH_IMPORT_TRY(c.expect_same_params(0));
  std::vector<int64_t> size;
  BERTH_IMPORT_TRY(c.read_ints(1, 2, &size));
  if (size.size() != 2)
    return malformed(c.input_text(1) + " has " + std::to_string(size.size()) +
                     " numbers; height and width");
  if (resize->align_corners && resize->half_pixel)
    return malformed("align_corners and half_pixel_centers are both set; one of them, or none");
  resize->height = size[0];
  resize->width = size[1];
  const std::span<const int32_t> shape = c.input(0).shape;
  const std::array<int64_t, 4> made = {shape[0], size[0], size[1], shape[3]};
  return c.expect_shape(OperatorContext::kOutput, made);
}

MaybeFailure translate_resize(OperatorContext& c, const OperatorSchema& schema, Resize resize) {
  BERTH_IMPORT_TRY(check_resize(c, &resize));
  const ir::ValueId input = c.layout().image(c.input_index(0));
  c.add_node(schema, {ref(input), flag(resize.align_corners), flag(resize.half_pixel)},
             c.layout().define_image(c.output_index()));
  return {};
}

// Options: ResizeBilinearOptions or ResizeNearestNeighborOptions.
template <typename Options>
Resize read_resize(const OperatorContext& c) {
  const auto* options = c.options<Options>();
  if (options == nullptr) return {};
  return {options->align_corners(), options->half_pixel_centers(), 0, 0};
}

}  // namespace

MaybeFailure translate_resize_bilinear(OperatorContext& c) {
  BERTH_IMPORT_TRY(c.expect_dtype(0, ScalarType::kChar));
  return translate_resize(c, ops::kBerthResizeBilinear,
                          read_resize<wire::ResizeBilinearOptions>(c));
}

MaybeFailure translate_resize_nearest_neighbor(OperatorContext& c) {
  if (c.input(0).dtype != ScalarType::kShort)
    BERTH_IMPORT_TRY(c.expect_dtype(0, ScalarType::kChar));
  return translate_resize(c, ops::kBerthResizeNearest,
                          read_resize<wire::ResizeNearestNeighborOptions>(c));
}

namespace {

constexpr int kHeight = 1, kWidth = 2;  // axes of a plain image

// Along one axis: where output pixel `at` lies among the input's, in float32 as TFLite has it.
struct Axis {
  int axis = 0;
  int64_t from = 0, to = 0;
  float at(int64_t pixel, const Resize& resize) const {
    const auto in = static_cast<float>(from), out = static_cast<float>(to);
    const float scale = resize.align_corners && to > 1 ? (in - 1) / (out - 1) : in / out;
    return (static_cast<float>(pixel) + (resize.half_pixel ? 0.5F : 0.0F)) * scale;
  }
  int32_t inside(float place) const {
    return static_cast<int32_t>(std::min(static_cast<int64_t>(place), from - 1));
  }
};

std::array<Axis, 2> axes_of(const OperatorContext& c, const Resize& resize) {
  const std::span<const int32_t> in = c.input(0).shape;
  return {{{kHeight, in[1], resize.height}, {kWidth, in[2], resize.width}}};
}

// The pixels of `image` that `chosen` names along an axis, as `spec`.
ir::ValueId add_chosen(OperatorContext& c, ir::ValueId image, const Axis& axis,
                       const std::vector<int32_t>& chosen, const char* suffix,
                       const ir::TensorSpec& spec) {
  const ir::ValueId indices = c.add_constant(".index", chosen);
  const ir::ValueId result = c.add_temporary(suffix, spec);
  c.add_node(ops::kAtenIndexSelect, {ref(image), num(axis.axis), ref(indices)}, result);
  return result;
}

// Between the pixel at or before and the one behind it, by how far it is from the first.
MaybeFailure interpolate(OperatorContext& c, const Resize& resize) {
  ir::ValueId image = c.layout().plain(c.input_index(0));
  ir::TensorSpec spec = c.spec(image);
  for (const Axis& axis : axes_of(c, resize)) {
    BERTH_IMPORT_TRY(c.pay(static_cast<uint64_t>(axis.to) * 6 * sizeof(float)));
    std::vector<int32_t> before, behind;
    std::vector<float> shares;
    for (int64_t pixel = 0; pixel < axis.to; ++pixel) {
      const float place = axis.at(pixel, resize);
      before.push_back(axis.inside(place));
      behind.push_back(axis.inside(place + 1));
      shares.push_back(place - std::floor(place));
    }
    std::vector<int32_t> sizes = {1, 1, 1, 1};
    sizes[static_cast<size_t>(axis.axis)] = spec.sizes[static_cast<size_t>(axis.axis)] =
        static_cast<int32_t>(axis.to);
    const auto bytes = std::as_bytes(std::span(shares));
    const ir::ValueId share = c.add_constant(".share", ScalarType::kFloat, std::move(sizes),
                                             {bytes.begin(), bytes.end()});
    const ir::ValueId first = add_chosen(c, image, axis, before, ".before", spec);
    const ir::ValueId second = add_chosen(c, image, axis, behind, ".behind", spec);
    const ir::ValueId step = c.add_temporary(".step", spec);
    const ir::ValueId part = c.add_temporary(".part", spec);
    image = axis.axis == kWidth ? c.layout().define_plain(c.output_index())
                                : c.add_temporary(".rows", spec);
    c.add_node(ops::kAtenSub, {ref(second), ref(first), num(1)}, step);
    c.add_node(ops::kAtenMul, {ref(step), ref(share)}, part);
    c.add_node(ops::kAtenAdd, {ref(first), ref(part), num(1)}, image);
  }
  return {};
}

}  // namespace

// aten:: knows corners that are aligned and centres at half a pixel, and nothing between.
MaybeFailure translate_float_resize_bilinear(OperatorContext& c) {
  BERTH_IMPORT_TRY(expect_floats(c, 1));
  Resize resize = read_resize<wire::ResizeBilinearOptions>(c);
  BERTH_IMPORT_TRY(check_resize(c, &resize));
  if (!resize.align_corners && !resize.half_pixel) return interpolate(c, resize);
  const ir::ValueId input = c.layout().image(c.input_index(0));
  c.add_node(ops::kAtenUpsampleBilinear2dVec,
             {ref(input), ints({resize.height, resize.width}), flag(resize.align_corners), none()},
             c.layout().define_image(c.output_index()));
  return {};
}

// aten:: takes the pixel at or before; half a pixel makes no difference to whole factors.
MaybeFailure translate_float_resize_nearest_neighbor(OperatorContext& c) {
  BERTH_IMPORT_TRY(expect_floats(c, 1));
  Resize resize = read_resize<wire::ResizeNearestNeighborOptions>(c);
  BERTH_IMPORT_TRY(check_resize(c, &resize));
  const std::span<const int32_t> in = c.input(0).shape;
  const bool is_whole = resize.height % in[1] == 0 && resize.width % in[2] == 0;
  if (!resize.align_corners && (!resize.half_pixel || is_whole)) {
    const ir::ValueId input = c.layout().image(c.input_index(0));
    c.add_node(ops::kAtenUpsampleNearest2dVec,
               {ref(input), ints({resize.height, resize.width}), none()},
               c.layout().define_image(c.output_index()));
    return {};
  }
  ir::ValueId image = c.layout().plain(c.input_index(0));
  ir::TensorSpec spec = c.spec(image);
  std::array<std::vector<int32_t>, 2> chosen;
  const std::array<Axis, 2> axes = axes_of(c, resize);
  for (size_t a = 0; a < axes.size(); ++a) {
    BERTH_IMPORT_TRY(c.pay(static_cast<uint64_t>(axes[a].to) * 2 * sizeof(int32_t)));
    for (int64_t pixel = 0; pixel < axes[a].to; ++pixel) {
      const float place = axes[a].at(pixel, resize);
      chosen[a].push_back(axes[a].inside(resize.align_corners ? std::round(place) : place));
    }
  }
  spec.sizes[kHeight] = static_cast<int32_t>(resize.height);
  image = add_chosen(c, image, axes[0], chosen[0], ".rows", spec);
  const ir::ValueId columns = c.add_constant(".index", chosen[1]);
  c.add_node(ops::kAtenIndexSelect, {ref(image), num(kWidth), ref(columns)},
             c.layout().define_plain(c.output_index()));
  return {};
}

}  // namespace berth::import
