// ETDump files: written, read, those of a stock runtime, spoilt ones.
#include "compiler/report/etdump.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "format/etdump_generated.h"

namespace berth::report {
namespace {

namespace fs = std::filesystem;
namespace wire = format::etdump;
using nlohmann::json;
using program::Bytes;

Bytes read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

TracedTensor tensor(ScalarType dtype, std::vector<int64_t> sizes, std::vector<int64_t> strides,
                    int64_t offset) {
  return {dtype, std::move(sizes), std::move(strides), offset};
}

// Every kind of event and of value.
Etdump sample() {
  Etdump dump;
  dump.runs.resize(3);
  dump.runs[0].name = "Default";
  dump.runs[0].events = {ProfileEvent{{}, "Method::init", 10, 20}};
  dump.runs[1].name = "Execute";
  dump.runs[1].bundled_input_index = 2;
  const EventPlace third{0, 3, -1, ""};
  dump.runs[1].events = {
      DebugEvent{third, "", tensor(ScalarType::kFloat, {2, 3}, {3, 1}, 64), false},
      DebugEvent{third, "", tensor(ScalarType::kChar, {}, {}, 0), false},
      DebugEvent{third, "parts",
                 std::vector<TracedTensor>{tensor(ScalarType::kLong, {1}, {1}, -1),
                                           tensor(ScalarType::kBool, {0, 4}, {4, 1}, -1)},
                 false},
      DebugEvent{third, "", std::vector<TracedTensor>(), false},
      DebugEvent{third, "", int64_t{-7}, false},
      DebugEvent{third, "", true, false},
      DebugEvent{third, "", 0.5f, false},
      DebugEvent{third, "", 0.25, false},
      DebugEvent{third, "", std::monostate(), false},
      ProfileEvent{{1, 0, 7, ""}, "", 30, 40},
      ProfileEvent{{0, 0, -1, "Multiply (ND) #1"}, "", 0, UINT64_MAX},
      ProfileEvent{third, "native_call_add.out", 0xfffffff0, 0x10},
      DebugEvent{{}, "", tensor(ScalarType::kFloat, {1}, {1}, 128), true}};
  dump.runs[2].name = "Execute";
  return dump;
}

Bytes write(const Etdump& dump, uint64_t limit = uint64_t{1} << 30) {
  EtdumpWriter writer(limit);
  for (const TraceRun& run : dump.runs) {
    writer.begin_run(run.name, run.bundled_input_index);
    for (const auto& event : run.events) {
      std::visit([&](const auto& one) { writer.add(one); }, event);
    }
  }
  EXPECT_FALSE(writer.is_full());
  return writer.finish();
}

// Two dumps are the same when all that scripts see of them is.
void expect_same(const Etdump& a, const Etdump& b) {
  EXPECT_EQ(etdump_json(a, ""), etdump_json(b, ""));
}

TEST(Etdump, WhatIsWrittenIsRead) {
  const Bytes bytes = write(sample());
  ASSERT_TRUE(is_etdump(bytes));
  const Result<Etdump> read = read_etdump(bytes);
  ASSERT_TRUE(read.ok()) << read.error().place << ": " << read.error().message;
  expect_same(read.value(), sample());
  EXPECT_EQ(bytes, write(read.value()));
}

TEST(Etdump, OpensWithItsSizeAndItsIdentifier) {
  const Bytes bytes = write(sample());
  uint32_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof(size));
  EXPECT_EQ(size, bytes.size() - 4);
  EXPECT_EQ(std::memcmp(bytes.data() + 8, "ED00", 4), 0);
}

TEST(Etdump, TextHasALinePerEvent) {
  EXPECT_EQ(etdump_text(sample()),
            "run 0 Default\n"
            "            ns        at  event\n"
            "            10         -  Method::init\n"
            "run 1 Execute, test case 2\n"
            "            ns        at  event\n"
            "                       3  value f32[2x3]\n"
            "                       3  value i8[]\n"
            "                       3  value list i64[1] bool[0x4]\n"
            "                       3  value list\n"
            "                       3  value -7\n"
            "                       3  value true\n"
            "                       3  value 0.5\n"
            "                       3  value 0.25\n"
            "                       3  value none\n"
            "            10       1:0  delegate: #7\n"
            "  18446744073709551615         0  delegate: Multiply (ND) #1\n"
            "            32         3  native_call_add.out\n"
            "                       -  output f32[1]\n"
            "run 2 Execute\n"
            "            ns        at  event\n");
}

TEST(Etdump, JsonTellsAllOfAnEvent) {
  const json whole = json::parse(etdump_json(sample(), "a.etdump"));
  EXPECT_EQ(whole["file"], "a.etdump");
  EXPECT_EQ(whole["runs"][1]["bundled_input_index"], 2);
  EXPECT_EQ(whole["runs"][1]["events"][0], json::parse(R"({"kind": "value", "name": "", "chain": 0,
      "instruction": 3, "delegate_id": null,
      "value": {"dtype": "f32", "shape": [2, 3], "strides": [3, 1], "offset": 64}})"));
  EXPECT_EQ(whole["runs"][1]["events"][9], json::parse(R"({"kind": "time", "name": "", "chain": 1,
      "instruction": 0, "delegate_id": 7, "start": 30, "end": 40})"));
  EXPECT_EQ(whole["runs"][1]["events"][12]["kind"], "output");
}

TEST(Etdump, AFullWriterSaysSoAndStopsBelowItsLimit) {
  for (const uint64_t limit : {uint64_t{0}, uint64_t{1000}, uint64_t{20000}}) {
    EtdumpWriter writer(limit);
    writer.begin_run("Execute");
    for (int i = 0; i < 1000; ++i) writer.add(ProfileEvent{{0, i, -1, ""}, "OPERATOR_CALL", 1, 2});
    const DebugEvent wide{
        {},
        "",
        tensor(ScalarType::kFloat, std::vector<int64_t>(5000, 1), std::vector<int64_t>(5000, 1), 0),
        false};
    writer.add(wide);
    writer.begin_run("Execute");
    EXPECT_TRUE(writer.is_full());
    EXPECT_LE(writer.finish().size(), limit + 512);
  }
  EtdumpWriter writer(20000);
  writer.begin_run("Execute");
  writer.add(DebugEvent{{}, "", std::vector<TracedTensor>(1000), false});
  EXPECT_TRUE(writer.is_full());
}

// What a stock runtime wrote, against what the stock tools read in it.
json events_of(const json& stock) {
  json out = json::array();
  for (const json& run : stock["run_data"]) {
    for (const json& event : run["events"]) {
      const bool is_time = !event["profile_event"].is_null();
      const json& e = is_time ? event["profile_event"] : event["debug_event"];
      const json& text = e["delegate_debug_id_str"];
      const json& number = e["delegate_debug_id_int"];
      const uint64_t chain = e["chain_index"].get<uint64_t>();
      json one = {{"run", run["name"]},
                  {"name", e["name"].is_null() ? json("") : e["name"]},
                  {"chain", chain == UINT64_MAX ? json(-1) : e["chain_index"]},
                  {"instruction", e["instruction_id"]},
                  {"delegate_id", text.is_null() ? (number == -1 ? json() : number) : text}};
      if (is_time) {
        one["start"] = e["start_time"];
        one["end"] = e["end_time"];
      } else {
        const json& value = e["debug_entry"];
        one["dtype"] =
            scalar_type_name(static_cast<ScalarType>(value["tensor"]["scalar_type"].get<int>()));
        one["shape"] = value["tensor"]["sizes"];
        one["strides"] = value["tensor"]["strides"];
        one["offset"] = value["tensor"]["offset"];
        one["is_output"] = !value["output"].is_null();
      }
      out.push_back(one);
    }
  }
  return out;
}

json events_of(const Etdump& dump) {
  json out = json::array();
  const json whole = json::parse(etdump_json(dump, ""));
  for (const json& run : whole["runs"]) {
    for (json event : run["events"]) {
      const std::string kind = event["kind"];
      event.erase("kind");
      event["run"] = run["name"];
      if (kind != "time") {
        event.update(event["value"]);
        event.erase("value");
        event["is_output"] = kind == "output";
      }
      out.push_back(event);
    }
  }
  return out;
}

TEST(Etdump, StockFilesAreReadAsTheStockToolsReadThem) {
  for (const std::string name : {"etdump_small_cnn", "etdump_xnnpack"}) {
    const fs::path folder = fs::path(BERTH_SHARED_DIR) / "pte" / name;
    if (!fs::exists(folder / "run.etdp")) {
      GTEST_SKIP() << folder << " is missing: no stock trace is read";
    }
    const Result<Etdump> read = read_etdump(read_file(folder / "run.etdp"));
    ASSERT_TRUE(read.ok()) << name << ": " << read.error().place << ": " << read.error().message;
    std::ifstream text(folder / "run.etdp.json");
    const json expected = events_of(json::parse(text));
    EXPECT_GT(expected.size(), 20u);
    EXPECT_EQ(events_of(read.value()), expected) << name;
    const Result<Etdump> again = read_etdump(write(read.value()));
    ASSERT_TRUE(again.ok()) << name;
    expect_same(again.value(), read.value());
  }
}

Bytes pack(const wire::ETDumpT& dump) {
  flatbuffers::FlatBufferBuilder builder;
  builder.FinishSizePrefixed(wire::CreateETDump(builder, &dump), wire::ETDumpIdentifier());
  Bytes bytes(builder.GetSize());
  std::memcpy(bytes.data(), builder.GetBufferPointer(), bytes.size());
  return bytes;
}

// One run: a time, and a tensor.
wire::ETDumpT plain() {
  wire::ETDumpT dump;
  dump.run_data.push_back(std::make_unique<wire::RunDataT>());
  wire::RunDataT& run = *dump.run_data[0];
  run.name = "Execute";
  for (int i = 0; i < 2; ++i) run.events.push_back(std::make_unique<wire::EventT>());
  run.events[0]->profile_event = std::make_unique<wire::ProfileEventT>();
  run.events[1]->debug_event = std::make_unique<wire::DebugEventT>();
  run.events[1]->debug_event->debug_entry = std::make_unique<wire::ValueT>();
  wire::ValueT& value = *run.events[1]->debug_event->debug_entry;
  value.val = wire::ValueType::Tensor;
  value.tensor = std::make_unique<wire::TensorT>();
  value.tensor->sizes = {2};
  value.tensor->strides = {1};
  return dump;
}

TEST(Etdump, NamesTheFieldOfEveryHostileValue) {
  using T = wire::ETDumpT;
  const auto profile = [](T& d) -> wire::ProfileEventT& {
    return *d.run_data[0]->events[0]->profile_event;
  };
  const auto debug = [](T& d) -> wire::DebugEventT& {
    return *d.run_data[0]->events[1]->debug_event;
  };
  const auto value = [&](wire::ValueType type) {
    return [=](T& d) { debug(d).debug_entry->val = type; };
  };
  const std::string time = "run_data[0].events[0].profile_event.";
  const std::string event = "run_data[0].events[1].debug_event.";
  const std::string entry = event + "debug_entry.";
  using wire::ValueType;
  const std::vector<std::pair<std::string, std::function<void(T&)>>> cases = {
      {"version", [](T& d) { d.version = 1; }},
      {"run_data[0].events[0]", [](T& d) { d.run_data[0]->events[0]->profile_event.reset(); }},
      {"run_data[0].events[0]",
       [](T& d) {
         d.run_data[0]->events[0]->allocation_event = std::make_unique<wire::AllocationEventT>();
       }},
      {time + "chain_index", [&](T& d) { profile(d).chain_index = -2; }},
      {time + "instruction_id", [&](T& d) { profile(d).instruction_id = -2; }},
      {event + "chain_index", [&](T& d) { debug(d).chain_index = uint64_t{1} << 31; }},
      {event + "instruction_id", [&](T& d) { debug(d).instruction_id = INT32_MIN; }},
      {event + "debug_entry", [&](T& d) { debug(d).debug_entry.reset(); }},
      {entry + "int_value", value(ValueType::Int)},
      {entry + "bool_value", value(ValueType::Bool)},
      {entry + "float_value", value(ValueType::Float)},
      {entry + "double_value", value(ValueType::Double)},
      {entry + "tensor_list", value(ValueType::TensorList)},
      {entry + "val", value(static_cast<ValueType>(8))},
      {entry + "val", value(static_cast<ValueType>(-1))},
      {entry + "tensor", [&](T& d) { debug(d).debug_entry->tensor.reset(); }},
      {entry + "tensor.scalar_type", [&](T& d) { debug(d).debug_entry->tensor->scalar_type = 30; }},
      {entry + "tensor.scalar_type", [&](T& d) { debug(d).debug_entry->tensor->scalar_type = -1; }},
      {entry + "tensor.strides", [&](T& d) { debug(d).debug_entry->tensor->strides.clear(); }},
      {entry + "tensor_list.tensors[1].strides",
       [&](T& d) {
         wire::ValueT& list = *debug(d).debug_entry;
         list.val = ValueType::TensorList;
         list.tensor_list = std::make_unique<wire::TensorListT>();
         for (int i = 0; i < 2; ++i) {
           list.tensor_list->tensors.push_back(std::make_unique<wire::TensorT>());
           list.tensor_list->tensors[i]->sizes.assign(i, 1);
         }
       }},
  };
  ASSERT_TRUE(read_etdump(pack(plain())).ok());
  for (const auto& [place, spoil] : cases) {
    wire::ETDumpT dump = plain();
    spoil(dump);
    const Result<Etdump> read = read_etdump(pack(dump));
    ASSERT_FALSE(read.ok()) << place;
    EXPECT_EQ(read.error().place, place);
  }
}

TEST(Etdump, EventsOfAllocatorsAreLeftOut) {
  wire::ETDumpT dump = plain();
  dump.run_data[0]->events[0]->profile_event.reset();
  dump.run_data[0]->events[0]->allocation_event = std::make_unique<wire::AllocationEventT>();
  const Result<Etdump> read = read_etdump(pack(dump));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().runs[0].events.size(), 1u);
}

