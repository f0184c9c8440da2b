// berth inspect: what is inside a .pte, who owns which bytes and when; and what a trace tells.
#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/report/etdump.h"
#include "compiler/target/nearest.h"
#include "tools/arguments.h"
#include "tools/calls.h"
#include "tools/command.h"
#include "tools/load_program.h"
#include "tools/value_report.h"

namespace berth::tools {
namespace {

struct InspectOptions {
  std::string file;
  std::optional<std::string> method;
  std::optional<uint32_t> instruction;
  std::string html;    // the page to write
  std::string header;  // the macros to write
  bool json = false;
};

// Leaves the one method that was asked for. The error says which there are.
MaybeError keep_method(const std::string& name, report::Report* report) {
  std::vector<std::string> names;
  for (size_t i = 0; i < report->methods.size(); ++i) {
    if (report->methods[i].name == name) {
      // Users of constants are told by their method's index, so those of other methods go with
      // them.
      for (report::ConstantRow& row : report->constants) {
        std::vector<report::InstructionRef> users;
        for (const report::InstructionRef& user : row.users) {
          if (user.method == static_cast<int32_t>(i)) users.push_back({0, user.instruction});
        }
        row.users = users;
      }
      report->methods = {report->methods[i]};
      return std::nullopt;
    }
    names.push_back(report->methods[i].name);
  }
  return Error{"", "has no method \"" + name + "\"; it has " + target::name_list(names)};
}

// The test cases of a bundled program, those of one method where `method` is not empty.
std::string test_text(const program::BundledProgram& bundle, const std::string& method) {
  std::string text = "test cases\n";
  for (const Call& call : calls_of_bundle(bundle, method).calls) {
    std::string inputs;
    std::string outputs;
    for (const RunValue& value : call.inputs) inputs += " " + value_text(value);
    for (const RunValue& value : call.outputs) outputs += " " + value_text(value);
    text += "  " + call.place + ": inputs" + inputs + ", expected outputs" + outputs + "\n";
  }
  return text;
}

nlohmann::ordered_json test_json(const program::BundledProgram& bundle, const std::string& method) {
  using nlohmann::ordered_json;
  ordered_json suites = ordered_json::array();
  for (const program::BundledSuite& suite : bundle.suites) {
    if (!method.empty() && suite.method != method) continue;
    program::BundledProgram one;
    one.suites = {suite};
    ordered_json cases = ordered_json::array();
    for (const Call& call : calls_of_bundle(std::move(one), "").calls) {
      ordered_json inputs = ordered_json::array();
      ordered_json outputs = ordered_json::array();
      for (const RunValue& value : call.inputs) inputs.push_back(value_json(value));
      for (const RunValue& value : call.outputs) outputs.push_back(value_json(value));
      cases.push_back({{"inputs", std::move(inputs)}, {"expected_outputs", std::move(outputs)}});
    }
    suites.push_back({{"method", suite.method}, {"cases", std::move(cases)}});
  }
  return suites;
}

int inspect_trace(const InspectOptions& options, const Bytes& file, const Console& console) {
  if (options.method || options.instruction || !options.html.empty() || !options.header.empty()) {
    console.error(options.file, "is a trace; --method, --at, --html and --header are for programs");
    return kUsage;
  }
  Result<report::Etdump> dump = report::read_etdump(file);
  if (!dump.ok()) {
    console.error(options.file, dump.error());
    return kRefused;
  }
  console.print(options.json ? report::etdump_json(dump.value(), options.file)
                             : report::etdump_text(dump.value()));
  return kDone;
}

int write_files(const InspectOptions& options, const report::Report& report,
                const Console& console) {
  OutputFiles out;
  out.keep(options.file);
  if (!options.html.empty()) out.add(options.html, as_bytes(report::html_report(report)));
  if (!options.header.empty()) {
    Result<std::string> header = report::c_header(report, file_stem(options.file));
    if (!header.ok()) {
      console.error(options.header, header.error());
      return kRefused;
    }
    out.add(options.header, as_bytes(header.value()));
  }
  if (MaybeError error = out.commit()) {
    console.error(error->place, error->message);
    return kRefused;
  }
  return kDone;
}

int inspect(const InspectOptions& options, const Console& console) {
  Result<Bytes> file = read_file(options.file);
  if (!file.ok()) {
    console.error(options.file, file.error());
    return kRefused;
  }
  if (report::is_etdump(file.value())) return inspect_trace(options, file.value(), console);
  Result<LoadedFile> loaded = analyse_file(file.take(), options.file);
  if (!loaded.ok()) {
    console.error(options.file, loaded.error());
    return kRefused;
  }
  report::Report& report = loaded.value().report;
  if (options.method) {
    if (MaybeError error = keep_method(*options.method, &report)) {
      console.error(options.file, *error);
      return kUsage;
    }
  }
  if (options.instruction) {
    for (const report::MethodReport& method : report.methods) {
      const size_t count = std::max<size_t>(1, method.instructions.size());
      if (*options.instruction < count) continue;
      console.error(options.file, "method " + method.name + " has instructions 0 to " +
                                      std::to_string(count - 1) + "; --at " +
                                      std::to_string(*options.instruction) + " is none of them");
      return kUsage;
    }
  }
  if (int code = write_files(options, report, console); code != kDone) return code;
  if (options.json) {
    std::string text = report::json_report(report, options.instruction);
    if (loaded.value().bundle) {
      auto json = nlohmann::ordered_json::parse(text);
      json["test_suites"] = test_json(*loaded.value().bundle, options.method.value_or(""));
      text = dump_json(json);
    }
    console.print(text);
  } else if (options.instruction) {
    for (const report::MethodReport& method : report.methods) {
      console.print(report::text_at(method, *options.instruction));
    }
  } else if (options.html.empty() && options.header.empty()) {
    report::TextOptions text;
    text.instructions = true;
    if (console.verbose) text.constants = SIZE_MAX;
    console.print(report::text_report(report, text));
    if (loaded.value().bundle)
      console.print(test_text(*loaded.value().bundle, options.method.value_or("")));
  }
  if (loaded.value().plan_error) {
    console.error(options.file, *loaded.value().plan_error);
    return kRefused;
  }
  return kDone;
}

}  // namespace

Command add_inspect_command(CLI::App& berth, const Console& console) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* app =
      berth.add_subcommand("inspect", "show what is inside a .pte, who owns which bytes and when");
  app->add_option("FILE", options->file, "a .pte or .bpte, or the ETDump of a run")
      ->type_name("")
      ->required();
  app->add_option("--method", options->method, "this method alone")->type_name("NAME");
  app->add_option("--at", options->instruction, "what is live at this instruction")
      ->type_name("INSTRUCTION")
      ->check([](const std::string& text) { return complaint(parse_count(text, 0)); });
  app->add_option("--html", options->html, "write it as a page with a map of the memory")
      ->type_name("FILE");
  app->add_option("--header", options->header, "write sizes, pools and operators as C macros")
      ->type_name("FILE.h");
  app->add_flag("--json", options->json, "for scripts");
  return {app, [options, &console] { return inspect(*options, console); }};
}

}  // namespace berth::tools
