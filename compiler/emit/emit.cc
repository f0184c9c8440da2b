#include "compiler/emit/emit.h"

#include <algorithm>
#include <map>
#include <set>

#include "compiler/emit/nested_arguments.h"
#include "compiler/emit/storage_map.h"
#include "contract/operators.h"

namespace berth::emit {
namespace {

using program::Method;
using program::Program;
using program::Storage;
using program::StorageKind;

// Program-wide: equal bytes are stored once, whoever's they are.
class DistinctBytes {
 public:
  explicit DistinctBytes(std::vector<program::Blob>* list) : list_(list) {}
  int32_t add(const ir::Bytes& bytes) {
    const auto [it, fresh] = index_.try_emplace(bytes, static_cast<int32_t>(list_->size()));
    if (fresh) list_->push_back(bytes);
    return it->second;
  }

 private:
  std::vector<program::Blob>* list_;
  std::map<ir::Bytes, int32_t> index_;
};

class GraphEmitter {
 public:
  GraphEmitter(const ir::Module& module, const ir::Graph& graph, const EmitOptions& options,
               const std::vector<Nested>& nested, DistinctBytes* constants, DistinctBytes* blobs)
      : module_(module),
        graph_(graph),
        options_(options),
        constants_(constants),
        blobs_(blobs),
        map_(map_storages(graph, nested)) {
    for (const Nested& it : nested) nested_groups_.insert(map_.homes[it.outer].group);
  }

  Result<Method> run() {
    method_.name = graph_.name;
    value_index_.assign(graph_.values.size(), -1);
    storage_of_.assign(map_.nbytes.size(), -1);
    collect_groups();
    for (ir::ValueId v : graph_.inputs) method_.inputs.push_back(tensor_value(v));
    if (options_.io == Io::kCaller) make_caller_views();
    for (const ir::Node& node : graph_.nodes) emit_node(node);
    emit_outputs();
    if (method_.values.size() > INT32_MAX)
      return Error{"graph " + graph_.name, "has more than 2^31 values"};
    return std::move(method_);
  }

 private:
  struct Group {
    ir::ValueId input = -1;
    ir::ValueId output = -1;  // the first one
    ir::ValueId constant = -1;
    // The value that the caller binds; -1: the group lies in a pool or the file.
    ir::ValueId anchor = -1;
    std::vector<ir::ValueId> values;
  };

  void collect_groups() {
    groups_.resize(map_.nbytes.size());
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      Group& group = groups_[map_.homes[v].group];
      group.values.push_back(static_cast<ir::ValueId>(v));
      if (graph_.values[v].kind == ir::ValueKind::kConstant && group.constant < 0) {
        group.constant = static_cast<ir::ValueId>(v);
      }
    }
    for (ir::ValueId v : graph_.inputs) groups_[map_.homes[v].group].input = v;
    for (ir::ValueId v : graph_.outputs) {
      Group& group = groups_[map_.homes[v].group];
      if (group.output < 0) group.output = v;
    }
    if (options_.io != Io::kCaller) return;
    for (size_t g = 0; g < groups_.size(); ++g) {
      Group& group = groups_[g];
      if (group.input >= 0) {
        group.anchor = group.input;
      } else if (group.output >= 0 && group.constant < 0 && !map_.has_join[g]) {
        group.anchor = group.output;
      }
    }
  }

  Storage make_storage(int32_t g) {
    const Group& group = groups_[g];
    Storage storage;
    storage.nbytes = map_.nbytes[g];
    const ir::Value& first = graph_.value(group.values.front());
    storage.name = first.origin.empty() ? first.name : first.origin;
    if (group.constant >= 0) {
      storage.kind = StorageKind::kConstant;
      storage.data = constants_->add(*graph_.value(group.constant).data);
    } else if (group.anchor >= 0) {
      storage.kind = StorageKind::kCaller;
    }
    if (group.input >= 0) {
      storage.role = Role::kInput;
    } else if (group.output >= 0 && (options_.io == Io::kPlanned || group.anchor >= 0)) {
      storage.role = Role::kOutput;
    }
    return storage;
  }

