#include "runtime/load/certificate.h"

#include "contract/operators.h"
#include "contract/roles.h"
#include "runtime/load/buffer_intervals.h"
#include "runtime/load/known_operators.h"
#include "runtime/load/plan_record_slots.h"
#include "runtime/load/program_file.h"
#include "runtime/load/pte_slots.h"

namespace berth::runtime {
namespace {

enum class Begin { kNoWrite, kPart, kWhole };

// Whether a call writes argument j without reading it. copy_ overwrites all of the tensor it
// returns; other in-place operators read it; behind the last letter results are named again. A
// delegate call of which the record does not tell the arguments apart (all counts are 0) is taken
// to write what begins with it.
bool overwrites(const Instruction& call, uint32_t j) {
  if (!call.is_kernel()) return j >= call.delegate->inputs;
  const OperatorSchema& schema = *call.kernel->schema;
  const char letter = schema.args[j];
  return letter == '\0' || (is_written(letter) && (letter != 'M' || is_copy(schema)));
}

// Looks at a buffer or an argument before the prover gives up on a record that was made to keep it
// busy. Honest programs of a thousand buffers need a few thousand.
constexpr uint32_t kMaxLooks = 1u << 27;

class Prover {
 public:
  Prover(const LoadedMethod& method, const FlatReader& reader, CertificateRules rules)
      : method_(method),
        reader_(reader),
        rules_(rules),
        count_(method.instruction_count),
        end_(count_ == 0 ? 1 : count_) {}

  Status prove(FlatTable record) {
    BERTH_TRY(open(record));
    BERTH_TRY(check_buffers());
    BERTH_TRY(check_values());
    BERTH_TRY(check_interface());
    BERTH_TRY(check_begins());
    BERTH_TRY(check_instructions());
    return check_pairs();
  }

 private:
  // Out of line and with few arguments: there are many places to refuse from.
  Status mismatch(const Slot& slot, uint32_t index);
  Status mismatch(const Slot& slot, uint32_t index, FaultNumber need, FaultNumber have) {
    return refuse(Status::kPlanRecordMismatch, slot, index, need, have);
  }
  Status refuse(Status status, const Slot& slot, uint32_t index, FaultNumber need,
                FaultNumber have);

  Status too_complex() { return refuse(Status::kUnsupported, slots::kIntervals, 0, kMaxLooks, 0); }

  // Rule 1, and readers for what it has checked.
  Status open(FlatTable record);
  Status check_buffers();
  // Rule 2.
  Status check_values();
  // Rule 6.
  Status check_interface();
  // Rules 4 and 4a.
  Status check_begins();
  // Rules 3, 5 and 8.
  Status check_instructions();
  Status check_call(uint32_t k);
  Status not_live(uint32_t value, uint32_t k);
  Status check_move(uint32_t k);
  Status check_jump(uint32_t p);
  // Rule 7.
  Status check_pairs();

  // False when all looks are spent; the next refusal says so.
  bool spend(uint32_t looks) {
    const bool enough = looks <= looks_;
    looks_ = enough ? looks_ - looks : 0;
    return enough;
  }

  int32_t buffer_of(uint32_t value) const { return value_buffer_[value]; }
  const Tensor& extent(uint32_t buffer) const { return *method_.values[extent_[buffer]].tensor; }
  Role role(uint32_t buffer) const { return static_cast<Role>(role_[buffer]); }
  // Between runs too: filled by the file or by an earlier run, or by a delegate's init().
  bool is_kept(uint32_t buffer) const {
    return role(buffer) == Role::kState || role(buffer) == Role::kPersistent;
  }
  // Whether the value's bytes may be touched at k: its buffer is live, or it has none.
  bool is_live(uint32_t value, uint32_t k) const {
    const int32_t buffer = buffer_of(value);
    return buffer < 0 || live_.live_at(static_cast<uint32_t>(buffer), k);
  }
  bool contains(uint32_t buffer, int32_t value) const {
    return buffer_of(static_cast<uint32_t>(value)) == static_cast<int32_t>(buffer);
  }
  bool is_result(uint32_t buffer, uint32_t k) const;
  Begin write_at(uint32_t buffer, uint32_t k) const;
  Begin input_write(uint32_t buffer) const;
  uint32_t arguments_at(uint32_t k) const {
    return k < count_ && method_.instructions[k].has_arguments() ? method_.instructions[k].count
                                                                 : 0;
  }
  bool always_jumps(uint32_t k) const;

