#include "runtime/load/delegates.h"

#include <cstring>

#include "contract/roles.h"
#include "runtime/core/tensor_access.h"
#include "runtime/load/load_context.h"
#include "runtime/load/plan_record_slots.h"
#include "runtime/load/pte_slots.h"

namespace berth::runtime {
namespace {

const Backend* find_backend(const LoadContext& c, const char* id) {
  for (const Backend* backend : c.options.backends.list()) {
    if (strcmp(backend->id, id) == 0) return backend;
  }
  return nullptr;
}

FlatTable delegate_table(const LoadContext& c, FlatReader& reader, uint32_t i) {
  return reader.table_at(c.tables.delegates, i, slots::kDelegates);
}

// What the file and the caller have for entry `i`. The entry was read once when its backend was
// looked for, so nothing that is its own can fail any more.
class FileInitContext final : public InitContext {
 public:
  // `call` is one of the entry's, or null.
  FileInitContext(LoadContext& c, uint32_t i, const Instruction* call,
                  Span<const uint8_t> processed)
      : InitContext(kFunctions, processed), c_(c), i_(i), call_(call) {}

  // Whether the load fault says already what the backend missed.
  bool told() const { return told_; }

 private:
  static const FileInitContext& self(const InitContext& context) {
    return static_cast<const FileInitContext&>(context);
  }

  static bool find_spec(const InitContext& context, const char* key, Span<const uint8_t>* value) {
    const LoadContext& c = self(context).c_;
    FlatReader reader = c.file.reader(c.faults);
    const FlatTable entry = delegate_table(c, reader, self(context).i_);
    const FlatVector specs = reader.vector(entry, slots::kCompileSpecs);
    for (uint32_t s = 0; s < specs.count; ++s) {
      const FlatTable spec = reader.table_at(specs, s, slots::kCompileSpecs);
      if (!reader.same(reader.text(spec, slots::kSpecKey), key)) continue;
      const FlatVector bytes = reader.vector(spec, slots::kSpecValue);
      *value = {reader.elements<uint8_t>(bytes), bytes.count};
      return true;
    }
    return false;
  }

  static bool find_named_data(const InitContext& context, const char* key,
                              Span<const uint8_t>* bytes) {
    const LoadContext& c = self(context).c_;
    FlatReader reader = c.file.reader(c.faults);
    const FlatVector entries = reader.vector(reader.root(0, slots::kRoot), slots::kNamedData);
    for (uint32_t i = 0; i < entries.count; ++i) {
      const FlatTable entry = reader.table_at(entries, i, slots::kNamedData);
      if (!reader.same(reader.text(entry, slots::kNamedKey), key)) continue;
      return c.file.segments.follow(reader, entry, slots::kNamedSegmentIndex, bytes) == Status::kOk;
    }
    return false;
  }

  static const BackendOption* find_option(const InitContext& context, const char* key) {
    const LoadContext& c = self(context).c_;
    const char* const id = c.method->delegates()[self(context).i_].backend->id;
    for (const BackendOption& option : c.options.backends.options()) {
      if (strcmp(option.backend, id) == 0 && strcmp(option.key, key) == 0) return &option;
    }
    return nullptr;
  }

  static Status find_memory(InitContext& context, const char* key, size_t nbytes, size_t alignment,
                            Span<uint8_t>* out) {
    auto& self = static_cast<FileInitContext&>(context);
    const BackendOption* const option = find_option(context, key);
    const bool given = option != nullptr && option->kind == BackendOption::Kind::kMemory;
    const Span<uint8_t> memory = given ? option->memory : Span<uint8_t>();
    const uintptr_t misplaced = reinterpret_cast<uintptr_t>(memory.data()) & (alignment - 1);
    self.told_ = true;
    if (memory.size() < nbytes) {
      return self.c_.fail(Status::kTooSmall, slots::kBackendMemory, nbytes, memory.size());
    }
    if (misplaced != 0) {
      return self.c_.fail(Status::kMisaligned, slots::kBackendMemory, alignment, misplaced);
    }
    self.told_ = false;
    *out = memory;
    return Status::kOk;
  }

