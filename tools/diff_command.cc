// berth diff: do two .pte files do the same, with the same memory?
#include "compiler/report/difference.h"
#include "tools/command.h"
#include "tools/load_program.h"

namespace berth::tools {
namespace {

struct DiffOptions {
  std::string a;
  std::string b;
  bool json = false;
};

int diff(const DiffOptions& options, const Console& console) {
  Result<LoadedFile> a = load_program(options.a);
  if (!a.ok()) {
    console.error(options.a, a.error());
    return kRefused;
  }
  Result<LoadedFile> b = load_program(options.b);
  if (!b.ok()) {
    console.error(options.b, b.error());
    return kRefused;
  }
  const std::vector<report::Difference> found = report::find_differences(
      a.value().program, a.value().report, b.value().program, b.value().report);
  if (options.json) {
    console.print(report::json_differences(found, options.a, options.b));
  } else if (!console.quiet) {
    console.print(report::text_differences(found, options.a, options.b));
  }
  return found.empty() ? kDone : kCheckFailed;
}

}  // namespace

Command add_diff_command(CLI::App& berth, const Console& console) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App* app = berth.add_subcommand(
      "diff", "differences of interface, instructions, data and plan; exit 3 when any");
  app->add_option("A", options->a, "a .pte file")->type_name("")->required();
  app->add_option("B", options->b, "another")->type_name("")->required();
  app->add_flag("--json", options->json, "for scripts");
  return {app, [options, &console] { return diff(*options, console); }};
}

}  // namespace berth::tools
