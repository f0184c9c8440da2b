// Calls of a kernel with every argument spoiled, one at a time: numbers and list entries at their
// extremes, tensors of other dtypes, ranks, sizes and orders (with as many bytes as they claim:
// that much the loader has checked), one tensor in two places. Any status will do; what counts is
// that sanitizers stay silent and that a refused call leaves its outputs alone.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/kernels/kernel_test_util.h"

namespace berth::runtime {

constexpr ScalarType kI8 = ScalarType::kChar, kI16 = ScalarType::kShort, kI32 = ScalarType::kInt;
constexpr ScalarType kI64 = ScalarType::kLong, kF32 = ScalarType::kFloat, kU8 = ScalarType::kByte;

// The tensors of a call live here.
class Tensors {
 public:
  TestTensor& add(ScalarType dtype, std::vector<int32_t> sizes, std::vector<uint8_t> order = {}) {
    return tensors_.emplace_back(dtype, std::move(sizes), std::move(order));
  }
  TestTensor& image(ScalarType dtype, int32_t channels, int32_t height, int32_t width) {
    return add(dtype, {1, channels, height, width}, nhwc());
  }
  TestTensor& factors(int32_t channels) {
    TestTensor& tensor = add(kI32, {channels});
    for (int32_t i = 0; i < channels; ++i) tensor.data<int32_t>()[i] = 1 << 30;
    return tensor;
  }
  TestTensor& nothing() { return add(kU8, {0}); }

 private:
  std::deque<TestTensor> tensors_;
};

inline constexpr int64_t kNumbers[] = {0,
                                       1,
                                       -1,
                                       2,
                                       3,
                                       31,
                                       32,
                                       -31,
                                       -32,
                                       63,
                                       127,
                                       128,
                                       -128,
                                       -129,
                                       255,
                                       32767,
                                       -32768,
                                       65536,
                                       INT32_MAX,
                                       INT32_MIN,
                                       int64_t{INT32_MAX} + 1,
                                       int64_t{INT32_MIN} - 1,
                                       INT64_MAX,
                                       INT64_MIN};

// Shapes and types a stranger may put in any tensor's place.
inline void for_each_other_tensor(const std::function<void(TestTensor&)>& visit) {
  const std::vector<int32_t> shapes[] = {
      {},           {0},          {1},          {3},          {6},          {256},
      {2, 3},       {0, 9},       {2, 3, 4},    {1, 3, 0, 5}, {1, 4, 5, 6}, {2, 4, 5, 6},
      {1, 1, 1, 1}, {1, 3, 3, 6}, {6, 3, 3, 2}, {6, 3, 3, 0}, {0, 3, 3, 2}, {1, 1, 2, 3, 4}};
  for (const std::vector<int32_t>& shape : shapes) {
    for (ScalarType dtype : {kI8, kI16, kI32, kI64, kF32, ScalarType::kComplexDouble}) {
      TestTensor plain(dtype, shape);
      visit(plain);
      if (shape.size() < 2) continue;
      std::vector<uint8_t> order;
      for (size_t d = shape.size(); d > 0; --d) order.push_back(static_cast<uint8_t>(d - 1));
      TestTensor reversed(dtype, shape, order);
      visit(reversed);
      if (shape.size() != 4) continue;
      TestTensor image(dtype, shape, nhwc());
      visit(image);
    }
  }
}

// Makes a call that the kernel accepts, its tensors kept by the first argument.
using MakeCall = std::function<Call(Tensors&)>;

// Runs spoiled calls of one kernel and counts those refused.
class Spoiler {
 public:
  Spoiler(const Kernel& kernel, MakeCall make) : kernel_(kernel), make_(std::move(make)) {}

  int refused() const { return refused_; }

  void run(const std::function<void(Call&)>& change) {
    Tensors tensors;
    Call call = make_(tensors);
    change(call);
    const std::vector<Tensor*> outs = outputs(call);
    for (Tensor* out : outs) {
      if (out->nbytes() > 0) memset(out->data, 0x5a, out->nbytes());
    }
    if (call.run(kernel_) == Status::kOk) return;
    ++refused_;
    for (const Tensor* out : outs) {
      for (size_t i = 0; i < out->nbytes(); ++i) {
        ASSERT_EQ(static_cast<uint8_t*>(out->data)[i], 0x5a) << "refused, but written to";
      }
    }
  }

  void spoil_numbers(size_t argument) {
    for (int64_t number : kNumbers) run([&](Call& call) { call.replace(argument, number); });
  }
  void spoil_doubles(size_t argument) {
    for (double number : {0.0, -1.0, 0.5, 1e-40, 1e300, -1e300, double{INFINITY}, double{NAN}})
      run([&](Call& call) { call.replace_double(argument, number); });
  }
  void spoil_entries(size_t argument) {
    for (size_t entry = 0; entry < list_size(argument); ++entry) {
      for (int64_t number : kNumbers)
        run([&](Call& call) { call.replace_entry(argument, entry, number); });
    }
  }
  void spoil_tensor(size_t argument) {
    for_each_other_tensor(
        [&](TestTensor& other) { run([&](Call& call) { call.replace(argument, other); }); });
  }
  void spoil_tensors_of_list(size_t argument) {
    for (size_t entry = 0; entry < list_size(argument); ++entry) {
      for_each_other_tensor([&](TestTensor& other) {
        run([&](Call& call) { call.replace_listed(argument, entry, other); });
      });
    }
  }
  // The tensor of one place in another place too, its shape fixed or not.
  void repeat_tensor(size_t from, size_t to) {
    for (const bool dynamic : {false, true}) {
      run([&](Call& call) {
        if (call.tensor(from) == nullptr || call.tensor(to) == nullptr) return;
        call.tensor(from)->dynamic = dynamic;
        call.replace_tensor(to, call.tensor(from));
      });
    }
  }

  // Every argument, as its letter allows.
  void spoil_all() {
    const std::string letters = kernel_.schema->args;
    for (size_t i = 0; i < letters.size(); ++i) {
      if (has(letters[i], "idzns")) spoil_numbers(i);
      if (has(letters[i], "dzs")) spoil_doubles(i);
      if (has(letters[i], "Ij")) spoil_entries(i);
      if (has(letters[i], "TtOM")) spoil_tensor(i);
      if (has(letters[i], "LlP")) spoil_tensors_of_list(i);
      for (size_t j = 0; j < letters.size(); ++j) {
        if (i != j && has(letters[i], "OM") && has(letters[j], "TtO")) repeat_tensor(i, j);
      }
    }
  }

 private:
  static bool has(char letter, const char* set) { return strchr(set, letter) != nullptr; }
  size_t list_size(size_t argument) {
    Tensors tensors;
    Call call = make_(tensors);
    return call.is_list(argument) ? call.list_size(argument) : 0;
  }
  std::vector<Tensor*> outputs(Call& call) {
    std::vector<Tensor*> outs;
    const std::string letters = kernel_.schema->args;
    for (size_t i = 0; i < letters.size(); ++i) {
      if (letters[i] == 'O') outs.push_back(call.tensor(i));
    }
    return outs;
  }

  Kernel kernel_;
  MakeCall make_;
  int refused_ = 0;
};

// A name for gtest: aten__squeeze_copy_dim_out.
inline std::string kernel_test_name(const testing::TestParamInfo<Kernel>& info) {
  std::string name = std::string(info.param.schema->name) + "_" + info.param.schema->overload;
  for (char& letter : name) letter = letter == ':' ? '_' : letter;
  return name;
}

}  // namespace berth::runtime
