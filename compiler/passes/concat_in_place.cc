// A concatenation over the outermost dim in memory puts its inputs one after the other, byte for
// byte. If they are computed there in the first place, nothing is left to copy:
//
//   a -> cat -> y          y: [ a . . . | b . . ]
//   b -/                   a and b are results inside y; the cat is a join, no instruction
//
// This needs inputs that a node computes (not inputs of the method, not constants), each in one
// join only. It saves the copy and, at the moment of the copy, half of the bytes. But y's bytes are
// taken from the first input on: where a long way lies between the inputs (a U-net), that can cost
// more than it saves, so the pass looks at the fullest moment before and after and takes the join
// only if it is no higher.
#include <algorithm>
#include <set>

#include "compiler/passes/live_bytes.h"
#include "compiler/passes/memory_layout.h"
#include "compiler/passes/passes.h"

namespace berth::passes {
namespace {

using ir::Node;
using ir::Ref;
using ir::ValueId;

// The look at the fullest moment costs nodes x concatenations; graphs beyond any model do without
// the pass rather than take minutes.
constexpr uint64_t kMaxSteps = 100'000'000;

// Word loads of kernels on small cores want no less; the host takes what the element type wants.
uint64_t part_alignment(const PassContext& context, ScalarType type) {
  const uint64_t element = element_size(type);
  return context.isa == Isa::kHost ? element : std::max<uint64_t>(element, 4);
}

class Joiner {
 public:
  Joiner(ir::Graph& graph, const PassContext& context) : graph_(graph), context_(context) {}

  bool run() {
    bool changed = false;
    const uint64_t cats =
        std::count_if(graph_.nodes.begin(), graph_.nodes.end(),
                      [](const Node& n) { return ir::is_operator(n, ops::kAtenCat); });
    if (cats == 0 || graph_.nodes.size() + graph_.values.size() > kMaxSteps / cats) return false;
    find_storages();
    uint64_t peak = peak_live_bytes(graph_);
    for (Node& node : graph_.nodes) {
      if (!ir::is_operator(node, ops::kAtenCat) || !can_join(node)) continue;
      const Node copy = node;
      make_join(node);
      const uint64_t now = peak_live_bytes(graph_);
      if (now > peak) {
        node = copy;
        continue;
      }
      peak = now;
      changed = true;
      find_storages();
    }
    return changed;
  }

 private:
  // Where every value lies by now, which storages are parts, and which the caller will read.
  void find_storages() {
    places_ = ir::find_placements(graph_);
    written_ = ir::find_written(graph_);
    is_output_.assign(graph_.values.size(), false);
    for (const ValueId id : graph_.outputs) is_output_[places_[id].root] = true;
    storage_.resize(graph_.values.size());
    for (size_t v = 0; v < storage_.size(); ++v) storage_[v] = static_cast<ValueId>(v);
    joined_.assign(graph_.values.size(), false);
    for (const Node& node : graph_.nodes) {
      if (node.kind == ir::NodeKind::kView) {
        storage_[node.results[0]] = storage_[std::get<Ref>(node.args[0]).id];
      } else if (node.kind == ir::NodeKind::kJoin) {
        ir::for_each_ref(node, [&](const Ref& ref) { joined_[storage_[ref.id]] = true; });
      }
    }
  }

  bool can_join(const Node& node) const {
    const ir::TensorSpec& out = graph_.value(node.results[0]).spec;
    const ir::RefList& parts = std::get<ir::RefList>(node.args[0]);
    const int64_t rank = static_cast<int64_t>(out.sizes.size());
    int64_t dim = std::get<int64_t>(node.args[1]);
    if (dim < 0) dim += rank;
    if (dim < 0 || dim >= rank || parts.empty()) return false;
    for (const uint8_t outer : out.dim_order) {
      if (outer == dim) break;
      if (out.sizes[outer] != 1) return false;  // the inputs' bytes are interleaved
    }
    if (written_[node.results[0]]) return false;
    // The caller's memory has no plan that something could lie inside of.
    if (!context_.io_in_pools && is_output_[places_[node.results[0]].root]) return false;

    std::set<ValueId> roots;
    uint64_t offset = 0;
    int64_t length = 0;
    for (const Ref& part : parts) {
      const ir::Value& value = graph_.value(part.id);
      const ValueId root = storage_[part.id];
      if (graph_.value(root).kind != ir::ValueKind::kResult || joined_[root]) return false;
      // An output of the method has its own bytes; what is written later is copied for a reason.
      if (is_output_[root] || written_[root] || !roots.insert(root).second) return false;
      if (!lies_like(value.spec, out, static_cast<size_t>(dim))) return false;
      if (offset % part_alignment(context_, out.dtype) != 0) return false;
      offset += value.spec.nbytes();
      length += value.spec.sizes[static_cast<size_t>(dim)];
    }
    return length == out.sizes[static_cast<size_t>(dim)];
  }

  // The part has the output's sizes but for `dim`, and its dims the same order in memory.
  static bool lies_like(const ir::TensorSpec& part, const ir::TensorSpec& out, size_t dim) {
    if (part.dtype != out.dtype || part.sizes.size() != out.sizes.size()) return false;
    ir::TensorSpec whole = part;
    whole.sizes[static_cast<size_t>(dim)] = out.sizes[static_cast<size_t>(dim)];
    if (whole.sizes != out.sizes) return false;
    std::vector<uint8_t> order = moving_dims(out);
    if (part.sizes[static_cast<size_t>(dim)] == 1) {
      order.erase(std::remove(order.begin(), order.end(), static_cast<uint8_t>(dim)), order.end());
    }
    return moving_dims(part) == order;
  }

  static void make_join(Node& node) {
    const ir::RefList parts = std::get<ir::RefList>(node.args[0]);
    const std::vector<ValueId> results = node.results;
    node = Node{};
    node.kind = parts.size() == 1 ? ir::NodeKind::kView : ir::NodeKind::kJoin;
    node.args.assign(parts.begin(), parts.end());
    node.results = results;
  }

  ir::Graph& graph_;
  const PassContext& context_;
  std::vector<ir::Placement> places_;
  std::vector<ValueId> storage_;  // through views, not through joins
  std::vector<bool> joined_;      // per storage
  std::vector<bool> written_;     // per value
  std::vector<bool> is_output_;   // per root
};

}  // namespace

Result<bool> concat_in_place(ir::Graph& graph, const PassContext& context) {
  return Joiner(graph, context).run();
}

}  // namespace berth::passes
