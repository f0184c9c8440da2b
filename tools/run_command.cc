// berth run: runs methods on this machine, in memory of exactly the size that the file asks for.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/target/byte_size.h"
#include "program/read.h"
#include "tools/command.h"
#include "tools/compare.h"
#include "tools/host_program.h"
#include "tools/load_program.h"
#include "tools/npy.h"
#include "tools/run_calls.h"
#include "tools/run_trace.h"
#include "tools/stopwatch.h"
#include "tools/value_report.h"

namespace berth::tools {
namespace {

using nlohmann::ordered_json;

// What floats of a bundled program may differ by when nothing else is said: it cannot say itself,
// and its expected outputs come from kernels that sum in another order.
constexpr double kBundledTolerance = 1e-5;

struct RunArguments {
  std::string file;
  std::optional<std::string> method;
  std::vector<std::string> inputs;
  std::vector<std::string> shapes;
  std::vector<std::string> outputs;
  std::vector<std::string> expected;
  std::string calls;
  std::vector<std::string> external_data;
  std::optional<std::string> etdump;
  std::optional<std::string> debug_buffer;
  std::optional<double> absolute;
  std::optional<double> relative;
  uint32_t repeat = 1;
  std::string fill;
  std::vector<std::string> pools;
  std::string method_bytes;
  bool trust_plan = false;
  bool time = false;
  bool json = false;

  bool names_tensors() const {
    return !inputs.empty() || !shapes.empty() || !outputs.empty() || !expected.empty();
  }
  std::vector<std::string> files_to_read() const {
    std::vector<std::string> files = {file, calls};
    for (const auto* more : {&inputs, &expected, &external_data}) {
      files.insert(files.end(), more->begin(), more->end());
    }
    return files;
  }
};

// Seconds of the runs.
struct Times {
  std::vector<double> runs;
  double fastest() const { return *std::min_element(runs.begin(), runs.end()); }
  double mean() const {
    double sum = 0;
    for (double run : runs) sum += run;
    return sum / static_cast<double>(runs.size());
  }
};

// "2x3"; "scalar" for no axes.
Result<std::vector<int32_t>> parse_shape(const std::string& text) {
  std::vector<int32_t> sizes;
  if (text == "scalar") return sizes;
  size_t at = 0;
  while (at <= text.size()) {
    const size_t end = std::min(text.find('x', at), text.size());
    const std::string number = text.substr(at, end - at);
    const bool digits = !number.empty() && number.size() < 10 &&
                        number.find_first_not_of("0123456789") == std::string::npos;
    if (!digits) return Error{"", "\"" + text + "\" is no shape like 2x3"};
    sizes.push_back(std::stoi(number));
    at = end + 1;
  }
  return sizes;
}

std::vector<Bytes> tensor_bytes(const std::vector<RunValue>& values) {
  std::vector<Bytes> bytes;
  for (const RunValue& value : values) {
    if (const auto* tensor = std::get_if<TensorValue>(&value)) bytes.push_back(tensor->data);
  }
  return bytes;
}

class RunCommand {
 public:
  RunCommand(const RunArguments& arguments, const Console& console)
      : arguments_(arguments),
        console_(console),
        trace_(arguments.etdump, arguments.debug_buffer) {}

