// What loading and running a .pte costs in instructions, one phase at a time: bench/pte.py starts
// this under callgrind, which counts inside one of the phase_ functions.
//
//   pte_steps FILE.pte
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "runtime/kernels/portable/portable_kernels.h"
#include "runtime/runtime.h"

namespace {

using namespace berth;
using namespace berth::runtime;

// The empty kernel of ../shared/pte/chain/nop_*.pte: what is left is dispatch.
constexpr OperatorSchema kNop{"anchor::nop", "out", "TTsO"};
Status run_nop(KernelContext&, const Args&) { return Status::kOk; }
constexpr Kernel kNopKernels[] = {{&kNop, run_nop}};

struct Block {
  explicit Block(size_t size) : bytes(size + 64) {
    const auto address = reinterpret_cast<uintptr_t>(bytes.data());
    start = bytes.data() + (64 - address % 64) % 64;
  }
  std::vector<uint8_t> bytes;
  uint8_t* start;
};

}  // namespace

extern "C" {

__attribute__((noinline)) Status phase_open(Program* program, Span<const uint8_t> file) {
  return program->open(file);
}

__attribute__((noinline)) Status phase_need(const Program& program, MethodNeed* need) {
  return program.need("forward", need);
}

__attribute__((noinline)) Status phase_load(Method* method, const Program& program,
                                            const LoadOptions& options, const MemoryGiven& memory) {
  return method->load(program, "forward", options, memory);
}

__attribute__((noinline)) Status phase_execute(Method* method) { return method->execute(); }
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream in(argv[1], std::ios::binary);
  const std::vector<char> raw{std::istreambuf_iterator<char>(in), {}};
  Block file(raw.size());
  std::memcpy(file.start, raw.data(), raw.size());

  Program program;
  MethodNeed need;
  Method method;
  const auto must = [&](Status status, const char* what) {
    if (status == Status::kOk) return;
    std::fprintf(stderr, "pte_steps: %s: %s ends with status 0x%02x\n", argv[1], what,
                 static_cast<unsigned>(status));
    std::exit(1);
  };
  must(phase_open(&program, Span<const uint8_t>(file.start, raw.size())), "open");
  must(phase_need(program, &need), "need");
  Block own(need.method_bytes);
  std::vector<Block> pools;
  std::vector<PoolMemory> memory;
  for (uint32_t p = 0; p < need.pool_count; ++p) pools.emplace_back(need.pools[p].bytes);
  for (uint32_t p = 0; p < need.pool_count; ++p) {
    memory.push_back({need.pools[p].mem_id, Span<uint8_t>(pools[p].start, need.pools[p].bytes)});
  }
  const Span<const Kernel> kernels[] = {portable_kernels(), kNopKernels};
  LoadOptions options;
  options.kernels = kernels;
  MemoryGiven given;
  given.method = Span<uint8_t>(own.start, need.method_bytes);
  given.pools = Span<const PoolMemory>(memory.data(), memory.size());
  must(phase_load(&method, program, options, given), "load");
  const float one[] = {1.0f};
  must(method.set_input(0, one, sizeof(one)), "set_input");
  must(phase_execute(&method), "execute");
  std::printf("%zu method bytes, plan %s\n", static_cast<size_t>(need.method_bytes),
              method.is_proven() ? "proven" : "in range");
  return 0;
}
