// Runs a list of calls on one loaded program and compares what comes out.
#pragma once

#include <string>
#include <vector>

#include "tools/calls.h"
#include "tools/console.h"
#include "tools/host_program.h"

namespace berth::tools {

// What one call gave, in the first repetition.
struct CallResult {
  std::string method;
  std::vector<RunValue> outputs;
  std::vector<double> seconds;  // of each run
  bool as_expected = true;
};

struct CallOptions {
  Tolerance tolerance;
  uint32_t repeat = 1;
  TraceRecorder* recorder = nullptr;  // is told which test case runs
};

// The methods that the list calls, each once, in the order of the program's.
std::vector<std::string> called_methods(const CallList& list,
                                        const std::vector<std::string>& program_methods);

// REQUIRES: the methods are loaded. A sequence is repeated as a whole, each time from a fresh load;
// other calls one by one, from one fresh load each. Says on the console where outputs differ and
// what is refused. Answers the exit code.
int run_calls(const CallList& list, const CallOptions& options, const std::string& file,
              HostProgram& host, const Console& console, std::vector<CallResult>* results);

}  // namespace berth::tools
