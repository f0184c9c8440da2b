// The one readable list of stages from a model's bytes to a file's. Each stage says why it stands
// where it stands.
#include <cstring>
#include <string_view>

#include "compiler/compiler.h"
#include "compiler/import/tflite/import_tflite.h"
#include "compiler/ir/archive.h"
#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"
#include "compiler/passes/passes.h"
#include "compiler/pipeline/lost_persistent.h"
#include "compiler/pipeline/stage_clock.h"
#include "compiler/place/place.h"
#include "compiler/place/recorded_plan.h"
#include "program/read.h"
#include "program/validate_program.h"
#include "program/write.h"

namespace berth {
namespace {

using Model = std::vector<std::byte>;

bool has_text(const Model& model, size_t at, std::string_view text) {
  return model.size() >= at + text.size() &&
         std::memcmp(model.data() + at, text.data(), text.size()) == 0;
}

// The kind is read from the content: names lie.
Result<ir::Module> import_model(const Model& model, Diagnostics* notes) {
  if (has_text(model, 4, "TFL3")) return import::import_tflite(model, notes);
  if (has_text(model, 0, ir::kTextHeader)) {
    return ir::parse({reinterpret_cast<const char*>(model.data()), model.size()});
  }
  if (has_text(model, 4, "ET12")) {
    return Error{"file",
                 "is a .pte, which is compiled already; compile takes .tflite, .bir and .bira"};
  }
  if (has_text(model, 0, "PK\x03\x04")) {
    if (ir::is_archive(model)) return ir::read_archive(model);
    return Error{"file",
                 "is a zip archive without module.bir; .pt2 is not read yet, compile takes "
                 ".tflite, .bir and .bira"};
  }
  return Error{"file",
               "is no model; compile takes .tflite (identifier TFL3), .bir (first line 'berth.ir "
               "1') and .bira (a zip with module.bir)"};
}

void note_lost_persistent(const ir::Module& module, Diagnostics* notes) {
  if (notes == nullptr) return;
  for (const ir::LoweredModule& lowered : module.lowered) {
    if (lowered.persistent.empty()) continue;
    notes->notes.push_back(
        {"lowered @" + lowered.name + " (" + lowered.backend + ")", kLostPersistent});
  }
}

// Where buffers go that name no pool.
std::string default_pool_name(const target::Board& board) {
  for (const target::Pool& pool : board.pools) {
    if (pool.mem_id == 1) return pool.name;
  }
  return board.pools.front().name;
}

// What each pass took over all graphs: parts of the stage "passes".
void tell_passes(const std::vector<passes::PassReport>& reports,
                 const StageClock::OnStage& on_stage) {
  for (const passes::Pass& pass : passes::all_passes()) {
    double milliseconds = 0;
    bool has_run = false;
    for (const passes::PassReport& report : reports) {
      if (std::string_view(report.name) != pass.name) continue;
      milliseconds += report.milliseconds;
      has_run = true;
    }
    if (has_run) {
      on_stage("pass " + std::string(pass.name), static_cast<uint64_t>(milliseconds * 1e6));
    }
  }
}

}  // namespace

Result<Compiled> compile(const Model& model, const CompileOptions& options, Diagnostics* notes) {
  StageClock clock(options.on_stage);

  // Importers translate into our operators; nothing later knows the model's format.
  Result<ir::Module> imported = import_model(model, notes);
  if (!imported.ok()) return imported.error();
  Compiled compiled;
  compiled.module = imported.take();
  // Backends are asked about their own; what is compiled already is asked here.
  if (auto error = delegate::check_pools(compiled.module, options.board)) return *error;
  clock.done("import");

  // Passes verify after each of them; they need the target to size scratch, and to know whose the
  // inputs are.
  passes::PassContext context;
  context.isa = options.board.isa;
  context.io_in_pools = options.io == emit::Io::kPlanned;
  context.default_pool = default_pool_name(options.board);
  context.schedules = &compiled.schedules;
  context.kernel_sums = &compiled.kernel_sums;
  passes::RunOptions run;
  run.skip = options.skip_passes;
  if (!options.schedule) run.skip.push_back("schedule");
  std::vector<passes::PassReport> reports;
  if (options.on_stage) run.reports = &reports;
  if (!options.backends.empty()) {
    // Backends see what is left to compute, before anything is settled about where values lie.
    run.stretch = passes::Stretch::kEarly;
    if (auto error = passes::run_passes(compiled.module, context, run)) return *error;
    if (options.on_stage) tell_passes(reports, options.on_stage);
    reports.clear();
    clock.done("early passes");
    if (auto error =
            delegate::lower(&compiled.module, options.backends, options.board, &compiled.taken)) {
      return *error;
    }
    clock.done("delegate");
    run.stretch = passes::Stretch::kLate;
  }
  if (auto error = passes::run_passes(compiled.module, context, run)) return *error;
  if (options.on_stage) tell_passes(reports, options.on_stage);
  ir::VerifyOptions complete;
  complete.scratch_required = true;
  if (auto error = ir::verify(compiled.module, complete)) return *error;
  clock.done("passes");

  // From here on order is fixed: lifetimes are about the instructions that really run.
  Result<program::Program> emitted = emit::emit(compiled.module, {options.io});
  if (!emitted.ok()) return emitted.error();
  program::Program program = emitted.take();
  if (auto error = program::validate(program, program::Placed::kNotYet)) return *error;
  clock.done("emit");

  place::PlaceOptions where;
  where.planner = options.planner;
  where.on_progress = options.on_progress;
  where.reuse = options.reuse;
  where.pools = board_pools(options.board);
  if (options.spread) {
    where.spread = board_spread(options.board);
    for (const delegate::BackendChoice& choice : options.backends) {
      where.spread->reach[std::string(choice.backend->id())] =
          choice.backend->reachable_attributes();
    }
  }
  if (auto error = place::place(&program, where)) return *error;
  clock.done("plan");

  program.record = program::Record{};
  program.record->isa = options.board.isa;
  program.record->board = options.board.name;
  program.record->pools = where.pools;
  place::raise_pool_alignments(&program);
  Result<program::Bytes> written = program::write(program, {});
  if (!written.ok()) return written.error();
  clock.done("write");

  // The proof is about the bytes that leave the house, not about what we meant to write.
  Result<program::Program> read = program::read(written.value());
  if (!read.ok()) return read.error();
  if (auto error = place::prove_plan(read.value())) return *error;
  clock.done("prove");

  if (options.record) {
    compiled.file = written.take();
    compiled.program = read.take();
    return compiled;
  }
  note_lost_persistent(compiled.module, notes);
  program::WriteOptions stripped;
  stripped.record = false;
  Result<program::Bytes> without = program::write(program, stripped);
  if (!without.ok()) return without.error();
  compiled.file = without.take();
  compiled.program = read.take();
  clock.done("strip");
  return compiled;
}

}  // namespace berth
