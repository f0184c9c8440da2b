#include "compiler/delegate/lower.h"

#include <algorithm>
#include <string>
#include <utility>

#include "compiler/delegate/extract.h"
#include "compiler/ir/verify.h"

namespace berth::delegate {
namespace {

std::vector<ir::TensorSpec> specs_of(const ir::Graph& graph, const std::vector<ir::ValueId>& ids) {
  std::vector<ir::TensorSpec> specs;
  for (const ir::ValueId id : ids) specs.push_back(graph.value(id).spec);
  return specs;
}

bool reaches(const Backend& backend, const target::Pool& pool) {
  const std::vector<std::string> able = backend.reachable_attributes();
  return pool.attributes.empty() ||
         std::any_of(able.begin(), able.end(), [&](const std::string& attribute) {
           return std::count(pool.attributes.begin(), pool.attributes.end(), attribute) != 0;
         });
}

// Of everything that asks for none by name: the one with mem_id 1, or else the first.
int32_t default_pool(const Board& board) {
  for (size_t i = 0; i < board.pools.size(); ++i) {
    if (board.pools[i].mem_id == 1) return static_cast<int32_t>(i);
  }
  return 0;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// That the board has the pools that a module asks for, and that the backend can use them; what is
// null is not asked.
MaybeError check_module(const ir::LoweredModule& module, const Backend* backend,
                        const Board& board) {
  for (const std::vector<ir::MemorySpec>* list : {&module.scratch, &module.persistent}) {
    const char* const kind = list == &module.scratch ? "scratch" : "persistent";
    for (const ir::MemorySpec& spec : *list) {
      const std::string place = "lowered @" + module.name + " (" + module.backend + "), " + kind +
                                " " + std::to_string(&spec - list->data()) + " \"" + spec.name +
                                "\"";
      const int32_t index = spec.pool.empty() ? default_pool(board) : board.find_pool(spec.pool);
      if (index < 0) {
        std::vector<std::string> names;
        for (const target::Pool& pool : board.pools) names.push_back(pool.name);
        return Error{place, "asks for the pool \"" + spec.pool + "\", which board " + board.name +
                                " lacks; it has " + joined(names)};
      }
      const target::Pool& pool = board.pools[static_cast<size_t>(index)];
      if (backend != nullptr && !reaches(*backend, pool)) {
        const std::string how =
            spec.pool.empty() ? "asks for no pool and gets \"" : "asks for the pool \"";
        return Error{place, how + pool.name + "\" (" + joined(pool.attributes) +
                                "), which the backend cannot reach; it reaches " +
                                joined(backend->reachable_attributes())};
      }
    }
  }
  return {};
}

class Lowering {
 public:
  Lowering(ir::Module* module, const Board& board, std::vector<Taken>* taken)
      : module_(*module), board_(board), taken_(taken) {}

  MaybeError run(const BackendChoice& choice) {
    if (const std::string why = choice.backend->obstacle(board_); !why.empty()) {
      return Error{"backend " + std::string(choice.backend->id()),
                   "cannot run on board " + board_.name + " (cpu " + board_.cpu + ", isa " +
                       isa_name(board_.isa) + "): it " + why};
    }
    for (ir::Graph& graph : module_.graphs) {
      const Result<Groups> groups = choice.backend->partition(graph, choice.specs, board_);
      if (!groups.ok()) return named(groups.error(), *choice.backend);
      if (auto error = lower_groups(&graph, groups.value(), choice)) return error;
    }
    return {};
  }

 private:
  static Error named(const Error& error, const Backend& backend) {
    return {
        "backend " + std::string(backend.id()) + (error.place.empty() ? "" : ", " + error.place),
        error.message};
  }

  // Lowering a group renumbers nodes and values, so groups are told by their nodes' first results,
  // whose names stay.
  MaybeError lower_groups(ir::Graph* graph, const Groups& groups, const BackendChoice& choice) {
    std::vector<bool> taken(graph->nodes.size(), false);
    std::vector<std::vector<std::string>> names;
    for (const std::vector<int32_t>& group : groups) {
      names.emplace_back();
      for (const int32_t n : group) {
        const bool known = n >= 0 && static_cast<size_t>(n) < graph->nodes.size();
        if (!known || taken[static_cast<size_t>(n)] ||
            graph->nodes[static_cast<size_t>(n)].results.empty()) {
          return Error{"backend " + std::string(choice.backend->id()) + ", graph " + graph->name,
                       "takes node " + std::to_string(n) +
                           (known ? ", which has no result or is in another group; a node with a "
                                    "result, once"
                                  : "; the graph has " + std::to_string(graph->nodes.size()))};
        }
        taken[static_cast<size_t>(n)] = true;
        const ir::Node& node = graph->nodes[static_cast<size_t>(n)];
        names.back().push_back(graph->value(node.results[0]).name);
      }
    }
    for (const std::vector<std::string>& group : names) {
      if (auto error = lower_group(graph, group, choice)) return error;
    }
    return {};
  }

  MaybeError lower_group(ir::Graph* graph, const std::vector<std::string>& names,
                         const BackendChoice& choice) {
    std::vector<int32_t> group;
    for (size_t n = 0; n < graph->nodes.size(); ++n) {
      const ir::Node& node = graph->nodes[n];
      if (node.results.empty()) continue;
      const std::string& name = graph->value(node.results[0]).name;
      if (std::find(names.begin(), names.end(), name) != names.end())
        group.push_back(static_cast<int32_t>(n));
    }
    Result<Extracted> extracted = extract(*graph, group);
    if (!extracted.ok()) return named(extracted.error(), *choice.backend);
    const Extracted& it = extracted.value();
    Result<PreprocessResult> made = choice.backend->preprocess(it.part, choice.specs, board_);
    if (!made.ok()) return named(made.error(), *choice.backend);
    PreprocessResult result = made.take();
    ir::LoweredModule lowered;
    lowered.backend = choice.backend->id();
    lowered.name = free_name(lowered.backend);
    lowered.inputs = specs_of(*graph, it.arguments);
    lowered.outputs = specs_of(*graph, it.results);
    lowered.compile_specs = choice.specs;
    lowered.processed = std::move(result.processed);
    lowered.scratch = std::move(result.scratch);
    lowered.persistent = std::move(result.persistent);
    lowered.inside = std::move(result.inside);
    lowered.named_data = std::move(result.named_data);
    lowered.share_handle = result.share_handle_across_calls;
    if (auto error = ir::verify(lowered)) return error;
    if (auto error = check_module(lowered, choice.backend, board_)) return error;
    if (taken_ != nullptr) {
      Taken& taken = taken_->emplace_back(
          Taken{lowered.name, graph->name, {}, result.hidden_bytes, std::move(result.notes)});
      for (const ir::Node& node : it.part.nodes) taken.nodes.push_back(ir::node_label(node));
    }
    replace_by_call(graph, group, it, lowered.name);
    module_.lowered.push_back(std::move(lowered));
    return {};
  }

  std::string free_name(const std::string& backend) {
    const std::string stem = ir::clean_name(backend) + "_";
    for (int i = 0;; ++i) {
      std::string name = stem + std::to_string(i);
      if (module_.find_lowered(name) == nullptr) return name;
    }
  }

  ir::Module& module_;
  const Board& board_;
  std::vector<Taken>* taken_;
};

}  // namespace

const ir::CompileSpec* find_spec(const CompileSpecs& specs, std::string_view key) {
  for (const ir::CompileSpec& spec : specs) {
    if (spec.key == key) return &spec;
  }
  return nullptr;
}

std::string text_of(const ir::CompileSpec& spec) {
  return {reinterpret_cast<const char*>(spec.value.data()), spec.value.size()};
}

MaybeError lower(ir::Module* module, const std::vector<BackendChoice>& choices, const Board& board,
                 std::vector<Taken>* taken) {
  Lowering lowering(module, board, taken);
  for (const BackendChoice& choice : choices) {
    if (auto error = lowering.run(choice)) return error;
  }
  return {};
}

MaybeError check_pools(const ir::Module& module, const Board& board) {
  for (const ir::LoweredModule& lowered : module.lowered) {
    if (auto error = check_module(lowered, nullptr, board)) return error;
  }
  return {};
}

}  // namespace berth::delegate
