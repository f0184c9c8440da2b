// The compiler as a library: a model's bytes in, a planned .pte out. Hello:
//
//   Diagnostics notes;
//   Result<Compiled> compiled = compile(model_bytes, {}, &notes);
//   if (!compiled.ok()) return compiled.error();  // place and words a user can act on
//   write_file("model.pte", compiled.value().file);
//   const program::Method& method = compiled.value().program.methods[0];
//   // method.pools: bytes per pool
//
// Pure: the same bytes and options give the same file, on every machine. Prints nothing, never
// exits.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/delegate/lower.h"
#include "compiler/emit/emit.h"
#include "compiler/ir/ir.h"
#include "compiler/passes/passes.h"
#include "compiler/place/share_handles.h"
#include "compiler/target/board.h"
#include "contract/result.h"
#include "plan/plan.h"
#include "program/program.h"

namespace berth {

struct CompileOptions {
  target::Board board = target::host_board();
  plan::Planner planner = plan::Planner::kBest;
  bool reuse = true;  // false: every buffer its own bytes
  emit::Io io = emit::Io::kPlanned;
  bool record = true;    // false: no plan record in the file (--strip)
  bool schedule = true;  // reorder independent operators where that lowers the peak
  // Every buffer may go to every pool that its users reach, so that bytes x cost are least; else
  // to the first pool, but for what asks for another by name.
  bool spread = false;
  std::vector<std::string> skip_passes;
  // Backends in order of preference; what none takes stays with our kernels. Not owned.
  std::vector<delegate::BackendChoice> backends;
  // Told after each stage, with its name and the nanoseconds it took, and before the stage "passes"
  // of each pass that ran ("pass fold_pad"); for --time.
  std::function<void(const std::string& stage, uint64_t nanoseconds)> on_stage;
  // Told now and then while a plan is searched; changes nothing of it.
  std::function<void(const plan::Progress&)> on_progress;
};

struct Compiled {
  program::Bytes file;       // the .pte
  program::Program program;  // as read back from bytes with a record, also where `file` has none
  ir::Module module;         // after all passes, for --emit-ir
  std::vector<delegate::Taken> taken;  // what each backend took, in the order of module.lowered
  std::vector<passes::ScheduleReport> schedules;  // what the order of operators bought, per method
  std::vector<passes::KernelSumsReport> kernel_sums;  // constants made for MVE, per method
};

// The kind of `model` is read from its content: .tflite, .bir or .bira.
// *notes takes what is worth saying but stops nothing (metadata ignored, and the like).
Result<Compiled> compile(const std::vector<std::byte>& model, const CompileOptions& options,
                         Diagnostics* notes);

struct ReplanOptions {
  std::optional<target::Board> board;  // none: the file's own pools, each buffer in its arena
  std::vector<std::pair<std::string, uint64_t>> capacities;  // of pools, by name
  plan::Planner planner = plan::Planner::kBest;
  bool reuse = true;
  bool caller_io = false;  // inputs and outputs that share bytes with nobody are bound at run time
  // With a board: as in CompileOptions, but state stays, and so does scratch of delegates outside
  // the first pool. `backends` say what they reach; buffers of other delegates stay too. Not owned.
  bool spread = false;
  std::vector<const delegate::Backend*> backends;
  bool record = true;
  // A backend of which calls with the same blob and the same compile specs share a handle. Who
  // names it vouches that they may.
  std::optional<std::string> share_handles;
  std::function<void(const std::string& stage, uint64_t nanoseconds)> on_stage;
  std::function<void(const plan::Progress&)> on_progress;
};

struct Replanned {
  program::Bytes file;  // the very bytes of the old file where nothing is to be gained
  program::Program program;
  std::vector<place::SharedHandle> shared;  // what share_handles merged
};

// Gives the buffers of a .pte, whoever made it, new places; all else stays. Refuses a file with
// fields that are not known here: something might be lost. *notes says which methods cannot have a
// certificate, and why.
Result<Replanned> replan(const std::vector<std::byte>& file, const ReplanOptions& options,
                         Diagnostics* notes);

}  // namespace berth
