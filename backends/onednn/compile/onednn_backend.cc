#include "backends/onednn/compile/onednn_backend.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "backends/onednn/compile/heap_meter.h"
#include "backends/onednn/compile/onednn_take.h"
#include "backends/onednn/shared/onednn_primitive.h"
#include "compiler/delegate/chains.h"
#include "compiler/delegate/node_facts.h"
#include "compiler/delegate/spec_reader.h"

namespace berth::onednn {
namespace {

using delegate::Board;
using delegate::CompileSpecs;
using ir::Graph;
using ir::Node;
using ir::ValueId;

struct Options {
  uint32_t threads = 1;
  uint32_t isa = 0;
  bool share = false;
  std::string pool;
};

Result<Options> read(const CompileSpecs& specs) {
  delegate::SpecReader reader(specs);
  Options options;
  options.threads = reader.number("threads", 1, 1024).value_or(1);
  const std::optional<std::string> isa = reader.text("isa");
  options.share = reader.flag("share");
  options.pool = reader.text("pool").value_or("");
  if (MaybeError error = reader.finish()) return *error;
  if (!isa) return options;
  options.isa = find_isa(*isa);
  if (options.isa == 0)
    return Error{"compile spec isa", "is \"" + *isa + "\"; one of " + isa_names()};
  if (!use_isa(options.isa)) {
    return Error{"compile spec isa", "is " + *isa +
                                         ", which this machine lacks or which came after the first "
                                         "primitive of another one"};
  }
  return options;
}

// The primitive of one chain: what its nodes become, one after the other.
class ChainPrimitive {
 public:
  ChainPrimitive(const Graph& graph, const Options& options) : graph_(graph), options_(options) {}

  // What the library does with plain loops our kernels do too, some of them in place.
  bool begin(const Node& node) {
    const std::optional<TakenOp> taken = take_node(graph_, node);
    if (!taken) return false;
    taken_ = *taken;
    taken_.op.threads = options_.threads;
    taken_.op.isa = options_.isa;
    taken_.op.shares = options_.share ? 1 : 0;
    primitive_ = make_primitive(taken_.op);
    return primitive_ && primitive_->quality != Quality::kPlain;
  }
  // For as long as the library does it as well as the begin alone.
  bool go_on(const Node& node) {
    TakenOp longer = taken_;
    if (!fuse_node(graph_, node, &longer)) return false;
    std::unique_ptr<Primitive> primitive = make_primitive(longer.op);
    if (!primitive || primitive->quality > primitive_->quality) return false;
    taken_ = std::move(longer);
    primitive_ = std::move(primitive);
    return true;
  }

  const TakenOp& taken() const { return taken_; }
  const Primitive& primitive() const { return *primitive_; }

 private:
  const Graph& graph_;
  const Options& options_;
  TakenOp taken_;
  std::unique_ptr<Primitive> primitive_;
};

class OnednnBackend : public delegate::Backend {
 public:
  std::string_view id() const override { return kBackendId; }
  std::string obstacle(const Board& board) const override {
    return board.isa == Isa::kHost ? "" : "runs where oneDNN does, on boards of isa host";
  }

  Result<delegate::Groups> partition(const Graph& graph, const CompileSpecs& specs,
                                     const Board&) const override {
    const Result<Options> options = read(specs);
    if (!options.ok()) return options.error();
    const ThreadCount threads(options.value().threads);
    ChainPrimitive chain(graph, options.value());
    return delegate::find_chains(graph, [&](const Node& node, bool begins) {
      return begins ? chain.begin(node) : chain.go_on(node);
    });
  }

  Result<delegate::PreprocessResult> preprocess(const Graph& part, const CompileSpecs& specs,
                                                const Board&) const override {
    const Options options = read(specs).take();
    const ThreadCount threads(options.threads);
    ChainPrimitive chain(part, options);
    bool is_whole = chain.begin(part.nodes[0]);
    for (size_t n = 1; n < part.nodes.size(); ++n)
      is_whole = is_whole && chain.go_on(part.nodes[n]);
    if (!is_whole) {
      return Error{"graph " + part.name + ", " + ir::node_label(part.nodes[0]),
                   "is taken as a whole, but the library does not do all of it now"};
    }
    const TakenOp& taken = chain.taken();
    const Primitive& primitive = chain.primitive();
    Op op = taken.op;
    op.scratch_bytes = static_cast<uint32_t>(primitive.scratch_bytes);
    op.weights_bytes =
        primitive.reorders_weights ? static_cast<uint32_t>(primitive.weights.get_size()) : 0;
    number_inputs(part, taken, &op);

    // The words are as many whatever stands in them: positions are known before they are written.
    delegate::PreprocessResult result;
    ir::Bytes& blob = result.processed;
    blob.resize(write_op(op).size());
    const auto keep = [&](ValueId id, uint32_t* at) {
      if (id >= 0) *at = delegate::append(*part.value(id).data, kAlignment, &blob);
    };
    keep(taken.weights, &op.weights_at);
    keep(taken.bias, &op.bias_at);
    const ir::Bytes words = write_op(op);
    std::copy(words.begin(), words.end(), blob.begin());

    const auto ask = [&](const char* name, uint64_t bytes, std::vector<ir::MemorySpec>* list) {
      if (bytes != 0) list->push_back({name, bytes, kAlignment, options.pool});
    };
    ask("weights", op.weights_bytes, &result.persistent);
    ask("scratchpad", op.scratch_bytes, options.share ? &result.persistent : &result.scratch);
    result.share_handle_across_calls = options.share;
    result.hidden_bytes = measure_heap(op, primitive);
    result.notes = {
        "oneDNN's " + primitive.name +
        (primitive.quality == Quality::kHidden ? ", which allocates while it runs" : "")};
    return result;
  }

 private:
  // A call has the part's inputs, in their order.
  static void number_inputs(const Graph& part, const TakenOp& taken, Op* op) {
    const auto index = [&](int32_t i) {
      return delegate::input_index(part, taken.inputs[static_cast<size_t>(i)]);
    };
    op->inputs = static_cast<uint32_t>(part.inputs.size());
    op->src_input = index(0);
    if (!op->other.sizes.empty()) op->other_input = index(op->other_input);
    for (Post& post : op->posts) {
      if (post.input >= 0) post.input = index(post.input);
    }
  }
};

}  // namespace

const delegate::Backend& compile_backend() {
  static const OnednnBackend kBackend;
  return kBackend;
}

}  // namespace berth::onednn
