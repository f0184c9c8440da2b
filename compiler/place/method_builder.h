// For tests: methods made by hand, one line per instruction.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "program/program.h"

namespace berth::place {

class MethodBuilder {
 public:
  MethodBuilder() { method_.name = "forward"; }

  // A planned byte tensor with a storage of its own.
  int32_t tensor(const std::string& name, int32_t nbytes, Role role = Role::kActivation) {
    program::Storage storage;
    storage.nbytes = static_cast<uint64_t>(nbytes);
    storage.name = name;
    storage.role = role;
    if (role == Role::kState) storage.kind = program::StorageKind::kState;
    method_.storages.push_back(storage);
    return part(name, static_cast<int32_t>(method_.storages.size() - 1), 0, nbytes);
  }
  // A value inside a storage.
  int32_t part(const std::string& name, int32_t storage, uint64_t offset, int32_t nbytes) {
    program::Tensor tensor;
    tensor.dtype = ScalarType::kByte;
    tensor.sizes = {nbytes};
    tensor.dim_order = {0};
    tensor.storage = storage;
    tensor.offset = offset;
    return value({tensor, name});
  }
  // A tensor with a storage of its own at a place, as a file without a record has them.
  int32_t tensor_at(const std::string& name, uint64_t offset, int32_t nbytes, uint32_t mem_id = 1) {
    const int32_t v = tensor(name, nbytes);
    place(v, offset, mem_id);
    return v;
  }
  int32_t input_at(const std::string& name, uint64_t offset, int32_t nbytes) {
    const int32_t v = input(name, nbytes);
    place(v, offset, 1);
    return v;
  }
  void place(int32_t v, uint64_t offset, uint32_t mem_id) {
    program::Storage& s = method_.storages[static_cast<size_t>(storage(v))];
    s.offset = offset;
    s.mem_id = mem_id;
  }
  int32_t boolean(bool b) { return value({b, ""}); }
  int32_t input(const std::string& name, int32_t nbytes) {
    const int32_t v = tensor(name, nbytes, Role::kInput);
    method_.inputs.push_back(v);
    return v;
  }
  void output(int32_t v) {
    method_.outputs.push_back(v);
    method_.storages[static_cast<size_t>(storage(v))].role = Role::kOutput;
  }
  int32_t storage(int32_t v) const {
    return method_.values[static_cast<size_t>(v)].tensor()->storage;
  }

  // test::op reads `reads` and writes `out` (an operator unknown to contract/operators.h).
  int32_t call(const std::vector<int32_t>& reads, int32_t out) {
    std::vector<int32_t> args = reads;
    args.push_back(out);
    args.push_back(out);
    return add({program::KernelCall{op("test::op", "out"), args}, {}, {}, {}});
  }
  // aten::unbind_copy.int_out(read, dim, outs), an operator that is known.
  int32_t unbind(int32_t read, const std::vector<int32_t>& outs) {
    const int32_t dim = value({int64_t{0}, ""});
    const int32_t list = value({program::TensorList{outs}, ""});
    const int32_t again = value({program::TensorList{outs}, ""});
    return add({program::KernelCall{op("aten::unbind_copy", "int_out"), {read, dim, list, again}},
                {},
                {},
                {}});
  }
  // A call of a named operator, its arguments as in a file.
  int32_t call_operator(const std::string& name, const std::string& overload,
                        const std::vector<int32_t>& args) {
    return add({program::KernelCall{op(name, overload), args}, {}, {}, {}});
  }
  int32_t call_delegate(const std::string& id, const std::vector<int32_t>& args) {
    method_.delegates.push_back({id, 0, {}});
    const auto delegate = static_cast<int32_t>(method_.delegates.size() - 1);
    return add({program::DelegateCall{delegate, args, false}, {}, {}, {}});
  }
  int32_t jump_false(int32_t condition, int32_t target) {
    return add({program::JumpFalseCall{condition, target}, {}, {}, {}});
  }
  int32_t move(int32_t from, int32_t to) { return add({program::MoveCall{from, to}, {}, {}, {}}); }
  void in_place(int32_t instruction, int32_t output, int32_t input) {
    method_.instructions[static_cast<size_t>(instruction)].in_place.push_back({output, input});
  }
  program::Method& method() { return method_; }

 private:
  int32_t value(program::Value v) {
    method_.values.push_back(std::move(v));
    return static_cast<int32_t>(method_.values.size() - 1);
  }
  int32_t add(program::Instruction instruction) {
    method_.instructions.push_back(std::move(instruction));
    return static_cast<int32_t>(method_.instructions.size() - 1);
  }
  int32_t op(const std::string& name, const std::string& overload) {
    for (size_t i = 0; i < method_.operators.size(); ++i) {
      if (method_.operators[i].name == name && method_.operators[i].overload == overload)
        return static_cast<int32_t>(i);
    }
    method_.operators.push_back({name, overload});
    return static_cast<int32_t>(method_.operators.size() - 1);
  }
  program::Method method_;
};

}  // namespace berth::place
