// The layout question, decided here and nowhere else.
//
// TFLite's tensors are NHWC and its operators name axes accordingly. The .pte vocabulary has two
// kinds of operators: those that think in images (cortex_m:: convolutions and pools, berth::
// resize) want NCHW sizes with the dim order (0, 2, 3, 1), which are NHWC bytes; all others want
// plain sizes. Both describe the same bytes:
//
//   TFLite tensor [1, 48, 48, 8]     bytes: n h w c, c fastest
//     plain   sizes (1, 48, 48, 8)   dim order (0, 1, 2, 3)     axes are TFLite's axes
//     image   sizes (1, 8, 48, 48)   dim order (0, 2, 3, 1)     4 dimensions only
//
// So no byte ever moves for the sake of layout. A tensor has one value that owns its bytes (the
// root) and, on demand and once, a `view` of it in the other form. A producer makes the form that
// it natively has; a consumer asks for the form that it needs:
//
//   image   CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV, *_POOL_2D, RESIZE_*
//   plain   everything that names axes: CONCATENATION, MEAN, PAD, TRANSPOSE, SOFTMAX,
//           FULLY_CONNECTED, BATCH_MATMUL; and elementwise operators that broadcast
//   either  other elementwise operators: image when all operands have that form already,
//           plain otherwise
//
// Float operators become aten:: ones, and stock kernels of those want all tensors of a call in one
// dim order, weights too. So the filters of their convolutions are image constants: the file's own
// bytes for CONV_2D (OHWI), rearranged ones for the others. Integer operators take filters plain.
// Pools of floats are plain: stock ones take the default dim order alone, so the image is
// transposed for them and back, and where windows tile it the pool is a reduction over axes
// instead.
//
// RESHAPE, SQUEEZE and EXPAND_DIMS make no node: their output is other names for their input's
// root. Inputs and outputs of a method are plain: users see TFLite's own shapes. A view of a view
// is never made, all views are of the root.
//
// A constant has no root: each form is a constant value of its own, and all of them share one copy
// of the bytes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/import/tflite/tflite_file.h"
#include "compiler/ir/ir.h"

namespace berth::import {

// Copies of the file's constants, one per distinct span, paid for from the allowance.
class ConstantBytes {
 public:
  explicit ConstantBytes(Allowance* allowance) : allowance_(allowance) {}
  // Null when the allowance does not pay for it.
  std::shared_ptr<const ir::Bytes> copy(std::span<const std::byte> bytes);

 private:
  Allowance* allowance_;
  std::map<std::pair<const std::byte*, size_t>, std::shared_ptr<const ir::Bytes>> copies_;
};

class Layout {
 public:
  // Adds the subgraph's inputs to `graph`. All pointers outlive the layout.
  Layout(const FileSubgraph& subgraph, ConstantBytes* constants, ir::Graph* graph);

  // `tensor` below is an index into the subgraph's tensors.

  // A constant, an input, or made by an operator before.
  bool is_defined(int32_t tensor) const;
  // Whether asking for the image form adds no node.
  bool has_image(int32_t tensor) const;

  // The value of a tensor in the form named. REQUIRES: is_defined(tensor); 4 dimensions for image.
  ir::ValueId plain(int32_t tensor);
  ir::ValueId image(int32_t tensor);
  // A form of a constant under a name of the caller's, unless it has one already: what a weight is
  // for says more than what the file calls it. REQUIRES: a constant; 4 dimensions for image.
  ir::ValueId constant(int32_t tensor, std::string name);
  ir::ValueId constant_image(int32_t tensor, std::string name);
  // Its bytes under other plain sizes of as many elements.
  ir::ValueId reshaped(int32_t tensor, std::vector<int32_t> sizes);

  // A new result value that owns the tensor's bytes, for a node to come. REQUIRES:
  // !is_defined(tensor).
  ir::ValueId define_plain(int32_t tensor);
  ir::ValueId define_image(int32_t tensor);
  // The same under the node's own sizes; users of the tensor get views.
  ir::ValueId define_reshaped(int32_t tensor, std::vector<int32_t> sizes);
  // The tensor is `source` under other sizes. REQUIRES: equal bytes.
  void define_alias(int32_t tensor, int32_t source);

  ir::TensorSpec plain_spec(int32_t tensor) const;
  ir::TensorSpec image_spec(int32_t tensor) const;

  // True once a constant was too much for the allowance; the graph is not to be used then.
  bool overspent() const { return overspent_; }

 private:
  struct Forms {
    bool is_alias = false;  // another tensor under other sizes
    ir::ValueId root = -1;  // owns the bytes; -1 for constants and for what is not defined yet
    int32_t constant = -1;  // tensor with the bytes, when an alias of a constant
    ir::ValueId plain = -1;
    ir::ValueId image = -1;
  };
  const FileTensor& tensor(int32_t index) const {
    return subgraph_.tensors[static_cast<size_t>(index)];
  }
  Forms& forms(int32_t index) { return forms_[static_cast<size_t>(index)]; }
  const Forms& forms(int32_t index) const { return forms_[static_cast<size_t>(index)]; }
  // The tensor whose data are this one's bytes, or -1.
  int32_t constant_of(int32_t index) const;
  ir::ValueId add_result(int32_t index, ir::TensorSpec spec);
  ir::ValueId add_form(int32_t index, ir::TensorSpec spec, const char* suffix);
  ir::ValueId add_constant(int32_t index, ir::TensorSpec spec, std::string name);

  const FileSubgraph& subgraph_;
  ConstantBytes* constants_;
  ir::Graph* graph_;
  std::vector<Forms> forms_;
  bool overspent_ = false;
};

// The part of a tensor's name that reports show.
std::string_view origin_of(std::string_view tensor_name);
// What a tensor's values are called: the first of several names that a fused tensor has, not too
// long.
std::string value_name(std::string_view tensor_name, int32_t tensor);

}  // namespace berth::import