  int32_t storage_index(int32_t g) {
    if (storage_of_[g] < 0) {
      storage_of_[g] = static_cast<int32_t>(method_.storages.size());
      method_.storages.push_back(make_storage(g));
    }
    return storage_of_[g];
  }

  int32_t add_value(program::Value value) {
    method_.values.push_back(std::move(value));
    return static_cast<int32_t>(method_.values.size() - 1);
  }

  static program::Tensor to_tensor(const ir::TensorSpec& spec, int32_t storage, uint64_t offset) {
    program::Tensor tensor;
    tensor.dtype = spec.dtype;
    tensor.sizes = spec.sizes;
    tensor.dim_order = spec.dim_order;
    tensor.storage = storage;
    tensor.offset = offset;
    return tensor;
  }

  int32_t tensor_value(ir::ValueId v) {
    int32_t& index = value_index_[v];
    if (index >= 0) return index;
    const StorageMap::Home& home = map_.homes[v];
    const Group& group = groups_[home.group];
    const ir::Value& value = graph_.value(v);
    int32_t storage = -1;
    if (group.anchor >= 0 && group.anchor != v) {
      // A cell that et_view points at the caller's bytes.
      storage = static_cast<int32_t>(method_.storages.size());
      Storage cell;
      cell.kind = StorageKind::kCaller;
      cell.nbytes = value.spec.nbytes();
      cell.name = value.name;
      method_.storages.push_back(cell);
    } else {
      storage = storage_index(home.group);
    }
    index = add_value(
        {to_tensor(value.spec, storage, group.anchor >= 0 ? 0 : home.offset), value.name});
    return index;
  }

  // Views of the caller's bytes exist from the start: their addresses are known as soon as the
  // caller has bound them.
  void make_caller_views() {
    for (const Group& group : groups_) {
      if (group.anchor < 0) continue;
      for (ir::ValueId v : group.values) {
        if (v == group.anchor || !is_named(v)) continue;
        std::vector<int64_t> sizes(graph_.value(v).spec.sizes.begin(),
                                   graph_.value(v).spec.sizes.end());
        const int32_t self = tensor_value(group.anchor);
        const int32_t list = int_list(sizes);
        const int32_t out = tensor_value(v);
        add_call(ops::kPrimEtView, {self, list, out});
      }
    }
  }

  static bool becomes_call(const ir::Node& node) {
    return node.kind == ir::NodeKind::kOperator || node.kind == ir::NodeKind::kDelegate;
  }

  // Whether an operator or the list of outputs names the value: the others need no value in the
  // file.
  bool is_named(ir::ValueId v) {
    if (named_.empty()) {
      named_.assign(graph_.values.size(), false);
      for (const ir::Node& node : graph_.nodes) {
        if (!becomes_call(node)) continue;
        ir::for_each_ref(node, [&](const ir::Ref& ref) { named_[ref.id] = true; });
        for (ir::ValueId r : node.results) named_[r] = true;
      }
      for (ir::ValueId out : graph_.outputs) named_[out] = true;
    }
    return named_[v];
  }

  // Literals: equal ones share a value. The key holds the kind and the bits.
  int32_t literal(const std::string& key, program::Value value) {
    const auto it = literals_.find(key);
    if (it != literals_.end()) return it->second;
    const int32_t index = add_value(std::move(value));
    literals_.emplace(key, index);
    return index;
  }
  int32_t integer(int64_t i) { return literal("i" + std::to_string(i), {i, ""}); }
  int32_t int_list(const std::vector<int64_t>& items) {
    std::string key = "I";
    program::IntList list;
    for (int64_t item : items) {
      key += std::to_string(item) + ",";
      list.values.push_back(integer(item));
    }
    return literal(key, {list, ""});
  }

