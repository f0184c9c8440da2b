// What goes into a method and comes out of it on this machine: a tensor with its bytes, or one of
// the few other kinds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "tools/compare.h"
#include "tools/tensor_files.h"

namespace berth::tools {

struct TensorValue {
  TensorSpec spec;
  Bytes data;  // in the spec's dim order
};
struct NoValue {};    // none
struct ListValue {};  // a list of values, which no test file can hold

using RunValue = std::variant<NoValue, TensorValue, int64_t, double, bool, std::string, ListValue>;

// "int 3", "f32[2x3]", "none", ...: what it is, with the value where that is short.
std::string value_text(const RunValue& value);

// "float32" (as NumPy and others say it) or "f32" (as we do). Nothing for other words.
std::optional<ScalarType> parse_scalar_type(std::string_view name);

// The bytes of a tensor in another dim order of the same sizes.
Bytes in_dim_order(const TensorValue& tensor, const std::vector<uint8_t>& dim_order);

// How `got` differs from `expected`, in words: "element [0, 1] is 3, expected 4; 1 of 6 elements
// differ", "is int 3, expected int 4", "has shape 2x3, expected 3x2". Nothing when it does not.
std::optional<std::string> difference(const RunValue& got, const RunValue& expected,
                                      const Tolerance& tolerance);

}  // namespace berth::tools