  // Behind the scratch of the entry's calls; all of them name the same.
  static Span<uint8_t> persistent(const InitContext& context, uint32_t i) {
    const LoadContext& c = self(context).c_;
    const Instruction* const call = self(context).call_;
    const DelegateEntry& entry = c.method->delegates()[self(context).i_];
    if (call == nullptr || !entry.has_roles) return {};
    const uint64_t at = uint64_t{entry.inputs} + entry.outputs + entry.scratch + i;
    if (at >= call->count) return {};
    const Tensor& tensor = *c.method->values[call->args[at]].tensor;
    return {tensor.as_mutable<uint8_t>(), tensor.nbytes()};
  }

  static void refuse(InitContext& context, DelegatePart part, uint32_t i, size_t need,
                     size_t have) {
    auto& self = static_cast<FileInitContext&>(context);
    const Slot& slot = part == DelegatePart::kBlob      ? slots::kInitBlob
                       : part == DelegatePart::kScratch ? slots::kInitScratch
                                                        : slots::kInitPersistent;
    (void)self.c_.fail(Status::kOk, slot, need, have);
    self.c_.faults.of_part(i);
    self.told_ = true;
  }

  static constexpr Functions kFunctions = {find_spec,   find_named_data, find_option,
                                           find_memory, persistent,      refuse};

  LoadContext& c_;
  uint32_t i_;
  const Instruction* call_;
  bool told_ = false;
};

// The blob that an entry names: a segment, or bytes in the FlatBuffer.
Status read_processed(LoadContext& c, FlatTable entry, Span<const uint8_t>* out) {
  FlatReader& reader = c.reader;
  const FlatTable reference = reader.table(entry, slots::kProcessed);
  BERTH_TRY(reader.status());
  const uint8_t location = reader.scalar<uint8_t>(reference, slots::kProcessedLocation);
  if (location > 1) return c.fail(Status::kBadValue, slots::kProcessedLocation, 1, location);
  if (location == 1) {
    return c.file.segments.follow(reader, reference, slots::kProcessedIndex, out);
  }
  const uint32_t index = reader.scalar<uint32_t>(reference, slots::kProcessedIndex);
  const FlatVector blobs = reader.vector(reader.root(0, slots::kRoot), slots::kInlineBlobs);
  BERTH_TRY(reader.status());
  if (index >= blobs.count) {
    return c.fail(Status::kBadIndex, slots::kProcessedIndex, blobs.count, index);
  }
  const FlatTable blob = reader.table_at(blobs, index, slots::kInlineBlobs);
  const FlatVector bytes = reader.vector(blob, slots::kInlineBlob);
  BERTH_TRY(reader.status());
  *out = {reader.elements<uint8_t>(bytes), bytes.count};
  return Status::kOk;
}

// Checks the fields of entry `i` that init() may ask for later, and finds its backend.
Status resolve_entry(LoadContext& c, uint32_t i) {
  FlatReader& reader = c.reader;
  const FlatTable entry = delegate_table(c, reader, i);
  const FlatVector id = reader.text(entry, slots::kDelegateId);
  const FlatVector specs = reader.vector(entry, slots::kCompileSpecs);
  BERTH_TRY(reader.status());
  if (!c.count_list_use(specs.count)) {
    return c.fail(Status::kBadCount, slots::kCompileSpecs, 0, specs.count);
  }
  for (uint32_t s = 0; s < specs.count; ++s) {
    const FlatTable spec = reader.table_at(specs, s, slots::kCompileSpecs);
    reader.text(spec, slots::kSpecKey);
    reader.vector(spec, slots::kSpecValue);
    BERTH_TRY(reader.status());
  }
  Span<const uint8_t> processed;
  BERTH_TRY(read_processed(c, entry, &processed));
  const Backend* const backend = find_backend(c, reader.chars(id));
  if (backend == nullptr) return c.fail(Status::kNoSuchBackend, slots::kDelegateId);
  c.method->delegates()[i].backend = backend;
  return Status::kOk;
}

// How a call divides its arguments.
struct Division {
  bool known = false;
  uint32_t inputs = 0, outputs = 0, scratch = 0;
  uint32_t kept_from() const { return inputs + outputs + scratch; }
};

// What the plan record says of a method's delegate calls, asked in their order.
class RecordedCalls {
 public:
  explicit RecordedCalls(LoadContext& c) : c_(c), reader_(c.file.record_reader(c.faults)) {}

