// After storages were put together, some have no value left.
#pragma once

#include "program/program.h"

namespace berth::place {

// Drops the storages that no value names and numbers the others anew, in their order.
void drop_unused_storages(program::Method* method);

}  // namespace berth::place
