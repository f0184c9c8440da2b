// A backend for tests of the loader and of delegate calls: adds its inputs up, and writes down what
// it was given. It has no globals: the log comes with the load options.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/core/backend.h"

namespace berth::testing {

// What the probe saw. It lives with the test, longer than every method loaded with it.
struct ProbeLog {
  struct Call {
    std::string name;  // of the delegate: its compile spec "name"
    uint32_t arguments = 0, inputs = 0, outputs = 0;
    std::vector<runtime::Span<uint8_t>> scratch;
    bool from_temp = false;
  };
  std::vector<std::string> inits;  // names
  std::vector<Call> calls;
  std::vector<std::string> destroys;
  int handles = 0;  // made and not yet destroyed
  std::vector<runtime::Span<uint8_t>> persistent;
  std::string named_data;
  int64_t limit = 0;
  std::string mode;
  runtime::Span<uint8_t> window;

  // The option that hands it over.
  runtime::BackendOption option(const char* backend = "probe");
};

// The blob: how many inputs, outputs and scratch buffers a call has, and the bytes of each of
// those. init() fails for a shorter one.
std::vector<uint8_t> probe_blob(uint8_t inputs, uint8_t outputs, uint8_t scratch,
                                uint8_t scratch_bytes);

// Compile specs: "name" for the log; "fail" lets init() fail; "flat" lets it look at the flat list
// alone, as backends of stock runtimes do; "data" is a key of named data, "window" the bytes that
// it asks for as an option. Options: "log", and "limit" (integer), "mode" (text) and "window"
// (memory) to be written down. execute() fills its scratch with 0xAB and writes the sum of all
// inputs (float) to every output; it tells a tracer of the step "Add #1".
extern const runtime::Backend kProbe;

}  // namespace berth::testing
