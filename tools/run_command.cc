// berth run: runs a method on this machine, in memory of exactly the size that the file asks for.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "compiler/place/find_buffers.h"
#include "compiler/place/recorded_plan.h"
#include "compiler/target/byte_size.h"
#include "program/read.h"
#include "tools/command.h"
#include "tools/compare.h"
#include "tools/host_run.h"

namespace berth::tools {
namespace {

struct RunArguments {
  std::string file;
  std::string method = "forward";
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> expected;
  Tolerance tolerance;
  uint32_t repeat = 1;
  std::string fill;
  std::vector<std::string> pools;
  std::string method_bytes;
  bool trust_plan = false;
  bool time = false;
  bool json = false;
};

// Seconds of the load and of every run.
struct Times {
  double load = 0;
  std::vector<double> runs;
  double fastest() const { return *std::min_element(runs.begin(), runs.end()); }
  double mean() const {
    double sum = 0;
    for (double run : runs) sum += run;
    return sum / static_cast<double>(runs.size());
  }
};

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The proof that a file of someone else carries no certificate for: all of its lifetimes are found
// anew.
MaybeError analyse_plan(const Bytes& file) {
  Result<program::Program> program = program::read(file);
  if (!program.ok()) return program.error();
  if (auto error = place::find_buffers(&program.value())) return error;
  return place::prove_plan(program.value());
}

std::string first_elements(const Bytes& data, const TensorSpec& spec) {
  constexpr size_t kShown = 12;
  const uint32_t bytes = element_size(spec.dtype);
  const size_t count = data.size() / bytes;
  std::string text;
  for (size_t i = 0; i < std::min(count, kShown); ++i) {
    text += (i == 0 ? "" : " ") + element_text(data.data() + i * bytes, spec.dtype);
  }
  return count > kShown ? text + " ..." : text;
}

class RunCommand {
 public:
  RunCommand(const RunArguments& arguments, const Console& console)
      : arguments_(arguments), console_(console) {}

