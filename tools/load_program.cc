#include "tools/load_program.h"

#include "compiler/place/find_buffers.h"
#include "compiler/place/recorded_plan.h"
#include "program/read.h"

namespace berth::tools {

Result<LoadedFile> load_program(const std::string& path) {
  LoadedFile loaded;
  Result<Bytes> bytes = read_file(path);
  if (!bytes.ok()) return bytes.error();
  loaded.bytes = bytes.take();
  Result<program::Program> program = program::read(loaded.bytes);
  if (!program.ok()) return program.error();
  loaded.program = program.take();
  loaded.plan_error = place::find_buffers(&loaded.program);
  if (!loaded.plan_error) loaded.plan_error = place::prove_plan(loaded.program);
  for (program::Method& method : loaded.program.methods) {
    if (method.plan) continue;
    // A file of someone else: the lifetimes are found, and what only its planner knew stays
    // unknown.
    Result<program::RecordedPlan> plan = place::record_plan(method);
    if (!plan.ok()) continue;
    method.plan = plan.take();
    for (program::RecordedBuffer& buffer : method.plan->buffers) {
      // What begins with a write belongs to the instruction that writes it.
      const bool written = buffer.role == Role::kActivation || buffer.role == Role::kOutput;
      if (written && buffer.owner < 0) buffer.owner = static_cast<int32_t>(buffer.live[0].begin);
    }
  }
  loaded.report = report::build_report(loaded.program, path, loaded.bytes.size());
  return loaded;
}

}  // namespace berth::tools
