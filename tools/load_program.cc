#include "tools/load_program.h"

#include <utility>

#include "compiler/place/clobbers.h"
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

// The error without the method's name, which stands beside it.
std::string words_of(const program::Method& method, const Error& error) {
  const std::string prefix = "method " + method.name;
  std::string place = error.place;
  if (place == prefix) place.clear();
  if (place.rfind(prefix + ", ", 0) == 0) place.erase(0, prefix.size() + 2);
  return place.empty() ? error.message : place + ": " + error.message;
}

// What is wrong with a method's plan, and if nothing is, what stands against a certificate of it.
void judge_plan(const program::Method& method, report::MethodReport* out) {
  Result<place::Lifetimes> lifetimes = place::find_lifetimes(method);
  if (!lifetimes.ok()) {
    out->not_certified = words_of(method, lifetimes.error());
    return;
  }
  Result<std::vector<place::Clobber>> clobbers = place::find_clobbers(method, lifetimes.value());
  if (!clobbers.ok()) {
    out->not_certified = words_of(method, clobbers.error());
    return;
  }
  constexpr size_t kMost = 256;  // a file can have more wrong pairs than anybody reads
  for (const place::Clobber& clobber : clobbers.value()) {
    if (out->clobbers.size() == kMost) break;
    out->clobbers.push_back({static_cast<int32_t>(clobber.instruction), clobber.writer,
                             clobber.victim, place::clobber_error(method, clobber).message});
  }
  if (out->certified || !out->clobbers.empty()) return;
  Result<program::RecordedPlan> plan = place::record_plan(method);
  MaybeError error = plan.ok() ? place::find_unprovable(method) : plan.error();
  if (error) out->not_certified = words_of(method, *error);
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
  Result<program::Program> program = program::read_in_place(loaded.bytes);
  if (!program.ok()) return program.error();
  loaded.program = program.take();
  const MaybeError no_buffers = place::find_buffers(&loaded.program);
  loaded.plan_error = no_buffers ? no_buffers : place::prove_plan(loaded.program);
  for (program::Method& method : loaded.program.methods) {
    if (!method.plan) fill_plan(loaded.program, &method);
  }
  loaded.report = report::build_report(loaded.program, path, loaded.bytes.size());
  for (size_t m = 0; m < loaded.program.methods.size(); ++m) {
    report::MethodReport& method = loaded.report.methods[m];
    if (method.certified && !loaded.plan_error) continue;
    if (no_buffers) {
      method.not_certified = words_of(loaded.program.methods[m], *no_buffers);
    } else {
      judge_plan(loaded.program.methods[m], &method);
    }
  }
  return loaded;
}

Result<LoadedFile> load_program(const std::string& path) {
  Result<Bytes> bytes = read_file(path);
  if (!bytes.ok()) return bytes.error();
  return analyse_file(bytes.take(), path);
}

}  // namespace berth::tools