  int run() {
    if (const std::string path = trace_.path_among(arguments_.files_to_read()); !path.empty()) {
      console_.error(path, "is read by this run; give the trace another name");
      return kUsage;
    }
    Result<Bytes> file = read_file(arguments_.file);
    if (!file.ok()) return refuse(file.error());
    file_ = file.take();
    tolerance_ = {arguments_.absolute.value_or(0), arguments_.relative.value_or(0)};
    std::optional<CallList> calls;
    if (!arguments_.calls.empty()) {
      Result<CallList> list = read_calls(arguments_.calls);
      if (!list.ok()) return refuse_file(list.error());
      calls = list.take();
    }
    if (program::is_bundled_program(file_)) {
      Result<program::BundledProgram> bundle = program::read_bundled_program(file_);
      if (!bundle.ok()) return refuse(bundle.error());
      file_ = std::move(bundle.value().program);
      if (!calls && !arguments_.names_tensors()) {
        calls = calls_of_bundle(bundle.take(), arguments_.method.value_or(""));
        if (calls->calls.empty()) {
          return refuse({"method_test_suites", "no test case to run; --input gives inputs"});
        }
        if (!arguments_.absolute && !arguments_.relative) {
          tolerance_ = {kBundledTolerance, kBundledTolerance};
        }
      }
    }
    return calls ? run_list(*calls) : run_once();
  }

 private:
  int refuse(const Error& error) const {
    console_.error(arguments_.file, error);
    return kRefused;
  }
  // The error's place is a file of its own, or none.
  int refuse_file(const Error& error) const {
    console_.error(error.place.empty() ? arguments_.file : error.place, error.message);
    return kRefused;
  }

  int load(const std::vector<std::string>& methods) {
    HostOptions options;
    for (const std::string& pool : arguments_.pools)
      options.pools.push_back(parse_named_bytes(pool).take());
    if (!arguments_.method_bytes.empty()) {
      options.method_bytes = target::parse_byte_size(arguments_.method_bytes).take();
    }
    if (!arguments_.fill.empty()) options.fill = parse_fill(arguments_.fill).take();
    options.trust_plan = arguments_.trust_plan;
    options.names_method = arguments_.method.has_value();
    const Stopwatch watch;
    bool is_usage = false;
    if (MaybeError error = host_.load(methods, options, &is_usage)) {
      console_.error(arguments_.file, *error);
      return is_usage ? kUsage : kRefused;
    }
    load_seconds_ = watch.seconds();
    if (!host_.is_proven() && !arguments_.trust_plan) {
      Result<program::Program> program = program::read(file_);
      if (!program.ok()) return refuse(program.error());
      if (MaybeError error = analyse_plan(&program.value())) return refuse(*error);
    }
    return kDone;
  }

  int open() {
    if (MaybeError error = host_.open(file_)) {
      // The compiler's reader has more to say about what is no program.
      const Result<program::Program> read = program::read(file_);
      return refuse(read.ok() ? *error : read.error());
    }
    for (const std::string& path : arguments_.external_data) {
      if (MaybeError error = host_.add_external_data(path)) return refuse_file(*error);
    }
    if (MaybeError error = trace_.start(file_, &host_)) return refuse(*error);
    return kDone;
  }

  int run_list(const CallList& list) {
    if (const int code = open(); code != kDone) return code;
    if (const int code = load(called_methods(list, host_.method_names())); code != kDone) {
      return code;
    }
    std::vector<CallResult> results;
    const CallOptions options{tolerance_, arguments_.repeat, trace_.recorder()};
    const int code = run_calls(list, options, arguments_.file, host_, console_, &results);
    if (code != kDone && code != kCheckFailed) return code;
    if (const int written = write_outputs(); written != kDone) return written;
    print_calls(list, results);
    return code;
  }