  const LoadedMethod& method_;
  FlatReader reader_;
  CertificateRules rules_;
  uint32_t count_;
  uint32_t end_;  // of time: a method without instructions has one moment, between its inputs and
                  // its outputs
  uint32_t looks_ = kMaxLooks;
  uint32_t buffers_ = 0;
  uint32_t interval_count_ = 0;
  // The record's vectors, in place.
  const int32_t* value_buffer_ = nullptr;
  const uint32_t* extent_ = nullptr;
  const uint8_t* role_ = nullptr;
  const uint32_t* alignment_ = nullptr;
  BufferIntervals live_;
};

Status Prover::refuse(Status status, const Slot& slot, uint32_t index, FaultNumber need,
                      FaultNumber have) {
  reader_.faults().item = index;
  return reader_.faults().fail(status, slot, need, have);
}

Status Prover::mismatch(const Slot& slot, uint32_t index) { return mismatch(slot, index, 0, 0); }

Status Prover::open(FlatTable record) {
  // A record is pointed into, so its bytes must lie as its numbers do.
  const uintptr_t misplaced = reinterpret_cast<uintptr_t>(reader_.data()) & 3;
  if (misplaced != 0) return mismatch(slots::kRecordRoot, 0, 4, misplaced);
  const FlatVector extents = reader_.vector(record, slots::kBufferExtent);
  buffers_ = extents.count;
  extent_ = reader_.elements<uint32_t>(extents);
  const uint32_t instructions = reader_.scalar<uint32_t>(record, slots::kInstructionCount);
  if (instructions != count_) return mismatch(slots::kInstructionCount, 0, count_, instructions);

  const FlatVector intervals = reader_.vector(record, slots::kIntervals);
  interval_count_ = intervals.count;
  // The others have as many elements as they must, or are of another program.
  const struct {
    const Slot& slot;
    uint32_t count;
  } fields[] = {{slots::kValueBuffer, method_.value_count},
                {slots::kBufferRole, buffers_},
                {slots::kBufferAlignment, buffers_},
                {slots::kIntervalStart, buffers_ + 1}};
  const void* found[4];
  for (uint32_t i = 0; i < 4; ++i) {
    const FlatVector vector = reader_.vector(record, fields[i].slot);
    BERTH_TRY(reader_.status());
    if (vector.count != fields[i].count) {
      return mismatch(fields[i].slot, 0, fields[i].count, vector.count);
    }
    found[i] = reader_.elements<uint8_t>(vector);
  }
  value_buffer_ = static_cast<const int32_t*>(found[0]);
  role_ = static_cast<const uint8_t*>(found[1]);
  alignment_ = static_cast<const uint32_t*>(found[2]);
  live_ = {static_cast<const uint32_t*>(found[3]), reader_.elements<Interval>(intervals)};
  return Status::kOk;
}

Status Prover::check_buffers() {
  if (live_.first_of(0) != 0) return mismatch(slots::kIntervalStart, 0);
  uint32_t previous_begin = 0;
  for (uint32_t b = 0; b < buffers_; ++b) {
    const uint32_t begin = live_.first_of(b);
    const uint32_t end = live_.end_of(b);
    if (begin >= end || end > interval_count_) return mismatch(slots::kIntervalStart, b);
    uint32_t free_from = previous_begin;
    for (uint32_t i = begin; i < end; ++i) {
      const Interval& live = live_[i];
      if (live.begin < free_from || live.begin >= live.end || live.end > end_) {
        return mismatch(slots::kIntervals, b);
      }
      if (i == begin) previous_begin = live.begin;
      free_from = live.end;
    }
    const uint32_t value = extent_[b];
    if (value >= method_.value_count) {
      return mismatch(slots::kBufferExtent, b);
    }
    const EValue& extent = method_.values[value];
    if (extent.tag != Tag::kTensor || extent.tensor->home != Home::kPool ||
        !contains(b, static_cast<int32_t>(value))) {
      return mismatch(slots::kBufferExtent, b);
    }
    const uint32_t alignment = alignment_[b];
    const uintptr_t address = reinterpret_cast<uintptr_t>(extent.tensor->data);
    if (alignment == 0 || ((alignment | address) & (alignment - 1)) != 0) {
      return mismatch(slots::kBufferAlignment, b);
    }
  }
  if (live_.first_of(buffers_) != interval_count_) {
    return mismatch(slots::kIntervalStart, buffers_);
  }
  return Status::kOk;
}

bool inside(const Tensor& part, const Tensor& whole) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(part.data);
  const uintptr_t whole_begin = reinterpret_cast<uintptr_t>(whole.data);
  return begin >= whole_begin && begin + part.capacity <= whole_begin + whole.capacity;
}

bool share_bytes(const Tensor& a, const Tensor& b) {
  const uintptr_t a_begin = reinterpret_cast<uintptr_t>(a.data);
  const uintptr_t b_begin = reinterpret_cast<uintptr_t>(b.data);
  return a.capacity != 0 && b.capacity != 0 && a_begin < b_begin + b.capacity &&
         b_begin < a_begin + a.capacity;
}

Status Prover::check_values() {
  for (uint32_t v = 0; v < method_.value_count; ++v) {
    const int32_t buffer = buffer_of(v);
    const EValue& value = method_.values[v];
    const bool is_tensor = value.tag == Tag::kTensor;
    if (buffer == -1) {
      // Without bytes there is nothing to overwrite.
      if (is_tensor && value.tensor->home == Home::kPool && value.tensor->capacity != 0) {
        return mismatch(slots::kValueBuffer, v);
      }
      continue;
    }
    if (!is_tensor || buffer < 0 || static_cast<uint32_t>(buffer) >= buffers_) {
      return mismatch(slots::kValueBuffer, v);
    }
    const uint32_t b = static_cast<uint32_t>(buffer);
    if (value.tensor->home == Home::kPool) {
      if (!inside(*value.tensor, extent(b))) {
        return mismatch(slots::kBufferExtent, b);
      }
    } else if ((value.flags & kRepointed) == 0) {
      return mismatch(slots::kValueBuffer, v);  // a constant, or the caller's
    }
    if ((value.flags & kInitialBytes) != 0 && role(b) != Role::kState) {
      return mismatch(slots::kBufferRole, b);
    }
  }
  return Status::kOk;
}

Status Prover::check_interface() {
  for (uint32_t b = 0; b < buffers_; ++b) {
    const Interval& live = live_.first(b);
    if (is_kept(b) && (live.begin != 0 || live.end != end_)) {
      return mismatch(slots::kIntervals, b);
    }
  }
  for (uint32_t i = 0; i < method_.input_count; ++i) {
    const EValue& input = method_.input(i);
    if (input.tag != Tag::kTensor || input.tensor->home != Home::kPool) continue;
    const int32_t b = buffer_of(static_cast<uint32_t>(method_.inputs[i]));
    if (b < 0) continue;
    if (live_.first(static_cast<uint32_t>(b)).begin != 0 || is_kept(static_cast<uint32_t>(b))) {
      return mismatch(slots::kIntervals, static_cast<uint32_t>(b));
    }
    // All inputs are filled before instruction 0, so even those of one buffer must not meet.
    if (!spend(i)) return too_complex();
    for (uint32_t j = 0; j < i; ++j) {
      const EValue& other = method_.input(j);
      if (other.tag == Tag::kTensor && other.tensor != input.tensor &&
          other.tensor->home == Home::kPool && share_bytes(*input.tensor, *other.tensor)) {
        return refuse(Status::kPlanOverlap, slots::kInputs, i, j, 0);
      }
    }
  }
  for (uint32_t i = 0; i < method_.output_count; ++i) {
    const int32_t b = buffer_of(static_cast<uint32_t>(method_.outputs[i]));
    if (b >= 0 && live_.last(static_cast<uint32_t>(b)).end != end_) {
      return mismatch(slots::kIntervals, static_cast<uint32_t>(b));
    }
  }
  return Status::kOk;
}

// What value `index`, an argument that is written, adds to what a call fills of its buffer.
Begin wider(Begin found, const LoadedMethod& method, const Tensor& extent, uint32_t index) {
  const EValue& value = method.values[index];
  const Tensor& tensor = *value.tensor;
  if (tensor.home != Home::kPool || (value.flags & kRepointed) != 0) return found;
  if (tensor.capacity == extent.capacity) return Begin::kWhole;
  return found == Begin::kNoWrite ? Begin::kPart : found;
}

// Whether kernel k fills the whole buffer in the way that nearly all do: the buffer is its one
// result, and no other argument is of it. REQUIRES: k is an instruction.
bool Prover::is_result(uint32_t buffer, uint32_t k) const {
  const Instruction& call = method_.instructions[k];
  if (!call.is_kernel() || call.count < 2) return false;
  const int32_t* result = call.args + call.count - 2;
  if (result[0] != result[1] || !contains(buffer, result[0])) return false;
  if (!is_out(call.kernel->schema->args[call.count - 2])) return false;
  for (const int32_t* argument = call.args; argument != result; ++argument) {
    const int32_t own = value_buffer_[*argument];
    if (own == static_cast<int32_t>(buffer)) return false;
    if (own < 0 && is_tensor_list(method_.values[*argument])) return false;
  }
  return wider(Begin::kNoWrite, method_, extent(buffer), static_cast<uint32_t>(*result)) ==
         Begin::kWhole;
}

// How instruction k fills the buffer: not at all if it (also) reads it, or only updates it.
Begin Prover::write_at(uint32_t buffer, uint32_t k) const {
  Begin found = Begin::kNoWrite;
  const uint32_t arguments = arguments_at(k);
  const Instruction& call = method_.instructions[k];
  for (uint32_t j = 0; j < arguments; ++j) {
    for (const int32_t index : method_.entries(call.args[j])) {
      if (index < 0 || !contains(buffer, index)) continue;
      if (!overwrites(call, j)) return Begin::kNoWrite;
      found = wider(found, method_, extent(buffer), static_cast<uint32_t>(index));
    }
  }
  return found;
}

// How the caller's inputs fill the buffer.
Begin Prover::input_write(uint32_t buffer) const {
  Begin found = Begin::kNoWrite;
  for (uint32_t i = 0; i < method_.input_count; ++i) {
    const EValue& input = method_.input(i);
    if (input.tag != Tag::kTensor || !contains(buffer, method_.inputs[i])) continue;
    if (input.tensor->capacity == extent(buffer).capacity) return Begin::kWhole;
    found = Begin::kPart;
  }
  return found;
}

// A jump on a constant false never falls through.
bool Prover::always_jumps(uint32_t k) const {
  const Instruction& instruction = method_.instructions[k];
  if (instruction.what() != InstructionKind::kJumpFalse) return false;
  const EValue& condition = method_.values[instruction.condition];
  return condition.tag == Tag::kBool && !condition.boolean && (condition.flags & kWritten) == 0;
}

Status Prover::check_begins() {
  // Backwards, so that what lies behind the first beginning of a buffer is known where it counts:
  // the next jump, and the lowest place that a jump leads back to.
  uint32_t next_jump = UINT32_MAX;
  uint32_t lowest_target = UINT32_MAX;
  uint32_t k = count_;
  for (uint32_t buffer = buffers_; buffer-- > 0;) {
    if (is_kept(buffer)) continue;
    const bool alone = live_.first_of(buffer) + 1 == live_.end_of(buffer);
    for (uint32_t i = live_.first_of(buffer); i < live_.end_of(buffer); ++i) {
      const Interval& live = live_[i];
      // No look is spent on it: one buffer alone can be a call's result. Where there are no
      // instructions, nothing begins behind 0.
      if (kForSpeed && live.begin != 0 && is_result(buffer, live.begin)) continue;
      if (!spend(method_.input_count + arguments_at(live.begin))) return too_complex();
      Begin how = live.begin == 0 ? input_write(buffer) : Begin::kNoWrite;
      if (how == Begin::kNoWrite) how = write_at(buffer, live.begin);
      if (how == Begin::kWhole) continue;
      if (how == Begin::kNoWrite) {
        if (live.begin != 0 && always_jumps(live.begin - 1)) continue;
        return mismatch(slots::kIntervals, buffer);
      }
      if (!rules_.assembly) continue;
      if (!alone) return mismatch(slots::kIntervals, buffer);
      for (; k > live.begin; --k) {
        const Instruction& jump = method_.instructions[k - 1];
        if (jump.what() != InstructionKind::kJumpFalse) continue;
        next_jump = k - 1;
        if (jump.target < lowest_target) lowest_target = jump.target;
      }
      if (lowest_target <= live.begin && next_jump < live.end - 1) {
        return mismatch(slots::kIntervals, buffer);
      }
    }
  }
  return Status::kOk;
}

Status Prover::not_live(uint32_t value, uint32_t k) {
  return mismatch(slots::kIntervals, static_cast<uint32_t>(buffer_of(value)), value, k);
}

// Most of the proof's time goes by here.
BERTH_READER_INLINE Status Prover::check_call(uint32_t k) {
  const Instruction& instruction = method_.instructions[k];
  for (uint32_t j = 0; j < instruction.count; ++j) {
    const uint32_t argument = static_cast<uint32_t>(instruction.args[j]);
    if (buffer_of(argument) >= 0) {  // only tensors have buffers
      if (!is_live(argument, k)) return not_live(argument, k);
      continue;
    }
    const EValue& list = method_.values[argument];
    if (!is_tensor_list(list)) continue;
    for (uint32_t e = 0; e < list.count; ++e) {
      if (list.tensor_list[e] < 0) continue;
      const uint32_t index = static_cast<uint32_t>(list.tensor_list[e]);
      if (!is_live(index, k)) return not_live(index, k);
    }
  }
  if (instruction.what() == InstructionKind::kCheckedKernel &&
      is_et_view(*instruction.kernel->schema)) {
    const uint32_t self = static_cast<uint32_t>(instruction.args[0]);
    const uint32_t view = static_cast<uint32_t>(instruction.args[2]);
    if (buffer_of(self) != buffer_of(view)) {
      return mismatch(slots::kValueBuffer, view);
    }
  }
  return Status::kOk;
}

Status Prover::check_move(uint32_t k) {
  const Instruction& instruction = method_.instructions[k];
  const EValue& from = method_.values[instruction.from];
  if (is_tensor_list(from)) {
    return mismatch(slots::kValueBuffer, instruction.to);  // its elements would depend on the path
  }
  if (from.tag != Tag::kTensor) return Status::kOk;
  const int32_t from_buffer = buffer_of(instruction.from);
  const int32_t to_buffer = buffer_of(instruction.to);
  if (from_buffer != to_buffer) {
    return mismatch(slots::kValueBuffer, instruction.to);
  }
  return is_live(instruction.from, k) ? Status::kOk : not_live(instruction.from, k);
}

Status Prover::check_jump(uint32_t p) {
  const Instruction& jump = method_.instructions[p];
  if (!is_live(jump.condition, p)) return not_live(jump.condition, p);
  if (!rules_.jumps) return Status::kOk;
  const uint32_t s = jump.target;
  if (s >= count_) {
    for (uint32_t i = 0; i < method_.output_count; ++i) {
      const uint32_t output = static_cast<uint32_t>(method_.outputs[i]);
      if (!is_live(output, p)) return not_live(output, p);
    }
    return Status::kOk;
  }
  if (!spend(buffers_)) return too_complex();
  for (uint32_t b = 0; b < buffers_ && live_.first(b).begin <= s; ++b) {
    const Interval* live = live_.find(b, s);
    if (live == nullptr || live_.live_at(b, p)) continue;
    // Filled anew there, or assembled from its first part on.
    const Begin how = write_at(b, s);
    const bool begins =
        how == Begin::kPart && live->begin == s && (s != 0 || input_write(b) == Begin::kNoWrite);
    if (how != Begin::kWhole && !begins) return mismatch(slots::kIntervals, b);
  }
  return Status::kOk;
}

Status Prover::check_instructions() {
  for (uint32_t k = 0; k < count_; ++k) {
    switch (method_.instructions[k].what()) {
      case InstructionKind::kKernel:
      case InstructionKind::kCheckedKernel:
      case InstructionKind::kDelegate:
        BERTH_TRY(check_call(k));
        break;
      case InstructionKind::kMove:
        BERTH_TRY(check_move(k));
        break;
      case InstructionKind::kJumpFalse:
        BERTH_TRY(check_jump(k));
        break;
      case InstructionKind::kFree:
        break;
    }
  }
  return Status::kOk;
}

Status Prover::check_pairs() {
  for (uint32_t a = 0; a < buffers_; ++a) {
    const uint32_t a_end = live_.last(a).end;
    const Tensor& a_extent = extent(a);
    for (uint32_t b = a + 1; b < buffers_ && live_.first(b).begin < a_end; ++b) {
      if (!spend(1)) return too_complex();
      if (share_bytes(a_extent, extent(b)) && live_.meet(a, b)) {
        return refuse(Status::kPlanOverlap, slots::kIntervals, a, b, live_.first(b).begin);
      }
    }
  }
  return Status::kOk;
}

}  // namespace

Status prove_plan(const LoadedMethod& method, FlatReader reader, FlatTable record,
                  CertificateRules rules) {
  reader.faults().item = 0;
  return Prover(method, reader, rules).prove(record);
}

}  // namespace berth::runtime
