#include "compiler/import/tflite/unary_forms.h"

#include <vector>

namespace berth::import {

MaybeFailure expect_same_shape(const OperatorContext& c) {
  const std::vector<int64_t> shape(c.input(0).shape.begin(), c.input(0).shape.end());
  return c.expect_shape(OperatorContext::kOutput, shape);
}

UnaryForms pick_unary_forms(OperatorContext& c) {
  const int32_t input = c.input_index(0);
  if (c.layout().has_image(input))
    return {c.layout().image(input), c.layout().define_image(c.output_index())};
  return {c.layout().plain(input), c.layout().define_plain(c.output_index())};
}

}  // namespace berth::import
