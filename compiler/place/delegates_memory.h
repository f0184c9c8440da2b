// Memory that a delegate keeps from init() on, in a file whose record does not tell of it.
//
// Such a file has scratch and kept memory alike, as bytes behind the other arguments of a call.
// What its plan did with them tells them apart: where it put something else into the same bytes,
// at whatever time, nobody keeps them. What is a delegate's alone may be kept, so it is taken for
// that, and nothing is placed over it. Scratch that is by chance alone in the file stays so.
#pragma once

#include <cstdint>

#include "compiler/place/lifetimes.h"
#include "program/program.h"

namespace berth::place {

// Makes such storages state with the role kPersistent. False when that takes more than *budget
// steps. REQUIRES: storages that find_buffers has formed, in their places; lifetimes are the
// method's.
bool keep_delegates_memory(const Lifetimes& lifetimes, uint64_t* budget, program::Method* method);

}  // namespace berth::place