// Fields that FlatBuffers lets a file leave out.
TEST(Etdump, NamesTheFieldThatIsMissing) {
  flatbuffers::FlatBufferBuilder builder;
  const auto finish = [&](flatbuffers::Offset<wire::ETDump> dump) {
    builder.FinishSizePrefixed(dump, wire::ETDumpIdentifier());
    Bytes bytes(builder.GetSize());
    std::memcpy(bytes.data(), builder.GetBufferPointer(), bytes.size());
    builder.Clear();
    const Result<Etdump> read = read_etdump(bytes);
    return read.ok() ? "" : read.error().place + ": " + read.error().message;
  };
  EXPECT_EQ(finish(wire::CreateETDump(builder)), "run_data: missing");
  const auto run = wire::CreateRunData(builder);
  const auto runs = builder.CreateVector(&run, 1);
  EXPECT_EQ(finish(wire::CreateETDump(builder, 0, runs)), "run_data[0].name: missing");
  const auto tensor_without = [&](bool sizes, bool strides) {
    const auto empty = [&](bool there) {
      return there ? builder.CreateVector(std::vector<int64_t>()) : 0;
    };
    const auto size_list = empty(sizes);
    const auto stride_list = empty(strides);
    const auto content = wire::CreateTensor(builder, 6, size_list, stride_list);
    const auto value = wire::CreateValue(builder, wire::ValueType::Tensor, content);
    const auto debug = wire::CreateDebugEvent(builder, 0, 0, value);
    const auto event = wire::CreateEvent(builder, 0, 0, debug);
    const auto events = builder.CreateVector(&event, 1);
    const auto one = wire::CreateRunData(builder, builder.CreateString("Execute"), -1, 0, events);
    return wire::CreateETDump(builder, 0, builder.CreateVector(&one, 1));
  };
  const std::string place = "run_data[0].events[0].debug_event.debug_entry.tensor.";
  EXPECT_EQ(finish(tensor_without(false, true)), place + "sizes: missing");
  EXPECT_EQ(finish(tensor_without(true, false)), place + "strides: missing");
  EXPECT_EQ(finish(tensor_without(true, true)), "");
}

