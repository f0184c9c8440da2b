// Work memory of delegates in a file whose record does not tell of it: scratch, and memory that a
// delegate keeps from init() on.
//
// Such a file has both alike, as bytes behind the other arguments of a call. What its plan did with
// them tells them apart: where it put something else into the same bytes, at whatever time, nobody
// keeps them. What is a delegate's alone may be kept, so it is taken for that, and nothing is
// placed over it. Scratch that is by chance alone in the file stays so.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/place/lifetimes.h"
#include "program/program.h"

namespace berth::place {

// Per value: the delegate whose calls alone name it, each behind all its other arguments; -1 for
// all other values. Lists of bytes, as compilers declare work memory. Only of calls of which no
// record tells.
std::vector<int32_t> find_delegates_work(const program::Method& method);

// Makes what may be kept state with the role kPersistent. False when that takes more than *budget
// steps. REQUIRES: storages that find_buffers has formed, in their places; lifetimes are the
// method's.
bool keep_delegates_memory(const Lifetimes& lifetimes, uint64_t* budget, program::Method* method);

}  // namespace berth::place
