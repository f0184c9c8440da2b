#include "tools/run_calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "tools/stopwatch.h"

namespace berth::tools {
namespace {

class CallRunner {
 public:
  CallRunner(const CallList& list, const CallOptions& options, const std::string& file,
             HostProgram& host, const Console& console, std::vector<CallResult>* results)
      : list_(list),
        options_(options),
        file_(file),
        host_(host),
        console_(console),
        results_(*results) {
    results_.resize(list.calls.size());
  }

  int run() { return list_.sequence ? run_sequence() : run_apart(); }

 private:
  int run_sequence() {
    for (uint32_t turn = 0; turn < options_.repeat; ++turn) {
      if (turn > 0) {
        if (const int code = reload(); code != kDone) return code;
      }
      for (size_t i = 0; i < list_.calls.size(); ++i) {
        const int code = list_.calls[i].reset ? reload() : run_call(i, turn);
        if (code != kDone) return code;
      }
    }
    return verdict();
  }

  int run_apart() {
    for (size_t i = 0; i < list_.calls.size(); ++i) {
      if (i > 0) {
        if (const int code = reload(); code != kDone) return code;
      }
      for (uint32_t turn = 0; turn < options_.repeat && !list_.calls[i].reset; ++turn) {
        if (const int code = run_call(i, turn); code != kDone) return code;
      }
    }
    return verdict();
  }

  int verdict() const {
    const bool good = std::all_of(results_.begin(), results_.end(),
                                  [](const CallResult& result) { return result.as_expected; });
    return good ? kDone : kCheckFailed;
  }

  int refuse(const std::string& place, const Error& error) const {
    const std::string inner = error.place.empty() ? place : place + ", " + error.place;
    console_.error(file_, {inner, error.message});
    return kRefused;
  }

  int reload() {
    if (MaybeError error = host_.reload()) {
      console_.error(file_, *error);
      return kRefused;
    }
    return kDone;
  }

  int run_call(size_t i, uint32_t turn) {
    const Call& call = list_.calls[i];
    CallResult& result = results_[i];
    HostMethod& method = host_.method(call.method);
    if (options_.recorder != nullptr) options_.recorder->set_bundled_input(call.bundled_input);
    const Stopwatch watch;
    if (MaybeError error = method.set_inputs(call.inputs)) return refuse(call.place, *error);
    if (MaybeError error = method.execute()) return refuse(call.place, *error);
    result.seconds.push_back(watch.seconds());
    if (const std::string damaged = host_.find_damage(); !damaged.empty()) {
      console_.error(file_, {damaged, "internal error: the run wrote outside it"});
      return kBug;
    }
    std::vector<RunValue> outputs = method.outputs();
    compare_outputs(call, turn, outputs, &result);
    if (turn == 0) {
      result.method = call.method;
      result.outputs = std::move(outputs);
    }
    return kDone;
  }

  void compare_outputs(const Call& call, uint32_t turn, const std::vector<RunValue>& outputs,
                       CallResult* result) const {
    if (!call.has_outputs) return;
    const std::string when =
        call.place + (options_.repeat > 1 ? fmt::format(", run {}", turn + 1) : "");
    if (outputs.size() != call.outputs.size()) {
      console_.error(file_, {when, fmt::format("{}, expected {}", counted(outputs.size(), "output"),
                                               call.outputs.size())});
      result->as_expected = false;
      return;
    }
    for (size_t o = 0; o < outputs.size(); ++o) {
      const auto wrong = difference(outputs[o], call.outputs[o], options_.tolerance);
      if (!wrong) continue;
      console_.error(file_, {fmt::format("{}, output {}", when, o), *wrong});
      result->as_expected = false;
    }
  }

  const CallList& list_;
  const CallOptions& options_;
  const std::string& file_;
  HostProgram& host_;
  const Console& console_;
  std::vector<CallResult>& results_;
};

}  // namespace

std::vector<std::string> called_methods(const CallList& list,
                                        const std::vector<std::string>& program_methods) {
  std::vector<std::string> called;
  const auto add = [&](const std::string& name) {
    const bool wanted = std::any_of(list.calls.begin(), list.calls.end(), [&](const Call& call) {
      return !call.reset && call.method == name;
    });
    if (wanted && std::find(called.begin(), called.end(), name) == called.end()) {
      called.push_back(name);
    }
  };
  for (const std::string& name : program_methods) add(name);
  // Those that the program does not have: whoever loads them says so.
  for (const Call& call : list.calls) {
    if (!call.reset) add(call.method);
  }
  return called;
}

int run_calls(const CallList& list, const CallOptions& options, const std::string& file,
              HostProgram& host, const Console& console, std::vector<CallResult>* results) {
  return CallRunner(list, options, file, host, console, results).run();
}

}  // namespace berth::tools