  // By its letter a list of tensors may be of the kind whose entries may be none: stock kernels
  // refuse the other kind there.
  int32_t arg_value(const ir::Arg& arg, char letter) {
    if (const auto* ref = std::get_if<ir::Ref>(&arg)) return tensor_value(ref->id);
    if (const auto* i = std::get_if<int64_t>(&arg)) return integer(*i);
    if (const auto* d = std::get_if<double>(&arg)) {
      return literal("d" + std::string(reinterpret_cast<const char*>(d), sizeof *d), {*d, ""});
    }
    if (const auto* b = std::get_if<bool>(&arg)) return literal(*b ? "b1" : "b0", {*b, ""});
    if (const auto* s = std::get_if<std::string>(&arg)) return literal("s" + *s, {*s, ""});
    if (const auto* ints = std::get_if<std::vector<int64_t>>(&arg)) return int_list(*ints);
    if (const auto* doubles = std::get_if<std::vector<double>>(&arg)) {
      return add_value({program::DoubleList{*doubles}, ""});
    }
    if (const auto* bools = std::get_if<std::vector<bool>>(&arg)) {
      return add_value({program::BoolList{{bools->begin(), bools->end()}}, ""});
    }
    if (const auto* refs = std::get_if<ir::RefList>(&arg)) {
      std::vector<int32_t> items;
      for (const ir::Ref& ref : *refs) items.push_back(tensor_value(ref.id));
      if (letter == 'l') return add_value({program::OptionalTensorList{items}, ""});
      return add_value({program::TensorList{items}, ""});
    }
    return literal("n", {std::monostate{}, ""});
  }

  int32_t operator_index(const std::string& name, const std::string& overload) {
    for (size_t i = 0; i < method_.operators.size(); ++i) {
      if (method_.operators[i].name == name && method_.operators[i].overload == overload)
        return static_cast<int32_t>(i);
    }
    method_.operators.push_back({name, overload});
    return static_cast<int32_t>(method_.operators.size() - 1);
  }

  void add_call(const OperatorSchema& schema, std::vector<int32_t> args) {
    program::Instruction instruction;
    instruction.call =
        program::KernelCall{operator_index(schema.name, schema.overload), std::move(args)};
    method_.instructions.push_back(std::move(instruction));
  }

  void emit_node(const ir::Node& node) {
    if (node.kind == ir::NodeKind::kAlloc) {
      const int32_t group = map_.homes[node.results[0]].group;
      const int32_t index = storage_index(group);
      Storage& storage = method_.storages[index];
      storage.role = node.role;
      storage.alignment = node.alignment;
      storage.name = node.scratch_name;
      storage.pool = node.pool;
      return;
    }
    if (node.kind == ir::NodeKind::kDelegate) emit_delegate_call(node);
    if (node.kind != ir::NodeKind::kOperator) return;
    const OperatorSchema& schema = *find_operator(node.op.c_str(), node.overload.c_str());
    const auto k = static_cast<int32_t>(method_.instructions.size());
    std::vector<int32_t> args;
    std::vector<int32_t> outs;
    size_t next_arg = 0;
    size_t next_result = 0;
    int32_t returned = -1;
    for (const char* letter = schema.args; *letter != '\0'; ++letter) {
      if (*letter == 'O') {
        outs.push_back(tensor_value(node.results[next_result++]));
        args.push_back(outs.back());
        returned = outs.size() == 1 ? outs[0] : -1;
      } else if (*letter == 'P') {
        for (const ir::ValueId result : node.results) outs.push_back(tensor_value(result));
        args.push_back(add_value({program::TensorList{outs}, ""}));
      } else {
        args.push_back(arg_value(node.args[next_arg++], *letter));
        if (*letter == 'M') returned = args.back();
      }
    }
    if (returned < 0) returned = add_value({program::TensorList{outs}, ""});
    args.push_back(returned);
    claim_storages(args, outs, k);
    program::Instruction instruction;
    instruction.call = program::KernelCall{operator_index(node.op, node.overload), std::move(args)};
    for (const ir::InPlace& option : node.in_place) {
      const auto* input = std::get_if<ir::Ref>(&node.args[option.argument]);
      // An argument that lies inside a scratch is where that is.
      if (input == nullptr || nested_groups_.count(map_.homes[input->id].group) != 0 ||
          nested_groups_.count(map_.homes[node.results[option.output]].group) != 0) {
        continue;
      }
      instruction.in_place.push_back(
          {tensor_value(node.results[option.output]), tensor_value(input->id)});
    }
    method_.instructions.push_back(std::move(instruction));
  }

