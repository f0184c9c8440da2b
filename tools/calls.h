// A list of calls with what goes in and what should come out: from a JSON file (docs/cli.md), or
// the test sets of a bundled program.
#pragma once

#include <string>
#include <vector>

#include "contract/result.h"
#include "program/bundled_program.h"
#include "tools/run_value.h"

namespace berth::tools {

struct Call {
  std::string place;   // "vectors[2]", "method forward, test case 1": for errors
  bool reset = false;  // nothing is called; state is as after the load
  std::string method;
  std::vector<RunValue> inputs;
  bool has_outputs = false;
  std::vector<RunValue> outputs;  // expected
  int32_t bundled_input = -1;     // which test case of its method in a bundled program; -1: none
};

struct CallList {
  bool sequence = true;  // state is kept from call to call; false: each starts from a fresh load
  std::vector<Call> calls;
};

// Values name their files relative to the JSON. The error's place is in the JSON
// ("vectors[2].inputs[0].shape"), or a file's path.
Result<CallList> read_calls(const std::string& path);

// The cases of all suites; those of one method where `method` is not empty.
CallList calls_of_bundle(program::BundledProgram bundle, const std::string& method);

}  // namespace berth::tools