  int run() {
    Result<Bytes> file = read_file(arguments_.file);
    if (!file.ok()) return refuse(file.error());
    file_ = file.take();
    if (const int code = load(); code != kDone) return code;
    Result<std::vector<Bytes>> inputs =
        read_tensors(arguments_.inputs, host_.input_specs(), "input");
    if (!inputs.ok()) return refuse_file(inputs.error());
    bool as_expected = true;
    for (uint32_t i = 0; i < arguments_.repeat; ++i) {
      const Stopwatch watch;
      if (MaybeError error = host_.run(inputs.value())) return refuse(*error);
      times_.runs.push_back(watch.seconds());
      if (const std::string damaged = host_.find_damage(); !damaged.empty()) {
        console_.error(arguments_.file, {damaged, "internal error: the run wrote outside it"});
        return kBug;
      }
      if (i == 0) {
        if (const int code = read_expected(); code != kDone) return code;
      }
      as_expected = check_outputs(i);
      if (!as_expected) break;
    }
    if (const int code = write_outputs(); code != kDone) return code;
    print();
    return as_expected ? kDone : kCheckFailed;
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

  int load() {
    HostRunOptions options;
    options.method = arguments_.method;
    for (const std::string& pool : arguments_.pools)
      options.pools.push_back(parse_named_bytes(pool).take());
    if (!arguments_.method_bytes.empty()) {
      options.method_bytes = target::parse_byte_size(arguments_.method_bytes).take();
    }
    if (!arguments_.fill.empty()) options.fill = parse_fill(arguments_.fill).take();
    const Stopwatch watch;
    bool is_usage = false;
    if (MaybeError error = host_.load(file_, options, &is_usage)) {
      console_.error(arguments_.file, *error);
      return is_usage ? kUsage : kRefused;
    }
    times_.load = watch.seconds();
    if (!host_.is_proven() && !arguments_.trust_plan) {
      if (MaybeError error = analyse_plan(file_)) return refuse(*error);
    }
    return kDone;
  }

  int read_expected() {
    if (arguments_.expected.empty()) return kDone;
    Result<std::vector<Bytes>> expected =
        read_tensors(arguments_.expected, host_.output_specs(), "output");
    if (!expected.ok()) return refuse_file(expected.error());
    expected_ = expected.take();
    return kDone;
  }

  bool check_outputs(uint32_t run_index) const {
    bool good = true;
    const std::vector<TensorSpec> specs = host_.output_specs();
    const std::vector<Bytes> outputs = host_.outputs();
    for (size_t i = 0; i < expected_.size(); ++i) {
      const auto mismatch = compare(outputs[i], expected_[i], specs[i], arguments_.tolerance);
      if (!mismatch) continue;
      good = false;
      const std::string when = arguments_.repeat > 1 ? fmt::format("run {}, ", run_index + 1) : "";
      console_.error(
          arguments_.file,
          {fmt::format("{}output {}", when, i),
           fmt::format("element {} is {}, expected {}; {} of {} elements differ", mismatch->element,
                       mismatch->got, mismatch->expected, mismatch->count, mismatch->total)});
    }
    return good;
  }

  int write_outputs() const {
    if (arguments_.outputs.empty()) return kDone;
    OutputFiles out;
    MaybeError error =
        add_tensor_files(arguments_.outputs, host_.output_specs(), host_.outputs(), &out);
    if (!error) error = out.commit();
    return error ? refuse_file(*error) : kDone;
  }

  void print() const {
    if (arguments_.time) {
      console_.remark(fmt::format("time: load {:.3f} ms", times_.load * 1e3));
      console_.remark(fmt::format("time: run {:.3f} ms (fastest of {}; mean {:.3f} ms)",
                                  times_.fastest() * 1e3, times_.runs.size(), times_.mean() * 1e3));
    }
    if (arguments_.json) {
      console_.print(json());
    } else if (!console_.quiet && arguments_.outputs.empty()) {
      const std::vector<TensorSpec> specs = host_.output_specs();
      const std::vector<Bytes> outputs = host_.outputs();
      for (size_t i = 0; i < specs.size(); ++i) {
        console_.print(fmt::format("output {} {}: {}\n", i, spec_text(specs[i]),
                                   first_elements(outputs[i], specs[i])));
      }
    }
  }

  std::string json() const {
    nlohmann::ordered_json pools = nlohmann::ordered_json::array();
    for (uint32_t p = 0; p < host_.need().pool_count; ++p) {
      const runtime::PoolNeed& pool = host_.need().pools[p];
      pools.push_back(
          {{"name", host_.pool_names()[p].name}, {"mem_id", pool.mem_id}, {"bytes", pool.bytes}});
    }
    nlohmann::ordered_json outputs = nlohmann::ordered_json::array();
    for (const TensorSpec& spec : host_.output_specs()) {
      outputs.push_back({{"dtype", scalar_type_name(spec.dtype)},
                         {"shape", spec.sizes},
                         {"bytes", spec.bytes()}});
    }
    const nlohmann::ordered_json json = {{"file", arguments_.file},
                                         {"method", arguments_.method},
                                         {"proven", host_.is_proven()},
                                         {"pools", std::move(pools)},
                                         {"method_bytes", host_.method_bytes()},
                                         {"outputs", std::move(outputs)},
                                         {"runs", times_.runs.size()},
                                         {"seconds",
                                          {{"load", times_.load},
                                           {"first", times_.runs.front()},
                                           {"fastest", times_.fastest()},
                                           {"mean", times_.mean()}}}};
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  }

  const RunArguments& arguments_;
  const Console& console_;
  Bytes file_;
  HostRun host_;
  std::vector<Bytes> expected_;
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
  CLI::App* app = berth.add_subcommand("run", "run a method on this machine");
  app->add_option("FILE", a->file, "a .pte file")->type_name("")->required();
  app->add_option("--method", a->method, "which method")->type_name("NAME")->capture_default_str();
  app->add_option("--input", a->inputs, "an input, in the method's order: raw bytes or .npy")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app->add_option("--output", a->outputs, "where to write an output")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app->add_option("--expect", a->expected, "compare an output; exit 3 when it differs")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app->add_option("--atol", a->tolerance.absolute, "absolute tolerance of --expect")
      ->type_name("X")
      ->check(CLI::NonNegativeNumber);
  app->add_option("--rtol", a->tolerance.relative, "relative tolerance of --expect")
      ->type_name("Y")
      ->check(CLI::NonNegativeNumber);
  app->add_option("--repeat", a->repeat, "run so many times")
      ->type_name("N")
      ->check(CLI::PositiveNumber)
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
