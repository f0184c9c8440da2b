// berth replan: the same .pte with other places.
#include <memory>

#include "compiler/compiler.h"
#include "tools/command.h"
#include "tools/host_backends.h"
#include "tools/load_program.h"
#include "tools/planning_arguments.h"
#include "tools/progress_line.h"

namespace berth::tools {
namespace {

// Without a board, the file says which pools there are. The first of the names that is of none.
std::string unknown_pool(const std::vector<NamedBytes>& named, const report::Report& report) {
  for (const auto& [name, bytes] : named) {
    bool is_known = false;
    for (const report::MethodReport& method : report.methods) {
      for (const report::PoolRow& pool : method.pools) is_known = is_known || pool.name == name;
    }
    if (!is_known) return name;
  }
  return "";
}

// What was merged, for the report: the file itself does not say.
void add_shared_handles(const std::vector<place::SharedHandle>& shared, report::Report* report) {
  for (const place::SharedHandle& handle : shared) {
    report->methods[static_cast<size_t>(handle.method)].shared_handles.push_back(
        {handle.delegate, handle.entries});
  }
}

int replan_file(const PlanningArguments& arguments, const Console& console) {
  if (const std::string path = output_on_input(arguments, {}); !path.empty()) {
    console.error(path, "is the input itself; give the output another name");
    return kUsage;
  }
  ReplanOptions options;
  if (!arguments.board.empty()) {
    int code = kDone;
    Result<target::Board> board = make_board(arguments, &code);
    if (!board.ok()) {
      console.error("", board.error());
      return code;
    }
    options.board = board.take();
  } else if (arguments.spread) {
    console.error("--spread", "needs the costs of pools, which no file has; say which --board");
    return kUsage;
  } else {
    options.capacities = named_bytes(arguments.pools);
    for (const auto& [name, bytes] : options.capacities) {
      if (bytes != 0) continue;
      console.error("--pool", no_bytes(name));
      return kUsage;
    }
  }
  Result<Bytes> file = read_file(arguments.input);
  if (!file.ok()) {
    console.error(arguments.input, file.error());
    return kRefused;
  }
  options.planner = parse_planner(arguments.planner);
  options.reuse = !arguments.no_reuse;
  options.spread = arguments.spread;
  for (const HostBackend& backend : host_backends()) {
    if (backend.compile != nullptr) options.backends.push_back(backend.compile);
  }
  options.caller_io = arguments.io == "caller";
  options.record = !arguments.strip;
  options.share_handles = arguments.share_handles;
  ProgressLine progress(console);
  options.on_progress = progress.callback();
  if (arguments.time) {
    options.on_stage = [&](const std::string& stage, uint64_t nanoseconds) {
      progress.clear();
      print_stage(console, stage, nanoseconds);
    };
  }
  Diagnostics notes;
  Result<Replanned> replanned = replan(file.value(), options, &notes);
  progress.clear();
  for (const Error& note : notes.notes) console.note(arguments.input, note);
  if (!replanned.ok()) {
    console.error(arguments.input, replanned.error());
    // A capacity for a pool that the file has not is a slip of the command line.
    Result<LoadedFile> input = analyse_file(file.take(), arguments.input);
    const bool is_usage =
        input.ok() && !unknown_pool(options.capacities, input.value().report).empty();
    return is_usage ? kUsage : kRefused;
  }
  if (arguments.share_handles && replanned.value().shared.empty()) {
    console.note(arguments.input,
                 {"--share-handles", "no two delegates of \"" + *arguments.share_handles +
                                         "\" in one method have the same blob and "
                                         "the same compile specs"});
  }
  const std::vector<place::SharedHandle> shared = std::move(replanned.value().shared);
  Result<LoadedFile> loaded = analyse_file(std::move(replanned.value().file), arguments.output);
  if (!loaded.ok()) {
    console.error(arguments.output, loaded.error());
    return kRefused;
  }
  add_shared_handles(shared, &loaded.value().report);
  if (const std::string name = unknown_pool(named_bytes(arguments.budgets), loaded.value().report);
      !name.empty()) {
    console.error(arguments.input, "has no pool \"" + name + "\" that --budget could speak of");
    return kUsage;
  }
  if (arguments.spread) report::add_costs(*options.board, &loaded.value().report);
  return write_planned(arguments, loaded.value().report, std::move(loaded.value().bytes), {},
                       console);
}

}  // namespace

Command add_replan_command(CLI::App& berth, const Console& console) {
  auto a = std::make_shared<PlanningArguments>();
  CLI::App* app =
      berth.add_subcommand("replan", "give the buffers of a .pte new places, whoever made it");
  app->add_option("IN.pte", a->input, "a .pte file")->type_name("")->required();
  add_planning_options(app, a.get());
  app->add_option("--share-handles", a->share_handles,
                  "calls of this backend with the same blob share one handle")
      ->type_name("ID");
  return {app, [a, &console] { return replan_file(*a, console); }};
}

}  // namespace berth::tools
