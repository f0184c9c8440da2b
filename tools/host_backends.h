// The backends that this build has: an explicit list, both halves of each. And the option
// --backend.
#pragma once

#include <string>
#include <vector>

#include "compiler/delegate/compile_backend.h"
#include "contract/result.h"
#include "runtime/core/backend.h"
#include "runtime/core/span.h"

namespace berth::tools {

struct HostBackend {
  const delegate::Backend* compile;
  const runtime::Backend* runtime;
};
const std::vector<HostBackend>& host_backends();

// Their runtime halves, for the load options.
runtime::Span<const runtime::Backend* const> host_runtime_backends();

// Their ids, in the order of the list.
std::vector<std::string> backend_ids();

// "ID,key=value,key=value": the backend and what it is told.
struct BackendText {
  std::string id;
  delegate::CompileSpecs specs;
};
// An error has no place: an id that this build lacks (names those that it has), a part that is no
// key=value, a key twice.
Result<BackendText> parse_backend(const std::string& text);

// The compile half. REQUIRES: parse_backend has taken the id.
const delegate::Backend* find_backend(const std::string& id);

}  // namespace berth::tools