TEST(Etdump, ACutFileIsRefusedAndAnyByteMayBeAnything) {
  const Bytes whole = write(sample());
  for (size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(read_etdump(cut).ok()) << size;
  }
  Bytes longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_EQ(read_etdump(longer).error().place, "size prefix");
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const int content : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      Bytes bytes = whole;
      bytes[at] = static_cast<std::byte>(content);
      const Result<Etdump> read = read_etdump(bytes);
      if (read.ok()) {
        EXPECT_NE(etdump_text(read.value()) + etdump_json(read.value(), ""), "") << at;
      } else {
        EXPECT_NE(read.error().message, "") << at;
      }
    }
  }
}

TEST(Etdump, EventsThatShareTheirBytesDoNotFillTheMemory) {
  flatbuffers::FlatBufferBuilder builder;
  const auto name = builder.CreateString(std::string(100000, 'x'));
  const auto profile = wire::CreateProfileEvent(builder, name);
  const std::vector<flatbuffers::Offset<wire::Event>> many(1000,
                                                           wire::CreateEvent(builder, profile));
  const auto events = builder.CreateVector(many);  // 100 MB of names
  const auto run = wire::CreateRunData(builder, builder.CreateString("Execute"), -1, 0, events);
  const auto runs = builder.CreateVector(&run, 1);
  builder.FinishSizePrefixed(wire::CreateETDump(builder, 0, runs), wire::ETDumpIdentifier());
  Bytes bytes(builder.GetSize());
  std::memcpy(bytes.data(), builder.GetBufferPointer(), bytes.size());
  const Result<Etdump> read = read_etdump(bytes);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("again and again"), std::string::npos);
}

}  // namespace
}  // namespace berth::report
