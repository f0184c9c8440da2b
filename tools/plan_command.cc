// berth plan: plans buffers alone, from a CSV or a JSON problem.
#include <optional>

#include "compiler/report/plan_page.h"
#include "compiler/target/byte_size.h"
#include "plan/check.h"
#include "plan/plan.h"
#include "tools/arguments.h"
#include "tools/command.h"
#include "tools/plan_io.h"
#include "tools/progress_line.h"
#include "tools/stopwatch.h"

namespace berth::tools {
namespace {

struct PlanArguments {
  std::string problem;
  std::string capacity;
  std::string planner = "best";
  std::string only_case;
  std::string output;
  std::string report;
  bool json = false;
};

Bytes report_file(const std::string& path, const std::string& problem_name,
                  const plan::Problem& problem, const plan::Plan& plan, double seconds) {
  if (ends_with(path, ".json")) return as_bytes(write_plan_json(problem, plan, seconds));
  if (ends_with(path, ".html")) return as_bytes(report::html_plan(problem, plan, problem_name));
  return as_bytes(write_plan_listing(problem, plan));
}

int plan_problem(const PlanArguments& arguments, const Console& console) {
  Result<Bytes> file = read_file(arguments.problem);
  if (!file.ok()) {
    console.error(arguments.problem, file.error());
    return kRefused;
  }
  std::optional<std::string> only_case;
  if (!arguments.only_case.empty()) only_case = arguments.only_case;
  Result<ProblemText> text = read_problem(as_text(file.value()), only_case);
  if (!text.ok()) {
    console.error(arguments.problem, text.error());
    return kRefused;
  }
  for (const std::string& note : text.value().notes) console.note(arguments.problem, {"", note});
  plan::Problem& problem = text.value().problem;
  if (!arguments.capacity.empty() && !problem.pools.empty()) {
    problem.pools[0].capacity = target::parse_byte_size(arguments.capacity).take();
  }
  const Stopwatch watch;
  std::optional<plan::Shortage> shortage;
  ProgressLine progress(console);
  plan::Options options;
  options.progress = progress.callback();
  Result<plan::Plan> plan =
      plan::make_plan(problem, parse_planner(arguments.planner), options, &shortage);
  progress.clear();
  const double seconds = watch.seconds();
  if (!plan.ok()) {
    if (shortage && arguments.json) {
      console.print(write_shortage_json(problem, *shortage, seconds));
    } else if (shortage && !console.quiet) {
      console.print(write_shortage_text(problem, *shortage));
    }
    console.error(arguments.problem, plan.error());
    return kRefused;
  }
  if (MaybeError wrong = plan::check(problem, plan.value())) {
    console.error(arguments.problem,
                  {wrong->place, "internal error: the plan is wrong: " + wrong->message});
    return kBug;
  }
  OutputFiles out;
  out.keep(arguments.problem);
  if (!arguments.output.empty()) {
    out.add(arguments.output, as_bytes(write_plan_csv(text.value(), plan.value())));
  }
  if (!arguments.report.empty()) {
    out.add(arguments.report,
            report_file(arguments.report, arguments.problem, problem, plan.value(), seconds));
  }
  if (MaybeError error = out.commit()) {
    console.error(error->place, error->message);
    return kRefused;
  }
  if (arguments.json) {
    console.print(write_plan_json(problem, plan.value(), seconds));
  } else if (!console.quiet) {
    console.print(write_plan_text(problem, plan.value()));
  }
  return kDone;
}

}  // namespace

Command add_plan_command(CLI::App& berth, const Console& console) {
  auto a = std::make_shared<PlanArguments>();
  const auto size = [](const std::string& text) {
    return complaint(target::parse_byte_size(text));
  };
  CLI::App* app = berth.add_subcommand("plan", "plan buffers alone, from a .csv or .json problem");
  app->add_option("PROBLEM", a->problem, "columns id,lower,upper,size[,alignment,gaps]; or JSON")
      ->required();
  app->add_option("--capacity", a->capacity, "bytes of the (first) pool")
      ->type_name("BYTES")
      ->check(size);
  app->add_option("--planner", a->planner, "how buffers are placed")
      ->type_name("PLANNER")
      ->check(CLI::IsMember({"best", "greedy", "naive"}))
      ->capture_default_str();
  app->add_option("--case", a->only_case, "the case to plan, of a file with several")
      ->type_name("NAME");
  app->add_option("-o,--output", a->output, "write the columns and the offset")
      ->type_name("OUT.csv");
  app->add_option("--report", a->report, "write the plan and its map: .txt, .json or .html")
      ->type_name("FILE")
      ->check(check_report_name);
  app->add_flag("--json", a->json, "for scripts");
  return {app, [a, &console] { return plan_problem(*a, console); }};
}

}  // namespace berth::tools
