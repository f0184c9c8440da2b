// Delegates of a program that a file lists apart although they are one: the same backend, the same
// blob, the same compile specs. Stock compilers write an entry for each call of a lowered module,
// and a runtime prepares each of them anew.
//
//     entries  0 A  1 B  2 A  3 A        0 A  1 B
//     calls    0    1    2    3     ->   0    1    0    0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contract/result.h"
#include "program/program.h"

namespace berth::place {

// Entries of one method that became one.
struct SharedHandle {
  int32_t method = 0;
  int32_t delegate = 0;          // the entry that stayed, as it is numbered now
  std::vector<int32_t> entries;  // all of them, as they were numbered before
  std::vector<int32_t> calls;    // the instructions that call it now
};

// Merges the entries of backend `id` in each method, and says which. Whoever asks vouches that the
// backend keeps nothing between calls that the calls must not share. Errors: no method has a
// delegate of that id; calls that would share have scratch or memory that the delegate keeps, as
// far as the plan record tells. On an error the program stays as it was.
[[nodiscard]] Result<std::vector<SharedHandle>> share_handles(const std::string& id,
                                                              program::Program* program);

}  // namespace berth::place
