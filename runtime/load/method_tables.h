// One method of a program file, found by name, with its vectors opened: what asking for bytes,
// loading and metadata all start from. The items behind the vectors are checked by whoever reads
// them.
#pragma once

#include <cstdint>

#include "contract/status.h"
#include "runtime/load/flat_reader.h"
#include "runtime/load/load_faults.h"
#include "runtime/load/program_file.h"

namespace berth::runtime {

struct MethodTables {
  const char* name = nullptr;
  FlatVector values;
  FlatVector inputs;  // value indices
  FlatVector outputs;
  FlatVector chains;
  FlatVector operators;
  FlatVector delegates;
  FlatVector pool_sizes;  // entry 0 is reserved, entry i is the arena of mem_id i
};

// The name of method i, or a fault. REQUIRES: i < file.plans.count.
Status method_name(const ProgramFile& file, uint32_t i, const char** out, LoadFaults& faults);

// The first method of that name. kNoSuchMethod, or what is wrong with its vectors.
Status open_method(const ProgramFile& file, const char* name, MethodTables* out,
                   LoadFaults& faults);

// The instructions of chain `i`. REQUIRES: i < tables.chains.count.
Status open_chain(FlatReader& reader, const MethodTables& tables, uint32_t i, FlatVector* out);

// The method's entry in the plan record, or an absent table. REQUIRES: file.has_record().
Status find_method_record(const ProgramFile& file, const char* name, FlatTable* out,
                          LoadFaults& faults);

}  // namespace berth::runtime
