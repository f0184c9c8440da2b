// Order of reading: the shell (container.cc), then each method's lists, with every number checked
// against the list it points into; then constants are cut into pieces, the plan record is read,
// storages are formed, and the validator looks at the whole. What FlatBuffers' verifier has proven
// (offsets, lengths, strings) is trusted after it.
#include "program/read.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "program/container.h"
#include "program/read_context.h"
#include "program/read_instructions.h"
#include "program/read_values.h"
#include "program/record.h"
#include "program/validate_program.h"

namespace berth::program {
namespace {

class Reader {
 public:
  Reader(std::span<const std::byte> file, const Container& container, bool in_place)
      : c_(file, container, in_place) {}

  Result<Program> run() {
    if (auto error = read_program()) return *error;
    if (auto error = validate(program_, Placed::kYes)) return *error;
    return std::move(program_);
  }

 private:
  // --- the program ---

  MaybeError read_program() {
    c_.unknown.look(c_.wire, pte::Program::VT_NAMED_DATA, c_.path);
    program_.version = c_.wire.version();
    if (c_.wire.segments() != nullptr) {
      for (uint32_t i = 0; i < c_.wire.segments()->size(); ++i) {
        Scope scope(c_.path, "segments", i);
        c_.unknown.look(*c_.wire.segments()->Get(i), pte::DataSegment::VT_SIZE, c_.path);
      }
    }
    if (auto error = data_.open(c_)) return error;
    if (auto error = read_methods()) return error;
    if (auto error = data_.copy(c_, &program_)) return error;
    std::span<const std::byte> record;
    if (auto error = read_named_data(&record)) return error;
    if (record.data() != nullptr) {
      if (auto error = read_record(record, c_.budget, &program_)) return error;
    }
    for (size_t m = 0; m < program_.methods.size(); ++m) {
      if (auto error = finish_tensors(data_, tensors_[m], program_.methods[m])) return error;
    }
    note_unused();
    if (c_.unknown.exhausted()) return c_.exhausted();
    std::vector<std::string> names = c_.unknown.take();
    std::vector<std::string>& all = program_.unknown_fields;
    all.insert(all.begin(), std::make_move_iterator(names.begin()),
               std::make_move_iterator(names.end()));
    return {};
  }

  MaybeError read_named_data(std::span<const std::byte>* record) {
    const auto* entries = c_.wire.named_data();
    if (entries == nullptr) return {};
    if (!c_.budget.take(entries->size(), sizeof(NamedData))) return c_.exhausted();
    program_.named_data.reserve(entries->size());
    for (uint32_t i = 0; i < entries->size(); ++i) {
      Scope scope(c_.path, "named_data", i);
      const pte::NamedData& entry = *entries->Get(i);
      c_.unknown.look(entry, pte::NamedData::VT_SEGMENT_INDEX, c_.path);
      NamedData out;
      if (auto error = c_.read_text("key", entry.key(), /*required=*/true, &out.key)) return error;
      if (entry.segment_index() >= c_.container.segments.size()) {
        return c_.path.error("segment_index",
                             fmt::format("{}; the file has {} segments", entry.segment_index(),
                                         c_.container.segments.size()));
      }
      c_.used_segments[entry.segment_index()] = true;
      const auto bytes = c_.container.segments[entry.segment_index()];
      if (out.key == kPlanRecordKey) {
        if (record->data() != nullptr) return c_.path.error("key", "a second plan record");
        if (bytes.empty()) return c_.path.error("segment_index", "a plan record of 0 bytes");
        *record = bytes;
        continue;
      }
      if (auto error = c_.read_blob(bytes, &out.bytes)) return error;
      program_.named_data.push_back(std::move(out));
    }
    return {};
  }

  // Bytes that nothing points to belong to something we do not know.
  void note_unused() {
    for (size_t i = 0; i < c_.used_segments.size(); ++i) {
      if (c_.used_segments[i] || c_.container.segments[i].empty()) continue;
      c_.unknown.note(fmt::format("segments[{}] (nothing refers to it)", i));
    }
  }

  // --- methods ---

  MaybeError read_methods() {
    const auto* plans = c_.wire.execution_plan();
    if (plans == nullptr) return c_.missing("execution_plan");
    if (!c_.budget.take(plans->size(), sizeof(Method) + sizeof(std::vector<NotedTensor>))) {
      return c_.exhausted();
    }
    program_.methods.resize(plans->size());
    tensors_.resize(plans->size());
    for (uint32_t i = 0; i < plans->size(); ++i) {
      Scope scope(c_.path, "execution_plan", i);
      method_ = &program_.methods[i];
      if (auto error = read_method(*plans->Get(i), &tensors_[i])) return error;
    }
    return {};
  }

