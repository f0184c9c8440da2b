// FULLY_CONNECTED and BATCH_MATMUL: products of row-major matrices, in plain form. Integer
// operators take the right matrix as TFLite has weights, a row per output; aten:: takes a column
// per output.
#include <algorithm>
#include <array>
#include <cstring>

#include "compiler/import/tflite/float_ops.h"
#include "compiler/import/tflite/translate.h"
#include "contract/fixed_point.h"

namespace berth::import {
namespace {

std::string product_text(double real) {
  return "the scales ask for a multiplication by " + std::to_string(real) +
         "; kernels cannot shift that far";
}

// Multipliers of a dense layer: one, or one per output.
MaybeFailure read_multipliers(OperatorContext& c, float input, float output, bool wide_sum,
                              std::vector<int64_t>* multipliers, std::vector<int64_t>* shifts) {
  const Quantization& weights = c.input(1).quantization;
  const bool per_channel = weights.scales.size() > 1;
  if (per_channel && weights.dimension != 0) {
    return unsupported(c.input_text(1) + " is quantised along dimension " +
                       std::to_string(weights.dimension) + "; 0 is supported here");
  }
  BERTH_IMPORT_TRY(c.pay(weights.scales.size() * 2 * sizeof(int64_t)));
  for (const float scale : weights.scales) {
    const double real = per_channel ? channel_multiplier(input, scale, output)
                                    : tensor_multiplier(input, scale, output);
    const auto multiplier = quantize_multiplier(real);
    if (!multiplier || (wide_sum && !is_valid_shift64(multiplier->shift)))
      return unsupported(product_text(real));
    multipliers->push_back(multiplier->multiplier);
    shifts->push_back(multiplier->shift);
  }
  return {};
}

// A dense layer as a product: the input's rows of `depth` numbers become rows of `outputs`.
struct DenseRows {
  int64_t rows = 0, depth = 0, outputs = 0;
  std::vector<int32_t> in() const {
    return {static_cast<int32_t>(rows), static_cast<int32_t>(depth)};
  }
  std::vector<int32_t> out() const {
    return {static_cast<int32_t>(rows), static_cast<int32_t>(outputs)};
  }
};

// REQUIRES: weights of 2 dimensions.
MaybeFailure read_dense_rows(const OperatorContext& c, DenseRows* dense) {
  const FileTensor& input = c.input(0);
  const FileTensor& weights = c.input(1);
  dense->outputs = weights.shape[0];
  dense->depth = weights.shape[1];
  dense->rows = static_cast<int64_t>(input.element_count) / dense->depth;
  const auto made = static_cast<uint64_t>(dense->rows * dense->outputs);
  if (input.element_count % static_cast<uint64_t>(dense->depth) == 0 &&
      c.output().element_count == made && !c.output().shape.empty() &&
      c.output().shape.back() == dense->outputs) {
    return {};
  }
  return malformed(c.input_text(1) + " takes rows of " + std::to_string(dense->depth) +
                   " numbers and makes rows of " + std::to_string(dense->outputs) +
                   "; the input has " + std::to_string(input.element_count) +
                   " numbers and the output " + std::to_string(c.output().element_count));
}

MaybeFailure check_weights_format(const OperatorContext& c) {
  const auto* options = c.options<wire::FullyConnectedOptions>();
  if (options == nullptr ||
      options->weights_format() == wire::FullyConnectedOptionsWeightsFormat::DEFAULT) {
    return {};
  }
  return unsupported("the weights format is " +
                     std::to_string(static_cast<int>(options->weights_format())) +
                     "; 0 (DEFAULT) is supported");
}

}  // namespace

MaybeFailure translate_fully_connected(OperatorContext& c) {
  BERTH_IMPORT_TRY(check_weights_format(c));
  const FileTensor& input = c.input(0);
  const bool is_16 = input.dtype == ScalarType::kShort;
  if (!is_16) BERTH_IMPORT_TRY(c.expect_dtype(0, ScalarType::kChar));
  BERTH_IMPORT_TRY(c.expect_dtype(1, ScalarType::kChar));
  BERTH_IMPORT_TRY(c.expect_rank(1, 2));
  BERTH_IMPORT_TRY(c.expect_dtype(OperatorContext::kOutput, input.dtype));
  PerTensor in, out;
  BERTH_IMPORT_TRY(c.read_params(0, &in));
  BERTH_IMPORT_TRY(c.read_params(OperatorContext::kOutput, &out));
  Range range;
  BERTH_IMPORT_TRY(
      c.read_activation(c.fused_activation<wire::FullyConnectedOptions>(), out, &range));

  const FileTensor& weights = c.input(1);
  if (weights.quantization.scales.empty()) return unsupported(c.input_text(1) + " has no scale");
  if (!weights.is_constant()) {
    return unsupported(c.input_text(1) +
                       " is computed at run time; constant weights are supported");
  }
  for (const int64_t zero_point : weights.quantization.zero_points) {
    if (zero_point != weights.quantization.zero_points[0]) {
      return unsupported(c.input_text(1) + " has several zero points; one is supported");
    }
  }
  DenseRows dense;
  BERTH_IMPORT_TRY(read_dense_rows(c, &dense));
  const int64_t outputs = dense.outputs;
  ir::Arg bias = none();
  bool wide_sum = is_16;
  if (c.has_input(2)) {
    if (!is_16 || c.input(2).dtype != ScalarType::kLong) {
      BERTH_IMPORT_TRY(c.expect_dtype(2, ScalarType::kInt));
      wide_sum = false;
    }
    if (!c.input(2).is_constant())
      return unsupported(c.input_text(2) +
                         " is computed at run time; a constant bias is supported");
    const std::array<int64_t, 1> shape = {outputs};
    BERTH_IMPORT_TRY(c.expect_shape(2, shape));
    bias = ref(c.constant_input(2, ".bias"));
  }
  std::vector<int64_t> multipliers, shifts;
  BERTH_IMPORT_TRY(read_multipliers(c, in.scale, out.scale, wide_sum, &multipliers, &shifts));

  const ir::ValueId rows_in = c.layout().reshaped(c.input_index(0), dense.in());
  const ir::ValueId weights_in = c.constant_input(1, ".weights");
  const ir::ValueId rows_out = c.layout().define_reshaped(c.output_index(), dense.out());
  // No kernel sum: it serves one ISA only, and a pass that knows the board adds it. Maximum before
  // minimum, here alone. The vendor's operator takes one multiplier for all outputs.
  const bool is_vendor = !is_16 && multipliers.size() == 1;
  c.add_node(is_vendor ? ops::kQuantizedLinear : ops::kBerthLinear,
             {ref(rows_in), ref(weights_in), bias, none(), num(-int64_t{in.zero_point}),
              num(-weights.quantization.zero_points[0]), num(out.zero_point), ints(multipliers),
              ints(shifts), num(range.max), num(range.min)},
             rows_out);
  return {};
}

namespace {

// One operand of a product as a batch of matrices.
struct Matrices {
  int64_t batch = 1, rows = 0, columns = 0;
  bool is_flat = false;  // one matrix, as a tensor of 2 dimensions
  std::vector<int32_t> sizes() const {
    if (is_flat) return {static_cast<int32_t>(rows), static_cast<int32_t>(columns)};
    return {static_cast<int32_t>(batch), static_cast<int32_t>(rows), static_cast<int32_t>(columns)};
  }
};

Matrices read_matrices(const FileTensor& tensor) {
  const size_t rank = tensor.shape.size();
  Matrices m{1, tensor.shape[rank - 2], tensor.shape[rank - 1], false};
  m.batch = static_cast<int64_t>(tensor.element_count) / (m.rows * m.columns);
  return m;
}

// Operand i as matrices whose rows and columns are swapped.
MaybeFailure swap_rows_and_columns(OperatorContext& c, int i, const Matrices& from,
                                   const char* suffix, ir::ValueId* swapped) {
  const Matrices to{from.batch, from.columns, from.rows, from.is_flat};
  const FileTensor& tensor = c.input(i);
  if (tensor.is_constant()) {
    BERTH_IMPORT_TRY(c.pay(tensor.data.size()));
    ir::Bytes bytes(tensor.data.size());
    const size_t size = element_size(tensor.dtype);
    for (int64_t b = 0; b < from.batch; ++b) {
      const int64_t base = b * from.rows * from.columns;
      for (int64_t r = 0; r < from.rows; ++r) {
        for (int64_t k = 0; k < from.columns; ++k) {
          std::memcpy(bytes.data() + static_cast<size_t>(base + k * from.rows + r) * size,
                      tensor.data.data() + static_cast<size_t>(base + r * from.columns + k) * size,
                      size);
        }
      }
    }
    *swapped = c.add_constant(suffix, tensor.dtype, to.sizes(), std::move(bytes));
    return {};
  }
  const ir::ValueId matrices = c.layout().reshaped(c.input_index(i), from.sizes());
  *swapped = c.add_temporary(
      suffix, {tensor.dtype, to.sizes(), ir::contiguous_order(from.is_flat ? 2 : 3)});
  c.add_node(tensor.dtype == ScalarType::kFloat ? ops::kAtenPermuteCopy : ops::kTranspose,
             {ref(matrices), from.is_flat ? ints({1, 0}) : ints({0, 2, 1})}, *swapped);
  return {};
}

// The operands and the result of BATCH_MATMUL as the file has them, adjoint or not.
struct Product {
  Matrices x, y, result;
  bool adjoint_x = false, adjoint_y = false;
};

MaybeFailure read_product(const OperatorContext& c, ScalarType dtype, Product* out) {
  const auto* options = c.options<wire::BatchMatMulOptions>();
  const bool adjoint_x = options != nullptr && options->adj_x();
  const bool adjoint_y = options != nullptr && options->adj_y();
  for (const int i : {0, 1, OperatorContext::kOutput}) {
    BERTH_IMPORT_TRY(c.expect_dtype(i, dtype));
    if (c.at(i).shape.size() < 2) return malformed(c.text(i) + " has less than 2 dimensions");
  }
  const Matrices x = read_matrices(c.input(0));
  const Matrices y = read_matrices(c.input(1));
  const Matrices product = read_matrices(c.output());
  const auto batch_dimensions = [](const FileTensor& t) {
    return t.shape.first(t.shape.size() - 2);
  };
  // Leading ones do not matter to a batch; anything else that differs would have to be repeated.
  const auto same_batch = [&](const FileTensor& a, const FileTensor& b) {
    auto one = batch_dimensions(a);
    auto other = batch_dimensions(b);
    while (!one.empty() && one[0] == 1) one = one.subspan(1);
    while (!other.empty() && other[0] == 1) other = other.subspan(1);
    return std::equal(one.begin(), one.end(), other.begin(), other.end());
  };
  if (!same_batch(c.input(0), c.input(1))) {
    return unsupported("the operands have the shapes " + c.shape_text(0) + " and " +
                       c.shape_text(1) + "; equal batches are supported");
  }
  const int64_t rows = adjoint_x ? x.columns : x.rows;
  const int64_t depth = adjoint_x ? x.rows : x.columns;
  const int64_t columns = adjoint_y ? y.rows : y.columns;
  const int64_t other_depth = adjoint_y ? y.columns : y.rows;
  if (depth != other_depth || product.rows != rows || product.columns != columns ||
      !same_batch(c.input(0), c.output())) {
    return malformed("a product of " + std::to_string(rows) + " x " + std::to_string(depth) +
                     " and " + std::to_string(other_depth) + " x " + std::to_string(columns) +
                     " matrices cannot be " + std::to_string(product.rows) + " x " +
                     std::to_string(product.columns) + ", batch for batch");
  }
  *out = {x, y, product, adjoint_x, adjoint_y};
  return {};
}

}  // namespace

MaybeFailure translate_batch_matmul(OperatorContext& c) {
  Product product;
  BERTH_IMPORT_TRY(read_product(c, ScalarType::kChar, &product));
  PerTensor left, right, out;
  BERTH_IMPORT_TRY(c.read_params(0, &left));
  BERTH_IMPORT_TRY(c.read_params(1, &right));
  BERTH_IMPORT_TRY(c.read_params(OperatorContext::kOutput, &out));
  const double real = tensor_multiplier(left.scale, right.scale, out.scale);
  const auto multiplier = quantize_multiplier(real);
  if (!multiplier) return unsupported(product_text(real));

  // The kernel takes the right operand transposed: rows times rows.
  ir::ValueId lhs = -1;
  ir::ValueId rhs = -1;
  if (product.adjoint_x) {
    BERTH_IMPORT_TRY(swap_rows_and_columns(c, 0, product.x, ".lhs_transposed", &lhs));
  } else {
    lhs = c.layout().reshaped(c.input_index(0), product.x.sizes());
  }
  if (product.adjoint_y) {
    rhs = c.layout().reshaped(c.input_index(1), product.y.sizes());
  } else {
    BERTH_IMPORT_TRY(swap_rows_and_columns(c, 1, product.y, ".rhs_transposed", &rhs));
  }
  const ir::ValueId result = c.layout().define_reshaped(c.output_index(), product.result.sizes());
  c.add_node(ops::kQuantizedBatchMatmul,
             {ref(lhs), num(-int64_t{left.zero_point}), ref(rhs), num(-int64_t{right.zero_point}),
              num(out.zero_point), num(multiplier->multiplier), num(multiplier->shift), none()},
             result);
  return {};
}

MaybeFailure translate_float_fully_connected(OperatorContext& c) {
  BERTH_IMPORT_TRY(check_weights_format(c));
  BERTH_IMPORT_TRY(expect_floats(c, c.has_input(2) ? 3 : 2));
  BERTH_IMPORT_TRY(c.expect_rank(1, 2));
  FloatActivation activation;
  BERTH_IMPORT_TRY(
      read_float_activation(c.fused_activation<wire::FullyConnectedOptions>(), &activation));
  DenseRows dense;
  BERTH_IMPORT_TRY(read_dense_rows(c, &dense));
  ir::ValueId bias = -1;
  if (c.has_input(2)) {
    const std::array<int64_t, 1> shape = {dense.outputs};
    BERTH_IMPORT_TRY(c.expect_shape(2, shape));
    bias = c.input(2).is_constant() ? c.constant_input(2, ".bias")
                                    : c.layout().plain(c.input_index(2));
  }
  const ir::ValueId in = c.layout().reshaped(c.input_index(0), dense.in());
  ir::ValueId weights = -1;
  BERTH_IMPORT_TRY(
      swap_rows_and_columns(c, 1, {1, dense.outputs, dense.depth, true}, ".weights", &weights));
  const ir::ValueId out = c.layout().define_reshaped(c.output_index(), dense.out());
  if (bias < 0) {
    add_activated(c, ops::kAtenMm, {ref(in), ref(weights)}, activation, out);
  } else {
    add_activated(c, ops::kAtenAddmm, {ref(bias), ref(in), ref(weights), num(1), num(1)},
                  activation, out);
  }
  return {};
}

MaybeFailure translate_float_batch_matmul(OperatorContext& c) {
  Product product;
  BERTH_IMPORT_TRY(read_product(c, ScalarType::kFloat, &product));
  const auto operand = [&c](int i, const Matrices& matrices, bool adjoint, const char* suffix,
                            ir::ValueId* value) -> MaybeFailure {
    if (adjoint) return swap_rows_and_columns(c, i, matrices, suffix, value);
    *value = c.layout().reshaped(c.input_index(i), matrices.sizes());
    return {};
  };
  ir::ValueId lhs = -1, rhs = -1;
  BERTH_IMPORT_TRY(operand(0, product.x, product.adjoint_x, ".lhs_transposed", &lhs));
  BERTH_IMPORT_TRY(operand(1, product.y, product.adjoint_y, ".rhs_transposed", &rhs));
  c.add_node(ops::kAtenBmm, {ref(lhs), ref(rhs)},
             c.layout().define_reshaped(c.output_index(), product.result.sizes()));
  return {};
}

}  // namespace berth::import
