// The certificate of a placed method: which value lies in which buffer, when each buffer is live,
// what it is for.
#pragma once

#include "compiler/place/lifetimes.h"
#include "contract/result.h"
#include "program/program.h"

namespace berth::place {

// What a plan record would say, for people to see: of a value that may stand for one of several
// buffers it says none, and where no value spans a buffer, the largest value in it stands for it.
// REQUIRES: every planned storage has its place; lifetimes are the method's.
program::RecordedPlan describe_plan(const program::Method& method, const Lifetimes& lifetimes);

// The same for the file, where it is a certificate: an error where it would have to leave something
// open. REQUIRES: every planned storage has its place. pool_use, planner and proven_optimal are
// left for the caller. Buffers come sorted by the begin of their first interval, then by extent
// value.
Result<program::RecordedPlan> record_plan(const program::Method& method);

// What stands against a certificate besides: a buffer that is live without having been written, as
// the accumulator of a loop whose parts are written one by one. docs/plan-record.md has the rules
// that the loader proves. REQUIRES: every planned storage has its place.
MaybeError find_unprovable(const program::Method& method);

// The proof on a program as read back from its bytes: lifetimes found anew from the instructions
// agree with the record (where there is one), no two storages that are occupied at one instruction
// have a byte in common, all of them lie in their pools. Nothing when it holds.
MaybeError prove_plan(const program::Program& program);

}  // namespace berth::place
