// The bytes of a .bpte: a program with its own tests. The bytes come from a stranger: everything is
// checked, the error names the field in the words of the format. The program inside is bytes here;
// program/read.h reads it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "contract/result.h"
#include "contract/scalar_type.h"
#include "program/program.h"

namespace berth::program {

struct BundledTensor {
  ScalarType dtype = ScalarType::kFloat;
  std::vector<int32_t> sizes;
  std::vector<uint8_t> dim_order;  // outermost to innermost, as many as sizes
  Bytes data;                      // in dim order, exactly the tensor's bytes
};

using BundledValue = std::variant<BundledTensor, int64_t, bool, double>;

struct BundledCase {
  std::vector<BundledValue> inputs;
  std::vector<BundledValue> expected_outputs;  // empty: nothing is expected
};

struct BundledSuite {
  std::string method;
  std::vector<BundledCase> cases;
};

struct BundledProgram {
  std::vector<BundledSuite> suites;
  Bytes program;  // a whole .pte
};

// Whether the file says that it is one.
bool is_bundled_program(std::span<const std::byte> file);

// What it needs in memory is a small multiple of the file's size, whatever the file says.
[[nodiscard]] Result<BundledProgram> read_bundled_program(std::span<const std::byte> file);

}  // namespace berth::program
