#include "program/sample_program.h"

#include <string_view>
#include <utility>

namespace berth::program {
namespace {

Bytes bytes_of(std::string_view text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return Bytes(data, data + text.size());
}

Value float_tensor(std::vector<int32_t> sizes, int32_t storage, uint64_t offset = 0) {
  Tensor tensor;
  tensor.sizes = std::move(sizes);
  for (size_t i = 0; i < tensor.sizes.size(); ++i) {
    tensor.dim_order.push_back(static_cast<uint8_t>(i));
  }
  tensor.storage = storage;
  tensor.offset = offset;
  return Value{tensor, ""};
}

Storage planned(uint64_t nbytes, uint64_t offset, Role role, const char* name) {
  Storage storage;
  storage.nbytes = nbytes;
  storage.mem_id = 1;
  storage.offset = offset;
  storage.role = role;
  storage.name = name;
  return storage;
}

RecordedBuffer buffer(int32_t extent, std::vector<Interval> live, Role role, const char* name) {
  RecordedBuffer out;
  out.extent = extent;
  out.live = std::move(live);
  out.role = role;
  out.name = name;
  return out;
}

// Values and storages: index in the comments, because everything else speaks in them.
Method main_method() {
  Method m;
  m.name = "forward";
  m.input_tree = "[1, {\"in\": null}]";
  m.output_tree = "[1, {\"out\": null}]";
  m.pools = {{1, 256, 0, 0}, {2, 0, 0, 0}, {3, 64, 1, 2}};

  m.storages.push_back(planned(48, 0, Role::kInput, "input"));     // 0
  m.storages.push_back(planned(48, 48, Role::kOutput, "output"));  // 1
  m.storages.push_back(planned(32, 96, Role::kState, "cache"));    // 2
  m.storages.back().kind = StorageKind::kState;
  m.storages.back().data = 0;
  m.storages.push_back(planned(16, 128, Role::kDelegateScratch, "work"));  // 3
  m.storages.back().alignment = 64;
  m.storages.back().owner = 1;
  m.storages.push_back({});  // 4
  m.storages.back().kind = StorageKind::kConstant;
  m.storages.back().nbytes = 64;
  m.storages.back().data = 0;
  m.storages.push_back({});  // 5
  m.storages.back().kind = StorageKind::kExternal;
  m.storages.back().nbytes = 16;
  m.storages.push_back({});  // 6
  m.storages.back().kind = StorageKind::kCaller;
  m.storages.back().nbytes = 8;
  m.storages.push_back(planned(16, 0, Role::kActivation, "on the device"));  // 7
  m.storages.back().mem_id = 3;

  m.values.push_back(float_tensor({3, 4}, 0));  // 0 input
  m.values.push_back(float_tensor({3, 4}, 1));  // 1 output
  m.values.push_back(float_tensor({8}, 2));     // 2 state
  m.values.back().tensor()->fully_qualified_name = "cache";
  m.values.push_back(float_tensor({16}, 3));  // 3 scratch
  m.values.back().tensor()->dtype = ScalarType::kByte;
  m.values.push_back(float_tensor({4, 4}, 4));   // 4 constant
  m.values.push_back(float_tensor({4}, 4, 16));  // 5 a row of it
  m.values.push_back(float_tensor({4}, 5));      // 6 external
  m.values.back().tensor()->external = true;
  m.values.back().tensor()->fully_qualified_name = "head.weight";
  m.values.push_back(float_tensor({2}, 6));  // 7 the caller's
  m.values.back().tensor()->dynamism = Dynamism::kBound;
  m.values.push_back(float_tensor({2, 2}, 7));  // 8 on a device
  m.values.back().tensor()->dim_order = {1, 0};
  m.values.back().tensor()->device_type = 1;
  m.values.back().tensor()->device_index = 2;
  m.values.push_back(float_tensor({2, 4}, 1, 16));            // 9 a part of the output
  m.values.push_back({std::monostate{}, ""});                 // 10
  m.values.push_back({int64_t{-7}, ""});                      // 11
  m.values.push_back({true, ""});                             // 12
  m.values.push_back({0.25, ""});                             // 13
  m.values.push_back({std::string("tanh"), ""});              // 14
  m.values.push_back({IntList{{11, 11}}, ""});                // 15
  m.values.push_back({DoubleList{{1.5, -2}}, ""});            // 16
  m.values.push_back({BoolList{{1, 0, 1}}, ""});              // 17
  m.values.push_back({TensorList{{0, 9}}, ""});               // 18
  m.values.push_back({OptionalTensorList{{-1, 4, 10}}, ""});  // 19
  m.values.push_back(float_tensor({}, 4, 60));  // 20 a scalar at the end of the constant

  m.inputs = {0, 7};
  m.outputs = {1};
  m.operators = {{"aten::add", "out"}, {"aten::copy_", ""}};
  m.delegates = {{"Npu", 0, {{"pool", bytes_of("fast")}}}, {"Npu", 0, {}}, {"Dsp", 1, {}}};

  m.instructions.push_back({KernelCall{0, {0, 4, 11, 9, 9}}, {{9, 0}}, {}, {}});  // 0
  m.instructions.push_back({DelegateCall{0, {0, 1, 3}, false}, {}, 1, 1});        // 1
  m.instructions.push_back({JumpFalseCall{12, 4}, {}, {}, {}});                   // 2
  m.instructions.push_back({MoveCall{0, 9}, {}, {}, {}});                         // 3
  m.instructions.push_back({KernelCall{1, {2, 6, 12, 2}}, {}, {}, {}});           // 4, chain 1
  m.instructions.push_back({DelegateCall{2, {8, 1}, false}, {}, {}, {}});         // 5
  m.instructions.push_back({FreeCall{8}, {}, {}, {}});                            // 6
  m.chain_begins = {0, 4};
  m.stacktrace.resize(7);
  m.stacktrace[0] = {{"model.py", 12, "forward", "x + w"}, {"layer.py", 3, "call", ""}};

  RecordedPlan plan;
  plan.buffers.push_back(buffer(0, {{0, 4}}, Role::kInput, "input"));
  plan.buffers.push_back(buffer(2, {{0, 7}}, Role::kState, "cache"));
  plan.buffers.push_back(buffer(1, {{0, 3}, {5, 7}}, Role::kOutput, "output"));
  plan.buffers.push_back(buffer(3, {{1, 2}}, Role::kDelegateScratch, "work"));
  plan.buffers.push_back(buffer(8, {{5, 6}}, Role::kActivation, "on the device"));
  std::swap(plan.buffers[1], plan.buffers[2]);  // sorted by begin, then by extent
  plan.buffers[3].owner = 1;
  plan.buffers[3].alignment = 64;
  plan.value_buffer.assign(m.values.size(), -1);
  for (size_t b = 0; b < plan.buffers.size(); ++b) {
    plan.value_buffer[static_cast<size_t>(plan.buffers[b].extent)] = static_cast<int32_t>(b);
  }
  plan.value_buffer[9] = 1;
  plan.pool_use = {{1, 144, 144, 160, 0}, {3, 16, 16, 16, 48}};
  plan.planner = "best";
  plan.proven_optimal = true;
  m.plan = plan;
  return m;
}

// No inputs, no pools, no instructions: a method that tells a constant.
Method constant_method() {
  Method m;
  m.name = "get_vocab_size";
  m.values.push_back({int64_t{32000}, ""});
  m.outputs = {0};
  m.plan = RecordedPlan{};
  m.plan->value_buffer = {-1};
  return m;
}

}  // namespace

Program sample_program() {
  Program p;
  p.methods = {main_method(), constant_method()};
  p.constants = {bytes_of("0123456789abcdef0123456789ABCDEF0123456789abcdef0123456789ABCDEF")};
  p.mutable_data = {bytes_of("initial state of 32 bytes ......")};
  p.delegate_data = {bytes_of("blob of the npu"), bytes_of("blob of the dsp, longer")};
  p.named_data = {{"weights", bytes_of("shared weights"), kDefaultAlignment},
                  {"same weights", bytes_of("shared weights"), kDefaultAlignment},
                  {"table", bytes_of("a table"), kDefaultAlignment}};
  Record record;
  record.isa = Isa::kDsp;
  record.board = "bench board";
  record.pools = {{"main", 1, 64, 4096, {"cpu", "dma"}}, {"npu", 3, 16, 0, {}}};
  p.record = record;
  return p;
}

Program add_program() {
  Method m;
  m.name = "forward";
  m.pools = {{1, 96, 0, 0}};
  for (uint64_t i = 0; i < 3; ++i) {
    const Role role = i == 2 ? Role::kOutput : Role::kInput;
    m.storages.push_back(planned(16, 32 * i, role, ""));
    m.values.push_back(float_tensor({2, 2}, static_cast<int32_t>(i)));
  }
  m.values.push_back({int64_t{1}, ""});
  m.inputs = {0, 1};
  m.outputs = {2};
  m.operators = {{"aten::add", "out"}};
  m.instructions.push_back({KernelCall{0, {0, 1, 3, 2, 2}}, {}, {}, {}});
  Program p;
  p.methods = {m};
  return p;
}

}  // namespace berth::program
