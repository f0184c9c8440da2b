// What the tests of delegates share: a method that calls the probe (tests/support/probe_backend.h)
// between two copies, the plan record that goes with it, and a session that loads it.
//
//   input a --copy--> b --probe(scratch)--> c --copy--> output d
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/runtime.h"
#include "tests/support/probe_backend.h"
#include "tests/support/pte_builder.h"
#include "tests/support/test_kernels.h"

namespace berth::runtime::delegate_tests {

namespace make = berth::testing;

inline constexpr uint8_t kInputRole = 0, kOutputRole = 1, kActivationRole = 2, kScratchRole = 5,
                         kPersistentRole = 6;
inline constexpr int kByteType = 0;
inline constexpr int32_t kScratchBytes = 48;

// Values of sample_file.
enum Value { kA, kB, kC, kD, kWork };
constexpr int32_t kProbeCall = 1;  // the instruction

inline std::vector<uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

inline make::TestFile sample_file() {
  make::TestFile file;
  make::TestMethod& m = file.method();
  m.operators = {{"test::copy", "out"}};
  m.values = {make::planned({4}, 0), make::planned({4}, 16), make::planned({4}, 0),
              make::planned({4}, 16), make::planned({kScratchBytes}, 32, kByteType)};
  m.inputs = {kA};
  m.outputs = {kD};
  m.delegates = {{"probe", 1, 0, {{"name", bytes_of("first")}}}};
  m.code() = {make::call(0, {kA, kB, kB}), make::delegate_call(0, {kB, kC, kWork}),
              make::call(0, {kC, kD, kD})};
  m.pool_sizes = {0, 32 + kScratchBytes};
  file.segments = {make::probe_blob(1, 1, 1, kScratchBytes)};
  return file;
}

inline make::TestRecord sample_record() {
  make::TestRecord record;
  make::TestMethodRecord m;
  m.instruction_count = 3;
  m.value_buffer = {0, 1, 2, 4, 3};
  m.buffers = {{kA, {{0, 1}}, kInputRole},
               {kB, {{0, 2}}, kActivationRole},
               {kC, {{1, 3}}, kActivationRole},
               {kWork, {{1, 2}}, kScratchRole},
               {kD, {{2, 3}}, kOutputRole}};
  m.calls = {{kProbeCall, 1, 1, 1}};
  record.methods = {m};
  return record;
}

// The same with its record.
inline make::TestFile recorded_file() {
  make::TestFile file = sample_file();
  file.record = sample_record();
  return file;
}

// Kept memory stands behind the scratch, is live throughout, and comes with init().
inline make::TestFile persistent_file() {
  make::TestFile file = recorded_file();
  make::TestMethod& m = file.method();
  m.values.push_back(make::planned({64}, 80, kByteType));
  m.values.push_back(make::planned({16}, 144, kByteType));
  m.pool_sizes[1] = 160;
  m.code()[kProbeCall].args = {kB, kC, kWork, 5, 6};
  make::TestMethodRecord& r = file.record->methods[0];
  r.buffers = {{kA, {{0, 1}}, kInputRole},      {kB, {{0, 2}}, kActivationRole},
               {5, {{0, 3}}, kPersistentRole},  {6, {{0, 3}}, kPersistentRole},
               {kC, {{1, 3}}, kActivationRole}, {kWork, {{1, 2}}, kScratchRole},
               {kD, {{2, 3}}, kOutputRole}};
  r.value_buffer = {0, 1, 4, 6, 5, 2, 3};
  r.calls = {{kProbeCall, 1, 1, 1}};
  return file;
}

// One entry, one handle, however many calls: in a row, in a branch, in a loop.
inline make::TestFile shared_file() {
  make::TestFile file;
  make::TestMethod& m = file.method();
  m.operators = {{"test::copy", "out"}, {"test::count", "Int"}};
  m.values = {make::planned({4}, 0), make::planned({4}, 16), make::bool_value(true),
              make::bool_value(false)};
  m.inputs = {0};
  m.outputs = {1};
  m.delegates = {{"probe", 1, 0, {{"name", bytes_of("shared")}}}};
  m.code() = {make::delegate_call(0, {0, 1}), make::jump_false(3, 3),
              make::delegate_call(0, {1, 0}),  // jumped over
              make::delegate_call(0, {0, 1})};
  m.pool_sizes = {0, 32};
  file.segments = {make::probe_blob(1, 1, 0, 0)};
  return file;
}

// Loads a hand-made file into memory of its own, with the probe.
class Session {
 public:
  explicit Session(const make::TestFile& file) : Session(build_file(file)) {}
  explicit Session(const std::vector<uint8_t>& content) : bytes_(content) {}
  ~Session() { method.unload(); }
  Session(const Session&) = delete;

  Status load() {
    LoadFault* const out = &fault;
    Status status = program.open({bytes_.data(), bytes_.size()}, out);
    if (status != Status::kOk) return status;
    status = program.need(name.c_str(), &need, out);
    if (status != Status::kOk) return status;
    for (uint32_t p = 0; p < need.pool_count; ++p) {
      if (need.pools[p].bytes <= most_pool_bytes) continue;
      return fault.status = Status::kTooSmall;
    }
    own_ = make::AlignedBytes(need.method_bytes, 0xCD);
    memory_.clear(), pools_.clear();
    for (uint32_t p = 0; p < need.pool_count; ++p) memory_.emplace_back(need.pools[p].bytes, 0xCD);
    for (uint32_t p = 0; p < need.pool_count; ++p) {
      pools_.push_back({need.pools[p].mem_id, {memory_[p].data(), memory_[p].size()}});
    }
    std::vector<BackendOption> all = options;
    all.push_back(log.option());
    const Span<const Kernel> kernels[] = {make::kernels()};
    LoadOptions load_options;
    load_options.kernels = kernels;
    if (!backends.empty()) {
      load_options.backends =
          Backends({backends.data(), backends.size()}, {all.data(), all.size()});
    }
    return method.load(program, name.c_str(), load_options,
                       {{own_.data(), own_.size()}, {pools_.data(), pools_.size()}}, out);
  }

  // Runs it on 1, 2, 3, 4 and gives output 0.
  Status run(std::vector<float>* out) {
    const float in[] = {1, 2, 3, 4};
    Status status = method.set_input(0, in, sizeof in);
    if (status == Status::kOk) status = method.execute();
    if (status != Status::kOk) return status;
    const Tensor& tensor = *method.output(0).tensor;
    out->assign(tensor.as<float>(), tensor.as<float>() + tensor.numel());
    return status;
  }
  // The same, where nothing may go wrong.
  std::vector<float> outputs() {
    std::vector<float> out;
    EXPECT_EQ(run(&out), Status::kOk);
    return out;
  }

  uint8_t* pool(size_t offset) { return memory_[0].data() + offset; }

  std::vector<const Backend*> backends{&make::kProbe};
  std::vector<BackendOption> options;  // besides the log
  std::string name = "forward";
  uint64_t most_pool_bytes = 1 << 20;
  make::ProbeLog log;
  LoadFault fault;
  Program program;
  MethodNeed need;
  Method method;

 private:
  make::AlignedBytes bytes_;
  make::AlignedBytes own_;
  std::vector<make::AlignedBytes> memory_;
  std::vector<PoolMemory> pools_;
};

inline const std::vector<float> kSame = {1, 2, 3, 4};
using Names = std::vector<std::string>;

}  // namespace berth::runtime::delegate_tests
