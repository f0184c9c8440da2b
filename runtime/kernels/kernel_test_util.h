// Calling a kernel from a test as the executor does: values in a table, arguments as indices into
// it. run() holds the arguments against the schema first, so that a test cannot pass by asking
// something else than it says.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "contract/fixed_point.h"
#include "runtime/core/kernel.h"

namespace berth::runtime {

template <typename T>
struct DtypeOf;
template <>
struct DtypeOf<uint8_t> {
  static constexpr ScalarType kType = ScalarType::kByte;
};
template <>
struct DtypeOf<int8_t> {
  static constexpr ScalarType kType = ScalarType::kChar;
};
template <>
struct DtypeOf<int16_t> {
  static constexpr ScalarType kType = ScalarType::kShort;
};
template <>
struct DtypeOf<int32_t> {
  static constexpr ScalarType kType = ScalarType::kInt;
};
template <>
struct DtypeOf<int64_t> {
  static constexpr ScalarType kType = ScalarType::kLong;
};
template <>
struct DtypeOf<float> {
  static constexpr ScalarType kType = ScalarType::kFloat;
};
template <>
struct DtypeOf<double> {
  static constexpr ScalarType kType = ScalarType::kDouble;
};

template <>
struct DtypeOf<bool> {
  static constexpr ScalarType kType = ScalarType::kBool;
};

// A tensor that owns its bytes. Its elements, as a vector, stand in the order of memory.
class TestTensor {
 public:
  TestTensor(ScalarType dtype, std::vector<int32_t> sizes, std::vector<uint8_t> order = {})
      : sizes_(std::move(sizes)), order_(std::move(order)) {
    if (order_.empty()) {
      for (size_t i = 0; i < sizes_.size(); ++i) order_.push_back(static_cast<uint8_t>(i));
    }
    tensor_.dtype = dtype;
    tensor_.rank = static_cast<uint8_t>(sizes_.size());
    tensor_.sizes = sizes_.data();
    tensor_.dim_order = order_.data();
    bytes_.resize(tensor_.nbytes());
    tensor_.capacity = bytes_.size();
    tensor_.data = bytes_.data();
  }
  TestTensor(const TestTensor&) = delete;
  TestTensor& operator=(const TestTensor&) = delete;

  Tensor& tensor() { return tensor_; }
  size_t numel() const { return tensor_.numel(); }
  template <typename T>
  T* data() {
    EXPECT_EQ(DtypeOf<T>::kType, tensor_.dtype);
    return reinterpret_cast<T*>(bytes_.data());
  }
  template <typename T>
  std::vector<T> elements() {
    return std::vector<T>(data<T>(), data<T>() + numel());
  }
  template <typename T>
  void set(const std::vector<T>& values) {
    ASSERT_EQ(values.size(), numel());
    if (!values.empty()) memcpy(data<T>(), values.data(), values.size() * sizeof(T));
  }
  // From now on the bytes of `other`.
  void share(TestTensor& other) { tensor_.data = other.tensor_.data; }

