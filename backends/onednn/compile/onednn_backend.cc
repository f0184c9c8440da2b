#include "backends/onednn/compile/onednn_backend.h"

#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "backends/onednn/compile/onednn_take.h"
#include "backends/onednn/shared/onednn_primitive.h"

namespace berth::onednn {
namespace {

using delegate::Board;
using delegate::CompileSpecs;
using ir::Graph;
using ir::ValueId;

struct Options {
  uint32_t threads = 1;
  uint32_t isa = 0;
  bool share = false;
  std::string pool;
};

Result<Options> read(const CompileSpecs& specs) {
  Options options;
  for (const ir::CompileSpec& spec : specs) {
    const std::string text = delegate::text_of(spec);
    const std::string place = "compile spec " + spec.key;
    if (spec.key == "pool") {
      options.pool = text;
    } else if (spec.key == "share") {
      if (text != "0" && text != "1") return Error{place, "is \"" + text + "\"; 0 or 1"};
      options.share = text == "1";
    } else if (spec.key == "threads") {
      const auto end = std::from_chars(text.data(), text.data() + text.size(), options.threads);
      if (end.ec != std::errc() || end.ptr != text.data() + text.size() || options.threads < 1 ||
          options.threads > 1024) {
        return Error{place, "is \"" + text + "\"; a number from 1 to 1024"};
      }
    } else if (spec.key == "isa") {
      options.isa = find_isa(text);
      if (options.isa == 0) return Error{place, "is \"" + text + "\"; one of " + isa_names()};
      if (!use_isa(options.isa)) {
        return Error{place, "is " + text +
                                ", which this machine lacks or which came after the first "
                                "primitive of another one"};
      }
    } else {
      return Error{place, "is unknown; there are threads, isa, share, pool"};
    }
  }
  return options;
}

// A chain with the primitive that computes it.
struct Chain {
  std::vector<int32_t> nodes;
  TakenOp taken;
  std::unique_ptr<Primitive> primitive;
};

class ChainFinder {
 public:
  ChainFinder(const Graph& graph, const Options& options)
      : graph_(graph),
        options_(options),
        uses_(ir::find_uses(graph)),
        written_(ir::find_written(graph)) {}

  // The longest chain from node n on that the library does as well as its begin alone. A result in
  // between has one reader, so that what leaves a chain leaves it at its end.
  std::optional<Chain> find(size_t n, const std::vector<bool>& is_taken) const {
    if (!is_steady(n)) return {};
    std::optional<TakenOp> begin = take_node(graph_, graph_.nodes[n]);
    if (!begin) return {};
    set_options(&begin->op);
    Chain chain{{static_cast<int32_t>(n)}, *begin, make_primitive(begin->op)};
    // What the library does with plain loops our kernels do too, some of them in place.
    if (!chain.primitive || chain.primitive->quality == Quality::kPlain) return {};
    while (true) {
      const auto result = static_cast<size_t>(chain.taken.result);
      const std::vector<int32_t>& readers = uses_.consumers[result];
      if (uses_.is_output[result] || readers.size() != 1) break;
      const auto next = static_cast<size_t>(readers[0]);
      TakenOp longer = chain.taken;
      if (is_taken[next] || !is_steady(next) || !fuse_node(graph_, graph_.nodes[next], &longer))
        break;
      std::unique_ptr<Primitive> primitive = make_primitive(longer.op);
      if (!primitive || primitive->quality > chain.primitive->quality) break;
      chain.nodes.push_back(readers[0]);
      chain.taken = std::move(longer);
      chain.primitive = std::move(primitive);
    }
    return chain;
  }

 private:
  // Whether what it reads is the same at all times.
  bool is_steady(size_t n) const {
    bool steady = true;
    ir::for_each_ref(graph_.nodes[n], [&](const ir::Ref& ref) {
      steady = steady && !written_[static_cast<size_t>(ref.id)];
    });
    return steady;
  }
  void set_options(Op* op) const {
    op->threads = options_.threads;
    op->isa = options_.isa;
    op->shares = options_.share ? 1 : 0;
  }

