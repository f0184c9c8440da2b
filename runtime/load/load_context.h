// What the parts of the loader share while one method is built. Internal to runtime/load.
#pragma once

#include <cstdint>

#include "runtime/load/method_loader.h"
#include "runtime/load/method_tables.h"
#include "runtime/load/pte_kinds.h"
#include "runtime/load/tensor_shape.h"

namespace berth::runtime {

struct LoadContext {
#ifndef __OPTIMIZE_SIZE__
  // Sets what has a first value and no more, where an initializer list clears all of it before.
  LoadContext(const ProgramFile& its_file, const MethodTables& its_tables,
              const LoadOptions& its_options, const MethodNeed& its_need, LoadFaults& its_faults,
              const FlatReader& its_reader)
      : file(its_file),
        tables(its_tables),
        options(its_options),
        need(its_need),
        faults(its_faults),
        reader(its_reader) {}
#endif

  const ProgramFile& file;
  const MethodTables& tables;
  const LoadOptions& options;
  const MethodNeed& need;
  LoadFaults& faults;
  FlatReader reader;
  uint8_t* pool_bases[kMaxPools] = {};  // parallel to need.pools

  LoadedMethod* method = nullptr;
  TableLayout value_layout{kinds::kValue};
#ifndef __OPTIMIZE_SIZE__
  TableLayout int_layout{kinds::kInt};
#endif
  TableLayout tensor_layout{kinds::kTensor};
  TableLayout allocation_layout{kinds::kAllocationInfo};
  TableLayout instruction_layout{kinds::kInstruction};
  TableLayout call_layout{kinds::kKernelCall};
  Tensor* next_tensor = nullptr;
  int32_t* dims = nullptr;             // sizes of dynamic tensors, from the end of the memory down
  size_t own_size = 0;                 // of method memory
  const Kernel** operators = nullptr;  // parallel to tables.operators
  bool any_repointed = false;
  bool any_unplaced = false;    // tensors of which the file does not say where they are
  bool any_early_list = false;  // int lists that are not known to be right
  // What is left for lists and arguments; for elements of tensor lists that calls name.
  uint32_t list_bytes = file.program_size;
  uint32_t list_uses = 2 * file.program_size;

  // As LoadFaults does; the faults' item is what is being checked.
  template <typename... Numbers>
  Status fail(Status status, const Slot& field, Numbers... need_and_have) {
    return faults.fail(status, field, need_and_have...);
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
  // REQUIRES: the list lies in the file.
  bool count_list(uint32_t elements, uint32_t element_shift) {
    return take(elements << element_shift, &list_bytes);
  }
  // The same for calls that name the same list again and again, with room for honest ones.
  bool count_list_use(size_t elements) { return take(elements, &list_uses); }

 private:
  static bool take(size_t count, uint32_t* left) {
    if (count > *left) return false;
    *left -= static_cast<uint32_t>(count);
    return true;
  }
};

// value_builder.cc. Fills state with its initial bytes on the way.
Status build_values(LoadContext& context);

// instruction_builder.cc
Status resolve_operators(LoadContext& context);
// REQUIRES: values, inputs, outputs and operators are there.
Status build_instructions(LoadContext& context);

}  // namespace berth::runtime
