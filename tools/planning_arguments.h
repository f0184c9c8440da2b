// What `berth compile` and `berth replan` have in common: the flags about boards, pools and
// planners, and the files and words that come out beside the .pte.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "compiler/report/report.h"
#include "compiler/target/board.h"
#include "contract/result.h"
#include "tools/arguments.h"
#include "tools/console.h"
#include "tools/files.h"

namespace berth::tools {

struct PlanningArguments {
  std::string input;
  std::string output;
  std::string board;  // empty: none
  std::string planner = "best";
  std::string io = "planned";
  bool no_reuse = false;
  bool spread = false;
  std::vector<std::string> pools;    // NAME=BYTES
  std::vector<std::string> budgets;  // NAME=BYTES
  std::string report;
  std::string header;
  std::optional<std::string> share_handles;  // replan alone
  bool strip = false;
  bool time = false;
  bool json = false;
};

// Adds the flags to the command. REQUIRES: *arguments outlives it.
void add_planning_options(CLI::App* app, PlanningArguments* arguments);

// What is wrong with --pool NAME=0: a capacity of 0 means none in a board and in a file.
std::string no_bytes(const std::string& name);

// REQUIRES: the command line's checks have passed on every item.
std::vector<NamedBytes> named_bytes(const std::vector<std::string>& items);

// The board with the capacities of --pool; *code is the exit code when this fails.
Result<target::Board> make_board(const PlanningArguments& arguments, int* code);

// The first output that would take the input's place, a slip that would cost the user the file; or
// nothing.
std::string output_on_input(const PlanningArguments& arguments,
                            const std::vector<std::string>& others);

// For --time: prints a line per stage.
void print_stage(const Console& console, const std::string& stage, uint64_t nanoseconds);

// Writes the .pte and what else was asked for, all or none, and prints the summary. Over budget,
// the report is what helps; a program that was asked not to exist is not written. `more` is written
// beside the .pte. Returns the exit code.
int write_planned(const PlanningArguments& arguments, const report::Report& report, Bytes file,
                  const std::vector<std::pair<std::string, Bytes>>& more, const Console& console);

}  // namespace berth::tools
