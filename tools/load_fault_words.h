// What the runtime says in one byte and five numbers, in words a user can act on.
#pragma once

#include <string>
#include <vector>

#include "contract/result.h"
#include "contract/status.h"
#include "program/program.h"

namespace berth::tools {

struct PoolName {
  uint32_t mem_id = 0;
  std::string name;
};

// Null when there is none of this name, or the program could not be read.
const program::Method* find_method(const Result<program::Program>& program,
                                   const std::string& name);

// "delegate 0 (reference)"; without the backend where `method` is null or has no such delegate.
std::string delegate_label(const program::Method* method, uint64_t delegate);

// "instruction 1", with the delegate that it calls, if it does.
std::string instruction_label(const program::Method* method, uint64_t instruction);

// What the file gives to a call besides its inputs and outputs: `scratch 0 "even" of 144 bytes,
// ...`. Empty when it gives nothing, or has no plan record, or the instruction calls no delegate.
std::string work_of_call(const program::Method& method, uint64_t instruction);

// REQUIRES: status is not kOk. `fault` may be without a field, when the runtime had nothing to say.
// `method`, the one that was to be loaded, gives the names of delegates and their buffers; it may
// be null.
Error load_fault_words(Status status, const LoadFault& fault, const std::vector<PoolName>& pools,
                       const program::Method* method = nullptr);

}  // namespace berth::tools
