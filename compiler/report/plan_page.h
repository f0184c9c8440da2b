// The page of `berth plan`: a plan of buffers alone, in the manner of html_report().
#pragma once

#include <string>

#include "plan/plan.h"

namespace berth::report {

// One page that needs nothing else: a memory map per pool, the biggest buffers, what was live when.
// `file`: the problem's name. Same problem and plan, same bytes. REQUIRES: plan::check() found
// nothing.
std::string html_plan(const plan::Problem& problem, const plan::Plan& plan,
                      const std::string& file);

}  // namespace berth::report
