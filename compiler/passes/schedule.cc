#include "compiler/passes/schedule.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "compiler/passes/in_place_candidates.h"
#include "contract/checked.h"
#include "contract/plan_record.h"

namespace berth::passes {
namespace {

using ir::Node;
using ir::NodeKind;
using ir::Ref;
using ir::ValueId;

// Of "must come before", over all nodes; a graph with more is no model.
constexpr size_t kMostDependences = 20'000'000;

bool is_task(const Node& node) {
  return node.kind == NodeKind::kOperator || node.kind == NodeKind::kDelegate;
}

class GraphReader {
 public:
  GraphReader(const ir::Graph& graph, const PassContext& context)
      : graph_(graph),
        context_(context),
        candidates_(graph, context),
        places_(candidates_.places()),
        task_of_(graph.nodes.size(), -1),
        buffer_of_(graph.values.size(), -1) {}

  Result<GraphOrder> run() {
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (!is_task(graph_.nodes[n])) continue;
      task_of_[n] = static_cast<int32_t>(out_.nodes.size());
      out_.nodes.push_back(static_cast<int32_t>(n));
    }
    out_.problem.tasks.resize(out_.nodes.size());
    add_dependences();
    if (dependences_ > kMostDependences) return error("too many nodes depend on one another");
    if (!add_buffers()) return error("its values have more bytes than 62 bits can count");
    add_choices();
    return std::move(out_);
  }

 private:
  Error error(const std::string& words) const { return {"graph " + graph_.name, words}; }
  ValueId root_of(ValueId id) const { return places_[static_cast<size_t>(id)].root; }

  // The tasks that make a value; several for a join.
  using Makers = std::vector<int32_t>;

  void add_dependences() {
    const std::vector<bool> written = ir::find_written(graph_);
    std::vector<Makers> makers(graph_.values.size());
    std::map<ValueId, int32_t> last_writer;           // per root that is written
    std::map<ValueId, std::vector<int32_t>> readers;  // since then
    std::map<std::string_view, int32_t> last_call;    // of delegates that remember
    for (size_t n = 0; n < graph_.nodes.size() && dependences_ <= kMostDependences; ++n) {
      const Node& node = graph_.nodes[n];
      if (node.kind == NodeKind::kAlloc) continue;
      if (!is_task(node)) {
        Makers& all = makers[node.results[0]];
        ir::for_each_ref(node, [&](const Ref& ref) {
          all.insert(all.end(), makers[ref.id].begin(), makers[ref.id].end());
        });
        sort_distinct(&all);
        dependences_ += all.size();
        continue;
      }
      const int32_t task = task_of_[n];
      std::vector<int32_t>& after = out_.problem.tasks[task].after;
      ir::for_each_ref(node, [&](const Ref& ref) {
        after.insert(after.end(), makers[ref.id].begin(), makers[ref.id].end());
        dependences_ += makers[ref.id].size();
      });
      for (const ValueId id : node.results) makers[id] = {task};
      keep_effects(node, task, written, &last_writer, &readers, &after);
      if (const ir::LoweredModule* lowered = lowered_of(node)) {
        if (lowered->share_handle || !lowered->persistent.empty()) {
          const auto [it, is_first] = last_call.try_emplace(lowered->name, task);
          if (!is_first) after.push_back(it->second);
          it->second = task;
        }
        keep_readers_in_front(node, *lowered, n, &after);
      }
      sort_distinct(&after);
    }
  }

  // Who touches written bytes keeps its place among the writers.
  void keep_effects(const Node& node, int32_t task, const std::vector<bool>& written,
                    std::map<ValueId, int32_t>* last_writer,
                    std::map<ValueId, std::vector<int32_t>>* readers, std::vector<int32_t>* after) {
    std::vector<ValueId> touched;
    ir::for_each_ref(node, [&](const Ref& ref) {
      if (written[ref.id]) touched.push_back(root_of(ref.id));
    });
    for (const ValueId id : node.results) {
      if (written[id]) touched.push_back(root_of(id));
    }
    sort_distinct(&touched);
    for (const ValueId root : touched) {
      if (const auto it = last_writer->find(root); it != last_writer->end())
        after->push_back(it->second);
      std::vector<int32_t>& since = (*readers)[root];
      if (writes(node, root)) {
        after->insert(after->end(), since.begin(), since.end());
        since.clear();
        (*last_writer)[root] = task;
      } else {
        since.push_back(task);
      }
    }
  }

  // Results count as written: a part of a join may be read as bytes of the whole.
  bool writes(const Node& node, ValueId root) const {
    for (const ValueId id : node.results) {
      if (root_of(id) == root) return true;
    }
    const OperatorSchema* schema = ir::schema_of(node);
    if (schema == nullptr) return false;
    size_t a = 0;
    for (const char letter : std::string_view(schema->args)) {
      if (letter == 'M' && root_of(std::get<Ref>(node.args[a]).id) == root) return true;
      if (!is_out(letter)) ++a;
    }
    return false;
  }

