// Planner cases as text, for tests:
//
//   # case touching ends may share      a new case; its name
//   # planner: greedy   align: 16       defaults: best, alignment 1
//   # pool: sram 4096 cost 2            any number; none: one pool `main` without capacity
//   a [0,2) 100   # -> 0              where it must go, `-> 1:64` names pool 1; without: anywhere
//   b [1,3)[5,6) 100 align 32         and any of: pools 1,0  fixed 0:64  inside a+16  share a,c
//                                     accesses 3
//   # peak 224                        bytes per pool
//   # bound 208                       lower bound per pool
//   # optimal yes                     proven_optimal
//   # error b: some words             make_plan must fail with these words in "place: message"
//
// Other lines that begin with # are comments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace berth::plan {

struct Case {
  std::string name;
  Planner planner = Planner::kBest;
  Problem problem;
  std::vector<std::optional<Placement>> expected;  // per buffer
  std::vector<uint64_t> peak;
  std::vector<uint64_t> bound;
  std::optional<bool> optimal;
  std::string error;
};

// Aborts with the line on anything it does not understand: a test that is not read is no test.
std::vector<Case> read_cases(const std::string& path);
std::vector<Case> parse_cases(const std::string& text);

}  // namespace berth::plan