  // Inputs, outputs, scratch: what a runtime that knows nothing of scratch passes on as it is.
  // Behind them what the delegate keeps: all calls of an entry name the same.
  void emit_delegate_call(const ir::Node& node) {
    const ir::LoweredModule& lowered = *module_.find_lowered(node.op);
    const auto k = static_cast<int32_t>(method_.instructions.size());
    const auto inputs = static_cast<ptrdiff_t>(lowered.inputs.size());
    std::vector<int32_t> args, outs;
    for (const ir::ValueId result : node.results) outs.push_back(tensor_value(result));
    ir::for_each_ref(node, [&](const ir::Ref& ref) { args.push_back(tensor_value(ref.id)); });
    args.insert(args.begin() + inputs, outs.begin(), outs.end());
    claim_storages(args, outs, k);
    for (size_t i = outs.size() + static_cast<size_t>(inputs); i < args.size(); ++i) {
      // Also where an argument that lies inside was written before.
      method_.storages[method_.values[args[i]].tensor()->storage].owner = k;
    }
    const int32_t delegate = delegate_index(lowered, k);
    const std::vector<int32_t>& kept = persistent_[static_cast<size_t>(delegate)];
    args.insert(args.end(), kept.begin(), kept.end());
    program::Instruction instruction;
    instruction.call = program::DelegateCall{delegate, std::move(args)};
    instruction.input_count = static_cast<uint32_t>(inputs);
    instruction.output_count = static_cast<uint32_t>(outs.size());
    method_.instructions.push_back(std::move(instruction));
  }

  // An entry, and so a handle, for each call; one for all calls of a module that shares it.
  int32_t delegate_index(const ir::LoweredModule& lowered, int32_t instruction) {
    const auto index = static_cast<int32_t>(method_.delegates.size());
    if (lowered.share_handle) {
      const auto [it, fresh] = shared_handles_.try_emplace(lowered.name, index);
      if (!fresh) return it->second;
    }
    program::Delegate delegate;
    delegate.id = lowered.backend;
    delegate.data = blobs_->add(lowered.processed);
    for (const ir::CompileSpec& spec : lowered.compile_specs)
      delegate.compile_specs.push_back({spec.key, spec.value});
    method_.delegates.push_back(std::move(delegate));
    add_persistent(lowered, instruction);
    return index;
  }

  // What the new entry keeps: state of the method that no other method knows.
  void add_persistent(const ir::LoweredModule& lowered, int32_t instruction) {
    std::vector<int32_t>& values = persistent_.emplace_back();
    for (const ir::MemorySpec& spec : lowered.persistent) {
      Storage storage;
      storage.kind = StorageKind::kState;
      storage.nbytes = spec.nbytes;
      storage.alignment = spec.alignment;
      storage.role = Role::kPersistent;
      storage.owner = instruction;
      storage.name = spec.name;
      storage.pool = spec.pool;
      method_.storages.push_back(std::move(storage));
      const ir::TensorSpec bytes = {ScalarType::kByte, {static_cast<int32_t>(spec.nbytes)}, {0}};
      const auto index = static_cast<int32_t>(method_.storages.size() - 1);
      values.push_back(add_value({to_tensor(bytes, index, 0), spec.name}));
    }
  }

