// A traced run of a stock file with delegates is, event for event, what the stock runtime recorded
// of it. XNNPACK's own steps are told by a stand-in that knows their names from that recording.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/kernels/portable/portable_kernels.h"
#include "tests/support/pte_builder.h"
#include "tools/files.h"
#include "tools/trace_recorder.h"

namespace berth::tools {
namespace {

using runtime::BackendHandle;
using runtime::BackendOption;
using runtime::DelegateArgs;
using runtime::ExecuteContext;
using runtime::InitContext;
using runtime::Span;

// What the delegates call their steps, entry for entry, in the order of init().
struct Steps {
  std::vector<std::vector<std::string>> of_entry;
  size_t next = 0;
};

Status init(InitContext& context, BackendHandle* handle) {
  Span<uint8_t> memory;
  const Status status = context.find_memory("steps", sizeof(Steps), alignof(Steps), &memory);
  if (status != Status::kOk) return status;
  auto* steps = reinterpret_cast<Steps*>(memory.data());
  if (steps->next == steps->of_entry.size()) return Status::kBackendFailed;
  *handle = &steps->of_entry[steps->next++];
  return Status::kOk;
}

Status execute(ExecuteContext& context, BackendHandle handle, const DelegateArgs& args) {
  for (const std::string& name : *static_cast<std::vector<std::string>*>(handle)) {
    context.tracer->step_begins();
    context.tracer->step_ends(name.c_str());
  }
  runtime::Tensor& out = *args.value(args.count() - 1).tensor;
  std::memset(out.data, 0, out.nbytes());
  return Status::kOk;
}

constexpr runtime::Backend kStandIn = {"XnnpackBackend", init, execute, nullptr};

std::string shape_of(const report::TracedTensor& tensor) {
  std::string text = scalar_type_name(tensor.dtype);
  for (size_t d = 0; d < tensor.sizes.size(); ++d) {
    text += fmt::format(" {}/{}", tensor.sizes[d], tensor.strides[d]);
  }
  return text;
}

// All of an event but its times and the place of its bytes.
std::string line_of(const std::variant<report::ProfileEvent, report::DebugEvent>& event) {
  const auto place = [](const report::EventPlace& p) {
    return fmt::format("{}:{} ({} \"{}\")", p.chain, p.instruction, p.delegate_number,
                       p.delegate_name);
  };
  if (const auto* time = std::get_if<report::ProfileEvent>(&event)) {
    return place(time->place) + " time " + time->name;
  }
  const auto& value = std::get<report::DebugEvent>(event);
  const auto* tensor = std::get_if<report::TracedTensor>(&value.value);
  return place(value.place) + (value.is_output ? " output " : " value ") + value.name +
         (tensor == nullptr ? "?" : shape_of(*tensor));
}

std::vector<std::string> lines_of(const report::Etdump& dump) {
  std::vector<std::string> lines;
  for (const report::TraceRun& run : dump.runs) {
    lines.push_back(fmt::format("run {} {}", run.name, run.bundled_input_index));
    for (const auto& event : run.events) lines.push_back(line_of(event));
  }
  return lines;
}

// The steps within each delegate call of the recording.
Steps steps_of(const report::Etdump& dump) {
  Steps steps;
  int32_t last = -1;
  for (const auto& event : dump.runs.at(1).events) {
    const auto* time = std::get_if<report::ProfileEvent>(&event);
    if (time == nullptr || time->place.delegate_name.empty()) continue;
    if (time->place.instruction != last) steps.of_entry.emplace_back();
    last = time->place.instruction;
    steps.of_entry.back().push_back(time->place.delegate_name);
  }
  return steps;
}

TEST(DelegateTraceTest, IsTheStockRuntimesEventForEvent) {
  const std::string folder = std::string(BERTH_SHARED_DIR) + "/pte/etdump_xnnpack/";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  const Result<Bytes> model = read_file(folder + "model.pte");
  const Result<Bytes> recording = read_file(folder + "run.etdp");
  ASSERT_TRUE(model.ok() && recording.ok());
  const Result<report::Etdump> stock = report::read_etdump(recording.value());
  ASSERT_TRUE(stock.ok()) << stock.error().message;
  Steps steps = steps_of(stock.value());
  ASSERT_EQ(steps.of_entry.size(), 2u);

  const auto* data = reinterpret_cast<const uint8_t*>(model.value().data());
  const berth::testing::AlignedBytes file(std::vector<uint8_t>(data, data + model.value().size()));
  LoadFault fault;
  runtime::Program program;
  runtime::MethodNeed need;
  ASSERT_EQ(program.open({file.data(), file.size()}, &fault), Status::kOk) << fault.field;
  ASSERT_EQ(program.need("forward", &need, &fault), Status::kOk) << fault.field;
  ASSERT_EQ(need.pool_count, 1u);
  berth::testing::AlignedBytes own(need.method_bytes), pool(need.pools[0].bytes);
  const runtime::PoolMemory pools[] = {{need.pools[0].mem_id, {pool.data(), pool.size()}}};
  const Span<const runtime::Kernel> kernels[] = {runtime::portable_kernels()};
  const runtime::Backend* const backends[] = {&kStandIn};
  BackendOption option{"XnnpackBackend", "steps"};
  option.kind = BackendOption::Kind::kMemory;
  option.memory = {reinterpret_cast<uint8_t*>(&steps), sizeof steps};
  runtime::LoadOptions options;
  options.kernels = kernels;
  options.backends = runtime::Backends(backends, {&option, 1});

  TraceRecorder recorder(false);
  recorder.add_method("forward", {0});
  runtime::Method method;
  recorder.load_begins();
  ASSERT_EQ(method.load(program, "forward", options, {{own.data(), own.size()}, pools}, &fault),
            Status::kOk)
      << fault.field << " " << fault.index;
  recorder.load_ends();
  method.set_tracer(&recorder);
  const runtime::Tensor& input = *method.input(0).tensor;
  const std::vector<uint8_t> zeros(input.nbytes());
  ASSERT_EQ(method.set_input(0, zeros.data(), zeros.size()), Status::kOk);
  recorder.run_begins();
  ASSERT_EQ(method.execute(), Status::kOk);
  recorder.run_ends(method);
  method.unload();
  Bytes etdump, values;
  ASSERT_EQ(recorder.finish(&etdump, &values), std::nullopt);
  const Result<report::Etdump> ours = report::read_etdump(etdump);
  ASSERT_TRUE(ours.ok());
  EXPECT_EQ(lines_of(ours.value()), lines_of(stock.value()));
}

}  // namespace
}  // namespace berth::tools
