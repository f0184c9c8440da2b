// What backends ask of a node before they take it, and of a part when they write it down. A graph's
// verifier knows kinds of arguments, not what an operator makes of shapes: a backend looks at those
// itself.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "compiler/ir/ir.h"

namespace berth::delegate {

// The value that argument `a` is; -1 when it is none.
ir::ValueId operand(const ir::Node& node, size_t a);

// Whether argument `a` is this number, integer or not.
bool is_number(const ir::Node& node, size_t a, double number);

// A list of integers, one for each of two axes. One alone is for both; an empty list, nothing.
using Pair = std::array<int32_t, 2>;
std::optional<Pair> pair_of(const ir::Node& node, size_t a);

// Whether the node is an operator of which all arguments that are tensors, and the first result,
// are of this type, of some elements, and of less than 2 GiB.
bool has_only(const ir::Graph& graph, const ir::Node& node, ScalarType dtype);

// Which of the graph's inputs a value is; -1 when it is none.
int32_t input_index(const ir::Graph& graph, ir::ValueId id);

// Elements between neighbours along each axis. REQUIRES: less than 2^31 elements.
std::vector<int32_t> strides_of(const ir::TensorSpec& spec);

// Adds bytes behind a blob's, at a multiple of `alignment`; answers where they are. REQUIRES: less
// than 4 GiB.
uint32_t append(const ir::Bytes& bytes, uint32_t alignment, ir::Bytes* blob);

}  // namespace berth::delegate
