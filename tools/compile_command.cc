// berth compile: a model in, a planned .pte out, with its numbers.
#include <memory>

#include "compiler/compiler.h"
#include "compiler/ir/text.h"
#include "compiler/report/report.h"
#include "tools/command.h"
#include "tools/planning_arguments.h"

namespace berth::tools {
namespace {

struct CompileArguments {
  PlanningArguments planning;
  std::string emit_ir;
  std::vector<std::string> skip_passes;
};

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
  options.io = planning.io == "caller" ? emit::Io::kCaller : emit::Io::kPlanned;
  options.record = !planning.strip;
  options.skip_passes = arguments.skip_passes;
  if (planning.time) {
    options.on_stage = [&console](const std::string& stage, uint64_t nanoseconds) {
      print_stage(console, stage, nanoseconds);
    };
  }
  Diagnostics notes;
  Result<Compiled> compiled = compile(model.value(), options, &notes);
  for (const Error& note : notes.notes) console.note(planning.input, note);
  if (!compiled.ok()) {
    console.error(planning.input, compiled.error());
    return kRefused;
  }
  const report::Report report =
      report::build_report(compiled.value().program, planning.output, compiled.value().file.size());
  std::vector<std::pair<std::string, Bytes>> more;
  if (!arguments.emit_ir.empty())
    more.emplace_back(arguments.emit_ir, as_bytes(ir::print(compiled.value().module)));
  return write_planned(planning, report, std::move(compiled.value().file), more, console);
}

}  // namespace

Command add_compile_command(CLI::App& berth, const Console& console) {
  auto a = std::make_shared<CompileArguments>();
  a->planning.board = "host";
  CLI::App* app =
      berth.add_subcommand("compile", "compile a model (.tflite, .bir) into a planned .pte");
  app->add_option("MODEL", a->planning.input, "the model; its kind is read from its content")
      ->required();
  add_planning_options(app, &a->planning);
  app->add_option("--emit-ir", a->emit_ir, "write the graph after all passes")
      ->type_name("FILE.bir");
  app->add_option("--skip-pass", a->skip_passes, "leave a pass out")
      ->type_name("NAME")
      ->allow_extra_args(false);
  return {app, [a, &console] { return compile_model(*a, console); }};
}

}  // namespace berth::tools
