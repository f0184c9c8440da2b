#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "compiler/report/etdump.h"
#include "compiler/report/printable.h"

namespace berth::report {
namespace {

using nlohmann::ordered_json;

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

std::string tensor_text(const TracedTensor& tensor) {
  std::string sizes;
  for (int64_t size : tensor.sizes) sizes += (sizes.empty() ? "" : "x") + std::to_string(size);
  return fmt::format("{}[{}]", scalar_type_name(tensor.dtype), sizes);
}

std::string value_text(const TracedValue& value) {
  return std::visit(Overloaded{
                        [](std::monostate) { return std::string("none"); },
                        [](const TracedTensor& tensor) { return tensor_text(tensor); },
                        [](const std::vector<TracedTensor>& list) {
                          std::string text = "list";
                          for (const TracedTensor& tensor : list) text += " " + tensor_text(tensor);
                          return text;
                        },
                        [](const auto& scalar) { return fmt::format("{}", scalar); },
                    },
                    value);
}

ordered_json tensor_json(const TracedTensor& tensor) {
  return {{"dtype", scalar_type_name(tensor.dtype)},
          {"shape", tensor.sizes},
          {"strides", tensor.strides},
          {"offset", tensor.offset < 0 ? ordered_json() : ordered_json(tensor.offset)}};
}

ordered_json value_json(const TracedValue& value) {
  return std::visit(Overloaded{
                        [](std::monostate) { return ordered_json(); },
                        [](const TracedTensor& tensor) { return tensor_json(tensor); },
                        [](const std::vector<TracedTensor>& list) {
                          ordered_json json = ordered_json::array();
                          for (const TracedTensor& tensor : list)
                            json.push_back(tensor_json(tensor));
                          return json;
                        },
                        [](const auto& scalar) { return ordered_json(scalar); },
                    },
                    value);
}

// "3", "1:3" in another chain than the first; "-" for what is no instruction's.
std::string place_text(const EventPlace& place) {
  if (place.chain < 0) return "-";
  if (place.chain == 0) return std::to_string(place.instruction);
  return fmt::format("{}:{}", place.chain, place.instruction);
}

// The delegate's own word for a part of itself; empty when it is no delegate's event.
std::string delegate_text(const EventPlace& place) {
  if (!place.delegate_name.empty()) return printable(place.delegate_name);
  return place.delegate_number < 0 ? "" : fmt::format("#{}", place.delegate_number);
}

ordered_json delegate_json(const EventPlace& place) {
  if (!place.delegate_name.empty()) return place.delegate_name;
  return place.delegate_number < 0 ? ordered_json() : ordered_json(place.delegate_number);
}

std::string event_line(const ProfileEvent& event) {
  const std::string delegate = delegate_text(event.place);
  std::string name = printable(event.name);
  if (!delegate.empty()) name += (name.empty() ? "delegate: " : ", delegate: ") + delegate;
  const uint64_t passed = event.end - event.start;
  // A clock of 32 bits may have gone round once.
  const uint64_t shown = event.end < event.start ? static_cast<uint32_t>(passed) : passed;
  return fmt::format("  {:>12}  {:>8}  {}\n", shown, place_text(event.place), name);
}

std::string event_line(const DebugEvent& event) {
  const std::string delegate = delegate_text(event.place);
  return fmt::format("  {:>12}  {:>8}  {} {}{}\n", "", place_text(event.place),
                     event.is_output ? "output" : "value", value_text(event.value),
                     delegate.empty() ? "" : ", delegate: " + delegate);
}

ordered_json event_json(const ProfileEvent& event) {
  return {{"kind", "time"},
          {"name", event.name},
          {"chain", event.place.chain},
          {"instruction", event.place.instruction},
          {"delegate_id", delegate_json(event.place)},
          {"start", event.start},
          {"end", event.end}};
}

ordered_json event_json(const DebugEvent& event) {
  return {{"kind", event.is_output ? "output" : "value"},
          {"name", event.name},
          {"chain", event.place.chain},
          {"instruction", event.place.instruction},
          {"delegate_id", delegate_json(event.place)},
          {"value", value_json(event.value)}};
}

}  // namespace

std::string etdump_text(const Etdump& dump) {
  std::string text;
  for (size_t r = 0; r < dump.runs.size(); ++r) {
    const TraceRun& run = dump.runs[r];
    text += fmt::format("run {} {}", r, printable(run.name));
    if (run.bundled_input_index >= 0)
      text += fmt::format(", test case {}", run.bundled_input_index);
    text += fmt::format("\n  {:>12}  {:>8}  event\n", "ns", "at");
    for (const auto& event : run.events) {
      text += std::visit([](const auto& one) { return event_line(one); }, event);
    }
  }
  return text;
}

std::string etdump_json(const Etdump& dump, const std::string& file) {
  ordered_json runs = ordered_json::array();
  for (const TraceRun& run : dump.runs) {
    ordered_json events = ordered_json::array();
    for (const auto& event : run.events) {
      events.push_back(std::visit([](const auto& one) { return event_json(one); }, event));
    }
    runs.push_back({{"name", run.name},
                    {"bundled_input_index", run.bundled_input_index},
                    {"events", std::move(events)}});
  }
  const ordered_json whole = {{"file", file}, {"runs", std::move(runs)}};
  // What is no UTF-8 in a name is replaced, not thrown at.
  return whole.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace berth::report
