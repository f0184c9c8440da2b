// What the parts of the loader share while one method is built. Internal to runtime/load.
#pragma once

#include <cstdint>

#include "runtime/load/method_loader.h"
#include "runtime/load/method_tables.h"

namespace berth::runtime {

struct LoadContext {
  const ProgramFile& file;
  const MethodTables& tables;
  const LoadOptions& options;
  const MethodNeed& need;
  FaultNote note;
  FlatReader reader;
  uint8_t* pool_bases[kMaxPools] = {};  // parallel to need.pools

  LoadedMethod* method = nullptr;
  Tensor* next_tensor = nullptr;
  const Kernel** operators = nullptr;  // parallel to tables.operators
  int32_t* next_dim = nullptr;         // where the sizes of the next dynamic tensor go
  bool any_repointed = false;
  uint64_t list_bytes =
      0;  // of lists and arguments so far: vectors that share their bytes end here

  // Lists together cannot be longer than the file that holds them, unless they share their bytes;
  // then a small file could keep the loader busy for ever.
  bool count_list(uint32_t elements, uint32_t element_bytes) {
    list_bytes += uint64_t{elements} * element_bytes;
    return list_bytes <= file.program_size;
  }
};

// value_builder.cc
Status build_values(LoadContext& context);
// Copies the initial bytes of state into its pools. REQUIRES: build_values has passed.
Status fill_state(LoadContext& context);

// instruction_builder.cc
Status resolve_operators(LoadContext& context);
// REQUIRES: values, inputs, outputs and operators are there.
Status build_instructions(LoadContext& context);

}  // namespace berth::runtime
