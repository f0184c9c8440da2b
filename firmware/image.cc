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
#include "runtime/kernels/kernel_selection.h"
#include "runtime/runtime.h"

namespace berth::firmware {

using namespace berth::runtime;

void run_image();

namespace {

constexpr uint8_t kGuard = 0x5C, kGarbage = 0xA5;
constexpr uint32_t kGuardBytes = 32;

// A pool as large as the report says, between bytes that nobody may write.
template <uint32_t kBytes>
struct GuardedPool {
  uint8_t before[kGuardBytes];
  uint8_t bytes[kBytes];
  uint8_t after[kGuardBytes];
};

#define POOL(name, id, size, align)                                                           \
  alignas(align > kGuardBytes ? align : kGuardBytes) __attribute__((section(".pool." #name))) \
  GuardedPool<size>                                                                           \
      name##_pool;                                                                            \
  static_assert(align <= kGuardBytes, "raise kGuardBytes: the pool stands behind a guard");
BERTH_IMAGE_POOLS(POOL)
#undef POOL

#define POOL(name, id, size, align) {id, Span<uint8_t>(name##_pool.bytes)},
const PoolMemory kPools[] = {BERTH_IMAGE_POOLS(POOL)};
#undef POOL
constexpr size_t kPoolCount = sizeof(kPools) / sizeof(kPools[0]);

alignas(BERTH_IMAGE_METHOD_ALIGNMENT) uint8_t method_memory[BERTH_IMAGE_METHOD_BYTES_ARM32];

#ifdef BERTH_IMAGE_KERNELS  // of a test: kernels that misbehave
BERTH_IMAGE_KERNELS
#else
constexpr OperatorName kNames[] = {BERTH_IMAGE_OPERATORS};
constexpr auto kSelected = select_kernels(kNames);
#endif
const Span<const Kernel> kKernels[] = {kSelected.kernels};

constexpr uint64_t kInstructionLimit = BERTH_INSTRUCTION_LIMIT;

Span<const uint8_t> model() { return {MODEL_BEGIN, static_cast<size_t>(MODEL_END - MODEL_BEGIN)}; }

// Not all pools have the same size, and some may be larger than what a file needs.
void fill(uint8_t* begin, size_t count, uint8_t byte) {
  for (size_t i = 0; i < count; ++i) begin[i] = byte;
}

void fill_pools() {
#define POOL(name, id, size, align)              \
  fill(name##_pool.before, kGuardBytes, kGuard); \
  fill(name##_pool.bytes, size, kGarbage);       \
  fill(name##_pool.after, kGuardBytes, kGuard);
  BERTH_IMAGE_POOLS(POOL)
#undef POOL
}

void check_guards() {
  bool intact = true;
#define POOL(name, id, size, align)                                                \
  for (const uint8_t byte : name##_pool.before) intact = intact && byte == kGuard; \
  for (const uint8_t byte : name##_pool.after) intact = intact && byte == kGuard;
  BERTH_IMAGE_POOLS(POOL)
#undef POOL
  if (intact) return;
  print("bytes beside a pool were written\n");
  stop(Outcome::kBadMemory);
}

void print_status(const char* what, Status status, const LoadFault& fault) {
  print_all(what, ": status ");
  print_hex(static_cast<uint32_t>(status));
  print_all(", ", status_words(status));
  if (fault.field[0] != '\0') {
    print_all("; ", fault.field, " ", fault.index, ", need ", static_cast<uint32_t>(fault.need),
              ", have ", static_cast<uint32_t>(fault.have));
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
  const char* name = nullptr;
  const Status status = program.method_name(0, &name, fault);
  if (status != Status::kOk) return status;
  LoadOptions options;
  options.kernels = kKernels;
  return method->load(program, name, options, memory, fault);
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
  const Span<uint8_t> own(method_memory);
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

size_t count_bytes(const Method& method, bool inputs) {
  size_t sum = 0;
  const uint32_t count = inputs ? method.input_count() : method.output_count();
  for (uint32_t i = 0; i < count; ++i) {
    sum += (inputs ? method.input(i) : method.output(i)).tensor->nbytes();
  }
  return sum;
}

void run_cases(Method* method) {
  const size_t input_bytes = count_bytes(*method, true);
  const size_t output_bytes = count_bytes(*method, false);
  const uint32_t count = static_cast<uint32_t>((INPUTS_END - INPUTS_BEGIN) / input_bytes);
  // Watched, to see where each instruction writes; then alone, to see the stack.
  set_inputs(method, 0, input_bytes);
  Fence fence(kPools);
  method->set_tracer(&fence);
  must_run(method->execute(), "execute");
  method->set_tracer(nullptr);
  check_outputs(*method, 0, output_bytes);
  uint32_t stack = 0;
  uint64_t instructions = 0;
  for (uint32_t i = 0; i < count; ++i) {
    set_inputs(method, i, input_bytes);
    paint_stack();
    const uint64_t begin = count_instructions();
    must_run(method->execute(), "execute");
    if (i == 0) instructions = count_instructions() - begin;
    const uint32_t used = measure_stack();
    if (used > stack) stack = used;
    check_outputs(*method, i, output_bytes);
  }
  print_all("run: ", static_cast<uint32_t>(instructions), " machine instructions, stack ", stack,
            " of ", stack_bytes(), " bytes\n");
  print_all("right: ", count, " cases of ", static_cast<uint32_t>(output_bytes), " bytes\n");
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
  fill_pools();
  Method method;
  paint_stack();
  const uint64_t begin = count_instructions();
  must(load(program, {method_memory, kPools}, &method, &fault), "load", fault,
       Outcome::kLoadStatus);
  const uint32_t taken = static_cast<uint32_t>(count_instructions() - begin);
  print_all("load: ", taken, " machine instructions, stack ", measure_stack(), " of ",
            stack_bytes(), " bytes\n");
  check_refusals(program);
  must(load(program, {method_memory, kPools}, &method, &fault), "load", fault,
       Outcome::kLoadStatus);
  run_cases(&method);
  check_guards();
}

}  // namespace berth::firmware
