#include "runtime/load/delegates.h"

#include <cstring>

#include "runtime/load/plan_record_slots.h"
#include "runtime/load/pte_slots.h"

namespace berth::runtime {
namespace {

bool same_text(const char* a, const char* b) { return strcmp(a, b) == 0; }

const Backend* find_backend(const LoadContext& c, const char* id) {
  for (const Backend* backend : c.options.backends) {
    if (same_text(backend->id, id)) return backend;
  }
  return nullptr;
}

FlatTable delegate_table(const LoadContext& c, FlatReader& reader, uint32_t i) {
  return reader.table_at(c.tables.delegates, i, slots::kDelegates);
}

// What the file has for entry `i`. The reader was asked once when the entry was resolved, so
// nothing here can fail any more.
class FileInitContext final : public InitContext {
 public:
  FileInitContext(const LoadContext& c, uint32_t entry, Span<const uint8_t> processed)
      : c_(c), entry_(entry), processed_(processed) {}

  Span<const uint8_t> processed() const override { return processed_; }

  bool find_spec(const char* key, Span<const uint8_t>* value) const override {
    FlatReader reader = c_.file.reader(c_.faults);
    const FlatVector specs =
        reader.vector(delegate_table(c_, reader, entry_), slots::kCompileSpecs, 4, 4);
    for (uint32_t i = 0; i < specs.count; ++i) {
      const FlatTable spec = reader.table_at(specs, i, slots::kCompileSpecs);
      const FlatVector name = reader.text(spec, slots::kSpecKey);
      if (!name || !reader.same(name, key)) continue;
      const FlatVector bytes = reader.vector(spec, slots::kSpecValue, 1, 1);
      *value = {reader.elements<uint8_t>(bytes), bytes.count};
      return true;
    }
    return false;
  }

  bool find_named_data(const char* key, Span<const uint8_t>* bytes) const override {
    FlatReader reader = c_.file.reader(c_.faults);
    const FlatVector entries = reader.vector(reader.root(0, slots::kRoot), slots::kNamedData, 4, 4);
    for (uint32_t i = 0; i < entries.count; ++i) {
      const FlatTable entry = reader.table_at(entries, i, slots::kNamedData);
      if (!reader.same(reader.text(entry, slots::kNamedKey), key)) continue;
      return c_.file.segments.follow(reader, entry, slots::kNamedSegmentIndex, bytes) ==
             Status::kOk;
    }
    return false;
  }

  const BackendOption* find_option(const char* key) const override {
    for (const BackendOption& option : c_.options.backend_options) {
      if (same_text(option.backend, c_.method->delegates()[entry_].backend->id) &&
          same_text(option.key, key)) {
        return &option;
      }
    }
    return nullptr;
  }

  // Behind the scratch of the entry's calls; all of them name the same.
  Span<uint8_t> persistent(uint32_t i) const override {
    const DelegateEntry& entry = c_.method->delegates()[entry_];
    for (uint32_t k = 0; k < c_.method->instruction_count; ++k) {
      const Instruction& call = c_.method->instructions[k];
      if (call.what() != InstructionKind::kDelegate || call.delegate != &entry) continue;
      const uint64_t at = uint64_t{entry.inputs} + entry.outputs + entry.scratch + i;
      if (at >= call.count || !entry.has_roles()) return {};
      const Tensor& tensor = *c_.method->values[call.args[at]].tensor;
      return {tensor.as_mutable<uint8_t>(), tensor.nbytes()};
    }
    return {};
  }

