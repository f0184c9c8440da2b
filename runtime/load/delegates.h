// Backends that methods are loaded with: given in the load options. An image that makes no Backends
// links none of this: the loader and the methods reach it through a pointer that the constructor
// sets.
#pragma once

#include <cstdint>

#include "contract/status.h"
#include "runtime/core/backend.h"
#include "runtime/core/span.h"
#include "runtime/load/loaded_method.h"

namespace berth::runtime {

struct LoadContext;

// What loader and methods do about delegates. Internal to runtime/load and runtime/exec.
struct DelegateFunctions {
  // Finds a backend for every entry of the delegate table (kNoSuchBackend names the one that has
  // none) and builds the calls: indices in range, counts and roles those of the plan record,
  // outputs and scratch writable. Refuses calls with fields that are not known here (kNewerFeature)
  // and a second call of an entry that has scratch. Then, once check(context) finds the whole
  // method in order, init() of every entry; after a failure those before it are destroyed.
  // REQUIRES: all other instructions are built.
  Status (*load)(LoadContext& context, Status (*check)(LoadContext&));
  // One call. `tracer` may be null.
  Status (*call)(const LoadedMethod& method, const Instruction& call, const Span<uint8_t>& temp,
                 StepTracer* tracer);
  // destroy() of every entry that was initialised, the last one first.
  void (*destroy)(LoadedMethod& method);
};

class Backends {
 public:
  // None: a method with delegates is refused (kNoSuchBackend).
  Backends() = default;
  // The first backend of an id counts. `options` are values born at run time, for backends' init().
  // The backends themselves stay with the caller until methods loaded with them are unloaded; the
  // two lists are looked at by load() alone.
  explicit Backends(Span<const Backend* const> list, Span<const BackendOption> options = {});

  // For the loader. Null when there are none.
  const DelegateFunctions* functions() const { return functions_; }
  Span<const Backend* const> list() const { return list_; }
  Span<const BackendOption> options() const { return options_; }

 private:
  const DelegateFunctions* functions_ = nullptr;
  Span<const Backend* const> list_;
  Span<const BackendOption> options_;
};

}  // namespace berth::runtime
