#include "tools/host_method.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "program/read.h"
#include "tools/load_fault_words.h"

namespace berth::tools {
namespace {

using runtime::Tag;

TensorSpec spec_of(ScalarType dtype, uint32_t rank, const int32_t* sizes,
                   const uint8_t* dim_order) {
  TensorSpec spec;
  spec.dtype = dtype;
  spec.sizes.assign(sizes, sizes + rank);
  spec.dim_order.assign(dim_order, dim_order + rank);
  return spec;
}

// A value that is no tensor.
RunValue plain_value(const runtime::EValue& value) {
  switch (value.tag) {
    case Tag::kNone:
      return NoValue();
    case Tag::kInt:
      return value.integer;
    case Tag::kBool:
      return value.boolean;
    case Tag::kDouble:
      return value.number;
    case Tag::kString:
      return std::string(value.string, value.count);
    default:
      return ListValue();
  }
}

std::string place_of(const char* what, uint32_t i) { return fmt::format("{} {}", what, i); }

}  // namespace

MaybeError HostMethod::describe(const Bytes& file, const runtime::Program& program,
                                const std::string& name) {
  file_ = &file;
  name_ = name;
  runtime::MethodMeta meta;
  LoadFault fault;
  Status status = program.describe(name.c_str(), &meta, &fault);
  for (uint32_t i = 0; status == Status::kOk && i < meta.input_count(); ++i) {
    runtime::ValueMeta value;
    status = meta.input(i, &value, &fault);
    Input input;
    if (value.tag == Tag::kTensor) {
      input.value = TensorValue{spec_of(value.dtype, value.rank, value.sizes, value.dim_order), {}};
      input.dynamic = value.dynamic;
    }
    inputs_.push_back(std::move(input));
  }
  for (uint32_t i = 0; status == Status::kOk && i < meta.output_count(); ++i) {
    runtime::ValueMeta value;
    status = meta.output(i, &value, &fault);
    if (value.tag != Tag::kTensor || value.planned) continue;
    Output output;
    output.index = i;
    output.bytes = value.nbytes;
    output.alignment = element_size(value.dtype);
    caller_outputs_.push_back(std::move(output));
  }
  caller_inputs_.resize(inputs_.size());
  if (status != Status::kOk) return load_fault_words(status, fault, {});
  return std::nullopt;
}

MaybeError HostMethod::bind(const runtime::Method& method, TraceRecorder* recorder) {
  method_ = method;
  method_.set_tracer(recorder);
  recorder_ = recorder;
  for (uint32_t i = 0; i < inputs_.size(); ++i) {
    const runtime::EValue& value = method_.input(i);
    if (value.tag != Tag::kTensor) inputs_[i].value = plain_value(value);
  }
  for (Output& output : caller_outputs_) {
    const std::string place = place_of("output", output.index);
    if (output.memory.data() == nullptr &&
        !output.memory.allocate(output.bytes, output.alignment)) {
      return Error{place, fmt::format("{} bytes are more than this machine gives", output.bytes)};
    }
    // Others take the bytes of an input, or of whatever a move or a view makes them stand for.
    if ((method_.output(output.index).flags & runtime::kAwaited) == 0) continue;
    const Status status =
        method_.set_output(output.index, output.memory.data(), output.memory.size());
    if (status != Status::kOk) return Error{place, status_words(status)};
  }
  return std::nullopt;
}

MaybeError HostMethod::set_tensor(uint32_t i, const TensorValue& tensor) {
  const TensorSpec& declared = std::get<TensorValue>(inputs_[i].value).spec;
  const TensorSpec& given = tensor.spec;
  const auto refuse = [&] {
    const char* up_to = inputs_[i].dynamic ? "up to " : "";
    return Error{place_of("input", i), fmt::format("{} is given; the method takes {}{}",
                                                   spec_text(given), up_to, spec_text(declared))};
  };
  if (given.dtype != declared.dtype || given.sizes.size() != declared.sizes.size()) return refuse();
  for (size_t d = 0; d < given.sizes.size(); ++d) {
    const bool fits = inputs_[i].dynamic ? given.sizes[d] <= declared.sizes[d]
                                         : given.sizes[d] == declared.sizes[d];
    if (!fits || given.sizes[d] < 0) return refuse();
  }
  const bool same_order = given.dim_order == declared.dim_order;
  const Bytes& data = same_order ? tensor.data : in_dim_order(tensor, declared.dim_order);
  GuardedMemory& memory = caller_inputs_[i];
  // Always at the same address while the size is the same, as a caller would have it.
  if (memory.data() == nullptr || memory.size() != data.size()) {
    if (!memory.allocate(data.size(), element_size(given.dtype))) {
      return Error{place_of("input", i), "more bytes than this machine gives"};
    }
  }
  if (!data.empty()) std::memcpy(memory.data(), data.data(), data.size());
  runtime::InputTensor input;
  input.data = memory.data();
  input.dtype = given.dtype;
  input.sizes = {given.sizes.data(), given.sizes.size()};
  const Status status = method_.set_input(i, input);
  if (status != Status::kOk) return Error{place_of("input", i), status_words(status)};
  return std::nullopt;
}

Status HostMethod::set_fixed(uint32_t i, const RunValue& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return method_.set_input_int(i, *integer);
  if (const auto* number = std::get_if<double>(&value)) {
    return method_.set_input_double(i, *number);
  }
  if (const auto* truth = std::get_if<bool>(&value)) return method_.set_input_bool(i, *truth);
  if (const auto* text = std::get_if<std::string>(&value)) {
    return method_.set_input_string(i, {text->data(), text->size()});
  }
  if (std::holds_alternative<NoValue>(value)) return method_.set_input_none(i);
  return Status::kBadInput;  // a list: nothing that the caller could give
}

MaybeError HostMethod::set_inputs(const std::vector<RunValue>& values) {
  if (values.size() != inputs_.size()) {
    return Error{"", counted(values.size(), "input") + " given; the method has " +
                         std::to_string(inputs_.size())};
  }
  for (uint32_t i = 0; i < values.size(); ++i) {
    const RunValue& declared = inputs_[i].value;
    const auto* tensor = std::get_if<TensorValue>(&values[i]);
    if (tensor != nullptr && std::holds_alternative<TensorValue>(declared)) {
      if (MaybeError error = set_tensor(i, *tensor)) return error;
    } else if (const Status status = set_fixed(i, values[i]); status != Status::kOk) {
      const bool is_fixed = !std::holds_alternative<TensorValue>(declared);
      return Error{
          place_of("input", i),
          fmt::format("{} is given; the {}{}", value_text(values[i]),
                      is_fixed ? "file fixes it at " : "method takes ", value_text(declared))};
    }
  }
  return std::nullopt;
}

MaybeError HostMethod::execute() {
  if (recorder_ != nullptr) recorder_->run_begins();
  const Status status = method_.execute();
  if (status == Status::kOk) {
    if (recorder_ != nullptr) recorder_->run_ends(method_);
    return std::nullopt;
  }
  return run_error(status);
}

Error HostMethod::run_error(Status status) const {
  const Result<program::Program> program = program::read(*file_);
  const program::Method* const read = find_method(program, name_);
  const uint32_t instruction = method_.stopped_at();
  std::string words = status_words(status);
  if (read != nullptr && (status == Status::kScratchTooSmall || status == Status::kTooSmall)) {
    const std::string work = work_of_call(*read, instruction);
    if (!work.empty()) words += "; the call gets " + work;
  }
  return {fmt::format("method {}, {}", name_, instruction_label(read, instruction)), words};
}

std::vector<RunValue> HostMethod::outputs() const {
  std::vector<RunValue> outputs;
  for (uint32_t i = 0; i < method_.output_count(); ++i) {
    const runtime::EValue& value = method_.output(i);
    if (value.tag != Tag::kTensor) {
      outputs.push_back(plain_value(value));
      continue;
    }
    const runtime::Tensor& tensor = *value.tensor;
    const auto* data = static_cast<const std::byte*>(tensor.data);
    TensorValue out{spec_of(tensor.dtype, tensor.rank, tensor.sizes, tensor.dim_order), {}};
    if (tensor.nbytes() != 0) out.data.assign(data, data + tensor.nbytes());
    outputs.push_back(std::move(out));
  }
  return outputs;
}

std::string HostMethod::find_damage() const {
  for (uint32_t i = 0; i < caller_inputs_.size(); ++i) {
    if (caller_inputs_[i].is_damaged()) return place_of("input", i);
  }
  for (const Output& output : caller_outputs_) {
    if (output.memory.is_damaged()) return place_of("output", output.index);
  }
  return "";
}

std::vector<TensorSpec> tensor_specs(const std::vector<RunValue>& values) {
  std::vector<TensorSpec> specs;
  for (const RunValue& value : values) {
    if (const auto* tensor = std::get_if<TensorValue>(&value)) specs.push_back(tensor->spec);
  }
  return specs;
}

}  // namespace berth::tools
