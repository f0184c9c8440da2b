// Scratch slots are none until the board is known, because the bytes depend on the instruction set
// (contract/scratch_rules.h). Delegates declare theirs, and it goes behind the inputs of each call.
// This pass gives every slot an alloc right before its operator, also one of 0 bytes: the slot is
// there, its size is a statement. It runs behind the passes that change shapes and paddings, and it
// may run again: what it put there before is taken out first.
#include <optional>

#include "compiler/passes/passes.h"
#include "contract/scratch_rules.h"

namespace berth::passes {
namespace {

using ir::Node;
using ir::Ref;
using Ints = std::vector<int64_t>;

const char kSlot = 'X';

// Where an operator's scratch slots are, by the schema.
std::vector<size_t> slots_of(const Node& node) {
  std::vector<size_t> slots;
  const OperatorSchema* schema = ir::schema_of(node);
  if (schema == nullptr) return slots;
  size_t a = 0;
  for (const char* letter = schema->args; *letter != '\0'; ++letter) {
    if (*letter == kSlot) slots.push_back(a);
    if (!is_out(*letter)) ++a;
  }
  return slots;
}

class Sizes {
 public:
  Sizes(const ir::Graph& graph, const Node& node, Isa isa)
      : graph_(graph), node_(node), isa_(isa) {}

  // Bytes per slot, kNoScratchSize where the rule has no answer. Nothing when no rule is known.
  std::optional<std::vector<uint64_t>> bytes() {
    if (is(ops::kQuantizedConv2d)) return one(conv2d_scratch_bytes(convolution(3, 4, 5), isa_));
    if (is(ops::kQuantizedDepthwiseConv2d)) {
      return one(depthwise_conv2d_scratch_bytes(convolution(3, 4, 5), isa_));
    }
    if (is(ops::kQuantizedTransposeConv2d)) {
      const WindowShape shape = convolution(3, 4, 6);
      return std::vector<uint64_t>{transpose_conv2d_scratch_bytes(shape, isa_),
                                   transpose_conv2d_output_scratch_bytes(shape, isa_)};
    }
    if (is(ops::kQuantizedAvgPool2d)) return one(avg_pool2d_scratch_bytes(size(0, 1), isa_));
    if (is(ops::kQuantizedBatchMatmul)) {
      // The right-hand side is transposed: its columns are the dim before the last.
      const int64_t rank = static_cast<int64_t>(spec(2).sizes.size());
      return one(batch_matmul_scratch_bytes(rank < 2 ? 0 : size(2, rank - 2), isa_));
    }
    return std::nullopt;
  }

 private:
  bool is(const OperatorSchema& schema) const { return ir::is_operator(node_, schema); }
  static std::vector<uint64_t> one(uint64_t bytes) { return {bytes}; }
  const ir::TensorSpec& spec(size_t argument) const {
    return graph_.value(std::get<Ref>(node_.args[argument]).id).spec;
  }
  // 0 for a dim that is not there: no rule has an answer for that.
  static int64_t at(const ir::TensorSpec& spec, int64_t dim) {
    return dim < static_cast<int64_t>(spec.sizes.size()) ? spec.sizes[static_cast<size_t>(dim)] : 0;
  }
  int64_t size(size_t argument, int64_t dim) const { return at(spec(argument), dim); }
  int64_t item(size_t argument, size_t i, int64_t otherwise) const {
    const Ints& list = std::get<Ints>(node_.args[argument]);
    return i < list.size() ? list[i] : otherwise;
  }

  // Images are (N, C, H, W), weights (out, H, W, in) or for depthwise (1, H, W, out).
  WindowShape convolution(size_t stride, size_t padding, size_t dilation) const {
    WindowShape shape;
    shape.batch = size(0, 0), shape.in_c = size(0, 1), shape.in_h = size(0, 2);
    shape.in_w = size(0, 3);
    shape.kernel_h = size(1, 1), shape.kernel_w = size(1, 2), shape.kernel_c = size(1, 3);
    const ir::TensorSpec& out = graph_.value(node_.results[0]).spec;
    shape.out_c = at(out, 1), shape.out_h = at(out, 2), shape.out_w = at(out, 3);
    shape.stride_h = item(stride, 0, 0), shape.stride_w = item(stride, 1, 0);
    shape.pad_h = item(padding, 0, -1), shape.pad_w = item(padding, 1, -1);
    shape.dilation_h = item(dilation, 0, 0), shape.dilation_w = item(dilation, 1, 0);
    return shape;
  }

