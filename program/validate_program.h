// What must hold between the structs of a program. The reader, the writer, emit and place rely on
// the same rules, so they stand here once. Lifetimes are not looked at: whether two live buffers
// meet is the plan checker's matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "contract/plan_record.h"
#include "contract/result.h"
#include "program/field_path.h"
#include "program/program.h"

namespace berth::program {

enum class Placed : bool {
  kNotYet,  // storages may be without a place (mem_id 0)
  kYes,     // every planned storage lies inside its pool, recorded plans are complete
};

constexpr size_t kMaxRank = 16;        // of the format
constexpr uint32_t kMaxMemId = 65535;  // ours: a pool's number is the length of a list in the file

// Nothing when all rules hold; else the first rule broken, with the field in the words of the
// format and what would be right. Time linear in the size of the program, but for a sort of the
// pools' names.
[[nodiscard]] MaybeError validate(const Program& program, Placed placed);

// The rules for one tensor by itself: type, sizes, dim order, enums. `path` leads to the tensor.
[[nodiscard]] MaybeError check_tensor(const Tensor& tensor, const FieldPath& path);

// Per storage the first value whose bytes are all of it, or -1: who carries a state's initial bytes
// in the file. REQUIRES: storage indices in range.
std::vector<int32_t> covering_values(const Method& method);

}  // namespace berth::program
