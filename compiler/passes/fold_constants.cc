// Exporters leave arithmetic on constants in the graph: a weight that is reshaped, transposed,
// requantised, padded; a table of positions. What depends on constants alone is computed here, with
// the runtime's kernels, and stands in the file as bytes: no instruction, no working memory.
//
// Flash is not free either. A result may be larger than what it is made of by fold_growth_limit; a
// concatenation that repeats a small constant a thousand times stays an instruction.
#include "compiler/passes/evaluate.h"
#include "compiler/passes/passes.h"
#include "contract/checked.h"

namespace berth::passes {
namespace {

using ir::Node;
using ir::Ref;
using ir::ValueId;

// Operators whose result elements each read one element per argument. For all others the work is
// taken to be results x arguments, and must stay below kMaxWork: a file must not be able to keep
// the compiler busy for hours.
constexpr const OperatorSchema* kElementwiseToFold[] = {
    &ops::kTranspose,
    &ops::kPad,
    &ops::kAtenCat,
    &ops::kAtenClamp,
    &ops::kMinimum,
    &ops::kMaximum,
    &ops::kBerthTranspose,
    &ops::kBerthPad,
    &ops::kBerthMinimum,
    &ops::kBerthMaximum,
    &ops::kQuantizedAdd,
    &ops::kQuantizedMul,
    &ops::kQuantizedActivation,
    &ops::kBerthAdd,
    &ops::kBerthSub,
    &ops::kBerthMul,
    &ops::kBerthTanh,
    &ops::kBerthLogistic,
    &ops::kBerthLeakyRelu,
    &ops::kBerthQuantize,
    &ops::kBerthRequantize,
    &ops::kBerthResizeBilinear,
    &ops::kBerthResizeNearest,
    &ops::kQuantizePerTensor,
    &ops::kDequantizePerTensor,
    &ops::kBerthDequantize,
};
constexpr uint64_t kMaxWork = uint64_t{1} << 32;

bool is_elementwise(const Node& node) {
  for (const OperatorSchema* schema : kElementwiseToFold) {
    if (ir::is_operator(node, *schema)) return true;
  }
  return false;
}

class ConstantFolder {
 public:
  ConstantFolder(ir::Graph& graph, const PassContext& context)
      : graph_(graph),
        context_(context),
        written_(ir::find_written(graph)),
        places_(ir::find_placements(graph)),
        known_(graph.values.size()) {
    for (size_t v = 0; v < known_.size(); ++v) known_[v] = graph_.values[v].data;
    is_output_.assign(known_.size(), false);
    for (const ValueId id : graph_.outputs) is_output_[places_[id].root] = true;
  }

  bool run() {
    std::vector<Node> kept;
    for (Node& node : graph_.nodes) {
      if (!fold(node)) kept.push_back(std::move(node));
    }
    if (kept.size() == graph_.nodes.size()) {
      graph_.nodes = std::move(kept);
      return false;
    }
    graph_.nodes = std::move(kept);
    for (Node& node : graph_.nodes) drop_options(node);
    ir::remove_unused(graph_);
    return true;
  }

 private:
  // True when the node's results are constants from now on.
  bool fold(const Node& node) {
    if (node.kind != ir::NodeKind::kOperator && node.kind != ir::NodeKind::kView) return false;
    bool all_known = true, any = false;
    uint64_t argument_bytes = 0;
    ir::for_each_ref(node, [&](const Ref& ref) {
      any = true;
      all_known = all_known && known_[ref.id] != nullptr;
      const uint64_t nbytes = graph_.value(ref.id).spec.nbytes();
      if (!checked_add(argument_bytes, nbytes, &argument_bytes)) argument_bytes = UINT64_MAX;
    });
    if (!any || !all_known) return false;
    uint64_t result_bytes = 0;
    for (const ValueId id : node.results) {
      // A part of a join must be computed there; what is written later is no constant; an output
      // is the caller's to keep, in memory.
      const bool is_view = node.kind == ir::NodeKind::kView;
      if (!is_view && places_[id].root != id) return false;
      if (written_[id] || is_output_[places_[id].root]) return false;
      if (!checked_add(result_bytes, graph_.value(id).spec.nbytes(), &result_bytes)) return false;
    }
    if (node.kind == ir::NodeKind::kView) {
      make_constant(node.results[0], known_[std::get<Ref>(node.args[0]).id]);  // the same bytes
      return true;
    }
    if (result_bytes > argument_bytes &&
        result_bytes - argument_bytes > context_.fold_growth_limit) {
      return false;
    }
    uint64_t work = 0;
    if (!is_elementwise(node) &&
        (!checked_mul(result_bytes, argument_bytes, &work) || work > kMaxWork)) {
      return false;
    }
    auto results = evaluate(graph_, node, known_);
    if (!results) return false;
    for (size_t r = 0; r < results->size(); ++r) {
      make_constant(node.results[r], std::make_shared<const ir::Bytes>(std::move((*results)[r])));
    }
    return true;
  }

  void make_constant(ValueId id, std::shared_ptr<const ir::Bytes> bytes) {
    ir::Value& value = graph_.value(id);
    value.kind = ir::ValueKind::kConstant;
    value.data = bytes;
    known_[id] = std::move(bytes);
  }

  // A constant's bytes cannot be overwritten.
  void drop_options(Node& node) const {
    std::vector<ir::InPlace> options;
    for (const ir::InPlace& option : node.in_place) {
      const auto* ref = std::get_if<Ref>(&node.args[option.argument]);
      if (ref != nullptr && known_[ref->id] == nullptr) options.push_back(option);
    }
    node.in_place = std::move(options);
  }

  ir::Graph& graph_;
  const PassContext& context_;
  std::vector<bool> written_;
  std::vector<ir::Placement> places_;
  std::vector<bool> is_output_;  // per root
  KnownBytes known_;
};

}  // namespace

Result<bool> fold_constants(ir::Graph& graph, const PassContext& context) {
  return ConstantFolder(graph, context).run();
}

}  // namespace berth::passes