  // The inputs of the method, with the tensors that the command line gives.
  int read_inputs(HostMethod& method) {
    std::vector<TensorSpec> specs;
    std::vector<bool> dynamic;
    for (const HostMethod::Input& input : method.inputs()) {
      values_.push_back(input.value);
      const auto* tensor = std::get_if<TensorValue>(&input.value);
      if (tensor == nullptr) continue;
      specs.push_back(tensor->spec);
      dynamic.push_back(input.dynamic);
    }
    if (arguments_.shapes.size() > specs.size()) {
      console_.error(arguments_.file, {"--shape", fmt::format("{} given; the method has {} to take",
                                                              arguments_.shapes.size(),
                                                              counted(specs.size(), "tensor"))});
      return kUsage;
    }
    for (size_t i = 0; i < specs.size(); ++i) {
      if (i < arguments_.shapes.size()) {
        specs[i].sizes = parse_shape(arguments_.shapes[i]).take();
        // Checked here, because the dim order is the method's: it has as many axes.
        if (specs[i].sizes.size() != specs[i].dim_order.size()) {
          return refuse(
              {fmt::format("input {}", i),
               fmt::format("--shape {} has {} axes; the method's has {}", arguments_.shapes[i],
                           specs[i].sizes.size(), specs[i].dim_order.size())});
        }
      } else if (dynamic[i] && i < arguments_.inputs.size()) {
        take_npy_shape(arguments_.inputs[i], &specs[i]);
      }
    }
    Result<std::vector<Bytes>> tensors = read_tensors(arguments_.inputs, specs, "input");
    if (!tensors.ok()) return refuse_file(tensors.error());
    size_t next = 0;
    for (RunValue& value : values_) {
      auto* tensor = std::get_if<TensorValue>(&value);
      if (tensor == nullptr) continue;
      tensor->spec = specs[next];
      tensor->data = std::move(tensors.value()[next++]);
    }
    return kDone;
  }

  // A .npy says its shape itself. What is wrong with the file is said when it is read as a tensor.
  static void take_npy_shape(const std::string& path, TensorSpec* spec) {
    if (!ends_with(path, ".npy")) return;
    const Result<Bytes> file = read_file(path);
    if (!file.ok()) return;
    const Result<NpyArray> array = read_npy(file.value());
    if (!array.ok() || array.value().shape.size() != spec->sizes.size()) return;
    for (size_t d = 0; d < spec->sizes.size(); ++d) {
      const uint64_t size = array.value().shape[d];
      if (size <= static_cast<uint64_t>(spec->sizes[d])) {
        spec->sizes[d] = static_cast<int32_t>(size);
      }
    }
  }

  int run_once() {
    const std::string name = arguments_.method.value_or("forward");
    if (const int code = open(); code != kDone) return code;
    if (const int code = load({name}); code != kDone) return code;
    HostMethod& method = host_.method(name);
    if (const int code = read_inputs(method); code != kDone) return code;
    bool as_expected = true;
    for (uint32_t i = 0; i < arguments_.repeat && as_expected; ++i) {
      const Stopwatch watch;
      if (MaybeError error = method.set_inputs(values_)) return refuse(*error);
      if (MaybeError error = method.execute()) return refuse(*error);
      times_.runs.push_back(watch.seconds());
      if (const std::string damaged = host_.find_damage(); !damaged.empty()) {
        console_.error(arguments_.file, {damaged, "internal error: the run wrote outside it"});
        return kBug;
      }
      outputs_ = method.outputs();
      if (i == 0) {
        if (const int code = read_expected(); code != kDone) return code;
      }
      as_expected = check_outputs(i);
    }
    if (const int code = write_outputs(); code != kDone) return code;
    print(name);
    return as_expected ? kDone : kCheckFailed;
  }

  int read_expected() {
    if (arguments_.expected.empty()) return kDone;
    Result<std::vector<Bytes>> expected =
        read_tensors(arguments_.expected, tensor_specs(outputs_), "output");
    if (!expected.ok()) return refuse_file(expected.error());
    expected_ = expected.take();
    return kDone;
  }

  bool check_outputs(uint32_t run_index) const {
    bool good = true;
    const std::vector<TensorSpec> specs = tensor_specs(outputs_);
    const std::vector<Bytes> outputs = tensor_bytes(outputs_);
    for (size_t i = 0; i < expected_.size(); ++i) {
      const auto wrong = difference(TensorValue{specs[i], outputs[i]},
                                    TensorValue{specs[i], expected_[i]}, tolerance_);
      if (!wrong) continue;
      good = false;
      const std::string when = arguments_.repeat > 1 ? fmt::format("run {}, ", run_index + 1) : "";
      console_.error(arguments_.file, {fmt::format("{}output {}", when, i), *wrong});
    }
    return good;
  }

