// What an activation is, in whatever form an importer left it: a clamp operator, a minimum or
// maximum with a constant, or a table of 256 answers that may be a clamp in disguise. Passes that
// fuse activations look at them through this.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "compiler/ir/ir.h"

namespace berth::passes {

struct Range {
  int64_t low = 0;
  int64_t high = 0;
};

inline int64_t clamp_to_range(int64_t value, const Range& range) {
  return value < range.low ? range.low : value > range.high ? range.high : value;
}

// What int8 and int16 hold. Nothing for other types: for floats, a clamp that cuts nothing off and
// no clamp differ for nan.
std::optional<Range> type_range(ScalarType type);

// A bound argument as the whole number it is, or `otherwise` for none. Nothing for fractions.
std::optional<int64_t> whole_bound(const ir::Arg& arg, int64_t otherwise);

using Table = std::array<int8_t, 256>;  // entry i is the answer for i - 128

struct Activation {
  ir::ValueId input = -1;      // what it works on: the data, not the table or the constant bound
  std::optional<Range> clamp;  // when a clamp is all it does; within the type's range
  std::optional<Table> table;  // int8 only, also for clamps
};

// Nothing when the node is no activation on int8 or int16 whose effect is known, or when result
// and input differ in spec. REQUIRES: a verified graph.
std::optional<Activation> read_activation(const ir::Graph& graph, const ir::Node& node);

}  // namespace berth::passes