  Status open() {
    FlatTable record;
    if (!c_.file.has_record()) return Status::kOk;
    BERTH_TRY(find_method_record(c_.file, c_.method->name, &record, c_.faults));
    if (!record) return Status::kOk;
    calls_ = reader_.vector(record, slots::kCalls);
    value_buffer_ = reader_.vector(record, slots::kValueBuffer);
    extent_ = reader_.vector(record, slots::kBufferExtent);
    role_ = reader_.vector(record, slots::kBufferRole);
    return reader_.status();
  }

  // Of call `k`. Not known where the record has nothing about it.
  Status next(uint32_t k, const FlatVector& args, Division* out) {
    *out = Division();
    if (next_ == calls_.count) return Status::kOk;
    const Roles roles = reader_.at<Roles>(calls_, next_);
    if (roles.instruction > k) return Status::kOk;
    // What was passed over is no delegate call, or stands twice.
    if (roles.instruction < k) return mismatch(slots::kCalls, k, roles.instruction);
    ++next_;
    const uint64_t named = uint64_t{roles.inputs} + roles.outputs + roles.scratch;
    if (named > args.count) return mismatch(slots::kCalls, args.count, named);
    *out = {true, roles.inputs, roles.outputs, roles.scratch};
    // Behind the scratch lies persistent memory. The roles of their buffers say the same, and
    // nothing before them is either.
    for (uint32_t j = 0; j < args.count; ++j) {
      const uint32_t value = c_.reader.at<uint32_t>(args, j);
      const uint32_t buffer = buffer_of(value);
      const Role role = buffer >= role_.count ? Role::kActivation : role_at(buffer);
      const bool is_as_said = j >= named                          ? role == Role::kPersistent
                              : j >= roles.inputs + roles.outputs ? role == Role::kDelegateScratch
                                                                  : !is_work(value, buffer, role);
      if (!is_as_said) return mismatch(slots::kBufferRole, j, role);
    }
    return Status::kOk;
  }

  // After the last call: everything that is said was of one.
  Status close() {
    if (next_ == calls_.count) return Status::kOk;
    c_.faults.item = reader_.at<Roles>(calls_, next_).instruction;
    return mismatch(slots::kCalls, next_, calls_.count);
  }

 private:
  struct Roles {
    uint32_t instruction, inputs, outputs, scratch;
  };

  Status mismatch(const Slot& slot, FaultNumber need, uint64_t have) {
    return c_.fail(Status::kPlanRecordMismatch, slot, need, have);
  }
  Status mismatch(const Slot& slot, FaultNumber need, Role have) {
    return mismatch(slot, need, static_cast<uint64_t>(have));
  }

  // UINT32_MAX: in none.
  uint32_t buffer_of(uint32_t value) const {
    return value < value_buffer_.count ? reader_.at<uint32_t>(value_buffer_, value) : UINT32_MAX;
  }
  Role role_at(uint32_t buffer) const {
    return static_cast<Role>(reader_.at<uint8_t>(role_, buffer));
  }

  // Whether an argument is a work buffer: bytes that are all of it and nobody else's. Others may
  // lie inside one.
  bool is_work(uint32_t value, uint32_t buffer, Role role) const {
    if (role != Role::kDelegateScratch && role != Role::kPersistent) return false;
    if (buffer >= extent_.count || reader_.at<uint32_t>(extent_, buffer) != value) return false;
    const EValue& cell = c_.method->values[value];
    if (cell.tag != Tag::kTensor || cell.tensor->dtype != ScalarType::kByte) return false;
    if (!c_.count_list_use(value_buffer_.count)) return true;
    for (uint32_t v = 0; v < value_buffer_.count; ++v) {
      if (v != value && buffer_of(v) == buffer) return false;
    }
    return true;
  }

