// What two programs do differently: interface, instructions, data, plan. Nothing is compared by its
// number in the file (values are numbered in the order of their use), so two files that say the
// same in another order are the same.
#pragma once

#include <string>
#include <vector>

#include "compiler/report/report.h"
#include "program/program.h"

namespace berth::report {

struct Difference {
  std::string part;   // "interface", "instructions", "data", "plan"
  std::string place;  // "forward: 3 cortex_m::pad.out, argument 2"
  std::string a;      // what the first has there; "-" for nothing
  std::string b;
};

// In the order of the parts, then of the program. REQUIRES: each report was built from its program.
std::vector<Difference> find_differences(const program::Program& a, const Report& report_a,
                                         const program::Program& b, const Report& report_b);

std::string text_differences(const std::vector<Difference>& differences, const std::string& file_a,
                             const std::string& file_b);
std::string json_differences(const std::vector<Difference>& differences, const std::string& file_a,
                             const std::string& file_b);

}  // namespace berth::report
