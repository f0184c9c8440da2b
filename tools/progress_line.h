// One line on a terminal that is rewritten while a plan is searched, once that takes long.
#pragma once

#include <cstdio>
#include <functional>

#include "plan/plan.h"
#include "tools/console.h"

namespace berth::tools {

class ProgressLine {
 public:
  // On stderr; shows nothing where that is no terminal, and nothing with -q.
  explicit ProgressLine(const Console& console);
  // On `to` (null: shows nothing), by another clock: seconds from any moment on, rising.
  ProgressLine(std::FILE* to, std::function<double()> clock);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // For plan::Options::progress; empty when there is nothing to show. REQUIRES: this outlives it.
  std::function<void(const plan::Progress&)> callback();

  // Takes the line away, so that something else can be written; a later call brings it back.
  void clear();

 private:
  void show(const plan::Progress& progress);

  std::FILE* to_;
  std::function<double()> clock_;
  double next_ = 0;  // when the line is written again
  bool is_shown_ = false;
};

}  // namespace berth::tools
