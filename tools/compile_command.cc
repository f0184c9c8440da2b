// berth compile: a model in, a planned .pte out, with its numbers.
#include <memory>

#include "compiler/compiler.h"
#include "compiler/ir/archive.h"
#include "compiler/ir/text.h"
#include "compiler/report/report.h"
#include "tools/command.h"
#include "tools/host_backends.h"
#include "tools/planning_arguments.h"
#include "tools/progress_line.h"

namespace berth::tools {
namespace {

struct CompileArguments {
  PlanningArguments planning;
  std::string emit_ir;
  std::string schedule = "on";
  std::vector<std::string> skip_passes;
  std::vector<std::string> backends;
};

uint64_t sum_of(const std::vector<ir::MemorySpec>& memory) {
  uint64_t bytes = 0;
  for (const ir::MemorySpec& spec : memory) bytes += spec.nbytes;
  return bytes;
}

// What backends took, for the report.
std::vector<report::LoweredRow> lowered_rows(const Compiled& compiled) {
  std::vector<report::LoweredRow> rows;
  for (const delegate::Taken& taken : compiled.taken) {
    const ir::LoweredModule& module = *compiled.module.find_lowered(taken.lowered);
    report::LoweredRow& row = rows.emplace_back();
    row.name = module.name;
    row.backend = module.backend;
    row.method = taken.graph;
    row.nodes = taken.nodes;
    row.processed_bytes = module.processed.size();
    row.scratch_bytes = sum_of(module.scratch);
    row.persistent_bytes = sum_of(module.persistent);
    row.share_handle = module.share_handle;
    row.hidden_bytes = taken.hidden_bytes;
    row.notes = taken.notes;
  }
  return rows;
}

// What passes did, for the report. A method has the name of its graph.
void add_passes(const Compiled& compiled, report::Report* report) {
  for (report::MethodReport& method : report->methods) {
    for (const passes::ScheduleReport& it : compiled.schedules) {
      if (method.name == it.graph)
        method.schedule = {it.peak_before, it.peak_after, it.lower_bound};
    }
    for (const passes::KernelSumsReport& it : compiled.kernel_sums) {
      if (method.name == it.graph) method.kernel_sums = {it.operators, it.bytes};
    }
  }
}

int compile_model(const CompileArguments& arguments, const Console& console) {
  const PlanningArguments& planning = arguments.planning;
  int code = kDone;
  if (const std::string path = output_on_input(planning, {arguments.emit_ir}); !path.empty()) {
    console.error(path, "is the model itself; give the output another name");
    return kUsage;
  }
  Result<target::Board> board = make_board(planning, &code);
  if (!board.ok()) {
    console.error("", board.error());
    return code;
  }
  Result<Bytes> model = read_file(planning.input);
  if (!model.ok()) {
    console.error(planning.input, model.error());
    return kRefused;
  }
  CompileOptions options;
  options.board = board.take();
  options.planner = parse_planner(planning.planner);
  options.reuse = !planning.no_reuse;
  options.spread = planning.spread;
  options.io = planning.io == "caller" ? emit::Io::kCaller : emit::Io::kPlanned;
  options.record = !planning.strip;
  options.schedule = arguments.schedule == "on";
  options.skip_passes = arguments.skip_passes;
  for (const std::string& text : arguments.backends) {
    BackendText backend = parse_backend(text).take();
    options.backends.push_back({find_backend(backend.id), std::move(backend.specs)});
  }
  ProgressLine progress(console);
  options.on_progress = progress.callback();
  if (planning.time) {
    options.on_stage = [&](const std::string& stage, uint64_t nanoseconds) {
      progress.clear();
      print_stage(console, stage, nanoseconds);
    };
  }
  Diagnostics notes;
  Result<Compiled> compiled = compile(model.value(), options, &notes);
  progress.clear();
  for (const Error& note : notes.notes) console.note(planning.input, note);
  if (!compiled.ok()) {
    console.error(planning.input, compiled.error());
    return kRefused;
  }
  report::Report report =
      report::build_report(compiled.value().program, planning.output, compiled.value().file.size());
  report.lowered = lowered_rows(compiled.value());
  add_passes(compiled.value(), &report);
  if (planning.spread) report::add_costs(options.board, &report);
  std::vector<std::pair<std::string, Bytes>> more;
  if (ends_with(arguments.emit_ir, ".bira")) {
    Result<Bytes> archive = ir::write_archive(compiled.value().module);
    if (!archive.ok()) {
      console.error(arguments.emit_ir, archive.error());
      return kRefused;
    }
    more.emplace_back(arguments.emit_ir, archive.take());
  } else if (!arguments.emit_ir.empty()) {
    more.emplace_back(arguments.emit_ir, as_bytes(ir::print(compiled.value().module)));
  }
  return write_planned(planning, report, std::move(compiled.value().file), more, console);
}

}  // namespace

Command add_compile_command(CLI::App& berth, const Console& console) {
  auto a = std::make_shared<CompileArguments>();
  a->planning.board = "host";
  CLI::App* app =
      berth.add_subcommand("compile", "compile a model (.tflite, .bir, .bira) into a planned .pte");
  app->add_option("MODEL", a->planning.input, "the model; its kind is read from its content")
      ->required();
  add_planning_options(app, &a->planning);
  app->add_option(
         "--emit-ir", a->emit_ir,
         "write the graph after all passes; .bira by its suffix: with its blobs beside the text")
      ->type_name("FILE.bir");
  app->add_option("--schedule", a->schedule, "reorder operators where that lowers the peak")
      ->type_name("on|off")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  app->add_option("--skip-pass", a->skip_passes, "leave a pass out")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app->add_option("--backend", a->backends,
                  "let a backend take what it can, before those that are named later")
      ->type_name("ID[,KEY=VALUE...]")
      ->check([](const std::string& text) { return complaint(parse_backend(text)); })
      ->allow_extra_args(false);
  return {app, [a, &console] { return compile_model(*a, console); }};
}

}  // namespace berth::tools
