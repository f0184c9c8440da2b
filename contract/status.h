// What a device call can answer. One byte, grouped by who is wrong: 0x1_ the file, 0x2_ the caller,
// 0x3_ a backend or kernel. Both halves use it: the runtime returns it, the host tools make
// sentences of it.
#pragma once

#include <cstdint>

namespace berth {

enum class [[nodiscard]] Status : uint8_t{
    kOk = 0,

    // The file is wrong.
    kTruncated = 0x10,     // an offset or length points past the end of what was given
    kBadMagic = 0x11,      // not a .pte (identifier ET12) or a damaged header
    kBadCount = 0x12,      // a count that cannot be right (lists of different length, too many)
    kBadIndex = 0x13,      // an index past the end of its list
    kBadValue = 0x14,      // an enum, size, dim order or type outside what the format allows
    kMissingField = 0x15,  // a field that the format requires is absent
    kUnsupported = 0x16,   // legal, but this runtime does not do it
    kBadArguments = 0x17,  // an instruction's arguments do not fit its operator
    kPlanOverlap = 0x18,   // two buffers meet in time and in bytes
    kPlanRecordMismatch = 0x19,  // the plan record does not match its program
    kNoPlanRecord = 0x1a,        // the caller demands a proof and the file has no record
    kWrongIsa = 0x1b,            // scratch was sized for another instruction set
    kNewerFeature = 0x1c,  // a feature flag or field that changes meaning and is not known here
    kOutOfPlan = 0x1d,     // bytes of a value lie outside its pool

    // The caller is wrong.
    kTooSmall = 0x20,    // memory given is smaller than needed (pool, method memory, input, output)
    kMisaligned = 0x21,  // memory given does not start at the alignment needed
    kNoSuchMethod = 0x22,
    kNoSuchOperator = 0x23,  // no kernel of that name among those given
    kNoSuchBackend = 0x24, kInputNotSet = 0x25,
    kBadInput = 0x26,    // dtype, shape or size of an input is not the method's
    kBadState = 0x27,    // call out of order
    kNoSuchData = 0x28,  // no external tensor of that name among the .ptd files given

    // A kernel or a backend is wrong, or was given shapes it does not take.
    kKernelFailed = 0x30, kScratchTooSmall = 0x31, kBadShape = 0x32, kBackendFailed = 0x33,
    kTooManySteps = 0x34,  // more instructions executed than the limit: a loop without an end
};

// Where a load failed, so that a tool can say it in words. Filled on request; `index` and numbers
// are 0 where they mean nothing. `field` is a static string in the words of the format, for example
// "values.allocation_info.memory_id".
struct LoadFault {
  Status status = Status::kOk;
  const char* field = "";
  uint32_t index = 0;  // index of the value, instruction, buffer or pool concerned
  // Of what a backend's init() refuses (fields "delegates.init..."): which scratch or persistent
  // buffer of the delegate, in the order in which they were declared.
  uint32_t part = 0;
  uint64_t need = 0;
  uint64_t have = 0;
};

// The name a person sees, for example "plan record does not match the program".

inline const char* status_words(Status status) {
  switch (status) {
    case Status::kOk:
      return "ok";
    case Status::kTruncated:
      return "truncated";
    case Status::kBadMagic:
      return "not a .pte file";
    case Status::kBadCount:
      return "bad count";
    case Status::kBadIndex:
      return "index out of range";
    case Status::kBadValue:
      return "bad value";
    case Status::kMissingField:
      return "missing field";
    case Status::kUnsupported:
      return "not supported";
    case Status::kBadArguments:
      return "arguments do not fit the operator";
    case Status::kPlanOverlap:
      return "two live buffers overlap";
    case Status::kPlanRecordMismatch:
      return "plan record does not match the program";
    case Status::kNoPlanRecord:
      return "no plan record";
    case Status::kWrongIsa:
      return "planned for another instruction set";
    case Status::kNewerFeature:
      return "needs a newer runtime";
    case Status::kOutOfPlan:
      return "bytes outside the pool";
    case Status::kTooSmall:
      return "memory too small";
    case Status::kMisaligned:
      return "memory misaligned";
    case Status::kNoSuchMethod:
      return "no such method";
    case Status::kNoSuchOperator:
      return "no kernel for the operator";
    case Status::kNoSuchBackend:
      return "no such backend";
    case Status::kInputNotSet:
      return "input not set";
    case Status::kBadInput:
      return "input does not match the method";
    case Status::kBadState:
      return "call out of order";
    case Status::kNoSuchData:
      return "no external data for the tensor";
    case Status::kKernelFailed:
      return "kernel failed";
    case Status::kScratchTooSmall:
      return "scratch too small";
    case Status::kBadShape:
      return "bad shape";
    case Status::kBackendFailed:
      return "backend failed";
    case Status::kTooManySteps:
      return "too many instructions executed";
  }
  return "unknown status";
}

}  // namespace berth
