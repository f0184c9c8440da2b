// Where a plan lets a buffer be overwritten while somebody still needs it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/place/lifetimes.h"
#include "compiler/place/write_conflicts.h"
#include "contract/result.h"
#include "program/program.h"

namespace berth::place {

// Pairs of buffers with bytes in common that WriteConflicts objects to. One finding per pair of
// buffers, the earliest; sorted by instruction. REQUIRES: every storage has its place; lifetimes
// are the method's.
Result<std::vector<Clobber>> find_clobbers(const program::Method& method,
                                           const Lifetimes& lifetimes);

// "instruction 7 aten::add.out writes values[12] over values[9], which is needed later: bytes
// [0, 64) and [32, 96) of memory 1"
Error clobber_error(const program::Method& method, const Clobber& clobber);

// The first clobber of the method as an error, or nothing. REQUIRES: find_buffers was here, or the
// method has a record.
MaybeError check_clobbers(const program::Method& method);

}  // namespace berth::place
