// The Berth runtime: runs .pte programs whose memory was planned before. It never allocates; it
// asks for bytes, takes them from the caller, checks the file and its plan once, and then only
// runs. C++17, no heap, no exceptions, no RTTI, no stdio.
//
// Hello in five calls:
//
//     using namespace berth::runtime;
//     Program program;
//     Method method;
//     MethodNeed need;
//     Status status = program.open(file);                                      // 1
//     status = program.need("forward", &need);                                 // 2 ask
//     status = method.load(program, "forward", {kernels}, {own_bytes, pools});  // 3 give
//     status = method.set_input(0, image, sizeof(image));                      // 4
//     status = method.execute();                                               // 5
//     const Tensor& answer = *method.output(0).tensor;
//
// with what the caller brings:
//
//     alignas(16) const uint8_t file[] = {...};        // the .pte
//     const Span<const Kernel> kernels[] = {...};      // operators; the first of a name counts
//     alignas(16) uint8_t own_bytes[M], main_pool[N];  // need.method_bytes, need.pools[0].bytes
//     const PoolMemory pools[] = {{1, main_pool}};     // need.pools[0].mem_id, its memory
//
// M and N are what `berth compile` prints. Nothing given is owned: file, kernels and memory stay
// with the caller, and stay put, while program and methods are in use.
//
// Every call answers a one-byte Status (contract/status.h): 0x1_ the file is wrong, 0x2_ the
// caller, 0x3_ a kernel or backend. Out-parameters are written on success only. With a LoadFault
// the loader also says which field, which item, and the numbers.
//
// A method with delegates is loaded with backends (runtime/load/delegates.h) and unloaded when it
// is done with; an image without them links nothing for it.
//
// Tiny images may leave out the words (BERTH_NO_LOAD_FAULT), the proof of the plan
// (BERTH_NO_CERTIFICATE), and all checks of the file (BERTH_TRUST_FILE: only for a file that a host
// has checked, `berth inspect`, in memory that nobody else writes; any other is undefined
// behaviour). Memory, operators, instruction set and inputs are checked always. All parts of an
// image are built with the same.
#pragma once

#include "contract/status.h"
#include "runtime/core/backend.h"
#include "runtime/core/evalue.h"
#include "runtime/core/kernel.h"
#include "runtime/core/span.h"
#include "runtime/core/tensor.h"
#include "runtime/exec/method.h"
#include "runtime/exec/method_meta.h"
#include "runtime/exec/opened_program.h"
#include "runtime/exec/tracer.h"
#include "runtime/load/delegates.h"
#include "runtime/load/external_data.h"