  const ir::LoweredModule* lowered_of(const Node& node) const {
    if (node.kind != NodeKind::kDelegate || context_.lowered == nullptr) return nullptr;
    for (const ir::LoweredModule& module : *context_.lowered) {
      if (module.name == node.op) return &module;
    }
    return nullptr;
  }

  // The call may destroy an input that lies in its scratch.
  void keep_readers_in_front(const Node& call, const ir::LoweredModule& lowered, size_t n,
                             std::vector<int32_t>* after) {
    for (const ir::Inside& inside : lowered.inside) {
      if (inside.argument >= lowered.inputs.size()) continue;
      dependences_ += n;
      const ValueId root = root_of(std::get<Ref>(call.args[inside.argument]).id);
      for (size_t other = 0; other < n; ++other) {
        if (task_of_[other] < 0) continue;
        ir::for_each_ref(graph_.nodes[other], [&](const Ref& ref) {
          if (root_of(ref.id) == root) after->push_back(task_of_[other]);
        });
      }
    }
  }

  // A buffer per root that lies in the board's first pool. False when bytes overflow.
  bool add_buffers() {
    std::vector<bool> is_output(graph_.values.size(), false), has_join(graph_.values.size(), false);
    std::vector<bool> is_scratch(graph_.values.size(), false);
    std::vector<const Node*> alloc_of(graph_.values.size(), nullptr);
    for (const ValueId id : graph_.outputs) is_output[root_of(id)] = true;
    for (const Node& node : graph_.nodes) {
      if (node.kind == NodeKind::kJoin) has_join[root_of(node.results[0])] = true;
      if (node.kind == NodeKind::kAlloc) alloc_of[node.results[0]] = &node;
    }
    // What a delegate wants inside its scratch lives there.
    std::map<ValueId, ValueId> host_of;
    for (const Node& node : graph_.nodes) {
      const ir::LoweredModule* lowered = lowered_of(node);
      if (lowered == nullptr || node.args.size() == lowered->inputs.size()) continue;
      const size_t inputs = lowered->inputs.size();
      for (const ir::Inside& inside : lowered->inside) {
        const ValueId argument = inside.argument < inputs
                                     ? std::get<Ref>(node.args[inside.argument]).id
                                     : node.results[inside.argument - inputs];
        host_of.emplace(root_of(argument), std::get<Ref>(node.args[inputs + inside.scratch]).id);
      }
    }
    std::map<ValueId, int32_t> buffer_of_host;
    uint64_t sum = 0;
    std::vector<OrderBuffer>& buffers = out_.problem.buffers;
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      const auto id = static_cast<ValueId>(v);
      const ir::Value& value = graph_.values[v];
      const Node* alloc = alloc_of[v];
      if (root_of(id) != id || value.kind == ir::ValueKind::kConstant) continue;
      const bool is_input = value.kind == ir::ValueKind::kInput;
      if (!context_.io_in_pools && (is_input || (is_output[v] && !has_join[v]))) continue;
      if (const auto it = host_of.find(id); it != host_of.end()) {
        nested_.push_back({id, it->second});
        continue;
      }
      if (alloc != nullptr && !alloc->pool.empty() && alloc->pool != context_.default_pool)
        continue;
      OrderBuffer buffer;
      const uint32_t alignment = alloc == nullptr ? kDefaultAlignment : alloc->alignment;
      if (!checked_align_up(value.spec.nbytes(), alignment, &buffer.bytes) ||
          !checked_add(sum, buffer.bytes, &sum) || sum >> 62 != 0)
        return false;
      buffer.from_start = is_input;
      buffer.to_end = is_output[v];
      buffer_of_[v] = static_cast<int32_t>(buffers.size());
      buffers.push_back(std::move(buffer));
    }
    for (const auto& [inner, outer] : nested_) buffer_of_[inner] = buffer_of_[outer];
    add_users();
    return true;
  }

  void add_users() {
    std::vector<OrderBuffer>& buffers = out_.problem.buffers;
    const auto use = [&](ValueId id, int32_t task) {
      const int32_t b = buffer_of_[root_of(id)];
      if (b >= 0 && (buffers[b].users.empty() || buffers[b].users.back() != task))
        buffers[b].users.push_back(task);
    };
    for (size_t task = 0; task < out_.nodes.size(); ++task) {
      const Node& node = graph_.nodes[out_.nodes[task]];
      ir::for_each_ref(node, [&](const Ref& ref) { use(ref.id, static_cast<int32_t>(task)); });
      for (const ValueId id : node.results) use(id, static_cast<int32_t>(task));
    }
    for (OrderBuffer& buffer : buffers) {
      if (!buffer.users.empty()) continue;
      // An input that nobody reads is filled all the same.
      if (buffer.from_start && buffer.to_end) out_.problem.always += buffer.bytes;
      if (buffer.from_start && !buffer.to_end) out_.problem.at_first += buffer.bytes;
      buffer.bytes = 0;
    }
  }

