// A kernel wants a table of values and the indices of its arguments in it, as a loaded program has
// them (runtime/core/kernel.h). Here the table is made for one call. Kernels take inputs as they
// take outputs, by a plain pointer, and do not write them; so constants are handed over as they
// are.
#include "compiler/passes/evaluate.h"

#include <deque>

#include "runtime/core/kernel.h"
#include "runtime/kernels/berth/berth_kernels.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/portable/portable_kernels.h"

namespace berth::passes {
namespace {

using runtime::EValue;
using runtime::Kernel;
using runtime::Tag;

const Kernel* find_kernel(const OperatorSchema& schema) {
  const runtime::Span<const Kernel> tables[] = {
      runtime::cortex_m_kernels(), runtime::berth_kernels(), runtime::portable_kernels()};
  for (const runtime::Span<const Kernel>& table : tables) {
    for (const Kernel& kernel : table) {
      if (kernel.schema == &schema || (same_text(kernel.schema->name, schema.name) &&
                                       same_text(kernel.schema->overload, schema.overload))) {
        return &kernel;
      }
    }
  }
  return nullptr;
}

// One call's values. Deques, because values point at what lies in them.
class Call {
 public:
  Call(const ir::Graph& graph, const KnownBytes& known) : graph_(graph), known_(known) {}

  int32_t add_arg(const ir::Arg& arg) {
    EValue value;
    if (const auto* ref = std::get_if<ir::Ref>(&arg)) return add_known(ref->id);
    if (const auto* integer = std::get_if<int64_t>(&arg)) return add_integer(*integer);
    if (const auto* number = std::get_if<double>(&arg)) {
      value.number = *number;
      value.tag = Tag::kDouble;
    } else if (const auto* boolean = std::get_if<bool>(&arg)) {
      value.boolean = *boolean;
      value.tag = Tag::kBool;
    } else if (const auto* text = std::get_if<std::string>(&arg)) {
      value.string = text->c_str();
      value.count = static_cast<uint32_t>(text->size());
      value.tag = Tag::kString;
    } else if (const auto* integers = std::get_if<std::vector<int64_t>>(&arg)) {
      std::vector<int64_t>& indices = wide_lists_.emplace_back();
      for (const int64_t integer : *integers) indices.push_back(add_integer(integer));
      value.int_list = indices.data();
      value.count = static_cast<uint32_t>(indices.size());
      value.tag = Tag::kIntList;
    } else if (const auto* numbers = std::get_if<std::vector<double>>(&arg)) {
      value.double_list = numbers->data();
      value.count = static_cast<uint32_t>(numbers->size());
      value.tag = Tag::kDoubleList;
    } else if (const auto* booleans = std::get_if<std::vector<bool>>(&arg)) {
      std::vector<uint8_t>& bytes = byte_lists_.emplace_back(booleans->begin(), booleans->end());
      value.bool_list = bytes.data();
      value.count = static_cast<uint32_t>(bytes.size());
      value.tag = Tag::kBoolList;
    } else if (const auto* refs = std::get_if<ir::RefList>(&arg)) {
      std::vector<int32_t>& indices = lists_.emplace_back();
      for (const ir::Ref& ref : *refs) indices.push_back(add_known(ref.id));
      value.tensor_list = indices.data();
      value.count = static_cast<uint32_t>(indices.size());
      value.tag = Tag::kTensorList;
    }
    return add(value);
  }

  int32_t add_tensor(const ir::TensorSpec& spec, void* data) {
    runtime::Tensor& tensor = tensors_.emplace_back();
    tensor.data = data;
    tensor.sizes = spec.sizes.data();
    tensor.dim_order = spec.dim_order.data();
    tensor.capacity = static_cast<size_t>(spec.nbytes());
    tensor.dtype = spec.dtype;
    tensor.rank = static_cast<uint8_t>(spec.sizes.size());
    EValue value;
    value.tensor = &tensor;
    value.tag = Tag::kTensor;
    return add(value);
  }

  int32_t add_tensors(const ir::Graph& graph, const std::vector<ir::ValueId>& ids,
                      std::vector<ir::Bytes>& bytes) {
    std::vector<int32_t>& indices = lists_.emplace_back();
    for (size_t i = 0; i < ids.size(); ++i) {
      indices.push_back(add_tensor(graph.value(ids[i]).spec, bytes[i].data()));
    }
    EValue value;
    value.tensor_list = indices.data();
    value.count = static_cast<uint32_t>(indices.size());
    value.tag = Tag::kTensorList;
    return add(value);
  }

  // The host's kernels need no scratch.
  int32_t add_empty_scratch() { return add_tensor(kEmpty, &nothing_); }

  Status run(const Kernel& kernel, const std::vector<int32_t>& indices) {
    std::vector<EValue> values(values_.begin(), values_.end());
    runtime::KernelContext context;
    const runtime::Args args(indices.data(), static_cast<uint32_t>(indices.size()), values.data());
    return kernel.run(context, args);
  }

 private:
  int32_t add(const EValue& value) {
    values_.push_back(value);
    return static_cast<int32_t>(values_.size() - 1);
  }
  int32_t add_integer(int64_t integer) {
    EValue value;
    value.integer = integer;
    value.tag = Tag::kInt;
    return add(value);
  }
  int32_t add_known(ir::ValueId id) {
    const std::byte* bytes = known_[id]->data();
    return add_tensor(graph_.value(id).spec, const_cast<std::byte*>(bytes));
  }

  inline static const ir::TensorSpec kEmpty{ScalarType::kByte, {0}, {0}};

  const ir::Graph& graph_;
  const KnownBytes& known_;
  std::vector<EValue> values_;
  std::deque<runtime::Tensor> tensors_;
  std::deque<std::vector<int64_t>> wide_lists_;
  std::deque<std::vector<int32_t>> lists_;
  std::deque<std::vector<uint8_t>> byte_lists_;
  std::byte nothing_{};
};

}  // namespace

std::optional<std::vector<ir::Bytes>> evaluate(const ir::Graph& graph, const ir::Node& node,
                                               const KnownBytes& known) {
  const OperatorSchema* schema = ir::schema_of(node);
  const Kernel* kernel = schema == nullptr ? nullptr : find_kernel(*schema);
  if (kernel == nullptr || ir::has_effect(node)) return std::nullopt;
  Call call(graph, known);
  std::vector<ir::Bytes> results;
  for (const ir::ValueId id : node.results) results.emplace_back(graph.value(id).spec.nbytes());
  std::vector<int32_t> indices;
  size_t a = 0, r = 0;
  for (const char* letter = schema->args; *letter != '\0'; ++letter) {
    if (*letter == 'O') {
      indices.push_back(call.add_tensor(graph.value(node.results[r]).spec, results[r].data()));
      ++r;
    } else if (*letter == 'P') {
      indices.push_back(call.add_tensors(graph, node.results, results));
    } else {
      const ir::Arg& arg = node.args[a++];
      indices.push_back(*letter == 'X' ? call.add_empty_scratch() : call.add_arg(arg));
    }
  }
  indices.push_back(indices.back());  // the out argument again, as every call has it
  if (call.run(*kernel, indices) != Status::kOk) return std::nullopt;
  return results;
}

}  // namespace berth::passes
