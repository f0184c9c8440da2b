// What loading and running a .pte costs in instructions, one phase at a time: bench/pte.py starts
// this under callgrind, which counts inside one of the phase_ functions.
//
//   pte_steps FILE.pte           opens, loads and runs a chain of ../shared/pte/chain
//   pte_steps FILE.pte REPEAT    opens and loads any program so often: the least microseconds in
//                                all (program, required bytes, method)
#include <algorithm>
#include <chrono>
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

namespace {

class Steps {
 public:
  explicit Steps(const char* path) : path_(path) {
    std::ifstream in(path, std::ios::binary);
    const std::vector<char> raw{std::istreambuf_iterator<char>(in), {}};
    file_ = Block(raw.size());
    std::memcpy(file_.start, raw.data(), raw.size());
    bytes_ = Span<const uint8_t>(file_.start, raw.size());
  }

  // What a caller keeps from one load to the next.
  void take_memory() {
    must(program_.open(bytes_), "open");
    must(program_.need("forward", &need_), "need");
    own_ = Block(need_.method_bytes);
    for (uint32_t p = 0; p < need_.pool_count; ++p) pools_.emplace_back(need_.pools[p].bytes);
    for (uint32_t p = 0; p < need_.pool_count; ++p) {
      memory_.push_back(
          {need_.pools[p].mem_id, Span<uint8_t>(pools_[p].start, need_.pools[p].bytes)});
    }
    given_.method = Span<uint8_t>(own_.start, need_.method_bytes);
    given_.pools = Span<const PoolMemory>(memory_.data(), memory_.size());
    options_.kernels = kernels_;
  }

  void open_and_load() {
    must(phase_open(&program_, bytes_), "open");
    need_ = MethodNeed();
    must(phase_need(program_, &need_), "need");
    must(phase_load(&method_, program_, options_, given_), "load");
  }

  void run_on_one() {
    const float one[] = {1.0f};
    must(method_.set_input(0, one, sizeof(one)), "set_input");
    must(phase_execute(&method_), "execute");
  }

  size_t method_bytes() const { return static_cast<size_t>(need_.method_bytes); }
  bool is_proven() const { return method_.is_proven(); }

 private:
  void must(Status status, const char* what) const {
    if (status == Status::kOk) return;
    std::fprintf(stderr, "pte_steps: %s: %s ends with status 0x%02x\n", path_, what,
                 static_cast<unsigned>(status));
    std::exit(1);
  }

  const char* path_;
  Block file_{0};
  Span<const uint8_t> bytes_;
  Program program_;
  MethodNeed need_;
  Method method_;
  Block own_{0};
  std::vector<Block> pools_;
  std::vector<PoolMemory> memory_;
  MemoryGiven given_;
  LoadOptions options_;
  Span<const Kernel> kernels_[2] = {portable_kernels(), kNopKernels};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) return 2;
  Steps steps(argv[1]);
  steps.take_memory();
  if (argc == 2) {
    steps.open_and_load();
    steps.run_on_one();
    std::printf("%zu method bytes, plan %s\n", steps.method_bytes(),
                steps.is_proven() ? "proven" : "in range");
    return 0;
  }
  double least = 1e30;
  for (int i = std::atoi(argv[2]); i > 0; --i) {
    const auto begin = std::chrono::steady_clock::now();
    steps.open_and_load();
    const std::chrono::duration<double, std::micro> taken =
        std::chrono::steady_clock::now() - begin;
    least = std::min(least, taken.count());
  }
  std::printf("%.3f\n", least);
  return 0;
}
