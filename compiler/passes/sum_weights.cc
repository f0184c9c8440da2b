// The vector instructions of MVE multiply int8 by int8, so the input's offset cannot be added to
// its elements on the way; what it adds to an output is the offset times the sum of that output's
// weights. The operator has an argument for it, the kernel sum, which takes the bias in as well:
//
//     sum of (x + offset) * w  +  bias    =    sum of x * w  +  kernel_sum
//
// For MVE this pass computes it, so that nobody sums weights at run time. It costs no bytes where
// there is a bias, which goes.
#include <cstring>

#include "compiler/passes/passes.h"
#include "contract/fixed_point.h"

namespace berth::passes {
namespace {

using ir::Node;
using ir::Ref;

enum : size_t { kWeights = 1, kBias = 2, kKernelSum = 3, kInOffset = 4, kFilterOffset = 5 };

// The value that an argument names when it is a constant of this type; null otherwise.
const ir::Value* constant(const ir::Graph& graph, const ir::Arg& arg, ScalarType dtype) {
  const auto* ref = std::get_if<Ref>(&arg);
  if (ref == nullptr) return nullptr;
  const ir::Value& value = graph.value(ref->id);
  return value.kind == ir::ValueKind::kConstant && value.spec.dtype == dtype ? &value : nullptr;
}

// Nothing where the operator's arguments leave nothing to sum.
ir::Bytes kernel_sums(const ir::Graph& graph, const Node& node) {
  const auto* in_offset = std::get_if<int64_t>(&node.args[kInOffset]);
  const auto* filter_offset = std::get_if<int64_t>(&node.args[kFilterOffset]);
  const ir::Value* weights = constant(graph, node.args[kWeights], ScalarType::kChar);
  if (in_offset == nullptr || filter_offset == nullptr || *filter_offset != 0) return {};
  if (weights == nullptr || weights->spec.sizes.size() != 2) return {};
  if (weights->spec.dim_order != std::vector<uint8_t>{0, 1}) return {};
  const size_t outputs = static_cast<size_t>(weights->spec.sizes[0]);
  const size_t depth = static_cast<size_t>(weights->spec.sizes[1]);
  const bool has_bias = !std::holds_alternative<ir::None>(node.args[kBias]);
  const ir::Value* bias = constant(graph, node.args[kBias], ScalarType::kInt);
  if (has_bias && (bias == nullptr || bias->data->size() != outputs * sizeof(int32_t))) return {};
  if (*in_offset == 0 && !has_bias) return {};
  ir::Bytes sums(outputs * sizeof(int32_t));
  for (size_t o = 0; o < outputs; ++o) {
    int32_t weight_sum = 0;
    for (size_t i = 0; i < depth; ++i) {
      weight_sum = wrapping_add(weight_sum, static_cast<int8_t>((*weights->data)[o * depth + i]));
    }
    int32_t sum = wrapping_mul(weight_sum, static_cast<int32_t>(*in_offset));
    int32_t own = 0;
    if (has_bias) std::memcpy(&own, bias->data->data() + o * sizeof(own), sizeof(own));
    sum = wrapping_add(sum, own);
    std::memcpy(sums.data() + o * sizeof(sum), &sum, sizeof(sum));
  }
  return sums;
}

}  // namespace

Result<bool> sum_weights(ir::Graph& graph, const PassContext& context) {
  if (context.isa != Isa::kMve) return false;
  KernelSumsReport report{graph.name};
  for (Node& node : graph.nodes) {
    if (!ir::is_operator(node, ops::kQuantizedLinear)) continue;
    if (!std::holds_alternative<ir::None>(node.args[kKernelSum])) continue;
    ir::Bytes sums = kernel_sums(graph, node);
    if (sums.empty()) continue;
    const ir::TensorSpec spec{
        ScalarType::kInt, {static_cast<int32_t>(sums.size() / sizeof(int32_t))}, {0}};
    ++report.operators;
    report.bytes += sums.size();
    const std::string name = graph.value(node.results[0]).name + ".kernel_sum";
    node.args[kKernelSum] = Ref{graph.add_constant(name, spec, std::move(sums))};
    node.args[kBias] = ir::None{};
  }
  if (report.operators == 0) return false;
  ir::remove_unused(graph);
  if (context.kernel_sums != nullptr) context.kernel_sums->push_back(std::move(report));
  return true;
}

}  // namespace berth::passes
