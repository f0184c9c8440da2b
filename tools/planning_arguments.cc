#include "tools/planning_arguments.h"

#include <fmt/format.h>

#include <filesystem>

#include "compiler/report/printable.h"
#include "compiler/target/byte_size.h"
#include "compiler/target/nearest.h"

namespace berth::tools {
namespace {

std::string no_such_pool(const std::string& name, const target::Board& board) {
  std::vector<std::string> names;
  for (const target::Pool& pool : board.pools) names.push_back(pool.name);
  return "board " + board.name + " has no pool \"" + name + "\"; it has " +
         target::name_list(names);
}

// One line per pool that needs more than its budget.
bool check_budgets(const PlanningArguments& arguments, const report::Report& report,
                   const Console& console) {
  bool kept = true;
  for (const auto& [name, budget] : named_bytes(arguments.budgets)) {
    for (const report::MethodReport& method : report.methods) {
      for (const report::PoolRow& pool : method.pools) {
        if (pool.name != name || pool.bytes <= budget) continue;
        console.error(arguments.input,
                      fmt::format("method {} needs {} bytes of pool {}; the budget is {}, {} less",
                                  method.name, pool.bytes, name, budget, pool.bytes - budget));
        kept = false;
      }
    }
  }
  return kept;
}

Bytes report_file(const std::string& path, const report::Report& report) {
  if (ends_with(path, ".json")) return as_bytes(report::json_report(report));
  if (ends_with(path, ".html")) return as_bytes(report::html_report(report));
  report::TextOptions options;
  options.instructions = true;
  options.constants = SIZE_MAX;
  return as_bytes(report::text_report(report, options));
}

std::string short_summary(const report::Report& report) {
  std::string out =
      fmt::format("{}: {} bytes, of which constants {}; {}\n", report::printable(report.file),
                  report.file_bytes, report.constant_bytes,
                  report.board.empty() ? "no board" : "board " + report::printable(report.board));
  for (const report::MethodReport& method : report.methods) {
    out += fmt::format("method {}: {} instructions\n", report::printable(method.name),
                       method.instructions.size());
    for (const report::PoolRow& pool : method.pools) {
      out += fmt::format("  pool {:<12} {:>10} bytes   lower bound {}{}{}\n",
                         report::printable(pool.name), pool.bytes, pool.lower_bound,
                         pool.greedy_bytes ? fmt::format(", greedy {}", *pool.greedy_bytes) : "",
                         pool.capacity ? fmt::format(", capacity {}", *pool.capacity) : "");
    }
    for (const report::SharedHandleRow& row : method.shared_handles) {
      const report::DelegateRow& delegate = method.delegates[static_cast<size_t>(row.delegate)];
      out += fmt::format("  delegate {} ({}): {} entries became one, {} calls share its handle\n",
                         row.delegate, report::printable(delegate.id), row.entries.size(),
                         delegate.calls.size());
    }
    out += fmt::format("  method memory     {:>10} bytes on arm32, {} on host64\n",
                       method.runtime_bytes(Abi::kArm32), method.runtime_bytes(Abi::kHost64));
  }
  return out;
}

}  // namespace

void add_planning_options(CLI::App* app, PlanningArguments* a) {
  const auto named = [](const std::string& text) { return complaint(parse_named_bytes(text)); };
  app->add_option("-o,--output", a->output, "the file to write")->type_name("OUT.pte")->required();
  app->add_option("--board", a->board, "a board's name, or a file")
      ->type_name("NAME|FILE.toml")
      ->capture_default_str();
  app->add_option("--planner", a->planner, "how buffers are placed")
      ->type_name("PLANNER")
      ->check(CLI::IsMember({"best", "greedy", "naive"}))
      ->capture_default_str();
  app->add_flag("--no-reuse", a->no_reuse, "every buffer its own bytes");
  app->add_option("--io", a->io, "inputs and outputs live in pools, or are bound at run time")
      ->type_name("WHERE")
      ->check(CLI::IsMember({"planned", "caller"}))
      ->capture_default_str();
  app->add_flag("--spread", a->spread,
                "use every pool of the board, so that bytes x cost are least");
  app->add_option("--pool", a->pools, "another capacity for a pool")
      ->type_name("NAME=BYTES")
      ->check(named)
      ->allow_extra_args(false);
  app->add_option("--budget", a->budgets, "exit 3 when a pool needs more")
      ->type_name("NAME=BYTES")
      ->check(named)
      ->allow_extra_args(false);
  app->add_option("--report", a->report, "write the memory report: .txt, .json or .html")
      ->type_name("FILE")
      ->check(check_report_name);
  app->add_option("--header", a->header, "write sizes and alignments as C macros")
      ->type_name("FILE.h");
  app->add_flag("--strip", a->strip, "no plan record in the file");
  app->add_flag("--time", a->time, "a line per stage");
  app->add_flag("--json", a->json, "the summary for scripts");
}

std::string no_bytes(const std::string& name) {
  return name + "=0: nothing fits into 0 bytes; 1 or more";
}

std::vector<NamedBytes> named_bytes(const std::vector<std::string>& items) {
  std::vector<NamedBytes> out;
  for (const std::string& item : items) out.push_back(parse_named_bytes(item).take());
  return out;
}

Result<target::Board> make_board(const PlanningArguments& arguments, int* code) {
  bool is_usage = false;
  Result<target::Board> board = load_board(arguments.board, &is_usage);
  *code = is_usage ? kUsage : kRefused;
  if (!board.ok()) return board;
  *code = kUsage;
  for (const auto& [name, bytes] : named_bytes(arguments.pools)) {
    const int32_t pool = board.value().find_pool(name);
    if (pool < 0) return Error{"--pool", no_such_pool(name, board.value())};
    if (bytes == 0) return Error{"--pool", no_bytes(name)};
    board.value().pools[static_cast<size_t>(pool)].size = bytes;
  }
  for (const auto& [name, bytes] : named_bytes(arguments.budgets)) {
    if (board.value().find_pool(name) < 0)
      return Error{"--budget", no_such_pool(name, board.value())};
  }
  return board;
}

std::string output_on_input(const PlanningArguments& arguments,
                            const std::vector<std::string>& others) {
  std::vector<std::string> paths = {arguments.output, arguments.report, arguments.header};
  paths.insert(paths.end(), others.begin(), others.end());
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (std::filesystem::equivalent(path, arguments.input, ignored)) return path;
  }
  return "";
}