  int write_outputs() {
    OutputFiles out;
    for (const std::string& path : arguments_.files_to_read()) out.keep(path);
    if (MaybeError error = trace_.add_files(&out)) return refuse(*error);
    MaybeError error;
    if (!arguments_.outputs.empty()) {
      error = add_tensor_files(arguments_.outputs, tensor_specs(outputs_), tensor_bytes(outputs_),
                               &out);
    }
    if (!error) error = out.commit();
    return error ? refuse_file(*error) : kDone;
  }

  void print(const std::string& method) const {
    if (arguments_.time) {
      console_.remark(fmt::format("time: load {:.3f} ms", load_seconds_ * 1e3));
      console_.remark(fmt::format("time: run {:.3f} ms (fastest of {}; mean {:.3f} ms)",
                                  times_.fastest() * 1e3, times_.runs.size(), times_.mean() * 1e3));
    }
    if (arguments_.json) {
      console_.print(json(method));
    } else if (!console_.quiet && arguments_.outputs.empty()) {
      for (size_t i = 0; i < outputs_.size(); ++i) {
        console_.print(fmt::format("output {} {}\n", i, value_line(outputs_[i])));
      }
    }
  }

  std::string json(const std::string& method) const {
    ordered_json pools = ordered_json::array();
    for (uint32_t p = 0; p < host_.need().pool_count; ++p) {
      const runtime::PoolNeed& pool = host_.need().pools[p];
      pools.push_back(
          {{"name", host_.pool_names()[p].name}, {"mem_id", pool.mem_id}, {"bytes", pool.bytes}});
    }
    ordered_json outputs = ordered_json::array();
    for (const RunValue& value : outputs_) outputs.push_back(value_json(value));
    return dump_json({{"file", arguments_.file},
                      {"method", method},
                      {"proven", host_.is_proven()},
                      {"pools", std::move(pools)},
                      {"method_bytes", host_.need().method_bytes},
                      {"outputs", std::move(outputs)},
                      {"runs", times_.runs.size()},
                      {"seconds",
                       {{"load", load_seconds_},
                        {"first", times_.runs.front()},
                        {"fastest", times_.fastest()},
                        {"mean", times_.mean()}}}});
  }

  void print_calls(const CallList& list, const std::vector<CallResult>& results) const {
    ordered_json calls = ordered_json::array();
    if (arguments_.time) {
      console_.remark(fmt::format("time: load {:.3f} ms", load_seconds_ * 1e3));
    }
    for (size_t i = 0; i < results.size(); ++i) {
      const CallResult& result = results[i];
      if (list.calls[i].reset) {
        calls.push_back({{"reset", true}});
        continue;
      }
      if (arguments_.time) {
        const Times times{result.seconds};
        console_.remark(fmt::format("time: {} {} {:.3f} ms (fastest of {})", list.calls[i].place,
                                    result.method, times.fastest() * 1e3, times.runs.size()));
      }
      if (!arguments_.json && !console_.quiet) {
        console_.print(fmt::format("{}: {}{}\n", list.calls[i].place, result.method,
                                   !list.calls[i].has_outputs ? ""
                                   : result.as_expected       ? ", as expected"
                                                              : ", DIFFERS"));
        for (size_t o = 0; o < result.outputs.size(); ++o) {
          console_.print(fmt::format("  output {} {}\n", o, value_line(result.outputs[o])));
        }
      }
      ordered_json outputs = ordered_json::array();
      for (const RunValue& value : result.outputs) outputs.push_back(value_json(value));
      calls.push_back({{"method", result.method},
                       {"as_expected", result.as_expected},
                       {"outputs", std::move(outputs)},
                       {"seconds", result.seconds}});
    }
    if (!arguments_.json) return;
    console_.print(dump_json({{"file", arguments_.file},
                              {"proven", host_.is_proven()},
                              {"calls", std::move(calls)},
                              {"seconds", {{"load", load_seconds_}}}}));
  }