  const ir::Graph& graph_;
  const Node& node_;
  Isa isa_;
};

const ir::LoweredModule* lowered_of(const Node& node, const PassContext& context) {
  if (node.kind != ir::NodeKind::kDelegate || context.lowered == nullptr) return nullptr;
  for (const ir::LoweredModule& module : *context.lowered) {
    if (module.name == node.op) return &module;
  }
  return nullptr;
}

// Takes out the allocs that stand in operators' slots and behind delegates' inputs.
void strip(ir::Graph& graph, const PassContext& context) {
  for (Node& node : graph.nodes) {
    for (const size_t slot : slots_of(node)) node.args[slot] = ir::None{};
    const ir::LoweredModule* lowered = lowered_of(node, context);
    if (lowered != nullptr) node.args.resize(lowered->inputs.size());
  }
  ir::remove_unused(graph);
}

// An alloc for `node`, named after its first result.
Node make_alloc(ir::Graph& graph, const Node& node, Role role, const ir::MemorySpec& spec) {
  ir::Value value;
  value.name =
      node.results.empty() ? spec.name : graph.value(node.results[0]).name + "." + spec.name;
  value.spec = {ScalarType::kByte, {static_cast<int32_t>(spec.nbytes)}, {0}};
  Node alloc;
  alloc.kind = ir::NodeKind::kAlloc;
  alloc.role = role;
  alloc.alignment = spec.alignment;
  alloc.pool = spec.pool;
  alloc.scratch_name = spec.name;
  alloc.results = {graph.add_value(std::move(value))};
  return alloc;
}

}  // namespace

Result<bool> insert_scratch(ir::Graph& graph, const PassContext& context) {
  const ir::Graph before = graph;
  strip(graph, context);
  std::vector<Node> nodes;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    Node node = std::move(graph.nodes[n]);
    if (const ir::LoweredModule* lowered = lowered_of(node, context)) {
      for (const ir::MemorySpec& spec : lowered->scratch) {
        nodes.push_back(make_alloc(graph, node, Role::kDelegateScratch, spec));
        node.args.emplace_back(Ref{nodes.back().results[0]});
      }
    }
    const std::vector<size_t> slots = slots_of(node);
    const auto sizes =
        slots.empty() ? std::vector<uint64_t>{} : Sizes(graph, node, context.isa).bytes();
    const std::string place =
        "graph " + graph.name + ", node " + std::to_string(n) + " " + ir::node_label(node);
    if (!sizes || sizes->size() != slots.size()) {
      return Error{place,
                   "no rule gives the bytes of its scratch; contract/scratch_rules.h has them"};
    }
    // Kernels have nothing to do then, and the rules no answer.
    const bool is_empty = !slots.empty() && graph.value(node.results[0]).spec.nbytes() == 0;
    for (size_t i = 0; i < slots.size(); ++i) {
      const uint64_t nbytes = is_empty ? 0 : (*sizes)[i];
      const char* name = i == 0 ? kScratchName : kOutputScratchName;
      if (nbytes > INT32_MAX) {
        return Error{place, std::string("its ") + name +
                                " has no size that a memory could hold; its shapes and parameters "
                                "do not fit together"};
      }
      nodes.push_back(make_alloc(graph, node, Role::kOpScratch, {name, nbytes}));
      node.args[slots[i]] = Ref{nodes.back().results[0]};
    }
    nodes.push_back(std::move(node));
  }
  graph.nodes = std::move(nodes);
  return !(graph == before);
}

}  // namespace berth::passes