void print_stage(const Console& console, const std::string& stage, uint64_t nanoseconds) {
  console.remark(
      fmt::format("time: {:<28} {:>9.3f} ms", stage, static_cast<double>(nanoseconds) / 1e6));
}

int write_planned(const PlanningArguments& arguments, const report::Report& report, Bytes file,
                  const std::vector<std::pair<std::string, Bytes>>& more, const Console& console) {
  const bool within_budget = check_budgets(arguments, report, console);
  OutputFiles out;
  out.keep(arguments.input);
  out.keep(arguments.board);
  if (!arguments.report.empty()) out.add(arguments.report, report_file(arguments.report, report));
  if (within_budget) {
    out.add(arguments.output, std::move(file));
    for (const auto& [path, bytes] : more) out.add(path, bytes);
    if (!arguments.header.empty()) {
      Result<std::string> header = report::c_header(report, file_stem(arguments.output));
      if (!header.ok()) {
        console.error(arguments.header, header.error());
        return kRefused;
      }
      out.add(arguments.header, as_bytes(header.value()));
    }
  }
  if (MaybeError error = out.commit()) {
    console.error(error->place, error->message);
    return kRefused;
  }
  if (arguments.json) {
    console.print(report::json_summary(report));
  } else if (console.verbose) {
    console.print(report::text_report(report, {}));
  } else if (!console.quiet && within_budget) {  // it tells of the file that was written
    console.print(short_summary(report));
  }
  return within_budget ? kDone : kCheckFailed;
}

}  // namespace berth::tools
