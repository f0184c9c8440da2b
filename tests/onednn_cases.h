// Graphs of one input that the oneDNN backend takes, for its tests.
#pragma once

#include <cstddef>
#include <vector>

namespace berth::testing {

struct OnednnCase {
  const char* name;
  size_t inputs;      // floats of the only input
  size_t groups;      // lowered modules, at most: not every implementation fuses everything
  const char* lines;  // of a graph, %x the input
};

// The first: a convolution of which the library has none but a `gemm` implementation.
const std::vector<OnednnCase>& onednn_cases();

std::vector<std::byte> model_of(const OnednnCase& one);

}  // namespace berth::testing
