#include "tools/load_program.h"

#include <utility>

#include "compiler/place/find_buffers.h"
#include "compiler/place/recorded_plan.h"
#include "compiler/place/replan.h"
#include "program/read.h"

namespace berth::tools {
namespace {

// A method of someone else: what its instructions say, and what a plan could reach.
void fill_plan(const program::Program& program, program::Method* method) {
  Result<place::Lifetimes> lifetimes = place::find_lifetimes(*method);
  if (!lifetimes.ok()) return;
  Result<std::vector<program::PoolUse>> pool_use = place::measure_pools(program, *method);
  method->plan = place::describe_plan(*method, lifetimes.value());
  if (pool_use.ok()) method->plan->pool_use = pool_use.take();
}

}  // namespace

MaybeError analyse_plan(program::Program* program) {
  if (MaybeError error = place::find_buffers(program)) return error;
  return place::prove_plan(*program);
}

Result<LoadedFile> analyse_file(Bytes bytes, const std::string& path) {
  LoadedFile loaded;
  loaded.bytes = std::move(bytes);
  if (program::is_bundled_program(loaded.bytes)) {
    Result<program::BundledProgram> bundle = program::read_bundled_program(loaded.bytes);
    if (!bundle.ok()) return bundle.error();
    loaded.bundle = bundle.take();
    loaded.bytes = std::move(loaded.bundle->program);
  }
  Result<program::Program> program = program::read(loaded.bytes);
  if (!program.ok()) return program.error();
  loaded.program = program.take();
  loaded.plan_error = analyse_plan(&loaded.program);
  for (program::Method& method : loaded.program.methods) {
    if (!method.plan) fill_plan(loaded.program, &method);
  }
  loaded.report = report::build_report(loaded.program, path, loaded.bytes.size());
  return loaded;
}

Result<LoadedFile> load_program(const std::string& path) {
  Result<Bytes> bytes = read_file(path);
  if (!bytes.ok()) return bytes.error();
  return analyse_file(bytes.take(), path);
}

}  // namespace berth::tools