  const Graph& graph_;
  const Options& options_;
  ir::Uses uses_;
  std::vector<bool> written_;
};

class OnednnBackend : public delegate::Backend {
 public:
  std::string_view id() const override { return kBackendId; }

  Result<delegate::Groups> partition(const Graph& graph, const CompileSpecs& specs,
                                     const Board&) const override {
    const Result<Options> options = read(specs);
    if (!options.ok()) return options.error();
    const ThreadCount threads(options.value().threads);
    const ChainFinder finder(graph, options.value());
    delegate::Groups groups;
    std::vector<bool> is_taken(graph.nodes.size(), false);
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      if (is_taken[n]) continue;
      std::optional<Chain> chain = finder.find(n, is_taken);
      if (!chain) continue;
      for (const int32_t taken : chain->nodes) is_taken[static_cast<size_t>(taken)] = true;
      groups.push_back(std::move(chain->nodes));
    }
    return groups;
  }

  Result<delegate::PreprocessResult> preprocess(const Graph& part, const CompileSpecs& specs,
                                                const Board&) const override {
    const Options options = read(specs).take();
    const ThreadCount threads(options.threads);
    const std::optional<Chain> chain =
        ChainFinder(part, options).find(0, std::vector<bool>(part.nodes.size(), false));
    if (!chain || chain->nodes.size() != part.nodes.size()) {
      return Error{"graph " + part.name + ", " + ir::node_label(part.nodes[0]),
                   "is taken as a whole, but the library does not do all of it now"};
    }
    Op op = chain->taken.op;
    const Primitive& primitive = *chain->primitive;
    op.scratch_bytes = static_cast<uint32_t>(primitive.scratch_bytes);
    op.weights_bytes =
        primitive.reorders_weights ? static_cast<uint32_t>(primitive.weights.get_size()) : 0;
    number_inputs(part, chain->taken, &op);

    // The words are as many whatever stands in them: positions are known before they are written.
    const bool has_weights = chain->taken.weights >= 0, has_bias = chain->taken.bias >= 0;
    size_t size = write_op(op).size();
    size_t weights_at = 0;
    if (has_weights) {
      weights_at = size = (size + kAlignment - 1) / kAlignment * kAlignment;
      op.weights_at = static_cast<uint32_t>(weights_at);
      size += part.value(chain->taken.weights).data->size();
    }
    if (has_bias) {
      op.bias_at = static_cast<uint32_t>(size);
      size += part.value(chain->taken.bias).data->size();
    }
    delegate::PreprocessResult result;
    result.processed = write_op(op);
    result.processed.resize(size);
    if (has_weights) copy(*part.value(chain->taken.weights).data, weights_at, &result.processed);
    if (has_bias) copy(*part.value(chain->taken.bias).data, op.bias_at, &result.processed);

    const auto ask = [&](const char* name, uint64_t bytes, std::vector<ir::MemorySpec>* list) {
      if (bytes != 0) list->push_back({name, bytes, kAlignment, options.pool});
    };
    ask("weights", op.weights_bytes, &result.persistent);
    ask("scratchpad", op.scratch_bytes, options.share ? &result.persistent : &result.scratch);
    result.share_handle_across_calls = options.share;
    return result;
  }

 private:
  static void copy(const ir::Bytes& from, size_t at, ir::Bytes* to) {
    std::memcpy(to->data() + at, from.data(), from.size());
  }

  // A call has the part's inputs, in their order.
  static void number_inputs(const Graph& part, const TakenOp& taken, Op* op) {
    const auto index = [&](int32_t i) {
      const ValueId id = taken.inputs[static_cast<size_t>(i)];
      for (size_t p = 0; p < part.inputs.size(); ++p) {
        if (part.inputs[p] == id) return static_cast<int32_t>(p);
      }
      return int32_t{-1};
    };
    op->inputs = static_cast<uint32_t>(part.inputs.size());
    op->src_input = index(0);
    if (op->kind == static_cast<uint32_t>(Kind::kBinary)) op->other_input = index(op->other_input);
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