  LoadContext& c_;
  FlatReader reader_;
  FlatVector calls_, value_buffer_, extent_, role_;
  uint32_t next_ = 0;
};

// Marks what the call may write: of a call that the record tells nothing of, everything.
Status mark_targets(LoadContext& c, const Instruction& call, const Division& division) {
  for (uint32_t j = 0; j < call.count; ++j) {
    const Span<const int32_t> entries = c.method->entries(call.args[j]);
    if (!c.count_list_use(entries.size())) {
      return c.fail(Status::kBadCount, slots::kDelegateArgs, j, entries.size());
    }
    if (j < division.inputs) continue;
    const bool is_work = j >= division.inputs + division.outputs;
    if (division.known && is_work && is_tensor_list(c.method->values[call.args[j]])) {
      return c.fail(Status::kBadArguments, slots::kDelegateArgs, j, Tag::kTensorList);
    }
    for (const int32_t entry : entries) {
      if (entry < 0) continue;
      EValue& value = c.method->values[entry];
      value.flags |= kWritten;
      if (division.known && !DelegateArgs::is_target(value, is_work)) {
        return c.fail(Status::kBadArguments, slots::kDelegateArgs, j, value.tag);
      }
    }
  }
  return Status::kOk;
}

// Another call of an entry: it divides its arguments likewise, and names the same kept memory.
Status check_same(LoadContext& c, const DelegateEntry& entry, const Instruction& call,
                  const Division& division, uint32_t index) {
  if (entry.scratch != 0 || division.scratch != 0) {
    return c.fail(Status::kBadArguments, slots::kDelegateScratch,
                  entry.first_call - c.method->instructions, index);
  }
  const Instruction& first = *entry.first_call;
  bool same = entry.has_roles == division.known && entry.inputs == division.inputs &&
              entry.outputs == division.outputs && (!division.known || first.count == call.count);
  for (uint32_t j = division.kept_from(); division.known && same && j < call.count; ++j) {
    same = first.args[j] == call.args[j];
  }
  return same ? Status::kOk
              : c.fail(Status::kPlanRecordMismatch, slots::kCalls,
                       entry.first_call - c.method->instructions, index);
}

Status build_call(LoadContext& c, FlatTable call, uint32_t k, RecordedCalls& recorded) {
  const int32_t index = c.reader.scalar<int32_t>(call, slots::kDelegateIndex);
  const FlatVector args = c.reader.vector(call, slots::kDelegateArgs);
  BERTH_TRY(c.reader.status());
  const uint32_t fields = c.reader.field_count(call);
  if (fields > slots::kDelegateCallFields) {
    return c.fail(Status::kNewerFeature, slots::kCall, slots::kDelegateCallFields, fields);
  }
  if (static_cast<uint32_t>(index) >= c.tables.delegates.count) {
    return c.fail(Status::kBadIndex, slots::kDelegateIndex, c.tables.delegates.count, index);
  }
  if (args.count > UINT16_MAX || !c.count_list(args.count, 2)) {
    return c.fail(Status::kBadCount, slots::kDelegateArgs, UINT16_MAX, args.count);
  }
  const int32_t* indices = c.reader.elements<int32_t>(args);
  for (uint32_t j = 0; j < args.count; ++j) {
    if (static_cast<uint32_t>(indices[j]) >= c.method->value_count) {
      return c.fail(Status::kBadIndex, slots::kDelegateArgs, c.method->value_count, indices[j]);
    }
  }
  Division division;
  BERTH_TRY(recorded.next(k, args, &division));
  DelegateEntry& entry = c.method->delegates()[index];
  Instruction& out = c.method->instructions[k];
  out.args = indices;
  out.delegate = &entry;
  out.count = args.count & kMaxArgs;
  BERTH_TRY(mark_targets(c, out, division));
  if (entry.first_call != nullptr) {
    return check_same(c, entry, out, division, static_cast<uint32_t>(index));
  }
  entry.first_call = &out;
  entry.inputs = static_cast<uint16_t>(division.inputs);
  entry.outputs = static_cast<uint16_t>(division.outputs);
  entry.scratch = static_cast<uint16_t>(division.scratch);
  entry.has_roles = division.known;
  return Status::kOk;
}

Status build_calls(LoadContext& c) {
  RecordedCalls recorded(c);
  BERTH_TRY(recorded.open());
  uint32_t k = 0;
  for (uint32_t chain = 0; chain < c.tables.chains.count; ++chain) {
    FlatVector list;
    BERTH_TRY(open_chain(c.reader, c.tables, chain, &list));
    for (uint32_t i = 0; i < list.count; ++i, ++k) {
      if (c.method->instructions[k].what() != InstructionKind::kDelegate) continue;
      c.faults.item = k;
      const FlatTable entry = c.reader.table_at(list, i, slots::kInstructions);
      BERTH_TRY(build_call(c, c.reader.table(entry, slots::kCall), k, recorded));
    }
  }
  return recorded.close();
}

void destroy_first(LoadedMethod& method, uint32_t count) {
  DelegateEntry* const entries = method.delegates();
  for (uint32_t i = count; i-- > 0;) {
    if (entries[i].backend->destroy != nullptr) entries[i].backend->destroy(entries[i].handle);
  }
  method.delegate_count = 0;
}

void destroy_delegates(LoadedMethod& method) { destroy_first(method, method.delegate_count); }

Status init_entry(LoadContext& c, uint32_t i) {
  c.faults.item = i;
  DelegateEntry& entry = c.method->delegates()[i];
  const Instruction* const call = entry.first_call;
  entry.handle = nullptr;
  Span<const uint8_t> processed;
  BERTH_TRY(read_processed(c, delegate_table(c, c.reader, i), &processed));
  FileInitContext context(c, i, call, processed);
  const Status status = entry.backend->init(context, &entry.handle);
  if (status == Status::kOk || context.told()) return status;
  return c.fail(status, slots::kDelegates);
}

Status load_delegates(LoadContext& c, Status (*check)(LoadContext&)) {
  const uint32_t count = c.tables.delegates.count;
  if (count > kMaxDelegates) {
    c.faults.item = 0;
    return c.fail(Status::kUnsupported, slots::kDelegates, kMaxDelegates, count);
  }
  for (uint32_t i = 0; i < count; ++i) {
    c.faults.item = i;
    c.method->delegates()[i] = DelegateEntry();
    c.method->delegates()[i].functions = c.options.backends.functions();
    BERTH_TRY(resolve_entry(c, i));
  }
  BERTH_TRY(build_calls(c));
  BERTH_TRY(check(c));
  for (uint32_t i = 0; i < count; ++i) {
    const Status status = init_entry(c, i);
    if (status == Status::kOk) continue;
    destroy_first(*c.method, i);
    return status;
  }
  return Status::kOk;
}

// What the call names has bytes, and what it writes may be written, on the path that the run took.
// Where the record tells nothing, the backend knows what it writes.
Status check_arguments(const LoadedMethod& method, const Instruction& call) {
  const DelegateEntry& entry = *call.delegate;
  for (uint32_t j = 0; j < call.count; ++j) {
    const bool writes = entry.has_roles && j >= entry.inputs;
    for (const int32_t index : method.entries(call.args[j])) {
      if (index < 0) continue;
      const EValue& value = method.values[index];
      if (value.tag == Tag::kTensor) BERTH_TRY(check_tensor(*value.tensor, writes));
    }
  }
  return Status::kOk;
}

Status call_delegate(const LoadedMethod& method, const Instruction& call, const Span<uint8_t>& temp,
                     StepTracer* tracer) {
  const DelegateEntry& entry = *call.delegate;
  BERTH_TRY(check_arguments(method, call));
  ExecuteContext context;
  context.isa = method.isa;
  context.temp = temp;
  context.tracer = tracer;
  const DelegateArgs args(call.args, call.count, method.values);
  return entry.backend->execute(context, entry.handle,
                                args.split(entry.inputs, entry.outputs, entry.scratch));
}

constexpr DelegateFunctions kFunctions = {load_delegates, call_delegate, destroy_delegates};

}  // namespace

Backends::Backends(Span<const Backend* const> list, Span<const BackendOption> options)
    : functions_(&kFunctions), list_(list), options_(options) {}

}  // namespace berth::runtime