  MaybeError read_method(const pte::ExecutionPlan& plan, std::vector<NotedTensor>* tensors) {
    c_.unknown.look(plan, pte::ExecutionPlan::VT_NON_CONST_BUFFER_DEVICE, c_.path);
    Method& m = *method_;
    if (auto error = c_.read_text("name", plan.name(), /*required=*/true, &m.name)) return error;
    if (const pte::ContainerMetadata* trees = plan.container_meta_type()) {
      Scope scope(c_.path, "container_meta_type");
      c_.unknown.look(*trees, pte::ContainerMetadata::VT_ENCODED_OUT_STR, c_.path);
      if (auto error =
              c_.read_text("encoded_inp_str", trees->encoded_inp_str(), false, &m.input_tree))
        return error;
      if (auto error =
              c_.read_text("encoded_out_str", trees->encoded_out_str(), false, &m.output_tree))
        return error;
    }
    if (auto error = read_pools(plan)) return error;
    if (auto error = read_values(c_, data_, plan, m, tensors)) return error;
    if (auto error = c_.read_numbers("inputs", plan.inputs(), &m.inputs)) return error;
    if (auto error = c_.read_numbers("outputs", plan.outputs(), &m.outputs)) return error;
    if (auto error = read_operators(plan)) return error;
    if (auto error = read_delegates(plan)) return error;
    return read_instructions(c_, plan, m);
  }

  MaybeError read_pools(const pte::ExecutionPlan& plan) {
    const auto* sizes = plan.non_const_buffer_sizes();
    if (sizes == nullptr) return c_.missing("non_const_buffer_sizes");
    if (is_misaligned(*sizes)) return c_.path.error("non_const_buffer_sizes", kMisaligned);
    if (sizes->size() > kMaxMemId + 1) {
      return c_.path.error("non_const_buffer_sizes", fmt::format("{} arenas; must be at most {}",
                                                                 sizes->size() - 1, kMaxMemId));
    }
    if (!c_.budget.take(sizes->size(), sizeof(PoolSize))) return c_.exhausted();
    std::vector<PoolSize>& pools = method_->pools;
    for (uint32_t i = 1; i < sizes->size(); ++i) {
      if (sizes->Get(i) < 0) {
        return c_.path.error(fmt::format("non_const_buffer_sizes[{}]", i),
                             fmt::format("{}; must not be negative", sizes->Get(i)));
      }
      pools.push_back({i, static_cast<uint64_t>(sizes->Get(i)), 0, 0});
    }
    const auto* devices = plan.non_const_buffer_device();
    if (devices == nullptr) return {};
    for (uint32_t i = 0; i < devices->size(); ++i) {
      Scope scope(c_.path, "non_const_buffer_device", i);
      const pte::NonConstBufferDevice& device = *devices->Get(i);
      c_.unknown.look(device, pte::NonConstBufferDevice::VT_DEVICE_INDEX, c_.path);
      if (device.buffer_idx() < 1 || static_cast<size_t>(device.buffer_idx()) > pools.size()) {
        return c_.path.error("buffer_idx", fmt::format("{}; must be 1..{} (arenas)",
                                                       device.buffer_idx(), pools.size()));
      }
      PoolSize& pool = pools[static_cast<size_t>(device.buffer_idx()) - 1];
      pool.device_type = static_cast<int8_t>(device.device_type());
      pool.device_index = device.device_index();
    }
    return {};
  }

  MaybeError read_operators(const pte::ExecutionPlan& plan) {
    if (plan.operators() == nullptr) return {};
    if (!c_.budget.take(plan.operators()->size(), sizeof(Operator))) return c_.exhausted();
    method_->operators.resize(plan.operators()->size());
    for (uint32_t i = 0; i < plan.operators()->size(); ++i) {
      Scope scope(c_.path, "operators", i);
      const pte::Operator& op = *plan.operators()->Get(i);
      c_.unknown.look(op, pte::Operator::VT_OVERLOAD, c_.path);
      Operator& out = method_->operators[i];
      if (auto error = c_.read_text("name", op.name(), /*required=*/true, &out.name)) return error;
      if (auto error = c_.read_text("overload", op.overload(), /*required=*/false, &out.overload))
        return error;
    }
    return {};
  }

