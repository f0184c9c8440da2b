// What loading and running a .pte costs a Cortex-M in machine instructions, one phase after the
// other: bench/device.py links this with a file, its cases and the kernels of cost_kernels.h, and
// runs it under QEMU. Built again with BERTH_COST_MINIMAL it is as small as a firmware can be, so
// that its flash can be counted; with BERTH_COST_EMPTY there is nothing in it.
#include "bench/cost_kernels.h"  // written by bench/device.py: COST_OPERATORS, or nothing
#include "firmware/image_data.h"
#include "firmware/instruction_count.h"
#include "firmware/semihosting.h"
#include "firmware/startup.h"
#include "runtime/kernels/kernel_selection.h"
#include "runtime/runtime.h"

namespace berth::firmware {

using namespace berth::runtime;

#ifdef BERTH_COST_EMPTY

void run_image() {}

#else

namespace {

// More than any file here needs: what is counted is what they take.
alignas(16) uint8_t method_memory[200 << 10];
alignas(16) uint8_t pool[64 << 10];

#ifdef COST_OPERATORS
constexpr OperatorName kNames[] = {COST_OPERATORS};
constexpr auto kSelected = select_kernels(kNames);
const Span<const Kernel> kKernels[] = {kSelected.kernels};
#else
// Of ../shared/pte/chain: an empty kernel, of which dispatch is left, and an addition that checks
// nothing.
constexpr OperatorSchema kNop{"anchor::nop", "out", "TTsO"};
Status run_nop(KernelContext&, const Args&) { return Status::kOk; }
Status add_unchecked(KernelContext&, const Args& args) {
  args.tensor(3).as_mutable<float>()[0] =
      args.tensor(0).as<float>()[0] + args.tensor(1).as<float>()[0];
  return Status::kOk;
}
constexpr Kernel kTrivial[] = {{&kNop, run_nop},
                               {find_operator("aten::add", "out"), add_unchecked}};
const Span<const Kernel> kKernels[] = {kTrivial};
#endif

void must(Status status, const char* what) {
  if (status == Status::kOk) return;
#ifndef BERTH_COST_MINIMAL
  print_all(what, ": ", status_words(status), "\n");
#else
  static_cast<void>(what);
#endif
  stop(Outcome::kLoadStatus);
}

#ifndef BERTH_COST_MINIMAL
uint64_t begin = 0;
void begin_phase() { begin = count_instructions(); }
void end_phase(const char* name) {
  print_all(name, ": ", static_cast<uint32_t>(count_instructions() - begin), "\n");
}

// The answers of a chain are not given.
void check_output(const Method& method, size_t number) {
  if (ANSWERS_END - ANSWERS_BEGIN == 0) return;
  const Tensor& out = *method.output(0).tensor;
  const size_t bytes = out.nbytes();
  for (size_t i = 0; i < bytes; ++i) {
    if (out.as<uint8_t>()[i] != ANSWERS_BEGIN[number * bytes + i]) stop(Outcome::kWrongResult);
  }
}
#else
void begin_phase() {}
void end_phase(const char*) {}
#endif

}  // namespace

void run_image() {
  Program program;
  Method method;
#ifndef BERTH_COST_MINIMAL
  start_counting(4000000000u);
  begin_phase();
#endif
  must(program.open({MODEL_BEGIN, static_cast<size_t>(MODEL_END - MODEL_BEGIN)}), "open");
  end_phase("open");
  LoadOptions options;
  options.kernels = kKernels;
  const PoolMemory pools[] = {{1, pool}};
  begin_phase();
  must(method.load(program, "forward", options, {method_memory, pools}), "load");
  end_phase("load");
#ifndef BERTH_COST_MINIMAL
  MethodNeed need;
  begin_phase();
  must(program.need("forward", &need), "need");
  end_phase("need");
  print_all("method memory: ", static_cast<uint32_t>(need.method_bytes), "\n");
  print_all("proven: ", uint32_t{method.is_proven()}, "\n");
#endif
  const size_t bytes_in = method.input(0).tensor->nbytes();
  for (const uint8_t* in = INPUTS_BEGIN; in != INPUTS_END; in += bytes_in) {
    must(method.set_input(0, in, bytes_in), "set_input");
    begin_phase();
    must(method.execute(), "execute");
    end_phase("execute");
#ifndef BERTH_COST_MINIMAL
    check_output(method, static_cast<size_t>(in - INPUTS_BEGIN) / bytes_in);
#endif
  }
}

#endif

}  // namespace berth::firmware
