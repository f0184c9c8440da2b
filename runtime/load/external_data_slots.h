// The fields of a .ptd that the runtime reads: slot numbers of format/external_data.fbs, with the
// names that faults print. pte_slots_test.cc compares every number with what flatc makes of the
// schema. Segments and keys are those of a .pte.
#pragma once

#include "runtime/load/load_faults.h"

namespace berth::runtime::slots {

BERTH_SLOT(kExternalSegments, 1, "segments", kRequired);
BERTH_SLOT(kExternalEntries, 2, "named_data", kRequired);
BERTH_SLOT(kTensorLayout, 2, "named_data.tensor_layout");
BERTH_SLOT(kLayoutScalarType, 0, "named_data.tensor_layout.scalar_type", kByte);
BERTH_SLOT(kLayoutSizes, 1, "named_data.tensor_layout.sizes", kRequired);
BERTH_SLOT(kLayoutDimOrder, 2, "named_data.tensor_layout.dim_order", kBytes);

}  // namespace berth::runtime::slots
