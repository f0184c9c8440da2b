// The operators both halves know, by family; operator_schema.h says what the letters mean. The
// compiler checks nodes and finds reads, writes and scratch by it; the loader checks every call
// once, so that kernels need not check kinds again. An image links only the schemas that its
// kernels name.
#pragma once

#include <cstddef>

#include "contract/aten_comparison_operators.h"
#include "contract/aten_copy_operators.h"
#include "contract/aten_math_operators.h"
#include "contract/aten_network_operators.h"
#include "contract/aten_reduction_operators.h"
#include "contract/aten_shape_operators.h"
#include "contract/berth_operators.h"
#include "contract/cortex_m_operators.h"
#include "contract/operator_schema.h"
#include "contract/prim_operators.h"
#include "contract/quantized_decomposed_operators.h"

namespace berth {

namespace ops {

template <size_t kCount>
struct OperatorTable {
  const OperatorSchema* entries[kCount];
  constexpr const OperatorSchema* const* begin() const { return entries; }
  constexpr const OperatorSchema* const* end() const { return entries + kCount; }
};

template <size_t... kCounts>
constexpr OperatorTable<(kCounts + ...)> join_tables(
    const OperatorSchema* const (&... tables)[kCounts]) {
  OperatorTable<(kCounts + ...)> all{};
  size_t n = 0;
  const auto append = [&](const OperatorSchema* const* table, size_t count) {
    for (size_t i = 0; i < count; ++i) all.entries[n++] = table[i];
  };
  (append(tables, kCounts), ...);
  return all;
}

inline constexpr auto kAll =
    join_tables(kCortexM, kBerth, kAtenMath, kAtenComparisons, kAtenCopies, kAtenReductions,
                kAtenShapes, kAtenNetwork, kPrims, kDecomposed);

}  // namespace ops

// The schema of name and overload, or null.
constexpr const OperatorSchema* find_operator(const char* name, const char* overload) {
  for (const OperatorSchema* schema : ops::kAll) {
    if (same_text(schema->name, name) && same_text(schema->overload, overload)) return schema;
  }
  return nullptr;
}

}  // namespace berth
