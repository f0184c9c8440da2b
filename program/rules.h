// Small rules that several parts of the validator share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "program/field_path.h"
#include "program/program.h"
#include "program/validate_program.h"

namespace berth::program {

// `index` must be one of `count` things; `of` says what they are ("values").
[[nodiscard]] MaybeError check_index(const FieldPath& path, std::string_view field, int64_t index,
                                     size_t count, const char* of);

// The same for a list of value indices.
[[nodiscard]] MaybeError check_value_indices(const FieldPath& path, const char* field,
                                             const std::vector<int32_t>& indices, size_t values);

// No two of `names` alike; `what` says what they are ("key").
[[nodiscard]] MaybeError check_distinct(const FieldPath& path, std::vector<std::string_view> names,
                                        std::string_view field, const char* what);

// Chains and instructions. REQUIRES: values are valid; `path` leads to the method.
[[nodiscard]] MaybeError check_instructions(const Method& method, FieldPath& path);

// A method's recorded plan. REQUIRES: the rest of the method is valid; `path` leads to it.
[[nodiscard]] MaybeError check_recorded_plan(const Method& method, Placed placed, FieldPath& path);

// The program-wide part. REQUIRES: program.record.
[[nodiscard]] MaybeError check_record(const Program& program, Placed placed);

}  // namespace berth::program
