// One model on one board: given exactly the memory that the compiler counted, refused with a byte
// less, run on the cases that image_data.s brings, and held to their answers byte by byte.
// image_memory.h is written by `berth inspect --header`, see image.py.
#include "firmware/emulator_test.h"
#include "firmware/fence.h"
#include "firmware/image_data.h"
#include "firmware/image_memory.h"
#include "firmware/instruction_count.h"
#include "firmware/semihosting.h"
#include "firmware/stack_paint.h"
#include "firmware/startup.h"
#include "runtime/kernels/kernel_selection.h"
#include "runtime/runtime.h"

namespace berth::firmware {

using namespace berth::runtime;

namespace {

constexpr uint8_t kGuard = 0x5C, kGarbage = 0xA5;
constexpr uint32_t kGuardBytes = 32;

// Memory as large as the report says, between bytes that nobody may write.
template <uint32_t kBytes>
struct Guarded {
  uint8_t before[kGuardBytes];
  uint8_t bytes[kBytes];
  uint8_t after[kGuardBytes];

  void fill_all() {
    for (uint8_t& byte : before) byte = kGuard;
    for (uint8_t& byte : bytes) byte = kGarbage;
    for (uint8_t& byte : after) byte = kGuard;
  }
  void check(const char* name) const {
    for (uint32_t i = 0; i < kGuardBytes; ++i) {
      if (before[i] == kGuard && after[i] == kGuard) continue;
      print_all("bytes beside ", name, " were written\n");
      stop(Outcome::kBadMemory);
    }
  }
};

#define POOL(name, id, size, align)                                                           \
  alignas(align > kGuardBytes ? align : kGuardBytes) __attribute__((section(".pool." #name))) \
  Guarded<size>                                                                               \
      name##_pool;                                                                            \
  static_assert(align <= kGuardBytes, "raise kGuardBytes: the pool stands behind a guard");
BERTH_IMAGE_POOLS(POOL)
#undef POOL

#define POOL(name, id, size, align) {id, Span<uint8_t>(name##_pool.bytes)},
const PoolMemory kPools[] = {BERTH_IMAGE_POOLS(POOL)};
#undef POOL
constexpr size_t kPoolCount = sizeof(kPools) / sizeof(kPools[0]);

alignas(kGuardBytes) Guarded<BERTH_IMAGE_METHOD_BYTES_ARM32> method_memory;
static_assert(kGuardBytes % BERTH_IMAGE_METHOD_ALIGNMENT == 0, "it stands behind a guard");

#ifdef BERTH_IMAGE_KERNELS  // of a test: kernels that misbehave
BERTH_IMAGE_KERNELS
#else
constexpr OperatorName kNames[] = {BERTH_IMAGE_OPERATORS};
constexpr auto kSelected = select_kernels(kNames);
#endif
const Span<const Kernel> kKernels[] = {kSelected.kernels};

constexpr uint64_t kInstructionLimit = BERTH_INSTRUCTION_LIMIT;
constexpr uint32_t kCases = BERTH_IMAGE_CASES;

Span<const uint8_t> model() { return {MODEL_BEGIN, static_cast<size_t>(MODEL_END - MODEL_BEGIN)}; }

void fill_memory() {
#define POOL(name, id, size, align) name##_pool.fill_all();
  BERTH_IMAGE_POOLS(POOL)
#undef POOL
  method_memory.fill_all();
}

void check_guards() {
#define POOL(name, id, size, align) name##_pool.check("pool " #name);
  BERTH_IMAGE_POOLS(POOL)
#undef POOL
  method_memory.check("the method's memory");
}

void print_status(const char* what, Status status, const LoadFault& fault) {
  print_all(what, ": status ");
  print_hex(static_cast<uint32_t>(status));
  print_all(", ", status_words(status));
  if (fault.field[0] != '\0') {
    print_all("; ", fault.field, " ", fault.index, ", need ", fault.need, ", have ", fault.have);
  }
  print("\n");
}

void must(Status status, const char* what, const LoadFault& fault, Outcome outcome) {
  if (status == Status::kOk) return;
  print_status(what, status, fault);
  stop(outcome);
}

void must_run(Status status, const char* what) {
  must(status, what, LoadFault(), Outcome::kRunStatus);
}

Status load(const Program& program, const MemoryGiven& memory, Method* method, LoadFault* fault) {
  LoadOptions options;
  options.kernels = kKernels;
  return method->load(program, BERTH_IMAGE_METHOD, options, memory, fault);
}

// Into memory that holds garbage.
void load_anew(const Program& program, Method* method) {
  fill_memory();
  LoadFault fault;
  must(load(program, {method_memory.bytes, kPools}, method, &fault), "load", fault,
       Outcome::kLoadStatus);
}

void must_refuse(const Program& program, const char* what, const MemoryGiven& memory,
                 Status wanted) {
  Method method;
  LoadFault fault;
  const Status status = load(program, memory, &method, &fault);
  if (status == wanted) return;
  print_status(what, status, fault);
  stop(Outcome::kBadMemory);
}

// One byte less than counted, or memory in the wrong place, is a status and nothing else.
void check_refusals(const Program& program) {
  const Span<uint8_t> own(method_memory.bytes);
  must_refuse(program, "method memory without a byte", {{own.data(), own.size() - 1}, kPools},
              Status::kTooSmall);
  must_refuse(program, "method memory at an odd address", {{own.data() + 1, own.size()}, kPools},
              Status::kMisaligned);
  PoolMemory pools[kPoolCount];
  for (size_t i = 0; i < kPoolCount; ++i) {
    for (size_t p = 0; p < kPoolCount; ++p) pools[p] = kPools[p];
    const Span<uint8_t> whole = pools[i].bytes;
    pools[i].bytes = {whole.data(), whole.size() - 1};
    must_refuse(program, "a pool without a byte", {own, pools}, Status::kTooSmall);
    pools[i].bytes = {whole.data() + 1, whole.size()};
    must_refuse(program, "a pool at an odd address", {own, pools}, Status::kMisaligned);
  }
  Program moved;
  const Span<const uint8_t> file = model();
  if (moved.open({file.data() + 1, file.size() - 1}) != Status::kMisaligned) {
    print("a file at an odd address was opened\n");
    stop(Outcome::kBadMemory);
  }
  print("refused: a byte less than counted, odd addresses\n");
}

void set_inputs(Method* method, uint32_t number, size_t case_bytes) {
  const uint8_t* from = INPUTS_BEGIN + number * case_bytes;
  for (uint32_t i = 0; i < method->input_count(); ++i) {
    const size_t bytes = method->input(i).tensor->nbytes();
    must_run(method->set_input(i, from, bytes), "set_input");
    from += bytes;
  }
}

// Ends the image where an element is wrong.
void check_outputs(const Method& method, uint32_t number, size_t case_bytes) {
  const uint8_t* wanted = ANSWERS_BEGIN + number * case_bytes;
  for (uint32_t i = 0; i < method.output_count(); ++i) {
    const Tensor& tensor = *method.output(i).tensor;
    const size_t width = element_size(tensor.dtype);
    const uint8_t* have = tensor.as<uint8_t>();
    for (size_t at = 0; at < tensor.nbytes(); ++at) {
      if (have[at] == wanted[at]) continue;
      print_all("wrong: case ", number, " output ", i, " element ",
                static_cast<uint32_t>(at / width), ": bytes");
      for (size_t b = 0; b < width; ++b) print(" "), print_hex(have[at / width * width + b]);
      print(", right");
      for (size_t b = 0; b < width; ++b) print(" "), print_hex(wanted[at / width * width + b]);
      print("\n");
      stop(Outcome::kWrongResult);
    }
    wanted += tensor.nbytes();
  }
}

// Of all inputs or outputs; UINT64_MAX where one is no tensor.
uint64_t count_bytes(const Method& method, bool inputs) {
  uint64_t sum = 0;
  const uint32_t count = inputs ? method.input_count() : method.output_count();
  for (uint32_t i = 0; i < count; ++i) {
    const EValue& value = inputs ? method.input(i) : method.output(i);
    if (value.tag != Tag::kTensor) return UINT64_MAX;
    sum += value.tensor->nbytes();
  }
  return sum;
}

// image.py has counted them too; a file that was damaged since then may ask for other sizes.
void check_case_sizes(const Method& method) {
  const auto given = [](const uint8_t* begin, const uint8_t* end) {
    return static_cast<uint64_t>(end - begin);
  };
  if (count_bytes(method, true) * kCases == given(INPUTS_BEGIN, INPUTS_END) &&
      count_bytes(method, false) * kCases == given(ANSWERS_BEGIN, ANSWERS_END)) {
    return;
  }
  print("the cases have other sizes than inputs and outputs\n");
  stop(Outcome::kRunStatus);
}

// What one case takes.
struct Taken {
  uint64_t instructions;
  uint32_t stack;
};

Taken run_case(Method* method, uint32_t number) {
  set_inputs(method, number, static_cast<size_t>(INPUTS_END - INPUTS_BEGIN) / kCases);
  paint_stack();
  const uint64_t begin = count_instructions();
  must_run(method->execute(), "execute");
  const Taken taken = {count_instructions() - begin, measure_stack()};
  check_guards();
  check_outputs(*method, number, static_cast<size_t>(ANSWERS_END - ANSWERS_BEGIN) / kCases);
  return taken;
}

// The first case, to see where each instruction writes.
void run_watched(Method* method) {
  Fence fence(kPools, method_memory.bytes);
  method->set_tracer(&fence);
  run_case(method, 0);
  method->set_tracer(nullptr);
}

// All cases, one after the other on one loaded method: its state goes on from case to case.
void run_cases(Method* method) {
  const Taken first = run_case(method, 0);
  uint32_t stack = first.stack;
  for (uint32_t i = 1; i < kCases; ++i) {
    const Taken taken = run_case(method, i);
    if (taken.stack > stack) stack = taken.stack;
  }
  print_all("run: ", first.instructions, " machine instructions, stack ", stack, " of ",
            stack_bytes(), " bytes\n");
  print_all("right: ", kCases, " cases of ", count_bytes(*method, false), " bytes\n");
}

}  // namespace

void run_image() {
  start_counting(kInstructionLimit);
  const char* emulator_fault = find_emulator_fault();
#ifdef BERTH_IMAGE_EMULATOR_FAULT  // of a test
  emulator_fault = BERTH_IMAGE_EMULATOR_FAULT;
#endif
  if (emulator_fault != nullptr) {
    print_all("the emulator gets ", emulator_fault, " wrong\n");
    stop(Outcome::kBadEmulator);
  }
  Program program;
  LoadFault fault;
  must(program.open(model(), &fault), "open", fault, Outcome::kLoadStatus);
  fill_memory();
  Method method;
  paint_stack();
  const uint64_t begin = count_instructions();
  must(load(program, {method_memory.bytes, kPools}, &method, &fault), "load", fault,
       Outcome::kLoadStatus);
  const uint64_t taken = count_instructions() - begin;
  print_all("load: ", taken, " machine instructions, stack ", measure_stack(), " of ",
            stack_bytes(), " bytes\n");
  check_refusals(program);
  load_anew(program, &method);
  check_case_sizes(method);
  run_watched(&method);
  load_anew(program, &method);
  run_cases(&method);
}

}  // namespace berth::firmware
