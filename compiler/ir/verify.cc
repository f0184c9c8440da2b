// One walk in execution order, like a reader of the text form: a value is known once its line has
// been read. The order of the checks matters: first everything that other checks index by, then the
// meaning.
#include "compiler/ir/verify.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>

#include "compiler/ir/argument_kinds.h"
#include "compiler/ir/text.h"
#include "contract/checked.h"
#include "contract/plan_record.h"

namespace berth::ir {
namespace {

// The runtime's kernels and the file's readers take no more (runtime/core/tensor.h).
constexpr size_t kMaxRank = 16;

class Verifier {
 public:
  Verifier(const Graph& graph, const VerifyOptions& options) : graph_(graph), options_(options) {}

  MaybeError run() {
    if (auto error = check_values()) return error;
    if (auto error = check_inputs()) return error;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (auto error = check_node(n)) return error;
    }
    return check_end();
  }

 private:
  Error error(const std::string& place, std::string message) const {
    return {"graph " + graph_.name + (place.empty() ? "" : ", " + place), std::move(message)};
  }
  Error node_error(size_t n, std::string message) const {
    return error("node " + std::to_string(n) + " " + node_label(graph_.nodes[n]),
                 std::move(message));
  }
  const Value& value(ValueId id) const { return graph_.value(id); }
  std::string name(ValueId id) const { return "%" + value(id).name; }
  bool in_table(ValueId id) const {
    return id >= 0 && static_cast<size_t>(id) < graph_.values.size();
  }

  MaybeError check_values() const {
    if (!is_clean_name(graph_.name)) {
      return error("",
                   "the name is no identifier; letters, digits, '_' and '.' make one, and no digit "
                   "stands first");
    }
    std::unordered_set<std::string_view> names;
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      const Value& it = graph_.values[v];
      const std::string place = "value " + std::to_string(v) + " %" + it.name;
      if (!is_clean_name(it.name)) {
        return error(
            place,
            "the name is no identifier; letters, digits, '_' and '.' make one, no digit first");
      }
      if (!names.insert(it.name).second)
        return error(place, "a second value of this name; names are unique in a graph");
      if (auto wrong = check_spec(place, it.spec)) return wrong;
      if (it.kind != ValueKind::kConstant && it.data) {
        return error(place, "has bytes but is no constant; only a constant has bytes");
      }
      if (it.kind == ValueKind::kConstant && (!it.data || it.data->size() != it.spec.nbytes())) {
        return error(place, "a constant of " + std::to_string(it.data ? it.data->size() : 0) +
                                " bytes; " + print(it.spec) + " has " +
                                std::to_string(it.spec.nbytes()));
      }
    }
    return {};
  }

  MaybeError check_spec(const std::string& place, const TensorSpec& spec) const {
    if (!is_scalar_type(static_cast<int>(spec.dtype))) {
      return error(place, "element type " + std::to_string(static_cast<int>(spec.dtype)) +
                              "; 0 to " + std::to_string(kScalarTypeCount - 1) + " are known");
    }
    if (spec.sizes.size() > kMaxRank) {
      return error(place, "rank " + std::to_string(spec.sizes.size()) + "; at most " +
                              std::to_string(kMaxRank));
    }
    for (const int32_t size : spec.sizes) {
      if (size < 0) return error(place, "size " + std::to_string(size) + "; sizes are 0 or more");
    }
    if (!spec.checked_nbytes())
      return error(place, print(spec) + " has more bytes than 63 bits can count");
    uint32_t seen = 0;
    for (const uint8_t dim : spec.dim_order) {
      if (dim < spec.sizes.size()) seen |= 1u << dim;
    }
    if (spec.dim_order.size() != spec.sizes.size() || seen != (1u << spec.sizes.size()) - 1) {
      return error(place, "dim order of " + print(spec) + " is no permutation of 0 to rank - 1");
    }
    return {};
  }

