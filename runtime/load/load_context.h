// What the parts of the loader share while one method is built. Internal to runtime/load.
#pragma once

#include <cstdint>

#include "runtime/load/method_loader.h"
#include "runtime/load/method_tables.h"
#include "runtime/load/tensor_shape.h"

namespace berth::runtime {

struct LoadContext {
  const ProgramFile& file;
  const MethodTables& tables;
  const LoadOptions& options;
  const MethodNeed& need;
  LoadFaults& faults;
  FlatReader reader;
  uint8_t* pool_bases[kMaxPools] = {};  // parallel to need.pools

  LoadedMethod* method = nullptr;
  TensorLayout tensor_layout = {};
  Tensor* next_tensor = nullptr;
  int32_t* dims = nullptr;             // sizes of dynamic tensors, from the end of the memory down
  size_t own_size = 0;                 // of method memory
  const Kernel** operators = nullptr;  // parallel to tables.operators
  bool any_repointed = false;
  uint64_t list_bytes = 0;  // of lists and arguments so far
  uint64_t list_uses = 0;   // elements of tensor lists that calls have named so far

  // As LoadFaults does; the faults' item is what is being checked.
  template <typename Need = FaultNumber, typename Have = FaultNumber>
  Status fail(Status status, const Slot& field, Need need_number = 0, Have have_number = 0) {
    return faults.fail(status, field, need_number, have_number);
  }

  // Bytes of method memory between tensors and dims.
  size_t room() const {
    return static_cast<size_t>(reinterpret_cast<uint8_t*>(dims) -
                               reinterpret_cast<uint8_t*>(next_tensor));
  }
  // The fault of method memory that cannot hold all: says how much would.
  Status too_small();

  // Lists together cannot be longer than the file that holds them, unless they share their bytes;
  // then a small file could keep the loader busy for ever.
  bool count_list(uint32_t elements, uint32_t element_bytes) {
    list_bytes += uint64_t{elements} * element_bytes;
    return list_bytes <= file.program_size;
  }
  // The same for calls that name the same list again and again, with room for honest ones.
  bool count_list_use(size_t elements) {
    list_uses += elements;
    return list_uses <= uint64_t{4} * file.program_size;
  }
};

// value_builder.cc. Fills state with its initial bytes on the way.
Status build_values(LoadContext& context);

// instruction_builder.cc
Status resolve_operators(LoadContext& context);
// REQUIRES: values, inputs, outputs and operators are there.
Status build_instructions(LoadContext& context);

}  // namespace berth::runtime
