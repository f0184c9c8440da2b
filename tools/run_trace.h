// The files of `berth run --etdump`: what is recorded of a run, and where it goes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/files.h"
#include "tools/host_program.h"
#include "tools/trace_recorder.h"

namespace berth::tools {

class RunTrace {
 public:
  // Without `etdump` nothing is recorded; without `debug_buffer` no bytes of values are.
  RunTrace(const std::optional<std::string>& etdump, const std::optional<std::string>& debug_buffer)
      : etdump_(etdump), debug_buffer_(debug_buffer) {}

  // The path of this trace that is one of these files too; empty for none.
  std::string path_among(const std::vector<std::string>& files) const;

  // Records what `host` loads and runs from here on. `file` is its program. REQUIRES: open.
  MaybeError start(const Bytes& file, HostProgram* host);

  // Null when nothing is recorded.
  TraceRecorder* recorder() { return recorder_ ? &*recorder_ : nullptr; }

  // What was recorded, as files. REQUIRES: called once.
  MaybeError add_files(OutputFiles* out);

 private:
  std::optional<std::string> etdump_;
  std::optional<std::string> debug_buffer_;
  std::optional<TraceRecorder> recorder_;
};

}  // namespace berth::tools
