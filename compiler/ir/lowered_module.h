// A part of a graph that a backend has compiled: what delegate nodes call. It says all that the
// file will say of it, the memory that it works in above all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/tensor_spec.h"

namespace berth::ir {

// What the user told the backend, handed to its runtime half as it is.
struct CompileSpec {
  std::string key;
  Bytes value;
  bool operator==(const CompileSpec&) const = default;
};

// Memory that a backend asks for.
struct MemorySpec {
  std::string name;         // for reports; not empty
  uint64_t nbytes = 0;      // at least 1
  uint32_t alignment = 16;  // of the address; a power of two
  std::string pool = {};    // by name; empty: the board's default
  bool operator==(const MemorySpec&) const = default;
};

// Argument `argument` (inputs, then outputs) lies in scratch `scratch` from byte `offset` on: an
// accelerator may want its inputs and outputs in its own arena. Two arguments may overlap there:
// only the backend knows whether it has read the one before it writes the other.
struct Inside {
  uint32_t argument = 0;
  uint32_t scratch = 0;
  uint64_t offset = 0;
  bool operator==(const Inside&) const = default;
};

// Bytes that delegates and methods share, found by key at load.
struct NamedBlob {
  std::string key;
  uint32_t alignment = 16;
  Bytes bytes;
  bool operator==(const NamedBlob&) const = default;
};

struct LoweredModule {
  std::string name;     // unique in its module; an identifier
  std::string backend;  // the delegate's id: "XnnpackBackend"
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  std::vector<CompileSpec> compile_specs;
  Bytes processed;                     // what the runtime half gets in init()
  std::vector<MemorySpec> scratch;     // per call, in the order the runtime half receives them
  std::vector<MemorySpec> persistent;  // for the life of the handle
  std::vector<Inside> inside;
  std::vector<NamedBlob> named_data;
  // All calls of this module in one method use one handle: init() runs once. Never with scratch.
  bool share_handle = false;
  bool operator==(const LoweredModule&) const = default;
};

}  // namespace berth::ir