 private:
  std::vector<int32_t> sizes_;
  std::vector<uint8_t> order_;
  std::vector<uint8_t> bytes_;
  Tensor tensor_;
};

inline std::vector<uint8_t> nhwc() { return {0, 2, 3, 1}; }

// The arguments of one call, in order.
class Call {
 public:
  Call& operator<<(TestTensor& tensor) {
    EValue& value = add(Tag::kTensor);
    value.tensor = &tensor.tensor();
    return *this;
  }
  Call& operator<<(TestTensor* tensor) { return tensor == nullptr ? none() : *this << *tensor; }
  Call& operator<<(int64_t number) {
    add(Tag::kInt).integer = number;
    return *this;
  }
  Call& operator<<(int number) { return *this << int64_t{number}; }
  Call& operator<<(bool flag) {
    add(Tag::kBool).boolean = flag;
    return *this;
  }
  Call& operator<<(double number) {
    add(Tag::kDouble).number = number;
    return *this;
  }
  // The characters stay with the caller.
  Call& operator<<(const char* text) {
    EValue& value = add(Tag::kString);
    value.string = text;
    value.count = static_cast<uint32_t>(strlen(text));
    return *this;
  }
  // A cell that a result is written to.
  Call& cell(Tag tag) {
    add(tag).integer = 0;
    return *this;
  }
  Call& operator<<(const std::vector<int64_t>& list) {
    std::vector<int64_t>& indices = int_lists_.emplace_back();
    for (int64_t entry : list) {
      indices.push_back(static_cast<int64_t>(values_.size()));
      values_.emplace_back();
      values_.back().tag = Tag::kInt;
      values_.back().integer = entry;
    }
    EValue& value = add(Tag::kIntList);
    value.int_list = indices.data();
    value.count = static_cast<uint32_t>(indices.size());
    return *this;
  }
  Call& operator<<(const std::vector<TestTensor*>& list) {
    std::vector<int32_t>& indices = tensor_lists_.emplace_back();
    for (TestTensor* entry : list) {
      indices.push_back(static_cast<int32_t>(values_.size()));
      values_.emplace_back();
      values_.back().tag = Tag::kTensor;
      values_.back().tensor = &entry->tensor();
    }
    EValue& value = add(Tag::kTensorList);
    value.tensor_list = indices.data();
    value.count = static_cast<uint32_t>(indices.size());
    return *this;
  }
  Call& operator<<(const std::vector<double>& list) {
    const std::vector<double>& kept = double_lists_.emplace_back(list);
    EValue& value = add(Tag::kDoubleList);
    value.double_list = kept.data();
    value.count = static_cast<uint32_t>(kept.size());
    return *this;
  }
  // A list of tensors of which some, null here, are none.
  Call& optional_list(const std::vector<TestTensor*>& list) {
    std::vector<int32_t>& indices = tensor_lists_.emplace_back();
    for (TestTensor* entry : list) {
      indices.push_back(entry == nullptr ? -1 : static_cast<int32_t>(values_.size()));
      if (entry == nullptr) continue;
      values_.emplace_back();
      values_.back().tag = Tag::kTensor;
      values_.back().tensor = &entry->tensor();
    }
    EValue& value = add(Tag::kOptionalTensorList);
    value.tensor_list = indices.data();
    value.count = static_cast<uint32_t>(indices.size());
    return *this;
  }
  Call& none() {
    add(Tag::kNone);
    return *this;
  }

  size_t size() const { return arguments_.size(); }

  // The argument at `index` replaced by a number: how hostile values are tried.
  void replace(size_t index, int64_t number) {
    values_[arguments_[index]].tag = Tag::kInt;
    values_[arguments_[index]].integer = number;
  }
  void replace_entry(size_t index, size_t entry, int64_t number) {
    values_[values_[arguments_[index]].int_list[entry]].integer = number;
  }
  void replace(size_t index, TestTensor& tensor) {
    values_[arguments_[index]].tag = Tag::kTensor;
    values_[arguments_[index]].tensor = &tensor.tensor();
  }
  void replace_tensor(size_t index, Tensor* tensor) {
    values_[arguments_[index]].tag = Tag::kTensor;
    values_[arguments_[index]].tensor = tensor;
  }
  void replace_double(size_t index, double number) {
    values_[arguments_[index]].tag = Tag::kDouble;
    values_[arguments_[index]].number = number;
  }
  // An entry of a tensor list that is none stays none.
  void replace_listed(size_t index, size_t entry, TestTensor& tensor) {
    const int32_t at = values_[arguments_[index]].tensor_list[entry];
    if (at >= 0) values_[at].tensor = &tensor.tensor();
  }
  int64_t integer(size_t index) const { return values_[arguments_[index]].integer; }
  const EValue& value(size_t index) const { return values_[arguments_[index]]; }

  // Null when the argument is no tensor.
  Tensor* tensor(size_t index) const {
    const EValue& value = values_[arguments_[index]];
    return value.tag == Tag::kTensor ? value.tensor : nullptr;
  }
  bool is_list(size_t index) const { return values_[arguments_[index]].tag >= Tag::kIntList; }
  size_t list_size(size_t index) const { return values_[arguments_[index]].count; }

  // The last argument is out; the file repeats it, so does this. `isa`: that scratch was sized for.
  Status run(const Kernel& kernel, Isa isa = kBuildIsa) {
    check_against(kernel.schema->args);
    std::vector<int32_t> arguments = arguments_;
    arguments.push_back(arguments_.back());
    KernelContext context;
    context.isa = isa;
    return kernel.run(
        context, Args(arguments.data(), static_cast<uint32_t>(arguments.size()), values_.data()));
  }

