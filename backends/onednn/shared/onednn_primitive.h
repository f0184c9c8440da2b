// An Op as the library's primitive descriptor, made the same way in both halves: what one of them
// measures is what the other needs.
#pragma once

#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>

#include "backends/onednn/shared/onednn_op.h"

namespace berth::onednn {

// The number of threads that the library takes for what is made and run while this lives.
class ThreadCount {
 public:
  explicit ThreadCount(uint32_t threads);
  ~ThreadCount();
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_;
};

// The one processor engine of the process.
const dnnl::engine& cpu_engine();

// Holds the library to this instruction set (dnnl_cpu_isa_t); 0 for any. It can be set once in a
// process, before the first primitive: false when the library runs with another.
bool use_isa(uint32_t isa);
// The number of a name ("avx2", "avx512_core", ...), or 0.
uint32_t find_isa(const std::string& name);
// "sse41, avx, ...".
std::string isa_names();

dnnl::memory::desc desc_of(const View& view);
// Empty when the op has none.
dnnl::memory::desc bias_desc(const Op& op);

enum class Quality { kGood, kHidden, kPlain };

struct Primitive {
  dnnl::primitive_desc desc;
  std::string name;  // of the implementation
  // kHidden: it allocates memory while it runs, whatever scratchpad it is given. kPlain: loops.
  Quality quality = Quality::kPlain;
  uint64_t scratch_bytes = 0;
  dnnl::memory::desc weights;     // as the implementation wants them; empty when there are none
  bool reorders_weights = false;  // that is not how the blob has them
};

// The library's first implementation without memory of its own; else the first that is more than
// plain loops; else the first. Null when the library does not do this. REQUIRES: read_op took the
// op, or the compile half made it; ThreadCount of the op's threads. (Benchmarks ask for the
// library's own scratchpad.)
std::unique_ptr<Primitive> make_primitive(const Op& op,
                                          dnnl::scratchpad_mode mode = dnnl::scratchpad_mode::user);

}  // namespace berth::onednn