  void add_choices() {
    for (size_t task = 0; task < out_.nodes.size(); ++task) {
      const auto n = static_cast<size_t>(out_.nodes[task]);
      const Node& node = graph_.nodes[n];
      // mark_in_place decides about elementwise operators alone.
      const bool is_marked = context_.marks_in_place && candidates_.is_elementwise(n);
      for (const ir::InPlace& option : is_marked ? candidates_.of(n) : node.in_place) {
        const ValueId input = root_of(std::get<Ref>(node.args[option.argument]).id);
        const ValueId output = root_of(node.results[option.output]);
        const int32_t from = buffer_of_[input], to = buffer_of_[output];
        if (from < 0 || to < 0 || from == to || is_nested(input) || is_nested(output)) continue;
        if (out_.problem.buffers[from].bytes != out_.problem.buffers[to].bytes) continue;
        out_.problem.tasks[task].choices.push_back({to, from});
      }
    }
  }

  bool is_nested(ValueId root) const {
    return std::any_of(nested_.begin(), nested_.end(),
                       [&](const auto& it) { return it.first == root; });
  }

  template <typename T>
  static void sort_distinct(std::vector<T>* list) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }

  const ir::Graph& graph_;
  const PassContext& context_;
  const InPlaceCandidates candidates_;
  const std::vector<ir::Placement>& places_;
  std::vector<int32_t> task_of_;                     // per node
  std::vector<int32_t> buffer_of_;                   // per root
  std::vector<std::pair<ValueId, ValueId>> nested_;  // root, and the scratch that it lies in
  size_t dependences_ = 0;
  GraphOrder out_;
};

}  // namespace

Result<GraphOrder> order_of_graph(const ir::Graph& graph, const PassContext& context) {
  return GraphReader(graph, context).run();
}

void reorder_nodes(ir::Graph& graph, const GraphOrder& tasks, const Order& order) {
  const ir::Uses uses = ir::find_uses(graph);
  std::vector<size_t> waits_for(graph.nodes.size(), 0);  // nodes whose results a node reads
  std::vector<std::vector<int32_t>> readers(graph.nodes.size());
  for (size_t v = 0; v < graph.values.size(); ++v) {
    const int32_t producer = uses.producer[v];
    if (producer < 0) continue;
    for (const int32_t reader : uses.consumers[v]) {
      readers[producer].push_back(reader);
      ++waits_for[reader];
    }
  }
  std::vector<Node> nodes;
  // A node, then the views and joins that waited for it alone.
  std::vector<int32_t> next;
  const auto put = [&](int32_t first) {
    next.assign(1, first);
    for (size_t i = 0; i < next.size(); ++i) {
      const int32_t n = next[i];
      nodes.push_back(std::move(graph.nodes[n]));
      for (const int32_t reader : readers[n]) {
        const NodeKind kind = graph.nodes[reader].kind;
        if (--waits_for[reader] == 0 && (kind == NodeKind::kView || kind == NodeKind::kJoin))
          next.push_back(reader);
      }
    }
  };
  std::vector<int32_t> free_ones;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const NodeKind kind = graph.nodes[n].kind;
    if (waits_for[n] == 0 && (kind == NodeKind::kView || kind == NodeKind::kJoin))
      free_ones.push_back(static_cast<int32_t>(n));
  }
  for (const int32_t n : free_ones) put(n);
  for (const int32_t task : order) {
    const int32_t n = tasks.nodes[task];
    std::vector<int32_t> allocs;
    ir::for_each_ref(graph.nodes[n], [&](const Ref& ref) {
      const int32_t producer = uses.producer[ref.id];
      if (producer >= 0 && graph.nodes[producer].kind == NodeKind::kAlloc)
        allocs.push_back(producer);
    });
    std::sort(allocs.begin(), allocs.end());
    for (const int32_t alloc : allocs) put(alloc);
    put(n);
  }
  graph.nodes = std::move(nodes);
}

Result<bool> schedule(ir::Graph& graph, const PassContext& context) {
  const Result<GraphOrder> tasks = order_of_graph(graph, context);
  if (!tasks.ok()) return false;  // beyond any model, and no harm to it
  const FoundOrder found = find_order(tasks.value().problem);
  if (context.schedules != nullptr) {
    context.schedules->push_back(
        {graph.name, found.given_peak, found.peak, found.bound, found.states});
  }
  if (found.peak >= found.given_peak) return false;
  reorder_nodes(graph, tasks.value(), found.order);
  return true;
}

}  // namespace berth::passes