 private:
  EValue& add(Tag tag) {
    arguments_.push_back(static_cast<int32_t>(values_.size()));
    values_.emplace_back();
    values_.back().tag = tag;
    return values_.back();
  }
  static bool matches(char letter, Tag tag) {
    switch (letter) {
      case 'T':
      case 'X':
      case 'O':
      case 'M':
        return tag == Tag::kTensor;
      case 't':
        return tag == Tag::kTensor || tag == Tag::kNone;
      case 'L':
      case 'P':
        return tag == Tag::kTensorList;
      case 'l':
        return tag == Tag::kTensorList || tag == Tag::kOptionalTensorList;
      case 'n':
        return tag == Tag::kInt || tag == Tag::kNone;
      case 's':
        return tag == Tag::kInt || tag == Tag::kDouble || tag == Tag::kBool;
      case 'j':
        return tag == Tag::kIntList || tag == Tag::kNone;
      case 'k':
        return tag == Tag::kDoubleList || tag == Tag::kNone;
      case 'i':
        return tag == Tag::kInt;
      case 'd':
        return tag == Tag::kDouble || tag == Tag::kInt;
      case 'e':
        return tag == Tag::kDouble || tag == Tag::kInt || tag == Tag::kNone;
      case 'c':
        return tag == Tag::kBool || tag == Tag::kNone;
      case 'a':
        return tag == Tag::kString;
      case 'S':
        return tag == Tag::kString || tag == Tag::kNone;
      case 'Y':
        return tag == Tag::kInt || tag == Tag::kDouble || tag == Tag::kBool;
      case 'z':
        return tag == Tag::kInt || tag == Tag::kDouble || tag == Tag::kBool || tag == Tag::kNone;
      case 'b':
        return tag == Tag::kBool;
      case 'I':
        return tag == Tag::kIntList;
      default:
        return false;
    }
  }
  void check_against(const char* letters) {
    ASSERT_EQ(strlen(letters), arguments_.size());
    for (size_t i = 0; i < arguments_.size(); ++i) {
      ASSERT_TRUE(matches(letters[i], values_[arguments_[i]].tag))
          << "argument " << i << " is no " << letters[i];
    }
  }

  std::vector<EValue> values_;
  std::vector<int32_t> arguments_;
  std::deque<std::vector<int64_t>> int_lists_;
  std::deque<std::vector<int32_t>> tensor_lists_;
  std::deque<std::vector<double>> double_lists_;
};

// The element of a tensor at a logical index.
template <typename T>
T& at(TestTensor& tensor, const std::vector<int64_t>& index) {
  size_t strides[kMaxRank];
  compute_strides(tensor.tensor(), strides);
  size_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d) offset += static_cast<size_t>(index[d]) * strides[d];
  return tensor.data<T>()[offset];
}

// Fixed seeds: a failure can be run again.
class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}
  // In [low, high].
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
  }
  template <typename T>
  void fill(TestTensor& tensor, int64_t low = std::numeric_limits<T>::min(),
            int64_t high = std::numeric_limits<T>::max()) {
    T* data = tensor.data<T>();
    for (size_t i = 0; i < tensor.numel(); ++i) data[i] = static_cast<T>(between(low, high));
  }
  // A multiplier as QuantizeMultiplier makes them.
  int32_t multiplier() { return static_cast<int32_t>(between(1 << 30, INT32_MAX)); }

 private:
  std::mt19937_64 engine_;
};

// The reference's scaling, written the reference's way (a nudge and a division) and not as
// contract/fixed_point.h does.
inline int32_t reference_scale(int64_t value, int32_t multiplier, int shift) {
  const int32_t left =
      static_cast<int32_t>(static_cast<uint32_t>(value) << (shift > 0 ? shift : 0));
  const int64_t product = int64_t{left} * multiplier;
  const int64_t nudge = product >= 0 ? (int64_t{1} << 30) : 1 - (int64_t{1} << 30);
  const int64_t high = (product + nudge) / (int64_t{1} << 31);
  const int right = shift > 0 ? 0 : -shift;
  if (right == 0) return static_cast<int32_t>(high);
  const int64_t half = int64_t{1} << (right - 1);
  return static_cast<int32_t>(high >= 0 ? (high + half) >> right : -((-high + half) >> right));
}

inline int32_t reference_scale64(int64_t value, int32_t multiplier, int shift) {
  const int32_t reduced = multiplier < 0x7FFF0000 ? (multiplier + 0x8000) / 0x10000 : 0x7FFF;
  const double exact = static_cast<double>(value) * reduced / std::pow(2.0, 15 - shift);
  return static_cast<int32_t>(std::floor(exact + 0.5));
}

template <typename T>
T reference_clamp(int64_t value, int64_t low = std::numeric_limits<T>::min(),
                  int64_t high = std::numeric_limits<T>::max()) {
  return static_cast<T>(value < low ? low : value > high ? high : value);
}

}  // namespace berth::runtime
