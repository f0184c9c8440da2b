#include <algorithm>
#include <cstring>

#include "compiler/report/etdump.h"
#include "format/etdump_generated.h"

namespace berth::report {
namespace {

namespace fb = flatbuffers;
namespace wire = format::etdump;

// An event whose texts are new, with room to spare. Tensors are counted by their axes.
constexpr uint64_t kEventBytes = 512;
constexpr uint64_t kAxisBytes = 2 * sizeof(int64_t);

uint64_t axes_of(const TracedValue& value) {
  if (const auto* tensor = std::get_if<TracedTensor>(&value)) return tensor->sizes.size();
  uint64_t axes = 0;
  if (const auto* list = std::get_if<std::vector<TracedTensor>>(&value)) {
    for (const TracedTensor& tensor : *list) axes += tensor.sizes.size() + 4;
  }
  return axes;
}

}  // namespace

struct EtdumpWriter::State {
  uint64_t limit = 0;
  bool full = false;
  fb::FlatBufferBuilder builder;
  std::vector<fb::Offset<wire::Event>> events;  // of the run that was begun last
  std::vector<fb::Offset<wire::RunData>> runs;
  std::string run_name;
  int32_t bundled_input_index = -1;
  bool running = false;

  // Counts the vectors of offsets too, which are written at the end.
  bool has_room(uint64_t more) {
    full = full || builder.GetSize() + 4 * (events.size() + runs.size()) + more > limit;
    return !full;
  }

  // No text is written as none.
  fb::Offset<fb::String> text(const std::string& content) {
    return content.empty() ? 0 : builder.CreateSharedString(content);
  }

  fb::Offset<wire::Tensor> tensor(const TracedTensor& tensor) {
    const auto sizes = builder.CreateVector(tensor.sizes);
    const auto strides = builder.CreateVector(tensor.strides);
    return wire::CreateTensor(builder, static_cast<int8_t>(tensor.dtype), sizes, strides,
                              tensor.offset);
  }

  fb::Offset<wire::Value> value(const TracedValue& value, bool is_output) {
    using wire::ValueType;
    const fb::Offset<wire::Bool> output = is_output ? wire::CreateBool(builder, true) : 0;
    const auto finish = [&](ValueType type, auto set) {
      wire::ValueBuilder out(builder);
      out.add_val(type);
      out.add_output(output);
      set(out);
      return out.Finish();
    };
    if (const auto* one = std::get_if<TracedTensor>(&value)) {
      const auto content = tensor(*one);
      return finish(ValueType::Tensor, [&](auto& out) { out.add_tensor(content); });
    }
    if (const auto* list = std::get_if<std::vector<TracedTensor>>(&value)) {
      std::vector<fb::Offset<wire::Tensor>> tensors;
      for (const TracedTensor& one : *list) tensors.push_back(tensor(one));
      const auto content = wire::CreateTensorList(builder, builder.CreateVector(tensors));
      return finish(ValueType::TensorList, [&](auto& out) { out.add_tensor_list(content); });
    }
    if (const auto* integer = std::get_if<int64_t>(&value)) {
      const auto content = wire::CreateInt(builder, *integer);
      return finish(ValueType::Int, [&](auto& out) { out.add_int_value(content); });
    }
    if (const auto* truth = std::get_if<bool>(&value)) {
      const auto content = wire::CreateBool(builder, *truth);
      return finish(ValueType::Bool, [&](auto& out) { out.add_bool_value(content); });
    }
    if (const auto* number = std::get_if<float>(&value)) {
      const auto content = wire::CreateFloat(builder, *number);
      return finish(ValueType::Float, [&](auto& out) { out.add_float_value(content); });
    }
    if (const auto* number = std::get_if<double>(&value)) {
      const auto content = wire::CreateDouble(builder, *number);
      return finish(ValueType::Double, [&](auto& out) { out.add_double_value(content); });
    }
    return finish(ValueType::Null, [](auto&) {});
  }

  void end_run() {
    if (!running) return;
    const auto name = text(run_name);
    const auto list = builder.CreateVector(events);
    wire::RunDataBuilder run(builder);
    run.add_name(name);
    run.add_bundled_input_index(bundled_input_index);
    run.add_events(list);
    runs.push_back(run.Finish());
    events.clear();
    running = false;
  }
};

EtdumpWriter::EtdumpWriter(uint64_t limit) : state_(std::make_unique<State>()) {
  // Room for what finish() adds.
  state_->limit = std::min<uint64_t>(limit, FLATBUFFERS_MAX_BUFFER_SIZE - (1 << 20));
}
EtdumpWriter::~EtdumpWriter() = default;

void EtdumpWriter::begin_run(const std::string& name, int32_t bundled_input_index) {
  state_->end_run();
  if (!state_->has_room(kEventBytes + name.size())) return;
  state_->run_name = name;
  state_->bundled_input_index = bundled_input_index;
  state_->running = true;
}

void EtdumpWriter::add(const ProfileEvent& event) {
  State& s = *state_;
  const EventPlace& place = event.place;
  if (!s.has_room(kEventBytes + event.name.size() + place.delegate_name.size())) return;
  const auto name = s.text(event.name);
  const auto delegate_name = s.text(place.delegate_name);
  const auto profile =
      wire::CreateProfileEvent(s.builder, name, place.chain, place.instruction,
                               place.delegate_number, delegate_name, 0, event.start, event.end);
  s.events.push_back(wire::CreateEvent(s.builder, profile));
}

void EtdumpWriter::add(const DebugEvent& event) {
  State& s = *state_;
  const EventPlace& place = event.place;
  if (!s.has_room(kEventBytes + event.name.size() + place.delegate_name.size() +
                  kAxisBytes * axes_of(event.value))) {
    return;
  }
  const auto name = s.text(event.name);
  const auto delegate_name = s.text(place.delegate_name);
  const auto value = s.value(event.value, event.is_output);
  const auto chain = static_cast<uint64_t>(int64_t{place.chain});  // -1 is all ones
  const auto debug = wire::CreateDebugEvent(s.builder, chain, place.instruction, value,
                                            place.delegate_number, delegate_name, name);
  s.events.push_back(wire::CreateEvent(s.builder, 0, 0, debug));
}

bool EtdumpWriter::is_full() const { return state_->full; }

program::Bytes EtdumpWriter::finish() {
  State& s = *state_;
  s.end_run();
  const auto runs = s.builder.CreateVector(s.runs);
  s.builder.FinishSizePrefixed(wire::CreateETDump(s.builder, 0, runs), wire::ETDumpIdentifier());
  program::Bytes bytes(s.builder.GetSize());
  std::memcpy(bytes.data(), s.builder.GetBufferPointer(), bytes.size());
  return bytes;
}

}  // namespace berth::report
