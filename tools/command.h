// A sub-command of berth. Each lives in one file, which declares its options and what it does;
// main.cc picks one.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "tools/console.h"

namespace berth::tools {

struct Command {
  CLI::App* app = nullptr;   // parsed() says whether it was asked for
  std::function<int()> run;  // an ExitCode
};

Command add_compile_command(CLI::App& berth, const Console& console);
Command add_plan_command(CLI::App& berth, const Console& console);
Command add_inspect_command(CLI::App& berth, const Console& console);
Command add_run_command(CLI::App& berth, const Console& console);
Command add_replan_command(CLI::App& berth, const Console& console);
Command add_diff_command(CLI::App& berth, const Console& console);

}  // namespace berth::tools