 private:
  const LoadContext& c_;
  uint32_t entry_;
  Span<const uint8_t> processed_;
};

// Checks the fields of an entry that init() may ask for later, and finds its blob.
Status read_entry(LoadContext& c, uint32_t i, const char** id, Span<const uint8_t>* processed) {
  FlatReader& reader = c.reader;
  const FlatTable entry = delegate_table(c, reader, i);
  const FlatVector name = reader.text(entry, slots::kDelegateId);
  const FlatTable reference = reader.table(entry, slots::kProcessed);
  const FlatVector specs = reader.vector(entry, slots::kCompileSpecs, 4, 4);
  BERTH_TRY(reader.status());
  if (!name) return c.fail(Status::kMissingField, slots::kDelegateId);
  if (!reference) return c.fail(Status::kMissingField, slots::kProcessed);
  for (uint32_t s = 0; s < specs.count; ++s) {
    const FlatTable spec = reader.table_at(specs, s, slots::kCompileSpecs);
    const FlatVector key = reader.text(spec, slots::kSpecKey);
    reader.vector(spec, slots::kSpecValue, 1, 1);
    BERTH_TRY(reader.status());
    if (!key) return c.fail(Status::kMissingField, slots::kSpecKey);
  }
  *id = reader.chars(name);
  const uint8_t location = reader.scalar<uint8_t>(reference, slots::kProcessedLocation);
  if (location > 1) return c.fail(Status::kBadValue, slots::kProcessedLocation, 1, location);
  if (location == 1) {
    return c.file.segments.follow(reader, reference, slots::kProcessedIndex, processed);
  }
  const uint32_t index = reader.scalar<uint32_t>(reference, slots::kProcessedIndex);
  const FlatVector inline_data =
      reader.vector(reader.root(0, slots::kRoot), slots::kInlineBlobs, 4, 4);
  BERTH_TRY(reader.status());
  if (index >= inline_data.count) {
    return c.fail(Status::kBadIndex, slots::kProcessedIndex, inline_data.count, index);
  }
  const FlatTable blob = reader.table_at(inline_data, index, slots::kInlineBlobs);
  const FlatVector bytes = reader.vector(blob, slots::kInlineBlob, 1, 1);
  BERTH_TRY(reader.status());
  *processed = {reader.elements<uint8_t>(bytes), bytes.count};
  return Status::kOk;
}

// What the plan record says of call `k`: how many arguments are inputs, outputs, scratch. False
// when there is no record, or nothing about this call.
struct CallRoles {
  uint32_t instruction, inputs, outputs, scratch;
};
Status find_roles(LoadContext& c, uint32_t k, CallRoles* out, bool* found) {
  *found = false;
  if (!c.file.has_record()) return Status::kOk;
  FlatTable record;
  BERTH_TRY(find_method_record(c.file, c.method->name, &record, c.faults));
  if (!record) return Status::kOk;
  FlatReader reader = c.file.record_reader(c.faults);
  const FlatVector calls = reader.vector(record, slots::kCalls, sizeof(CallRoles), 4);
  BERTH_TRY(reader.status());
  for (uint32_t i = 0; i < calls.count && !*found; ++i) {
    memcpy(out, reader.elements<uint8_t>(calls) + i * sizeof(CallRoles), sizeof(CallRoles));
    *found = out->instruction == k;
  }
  return Status::kOk;
}

// An argument that the backend writes.
Status check_target(LoadContext& c, uint32_t at, EValue& value, bool is_scratch) {
  if (value.tag != Tag::kTensor) {
    // A backend may answer a number, never a scratch buffer of another kind.
    return is_scratch ? c.fail(Status::kBadArguments, slots::kArgs, at, value.tag) : Status::kOk;
  }
  const Home home = value.tensor->home;
  const bool writable = home == Home::kPool || home == Home::kCaller;
  if (!writable ||
      (is_scratch && (home != Home::kPool || value.tensor->dtype != ScalarType::kByte)))
    return c.fail(Status::kBadArguments, slots::kArgs, at, home);
  value.flags |= kWritten;
  return Status::kOk;
}

}  // namespace

Status resolve_delegates(LoadContext& c) {
  for (uint32_t i = 0; i < c.tables.delegates.count; ++i) {
    c.faults.item = i;
    const char* id = nullptr;
    Span<const uint8_t> processed;
    BERTH_TRY(read_entry(c, i, &id, &processed));
    DelegateEntry& entry = c.method->delegates()[i];
    entry = DelegateEntry();
    entry.backend = find_backend(c, id);
    if (entry.backend == nullptr) return c.fail(Status::kNoSuchBackend, slots::kDelegateId);
  }
  return Status::kOk;
}

Status build_delegate_call(LoadContext& c, FlatTable call, uint32_t k, Instruction* out) {
  const int32_t index = c.reader.scalar<int32_t>(call, slots::kDelegateIndex);
  const FlatVector args = c.reader.vector(call, slots::kDelegateArgs, 4, 4);
  BERTH_TRY(c.reader.status());
  if (c.reader.field_count(call) > slots::kDelegateCallFields) {
    return c.fail(Status::kNewerFeature, slots::kCall, slots::kDelegateCallFields,
                  c.reader.field_count(call));
  }
  if (static_cast<uint32_t>(index) >= c.tables.delegates.count) {
    return c.fail(Status::kBadIndex, slots::kDelegateIndex, c.tables.delegates.count, index);
  }
  if (args.count > kMaxArgs || !c.count_list(args.count, 4)) {
    return c.fail(Status::kBadCount, slots::kDelegateArgs, kMaxArgs, args.count);
  }
  const int32_t* indices = c.reader.elements<int32_t>(args);
  for (uint32_t j = 0; j < args.count; ++j) {
    if (static_cast<uint32_t>(indices[j]) >= c.method->value_count) {
      return c.fail(Status::kBadIndex, slots::kDelegateArgs, c.method->value_count, indices[j]);
    }
  }
  CallRoles roles = {};
  bool found = false;
  BERTH_TRY(find_roles(c, k, &roles, &found));
  DelegateEntry& entry = c.method->delegates()[index];
  if (found) {
    const uint64_t named = uint64_t{roles.inputs} + roles.outputs + roles.scratch;
    if (named > args.count) {
      return c.fail(Status::kPlanRecordMismatch, slots::kCalls, args.count, named);
    }
    for (uint32_t j = roles.inputs; j < named; ++j) {
      BERTH_TRY(
          check_target(c, j, c.method->values[indices[j]], j >= roles.inputs + roles.outputs));
    }
  }
  if (entry.calls != 0) {
    if (roles.scratch != 0 || entry.scratch != 0) {
      return c.fail(Status::kBadArguments, slots::kDelegateIndex, 1, entry.calls + 1);
    }
    if (roles.inputs != entry.inputs || roles.outputs != entry.outputs) {
      return c.fail(Status::kPlanRecordMismatch, slots::kCalls, entry.inputs, roles.inputs);
    }
  }
  entry.inputs = roles.inputs;
  entry.outputs = roles.outputs;
  entry.scratch = roles.scratch;
  ++entry.calls;
  out->args = indices;
  out->delegate = &entry;
  out->count = args.count & kMaxArgs;
  out->kind = static_cast<uint32_t>(InstructionKind::kDelegate);
  return Status::kOk;
}

Status init_delegates(LoadContext& c) {
  LoadedMethod& method = *c.method;
  for (uint32_t i = 0; i < method.delegate_count; ++i) {
    c.faults.item = i;
    const char* id = nullptr;
    Span<const uint8_t> processed;
    Status status = read_entry(c, i, &id, &processed);
    DelegateEntry& entry = method.delegates()[i];
    if (status == Status::kOk) {
      FileInitContext context(c, i, processed);
      status = entry.backend->init(context, &entry.handle);
      if (status != Status::kOk) status = c.fail(status, slots::kDelegates);
    }
    if (status != Status::kOk) {
      method.delegate_count = static_cast<uint16_t>(i);
      destroy_delegates(method);
      return status;
    }
  }
  return Status::kOk;
}

void destroy_delegates(LoadedMethod& method) {
  DelegateEntry* entries = method.delegates();
  for (uint32_t i = method.delegate_count; i-- > 0;) {
    if (entries[i].backend->destroy != nullptr) entries[i].backend->destroy(entries[i].handle);
  }
  method.delegate_count = 0;
}

}  // namespace berth::runtime