  MaybeError check_inputs() {
    defined_.assign(graph_.values.size(), false);
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      const ValueId id = graph_.inputs[i];
      const std::string place = "input " + std::to_string(i);
      if (!in_table(id)) return error(place, "value " + std::to_string(id) + " does not exist");
      if (value(id).kind != ValueKind::kInput) return error(place, name(id) + " is no input value");
      if (defined_[id]) return error(place, name(id) + " is listed twice");
      defined_[id] = true;
    }
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      if (value(static_cast<ValueId>(v)).kind == ValueKind::kConstant) defined_[v] = true;
    }
    produced_by_alloc_.assign(graph_.values.size(), false);
    alloc_user_.assign(graph_.values.size(), -1);
    storage_.resize(graph_.values.size());
    for (size_t v = 0; v < storage_.size(); ++v) storage_[v] = static_cast<ValueId>(v);
    joined_.assign(graph_.values.size(), false);
    return {};
  }

  MaybeError check_node(size_t n) {
    const Node& node = graph_.nodes[n];
    MaybeError wrong;
    for_each_ref(node, [&](const Ref& ref) {
      if (wrong) return;
      if (!in_table(ref.id)) {
        wrong = node_error(
            n, "argument names value " + std::to_string(ref.id) + ", which does not exist");
      } else if (!defined_[ref.id]) {
        wrong = node_error(n, "uses " + name(ref.id) + " before any node or input defines it");
      }
    });
    if (wrong) return wrong;
    for (const ValueId id : node.results) {
      if (!in_table(id))
        return node_error(n, "result is value " + std::to_string(id) + ", which does not exist");
      if (value(id).kind != ValueKind::kResult)
        return node_error(n, "result " + name(id) + " is an input or constant");
      if (defined_[id])
        return node_error(n,
                          "result " + name(id) + " is defined already; one node defines a value");
      defined_[id] = true;
    }
    if (node.kind == NodeKind::kDelegate) return check_delegate(n);
    if (node.kind != NodeKind::kOperator) {
      if (node.results.size() != 1)
        return node_error(n, "has " + results_text(node) + "; it has one");
      if (!node.in_place.empty())
        return node_error(n, "has in-place options; only operators have them");
      if (node.kind != NodeKind::kAlloc) {
        if (auto error = check_placed_args(n)) return error;
      }
    }
    switch (node.kind) {
      case NodeKind::kOperator:
        return check_operator(n);
      case NodeKind::kView:
        return check_view(n);
      case NodeKind::kJoin:
        return check_join(n);
      case NodeKind::kAlloc:
        return check_alloc(n);
      case NodeKind::kDelegate:
        break;  // above
    }
    return node_error(n, "is of no known kind");
  }

  static std::string results_text(const Node& node) {
    return std::to_string(node.results.size()) + " results";
  }

  MaybeError check_operator(size_t n) {
    const Node& node = graph_.nodes[n];
    const OperatorSchema* schema = schema_of(node);
    if (schema == nullptr)
      return node_error(n, "no such operator; contract/operators.h lists them");
    const std::string_view letters = schema->args;
    const size_t outs = static_cast<size_t>(std::count_if(letters.begin(), letters.end(), &is_out));
    if (node.args.size() != letters.size() - outs) {
      return node_error(n, std::to_string(node.args.size()) + " arguments; it takes " +
                               std::to_string(letters.size() - outs));
    }
    // A list of outs is as long as the node says.
    if (letters.find('P') == std::string_view::npos && node.results.size() != outs)
      return node_error(n, results_text(node) + "; it has " + std::to_string(outs));
    size_t a = 0;
    for (const char letter : letters) {
      if (is_out(letter)) continue;
      const Arg& arg = node.args[a];
      const std::string place = "argument " + std::to_string(a++);
      if (!fits_letter(arg, letter)) {
        return node_error(n, place + " is " + arg_words(arg) + "; it takes " + kind_words(letter));
      }
      if (letter == 'X' && std::holds_alternative<None>(arg) && options_.scratch_required) {
        return node_error(
            n, place + " is none; by now every scratch slot holds the result of an alloc");
      }
      if (auto error = check_slot(n, place, arg, letter)) return error;
    }
    return check_in_place(n);
  }

  // A call of a lowered module: its inputs and outputs, and behind the inputs all of its scratch or
  // none yet.
  MaybeError check_delegate(size_t n) {
    const Node& node = graph_.nodes[n];
    if (!node.in_place.empty())
      return node_error(n, "has in-place options; only operators have them");
    const auto known = [&](const LoweredModule& it) { return it.name == node.op; };
    const std::vector<LoweredModule> none;
    const std::vector<LoweredModule>& all = options_.lowered == nullptr ? none : *options_.lowered;
    const auto module = std::find_if(all.begin(), all.end(), known);
    if (module == all.end()) return node_error(n, "no lowered module of this name");
    const size_t inputs = module->inputs.size(), whole = inputs + module->scratch.size();
    if (node.args.size() != whole && (options_.scratch_required || node.args.size() != inputs)) {
      return node_error(n, std::to_string(node.args.size()) + " arguments; it has " +
                               std::to_string(inputs) + " inputs and " +
                               std::to_string(module->scratch.size()) + " scratch buffers");
    }
    if (node.results.size() != module->outputs.size()) {
      return node_error(n,
                        results_text(node) + "; it has " + std::to_string(module->outputs.size()));
    }
    for (size_t a = 0; a < node.args.size(); ++a) {
      const std::string place = "argument " + std::to_string(a);
      const Ref* ref = std::get_if<Ref>(&node.args[a]);
      if (ref == nullptr)
        return node_error(n, place + " is " + arg_words(node.args[a]) + "; it takes tensors");
      if (auto wrong = check_slot(n, place, node.args[a], a < inputs ? 'T' : 'X')) return wrong;
      const TensorSpec spec =
          a < inputs ? module->inputs[a]
                     : TensorSpec{ScalarType::kByte,
                                  {static_cast<int32_t>(module->scratch[a - inputs].nbytes)},
                                  {0}};
      if (auto wrong = check_signature(n, place, ref->id, spec)) return wrong;
    }
    for (size_t r = 0; r < node.results.size(); ++r) {
      const std::string place = "result " + std::to_string(r);
      if (auto wrong = check_signature(n, place, node.results[r], module->outputs[r])) return wrong;
    }
    return {};
  }

  MaybeError check_signature(size_t n, const std::string& place, ValueId id,
                             const TensorSpec& spec) const {
    if (value(id).spec == spec) return {};
    return node_error(n, place + " " + name(id) + " is " + print(value(id).spec) +
                             "; the lowered module has " + print(spec));
  }

  // Scratch goes into scratch slots and nothing else does; a written argument is no constant.
  MaybeError check_slot(size_t n, const std::string& place, const Arg& arg, char letter) {
    const auto check = [&](const Ref& ref) -> MaybeError {
      const bool is_scratch = produced_by_alloc_[ref.id];
      if (letter == 'X' && !is_scratch) {
        return node_error(
            n, place + " is " + name(ref.id) + "; a scratch slot takes the result of an alloc");
      }
      if (letter != 'X' && is_scratch) {
        return node_error(n, place + " is the scratch " + name(ref.id) +
                                 "; scratch goes into scratch slots only");
      }
      if (is_scratch && alloc_user_[ref.id] >= 0) {
        return node_error(n, place + " is the scratch " + name(ref.id) + ", which node " +
                                 std::to_string(alloc_user_[ref.id]) +
                                 " has; scratch belongs to one slot");
      }
      if (is_scratch) alloc_user_[ref.id] = static_cast<int32_t>(n);
      if (letter == 'M' && value(storage_of(ref.id)).kind == ValueKind::kConstant) {
        return node_error(
            n, place + " is the constant " + name(ref.id) + ", which this operator would write");
      }
      return {};
    };
    if (const Ref* ref = std::get_if<Ref>(&arg)) return check(*ref);
    if (const RefList* list = std::get_if<RefList>(&arg)) {
      for (const Ref& ref : *list) {
        if (auto error = check(ref)) return error;
      }
    }
    return {};
  }

  MaybeError check_in_place(size_t n) const {
    const Node& node = graph_.nodes[n];
    for (const InPlace& option : node.in_place) {
      const std::string place = "in_place(" + std::to_string(option.output) + " <- " +
                                std::to_string(option.argument) + ")";
      if (option.output < 0 || static_cast<size_t>(option.output) >= node.results.size()) {
        return node_error(n, place + ": there are " + results_text(node));
      }
      const bool in_range =
          option.argument >= 0 && static_cast<size_t>(option.argument) < node.args.size();
      const Ref* ref =
          in_range ? std::get_if<Ref>(&node.args[static_cast<size_t>(option.argument)]) : nullptr;
      if (ref == nullptr) return node_error(n, place + ": that argument is no tensor");
      const Value& from = value(ref->id);
      const Value& to = value(node.results[static_cast<size_t>(option.output)]);
      if (value(storage_of(ref->id)).kind == ValueKind::kConstant || produced_by_alloc_[ref->id]) {
        return node_error(n, place + ": %" + from.name +
                                 " is a constant or scratch; its bytes cannot become a result's");
      }
      if (from.spec.nbytes() != to.spec.nbytes()) {
        return node_error(n, place + ": %" + from.name + " has " +
                                 std::to_string(from.spec.nbytes()) + " bytes and %" + to.name +
                                 " " + std::to_string(to.spec.nbytes()) + "; they must be equal");
      }
    }
    return {};
  }

  MaybeError check_placed_args(size_t n) const {
    for (const Arg& arg : graph_.nodes[n].args) {
      const Ref* ref = std::get_if<Ref>(&arg);
      if (ref == nullptr)
        return node_error(n,
                          std::string("an argument is ") + arg_words(arg) + "; it takes tensors");
      if (produced_by_alloc_[ref->id])
        return node_error(n, name(ref->id) + " is scratch; scratch goes into scratch slots only");
    }
    return {};
  }

  MaybeError check_view(size_t n) {
    const Node& node = graph_.nodes[n];
    if (node.args.size() != 1)
      return node_error(n, std::to_string(node.args.size()) + " arguments; it takes one tensor");
    const ValueId from = std::get<Ref>(node.args[0]).id;
    const ValueId to = node.results[0];
    if (value(from).spec.dtype != value(to).spec.dtype ||
        value(from).spec.nbytes() != value(to).spec.nbytes()) {
      return node_error(n, name(to) + " is " + print(value(to).spec) + " and " + name(from) +
                               " is " + print(value(from).spec) +
                               "; a view has the type and the bytes of its argument");
    }
    storage_[to] = storage_of(from);
    return {};
  }

  MaybeError check_join(size_t n) {
    const Node& node = graph_.nodes[n];
    const ValueId to = node.results[0];
    if (node.args.empty()) return node_error(n, "has no parts");
    uint64_t sum = 0;
    for (const Arg& arg : node.args) {
      const ValueId part = std::get<Ref>(arg).id;
      if (value(part).spec.dtype != value(to).spec.dtype) {
        return node_error(n, "part " + name(part) + " is " + print(value(part).spec) +
                                 " and the result " + print(value(to).spec) +
                                 "; they have one element type");
      }
      const ValueId root = storage_of(part);
      if (value(root).kind != ValueKind::kResult) {
        return node_error(n, "part " + name(part) + " stands for the bytes of " + name(root) +
                                 ", an input or constant; only what a node computes can be placed "
                                 "inside another value");
      }
      if (joined_[root]) {
        return node_error(
            n, "part " + name(part) + " lies inside another value already; a value is a part once");
      }
      joined_[root] = true;
      if (!checked_add(sum, value(part).spec.nbytes(), &sum))
        return node_error(n, "the parts' bytes overflow");
    }
    if (sum != value(to).spec.nbytes()) {
      return node_error(n, "the parts have " + std::to_string(sum) + " bytes and " + name(to) +
                               " " + std::to_string(value(to).spec.nbytes()) +
                               "; they must be equal");
    }
    return {};
  }

  MaybeError check_alloc(size_t n) {
    const Node& node = graph_.nodes[n];
    const ValueId to = node.results[0];
    const TensorSpec& spec = value(to).spec;
    if (!node.args.empty()) return node_error(n, "has arguments; it takes none");
    if (spec.dtype != ScalarType::kByte || spec.sizes.size() != 1) {
      return node_error(n, name(to) + " is " + print(spec) + "; scratch is u8[bytes]");
    }
    if (!is_power_of_two(node.alignment) || node.alignment > kMaxAlignment) {
      return node_error(n, "align=" + std::to_string(node.alignment) + "; a power of two up to " +
                               std::to_string(kMaxAlignment));
    }
    if (node.role != Role::kOpScratch && node.role != Role::kDelegateScratch) {
      return node_error(n, "its role is no kind of scratch; op_scratch or delegate_scratch");
    }
    produced_by_alloc_[to] = true;
    return {};
  }

  MaybeError check_end() const {
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      if (!defined_[v]) {
        return error("value " + std::to_string(v) + " %" + graph_.values[v].name,
                     "no input and no node defines it; remove it or define it");
      }
      if (produced_by_alloc_[v] && alloc_user_[v] < 0) {
        return error("value " + std::to_string(v) + " %" + graph_.values[v].name,
                     "scratch that no operator takes; remove the alloc");
      }
    }
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      const ValueId id = graph_.outputs[i];
      const std::string place = "output " + std::to_string(i);
      if (!in_table(id)) return error(place, "value " + std::to_string(id) + " does not exist");
      if (produced_by_alloc_[id]) return error(place, name(id) + " is scratch");
    }
    return {};
  }

  // The value whose bytes a value's are, through views only: what a join may place.
  ValueId storage_of(ValueId id) const { return storage_[id]; }

  const Graph& graph_;
  const VerifyOptions& options_;
  std::vector<bool> defined_;
  std::vector<bool> produced_by_alloc_;
  std::vector<int32_t> alloc_user_;  // node that has the scratch, -1 none
  std::vector<ValueId> storage_;     // resolved at definition, so a lookup is one step
  std::vector<bool> joined_;
};

}  // namespace

MaybeError verify(const Graph& graph, const VerifyOptions& options) {
  return Verifier(graph, options).run();
}

MaybeError verify(const Module& module, const VerifyOptions& options) {
  std::unordered_set<std::string_view> names, lowered_names;
  for (const LoweredModule& lowered : module.lowered) {
    if (!lowered_names.insert(lowered.name).second)
      return Error{"lowered @" + lowered.name, "a second lowered module of this name"};
    if (auto error = verify(lowered)) return error;
  }
  VerifyOptions with_lowered = options;
  with_lowered.lowered = &module.lowered;
  for (const Graph& graph : module.graphs) {
    if (!names.insert(graph.name).second)
      return Error{"graph " + graph.name, "a second graph of this name"};
    if (auto error = verify(graph, with_lowered)) return error;
  }
  return {};
}

}  // namespace berth::ir
