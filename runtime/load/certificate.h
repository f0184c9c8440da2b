// The proof of a memory plan. The plan record says when each buffer is live; offsets and sizes
// stand in the program alone. If the record is true of the program, no instruction can read bytes
// that another buffer has overwritten since they were made, on any path. The record is not
// believed: every claim that the proof needs is checked here, without working memory.
//
// What is checked (docs/plan-record.md has the fields; n instructions, intervals half-open):
//
//   1.  The record is of this program: counts, indices, sorted disjoint intervals within [0, n).
//   2.  A planned value has a buffer, and lies inside the bytes of its buffer's extent.
//   3.  Every argument of instruction k, list elements too, is of a buffer that is live at k.
//   4.  An interval begins with a write of the whole buffer by its first instruction, which does
//       not read the buffer; or at 0 with an input or state; or behind an instruction that cannot
//       fall through, where only jumps arrive.
//   4a. A buffer that is assembled from parts begins with a write of a part: see below.
//   5.  For every jump p -> s, a buffer live at s that instruction s does not fill is live at p.
//   6.  State and what delegates keep is live throughout, inputs at 0, outputs to the end.
//   7.  No two buffers are live at one instruction and share bytes.
//   8.  A moved value and a view made at run time stay in the buffer they come from.
//
// By induction along any path: a live buffer holds what its instructions wrote. 4 starts it, 5
// keeps it over jumps, 7 keeps others away.
//
// In a buffer assembled from parts (a concatenation written in place), bytes of a part could be
// left over from an earlier passage. So it has one interval, and either no way back to its
// beginning or no jump inside: then a part that is read before it was written in this passage was
// never written at all, in any memory.
//
// What is taken from the record without proof: that values of one buffer are meant to share it; and
// where it does not tell a delegate call's arguments apart, that those which begin with the call
// are its results.
//
// Time: linear in instructions and arguments, plus pairs of buffers that overlap in time, plus
// jumps times buffers.
#pragma once

#include "contract/status.h"
#include "runtime/load/flat_reader.h"
#include "runtime/load/loaded_method.h"

namespace berth::runtime {

// For tests, which show that every rule is needed.
struct CertificateRules {
  bool jumps = true;     // rule 5
  bool assembly = true;  // rule 4a
};

// kOk, or kPlanRecordMismatch (a false record), kPlanOverlap (rule 7), or what is wrong with the
// record's bytes. `record` is the method's table, read by `reader`.
Status prove_plan(const LoadedMethod& method, FlatReader reader, FlatTable record,
                  CertificateRules rules = {});

}  // namespace berth::runtime