  // --- delegates ---

  MaybeError read_delegates(const pte::ExecutionPlan& plan) {
    if (plan.delegates() == nullptr) return c_.missing("delegates");
    if (!c_.budget.take(plan.delegates()->size(), sizeof(Delegate))) return c_.exhausted();
    method_->delegates.resize(plan.delegates()->size());
    for (uint32_t i = 0; i < plan.delegates()->size(); ++i) {
      Scope scope(c_.path, "delegates", i);
      const pte::BackendDelegate& delegate = *plan.delegates()->Get(i);
      c_.unknown.look(delegate, pte::BackendDelegate::VT_COMPILE_SPECS, c_.path);
      Delegate& out = method_->delegates[i];
      if (auto error = c_.read_text("id", delegate.id(), /*required=*/true, &out.id)) return error;
      if (delegate.processed() == nullptr) return c_.missing("processed");
      if (auto error = read_blob(*delegate.processed(), &out.data)) return error;
      if (auto error = read_compile_specs(delegate, &out)) return error;
    }
    return {};
  }

  MaybeError read_blob(const pte::BackendDelegateDataReference& reference, int32_t* out) {
    Scope scope(c_.path, "processed");
    c_.unknown.look(reference, pte::BackendDelegateDataReference::VT_INDEX, c_.path);
    const auto location = static_cast<int>(reference.location());
    const uint32_t index = reference.index();
    if (location != 0 && location != 1) {
      return c_.path.error("location",
                           fmt::format("{}; must be 0 (inline) or 1 (segment)", location));
    }
    const bool in_segment = location == 1;
    const auto* inline_blobs = c_.wire.backend_delegate_data();
    const size_t count = in_segment                ? c_.container.segments.size()
                         : inline_blobs != nullptr ? inline_blobs->size()
                                                   : 0;
    if (index >= count) {
      return c_.path.error("index", fmt::format("{}; the file has {} {}", index, count,
                                                in_segment ? "segments" : "inline blobs"));
    }
    auto [entry, is_new] = blobs_.emplace(std::pair(location, index), -1);
    if (is_new) {
      entry->second = static_cast<int32_t>(program_.delegate_data.size());
      program_.delegate_data.emplace_back();
      std::span<const std::byte> bytes;
      if (in_segment) {
        bytes = c_.container.segments[index];
        c_.used_segments[index] = true;
      } else {
        const pte::BackendDelegateInlineData& blob = *inline_blobs->Get(index);
        c_.unknown.look(blob, pte::BackendDelegateInlineData::VT_DATA, c_.path);
        if (blob.data() != nullptr) bytes = bytes_of(*blob.data());
      }
      if (auto error = c_.read_blob(bytes, &program_.delegate_data.back())) return error;
    }
    *out = entry->second;
    return {};
  }

  MaybeError read_compile_specs(const pte::BackendDelegate& delegate, Delegate* out) {
    const auto* specs = delegate.compile_specs();
    if (specs == nullptr) return {};
    if (!c_.budget.take(specs->size(), sizeof(CompileSpec))) return c_.exhausted();
    out->compile_specs.resize(specs->size());
    for (uint32_t i = 0; i < specs->size(); ++i) {
      Scope scope(c_.path, "compile_specs", i);
      const pte::CompileSpec& spec = *specs->Get(i);
      c_.unknown.look(spec, pte::CompileSpec::VT_VALUE, c_.path);
      CompileSpec& target = out->compile_specs[i];
      if (auto error = c_.read_text("key", spec.key(), /*required=*/true, &target.key))
        return error;
      if (spec.value() == nullptr) return c_.missing("value");
      if (auto error = c_.read_bytes(bytes_of(*spec.value()), &target.value)) return error;
    }
    return {};
  }

  ReadContext c_;
  Program program_;
  TensorData data_;
  std::map<std::pair<int, uint32_t>, int32_t> blobs_;
  std::vector<std::vector<NotedTensor>> tensors_;  // per method
  Method* method_ = nullptr;                       // the one being read
};

}  // namespace

Result<Program> read(std::span<const std::byte> file) {
  auto container = open_container(file);
  if (!container.ok()) return container.error();
  return Reader(file, container.value(), /*in_place=*/false).run();
}

Result<Program> read_in_place(std::span<const std::byte> file) {
  auto container = open_container(file);
  if (!container.ok()) return container.error();
  return Reader(file, container.value(), /*in_place=*/true).run();
}

}  // namespace berth::program