  // The owner of a buffer is its first writer; of scratch, its user.
  void claim_storages(const std::vector<int32_t>& args, const std::vector<int32_t>& outs,
                      int32_t instruction) {
    for (int32_t out : outs) {
      Storage& storage = method_.storages[method_.values[out].tensor()->storage];
      if (storage.owner < 0) storage.owner = instruction;
    }
    for (int32_t arg : args) {
      const program::Tensor* tensor = method_.values[arg].tensor();
      if (tensor == nullptr) continue;
      Storage& storage = method_.storages[tensor->storage];
      const bool is_scratch =
          storage.role == Role::kOpScratch || storage.role == Role::kDelegateScratch;
      if (is_scratch && storage.owner < 0) storage.owner = instruction;
    }
  }

  void emit_outputs() {
    std::vector<bool> bound(groups_.size(), false);
    for (ir::ValueId v : graph_.outputs) {
      const int32_t g = map_.homes[v].group;
      const bool direct = options_.io == Io::kPlanned ||
                          (groups_[g].anchor == v && groups_[g].input < 0 && !bound[g]);
      bound[g] = true;
      method_.outputs.push_back(direct ? tensor_value(v) : copied_output(v));
    }
  }

  // The caller's memory for an output that cannot be where the bytes are made.
  int32_t copied_output(ir::ValueId v) {
    const int32_t source = tensor_value(v);
    Storage storage;
    storage.kind = StorageKind::kCaller;
    storage.nbytes = graph_.value(v).spec.nbytes();
    storage.role = Role::kOutput;
    storage.owner = static_cast<int32_t>(method_.instructions.size());
    storage.name = graph_.value(v).name + "_copy";
    method_.storages.push_back(storage);
    const auto index = static_cast<int32_t>(method_.storages.size() - 1);
    const int32_t out = add_value({to_tensor(graph_.value(v).spec, index, 0), storage.name});
    const int32_t non_blocking = arg_value(false, 'b');
    add_call(ops::kAtenCopyInPlace, {out, source, non_blocking, out});
    return out;
  }

  const ir::Module& module_;
  const ir::Graph& graph_;
  const EmitOptions& options_;
  DistinctBytes* constants_;
  DistinctBytes* blobs_;
  StorageMap map_;
  std::set<int32_t> nested_groups_;  // scratch that arguments lie in
  std::vector<Group> groups_;
  std::vector<int32_t> storage_of_;   // per group
  std::vector<int32_t> value_index_;  // per ir value
  std::vector<bool> named_;
  std::map<std::string, int32_t> literals_;
  std::vector<std::vector<int32_t>> persistent_;   // values, per entry in Method::delegates
  std::map<std::string, int32_t> shared_handles_;  // entries by lowered module
  Method method_;
};

// The named data of the lowered modules that are called. A key has one content.
MaybeError emit_named_data(const ir::Module& module, Program* program) {
  std::map<std::string, const ir::Bytes*> known;
  for (const ir::LoweredModule& lowered : module.lowered) {
    for (const ir::NamedBlob& blob : lowered.named_data) {
      const auto [it, fresh] = known.try_emplace(blob.key, &blob.bytes);
      if (fresh) {
        program->named_data.push_back({blob.key, blob.bytes, blob.alignment});
      } else if (*it->second != blob.bytes) {
        return Error{
            "lowered @" + lowered.name + " (" + lowered.backend + "), data \"" + blob.key + "\"",
            "another lowered module has other bytes under this key; a key has one content"};
      }
    }
  }
  return {};
}

}  // namespace

Result<Program> emit(const ir::Module& module, const EmitOptions& options) {
  Program program;
  DistinctBytes constants(&program.constants);
  DistinctBytes blobs(&program.delegate_data);
  if (auto error = emit_named_data(module, &program)) return *error;
  for (const ir::Graph& graph : module.graphs) {
    Result<std::vector<Nested>> nested = find_nested(module, graph);
    if (!nested.ok()) return nested.error();
    Result<Method> method =
        GraphEmitter(module, graph, options, nested.value(), &constants, &blobs).run();
    if (!method.ok()) return method.error();
    program.methods.push_back(method.take());
  }
  return program;
}

}  // namespace berth::emit
