#include <new>

#include "runtime/c_api/berth.h"
#include "runtime/runtime.h"

using namespace berth;
using namespace berth::runtime;

namespace {

template <typename T, typename Room>
constexpr bool kFits = sizeof(T) <= sizeof(Room) && alignof(T) <= alignof(Room);
static_assert(kFits<Program, berth_program> && kFits<Method, berth_method>, "raise berth.h's room");

Method& inside(berth_method* room) { return *reinterpret_cast<Method*>(room); }
const Method& inside(const berth_method* room) { return *reinterpret_cast<const Method*>(room); }
const Program& inside(const berth_program* room) { return *reinterpret_cast<const Program*>(room); }

// berth.h's name of a status. The compiler warns where one is missing.
constexpr int name_in_c(Status status) {
  switch (status) {
    case Status::kOk:
      return BERTH_OK;
    case Status::kTruncated:
      return BERTH_TRUNCATED;
    case Status::kBadMagic:
      return BERTH_BAD_MAGIC;
    case Status::kBadCount:
      return BERTH_BAD_COUNT;
    case Status::kBadIndex:
      return BERTH_BAD_INDEX;
    case Status::kBadValue:
      return BERTH_BAD_VALUE;
    case Status::kMissingField:
      return BERTH_MISSING_FIELD;
    case Status::kUnsupported:
      return BERTH_UNSUPPORTED;
    case Status::kBadArguments:
      return BERTH_BAD_ARGUMENTS;
    case Status::kPlanOverlap:
      return BERTH_PLAN_OVERLAP;
    case Status::kPlanRecordMismatch:
      return BERTH_PLAN_RECORD_MISMATCH;
    case Status::kNoPlanRecord:
      return BERTH_NO_PLAN_RECORD;
    case Status::kWrongIsa:
      return BERTH_WRONG_ISA;
    case Status::kNewerFeature:
      return BERTH_NEWER_FEATURE;
    case Status::kOutOfPlan:
      return BERTH_OUT_OF_PLAN;
    case Status::kTooSmall:
      return BERTH_TOO_SMALL;
    case Status::kMisaligned:
      return BERTH_MISALIGNED;
    case Status::kNoSuchMethod:
      return BERTH_NO_SUCH_METHOD;
    case Status::kNoSuchOperator:
      return BERTH_NO_SUCH_OPERATOR;
    case Status::kNoSuchBackend:
      return BERTH_NO_SUCH_BACKEND;
    case Status::kInputNotSet:
      return BERTH_INPUT_NOT_SET;
    case Status::kBadInput:
      return BERTH_BAD_INPUT;
    case Status::kBadState:
      return BERTH_BAD_STATE;
    case Status::kNoSuchData:
      return BERTH_NO_SUCH_DATA;
    case Status::kKernelFailed:
      return BERTH_KERNEL_FAILED;
    case Status::kScratchTooSmall:
      return BERTH_SCRATCH_TOO_SMALL;
    case Status::kBadShape:
      return BERTH_BAD_SHAPE;
    case Status::kBackendFailed:
      return BERTH_BACKEND_FAILED;
    case Status::kTooManySteps:
      return BERTH_TOO_MANY_STEPS;
  }
  return -1;
}
constexpr bool names_are_right() {
  for (int value = 0; value < 256; ++value) {
    const int name = name_in_c(static_cast<Status>(value));
    if (name != -1 && name != value) return false;
  }
  return true;
}
static_assert(names_are_right(), "berth.h has another value than contract/status.h");

berth_status answer(Status status, const LoadFault& from = {}, berth_load_fault* fault = nullptr) {
  const auto value = static_cast<berth_status>(status);
  if (status != Status::kOk && fault != nullptr) {
    *fault = {value, from.field, from.index, from.part, from.need, from.have};
  }
  return value;
}

}  // namespace

berth_status berth_open(berth_program* program, const void* file, size_t size,
                        berth_load_fault* fault) {
  Program& opened = *new (program) Program();
  LoadFault where;
  const Status status = opened.open({static_cast<const uint8_t*>(file), size}, &where);
  return answer(status, where, fault);
}

berth_status berth_load(berth_method* method, const berth_program* program, const char* name,
                        const berth_kernels* kernels, void* own, size_t own_size,
                        const berth_pool* pools, size_t pool_count, berth_load_fault* fault) {
  LoadFault where;
  if (pool_count > kMaxPools) {
    where.field = "pools";
    where.need = pool_count;
    where.have = kMaxPools;
    return answer(Status::kUnsupported, where, fault);
  }
  PoolMemory given[kMaxPools];
  for (size_t i = 0; i < pool_count; ++i) {
    given[i] = {pools[i].mem_id, {static_cast<uint8_t*>(pools[i].bytes), pools[i].size}};
  }
  const Span<const Kernel> table[] = {{kernels->kernels, kernels->count}};
  LoadOptions options;
  options.kernels = table;
  const MemoryGiven memory{{static_cast<uint8_t*>(own), own_size}, {given, pool_count}};
  Method& loaded = *new (method) Method();
  const Status status = loaded.load(inside(program), name, options, memory, &where);
  return answer(status, where, fault);
}

berth_status berth_set_input(berth_method* method, uint32_t i, const void* data, size_t size) {
  return answer(inside(method).set_input(i, data, size));
}

berth_status berth_execute(berth_method* method) { return answer(inside(method).execute()); }

const void* berth_output(const berth_method* method, uint32_t i, size_t* size) {
  const Method& loaded = inside(method);
  if (i >= loaded.output_count() || loaded.output(i).tag != Tag::kTensor) return nullptr;
  const Tensor& tensor = *loaded.output(i).tensor;
  if (size != nullptr) *size = tensor.nbytes();
  return tensor.data;
}

const char* berth_status_words(berth_status status) {
  return status_words(static_cast<Status>(status));
}
