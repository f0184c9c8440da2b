#include "tools/load_fault_words.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <variant>

#include "compiler/report/printable.h"

namespace berth::tools {
namespace {

using program::DelegateCall;
using program::Method;
using report::printable;

std::string pool_name(uint32_t mem_id, const std::vector<PoolName>& pools) {
  for (const PoolName& pool : pools) {
    if (pool.mem_id == mem_id) return pool.name;
  }
  return "mem" + std::to_string(mem_id);
}

// A buffer that a call gets besides its inputs and outputs, and which of its kind it is.
struct Work {
  Role role = Role::kDelegateScratch;
  uint32_t part = 0;
  std::string name;
  uint64_t bytes = 0;
};

const DelegateCall* call_at(const Method& method, uint64_t instruction) {
  if (instruction >= method.instructions.size()) return nullptr;
  return std::get_if<DelegateCall>(&method.instructions[instruction].call);
}

// As the plan record tells; in the order in which they were declared.
std::vector<Work> work_at(const Method& method, uint64_t instruction) {
  std::vector<Work> found;
  const DelegateCall* const call = call_at(method, instruction);
  if (call == nullptr || !method.plan) return found;
  const program::Instruction& it = method.instructions[instruction];
  if (!it.input_count || !it.output_count) return found;
  uint32_t counts[kRoleCount] = {};
  for (size_t i = uint64_t{*it.input_count} + *it.output_count; i < call->args.size(); ++i) {
    const auto value = static_cast<size_t>(call->args[i]);
    const int32_t buffer =
        value < method.plan->value_buffer.size() ? method.plan->value_buffer[value] : -1;
    const program::Tensor* const tensor = method.values[value].tensor();
    if (buffer < 0 || tensor == nullptr) continue;
    const program::RecordedBuffer& recorded = method.plan->buffers[static_cast<size_t>(buffer)];
    Work& work = found.emplace_back();
    work.role = recorded.role;
    work.part = counts[static_cast<size_t>(recorded.role)]++;
    work.name = recorded.name;
    work.bytes = program::tensor_nbytes(*tensor);
  }
  return found;
}

std::string part_label(Role role, uint32_t part, const std::string& name) {
  return fmt::format("{} {}{}", role == Role::kDelegateScratch ? "scratch" : "persistent memory",
                     part, name.empty() ? "" : " \"" + printable(name) + "\"");
}

// The same of a delegate: all its calls have buffers of the same names.
std::string part_of_delegate(const Method* method, uint32_t delegate, Role role, uint32_t part) {
  for (size_t k = 0; method != nullptr && k < method->instructions.size(); ++k) {
    const DelegateCall* const call = call_at(*method, k);
    if (call == nullptr || static_cast<uint32_t>(call->delegate) != delegate) continue;
    for (const Work& work : work_at(*method, k)) {
      if (work.role == role && work.part == part) return part_label(role, part, work.name);
    }
  }
  return part_label(role, part, "");
}

// What init() of a backend refused, or what it was not given.
std::optional<std::string> init_words(Status status, const LoadFault& fault, const Method* method) {
  const std::string_view field = fault.field;
  if (field == "delegates.init.processed") {
    // In its other sense it is about a .pte.
    const char* const why = status == Status::kBadMagic ? "it does not begin as the backend's do"
                                                        : status_words(status);
    std::string words = fmt::format("its backend refuses its blob: {}", why);
    if (fault.need != 0)
      words += fmt::format("; it has {} bytes and needs {}", fault.have, fault.need);
    return words;
  }
  const bool is_scratch = field == "delegates.init.scratch";
  if (is_scratch || field == "delegates.init.persistent") {
    const Role role = is_scratch ? Role::kDelegateScratch : Role::kPersistent;
    const std::string part = part_of_delegate(method, fault.index, role, fault.part);
    std::string words = fmt::format("{}: its backend needs {} bytes here and the file gives {}",
                                    part, fault.need, fault.have);
    if (fault.have == 0 && !is_scratch && method != nullptr && !method->plan)
      words += "; without a plan record none is found";
    return words;
  }
  if (field == "backends.options.memory") {
    if (status == Status::kMisaligned) {
      return fmt::format(
          "its backend was given memory {} bytes after a multiple of {}; it must start at one",
          fault.have, fault.need);
    }
    return fmt::format(
        "its backend needs {} bytes of memory with the load options and was given {}", fault.need,
        fault.have);
  }
  // No part of it is to blame.
  if (field == "delegates" && fault.need == 0 && fault.have == 0)
    return fmt::format("its backend refuses it: {}", status_words(status));
  return {};
}

std::string plain_words(Status status, const LoadFault& fault, bool names_entry) {
  const std::string entry = names_entry ? fmt::format("entry {}", fault.index) : "";
  const std::string numbers = fault.have != 0 || fault.need != 0
                                  ? fmt::format("found {}, limit {}", fault.have, fault.need)
                                  : "";
  const char* const between = entry.empty() || numbers.empty() ? "" : ": ";
  std::string message = status_words(status);
  if (!entry.empty() || !numbers.empty()) message += " (" + entry + between + numbers + ")";
  return message;
}

}  // namespace

const Method* find_method(const Result<program::Program>& program, const std::string& name) {
  if (!program.ok()) return nullptr;
  for (const Method& method : program.value().methods) {
    if (method.name == name) return &method;
  }
  return nullptr;
}

std::string delegate_label(const Method* method, uint64_t delegate) {
  const bool is_known = method != nullptr && delegate < method->delegates.size();
  return fmt::format("delegate {}{}", delegate,
                     is_known ? " (" + printable(method->delegates[delegate].id) + ")" : "");
}

std::string instruction_label(const Method* method, uint64_t instruction) {
  const DelegateCall* const call = method == nullptr ? nullptr : call_at(*method, instruction);
  std::string label = fmt::format("instruction {}", instruction);
  if (call == nullptr) return label;
  return label + ", " + delegate_label(method, static_cast<uint64_t>(call->delegate));
}

std::string work_of_call(const Method& method, uint64_t instruction) {
  std::string words;
  for (const Work& work : work_at(method, instruction)) {
    words += fmt::format("{}{} of {} bytes", words.empty() ? "" : ", ",
                         part_label(work.role, work.part, work.name), work.bytes);
  }
  return words;
}

Error load_fault_words(Status status, const LoadFault& fault, const std::vector<PoolName>& pools,
                       const Method* method) {
  const std::string_view field = fault.field;
  const bool is_pool = field == "memory.pools";
  const bool is_method = field == "memory.method";
  if (is_pool || is_method) {
    const std::string name = is_pool ? pool_name(fault.index, pools) : "";
    const std::string place = is_pool ? "pool " + name : "method memory";
    if (status == Status::kMisaligned) {
      return {place, fmt::format("starts {} bytes after a multiple of {}; it must start at one",
                                 fault.have, fault.need)};
    }
    const std::string option = is_pool ? fmt::format("--pool {}={}", name, fault.need)
                                       : fmt::format("--method-bytes {}", fault.need);
    return {place, fmt::format("{} bytes are given and {} are needed; {} suffices", fault.have,
                               fault.need, option)};
  }
  if (field == "delegates.scratch") {
    return {fmt::format("instruction {}", fault.index),
            fmt::format("calls {}, which has scratch and is called at instruction {} "
                        "already; a handle with scratch serves one call",
                        delegate_label(method, fault.have), fault.need)};
  }
  if (const std::optional<std::string> words = init_words(status, fault, method))
    return {delegate_label(method, fault.index), *words};
  // Of a delegate's entry, or of a call.
  if (field.rfind("delegates.", 0) == 0) {
    return {fmt::format("{}, {}", delegate_label(method, fault.index), field),
            plain_words(status, fault, false)};
  }
  const bool calls = method != nullptr && call_at(*method, fault.index) != nullptr &&
                     (field.rfind("instructions.", 0) == 0 || field == "plan_record.calls");
  if (calls) {
    return {fmt::format("{}, {}", instruction_label(method, fault.index), field),
            plain_words(status, fault, false)};
  }
  return {std::string(field), plain_words(status, fault, !field.empty())};
}

}  // namespace berth::tools
