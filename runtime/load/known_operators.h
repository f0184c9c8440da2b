// The operators that loader and prover treat in a way of their own.
#pragma once

#include "contract/operators.h"

namespace berth::runtime {

bool is_named(const OperatorSchema& schema, const char* name, const char* overload);

// Its out stands for self's bytes from then on.
bool is_et_view(const OperatorSchema& schema);

// Overwrites all of the tensor it returns, where other in-place operators read it.
bool is_copy(const OperatorSchema& schema);

}  // namespace berth::runtime