  const RunArguments& arguments_;
  const Console& console_;
  Bytes file_;  // the program, also of a bundled one
  HostProgram host_;
  RunTrace trace_;
  Tolerance tolerance_;
  std::vector<RunValue> values_;
  std::vector<RunValue> outputs_;
  std::vector<Bytes> expected_;
  double load_seconds_ = 0;
  Times times_;
};

}  // namespace

Command add_run_command(CLI::App& berth, const Console& console) {
  auto a = std::make_shared<RunArguments>();
  const auto named = [](const std::string& text) { return complaint(parse_named_bytes(text)); };
  const auto size = [](const std::string& text) {
    return complaint(target::parse_byte_size(text));
  };
  const auto fill = [](const std::string& text) { return complaint(parse_fill(text)); };
  const auto count = [](const std::string& text) { return complaint(parse_count(text, 1)); };
  const auto tolerance = [](const std::string& text) { return complaint(parse_tolerance(text)); };
  const auto shape = [](const std::string& text) { return complaint(parse_shape(text)); };
  CLI::App* app = berth.add_subcommand("run", "run methods on this machine");
  app->add_option("FILE", a->file, "a .pte, or a .bpte with its own tests")
      ->type_name("")
      ->required();
  app->add_option("--method", a->method, "which method; forward when left out")->type_name("NAME");
  app->add_option("--input", a->inputs, "an input, in the method's order: raw bytes or .npy")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app->add_option("--shape", a->shapes, "sizes of an input whose shape may change: 2x3")
      ->type_name("SIZES")
      ->check(shape)
      ->allow_extra_args(false);
  app->add_option("--output", a->outputs, "where to write an output")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app->add_option("--expect", a->expected, "compare an output; exit 3 when it differs")
      ->type_name("FILE")
      ->allow_extra_args(false);
  CLI::Option* calls =
      app->add_option("--calls", a->calls, "a list of calls, with inputs and expected outputs")
          ->type_name("FILE.json");
  for (const char* other : {"--method", "--input", "--shape", "--output", "--expect"}) {
    calls->excludes(app->get_option(other));
  }
  app->add_option("--ptd", a->external_data, "tensors that lie outside the file")
      ->type_name("FILE.ptd")
      ->allow_extra_args(false);
  CLI::Option* etdump =
      app->add_option("--etdump", a->etdump, "where to write times and shapes of all instructions")
          ->type_name("FILE");
  app->add_option("--debug-buffer", a->debug_buffer,
                  "where to write the values that the trace tells of")
      ->type_name("FILE")
      ->needs(etdump);
  app->add_option("--atol", a->absolute, "absolute tolerance of what is compared")
      ->type_name("X")
      ->check(tolerance);
  app->add_option("--rtol", a->relative, "relative tolerance of floats")
      ->type_name("Y")
      ->check(tolerance);
  app->add_option("--repeat", a->repeat, "run so many times")
      ->type_name("N")
      ->check(count)
      ->capture_default_str();
  app->add_option("--fill", a->fill, "what pools hold before: 0x00, 0xFF, noise:SEED")
      ->type_name("FILL")
      ->check(fill);
  app->add_option("--pool", a->pools, "give a pool exactly so many bytes")
      ->type_name("NAME=BYTES")
      ->check(named)
      ->allow_extra_args(false);
  app->add_option("--method-bytes", a->method_bytes,
                  "give the runtime's structures exactly so many bytes")
      ->type_name("N")
      ->check(size);
  app->add_flag("--trust-plan", a->trust_plan,
                "do not analyse the plan of a file without a plan record");
  app->add_flag("--time", a->time, "time of the load and of the runs");
  app->add_flag("--json", a->json, "what was given and how long it took, for scripts");
  return {app, [a, &console] { return RunCommand(*a, console).run(); }};
}

}  // namespace berth::tools
