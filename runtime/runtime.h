// The Berth runtime: runs .pte programs whose memory was planned before. It never allocates; it
// asks for bytes, takes them from the caller, checks the file and its plan once, and then only
// runs. C++17, no heap, no exceptions, no RTTI, no stdio.
//
// Hello in five calls:
//
//   using namespace berth::runtime;
//   Program program;
//   Status status = program.open(file);                              // 1 bytes of the .pte,
//   16-aligned MethodNeed need; status = program.need("forward", &need);                         //
//   2 ask: need.method_bytes, need.pools[i].bytes Method method; status = method.load(program,
//   "forward", {kernels}, {method_memory, pools});  // 3 give status = method.set_input(0, image,
//   sizeof(image));              // 4 status = method.execute(); // 5 const Tensor& answer =
//   *method.output(0).tensor;                 // answer.data, answer.sizes, answer.nbytes()
//
// where
//
//   alignas(16) const uint8_t file[] = {...};
//   const Span<const Kernel> kernels[] = {...};       // tables of operators; the first of a name
//   counts alignas(16) uint8_t main_pool[N], method_memory[M];   // what `berth compile` printed
//   const PoolMemory pools[] = {{1, main_pool}};      // the number of the pool in the file, its
//   bytes
//
// Every call answers a one-byte Status (contract/status.h): 0x1_ the file is wrong, 0x2_ the
// caller, 0x3_ a kernel or backend. Out-parameters are written on success only. With a LoadFault
// the loader also says which field, where, and the numbers. Nothing given is owned: file, kernels
// and memory stay with the caller, and stay put, while program and methods are used.
//
// To leave out of tiny images: BERTH_NO_LOAD_FAULT (the words), BERTH_NO_CERTIFICATE (the proof of
// the plan).
#pragma once

#include "contract/status.h"
#include "runtime/core/evalue.h"
#include "runtime/core/kernel.h"
#include "runtime/core/span.h"
#include "runtime/core/tensor.h"
#include "runtime/exec/method.h"
#include "runtime/exec/method_meta.h"
#include "runtime/exec/opened_program.h"
