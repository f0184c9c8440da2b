// The runtime half of the reference backend: the example to copy (docs/write-a-backend.md).
#pragma once

#include "runtime/core/backend.h"

namespace berth::reference {

const runtime::Backend& runtime_backend();

}  // namespace berth::reference
