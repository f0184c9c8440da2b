// Which methods of a program share which arenas.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "contract/result.h"
#include "program/program.h"

namespace berth::tools {

// The memory behind each (method, mem_id), by number: equal numbers are one memory. Methods never
// run at the same time.
//
//   - With a plan record: an arena is one memory for all methods.
//   - Without one, or where it says separate_methods: each method has its own, except where methods
//     hold the same state (fully qualified name and offset) in an arena; that arena is one memory
//     for those.
//
// Methods are numbered as in `methods`, which names some of the program's.
using MemoryNumbers = std::map<std::pair<size_t, uint32_t>, uint32_t>;
MemoryNumbers share_memory(const program::Program& program,
                           const std::vector<std::string>& methods);

// State must outlive the runs of other methods that share its memory. The first state that another
// method's buffers lie over, in words; nothing when there is none. `numbers` are those of
// `methods`.
MaybeError find_lost_state(const program::Program& program, const std::vector<std::string>& methods,
                           const MemoryNumbers& numbers);

}  // namespace berth::tools
