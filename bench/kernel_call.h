// One call of a kernel without a program around it, for images that count machine instructions:
// its arguments, the data they hold, the count, the hash of what comes out.
#pragma once

#include <cstring>

#include "firmware/instruction_count.h"
#include "firmware/semihosting.h"
#include "runtime/core/kernel.h"

namespace berth::firmware {

// The oracles' numbers (../shared/oracles/README.md).
class Draws {
 public:
  explicit Draws(uint32_t seed) : state_(seed) {}
  uint32_t next() { return state_ = state_ * 1664525u + 1013904223u; }

 private:
  uint32_t state_;
};

inline void fill(uint32_t seed, int8_t* bytes, size_t count) {
  Draws draws(seed);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<int8_t>(draws.next() >> 24);
}

// The arguments of one call, in the order of an operator's schema.
class Call {
 public:
  Call& tensor(ScalarType dtype, void* data, int rank, int a, int b = 1, int c = 1, int d = 1) {
    const int32_t sizes[] = {a, b, c, d};
    return add_tensor(dtype, data, rank, sizes, kRowMajor);
  }
  // (N, C, H, W) in the order of channels last.
  Call& image(void* data, int n, int c, int h, int w, ScalarType dtype = ScalarType::kChar) {
    const int32_t sizes[] = {n, c, h, w};
    return add_tensor(dtype, data, 4, sizes, kChannelsLast);
  }
  Call& integer(int64_t value) {
    runtime::EValue& cell = next();
    cell.tag = runtime::Tag::kInt;
    cell.integer = value;
    return *this;
  }
  Call& boolean(bool value) {
    runtime::EValue& cell = next();
    cell.tag = runtime::Tag::kBool;
    cell.boolean = value;
    return *this;
  }
  Call& number(double value) {
    runtime::EValue& cell = next();
    cell.tag = runtime::Tag::kDouble;
    cell.number = value;
    return *this;
  }
  Call& none() {
    next().tag = runtime::Tag::kNone;
    return *this;
  }
  Call& list(int64_t first, int64_t second, int count = 2) {
    const int64_t values[] = {first, second};
    return entries(values, count);
  }
  Call& entries(const int64_t* values, int count) {
    runtime::EValue& cell = next();
    cell.tag = runtime::Tag::kIntList;
    cell.count = static_cast<uint32_t>(count);
    cell.int_list = &entries_[entry_];
    for (int i = 0; i < count; ++i) {
      entries_[entry_] = kArguments + entry_;
      values_[kArguments + entry_].tag = runtime::Tag::kInt;
      values_[kArguments + entry_++].integer = values[i];
    }
    return *this;
  }
  // The last `count` tensors become one argument.
  Call& join_tensors(int count) {
    for (int i = 0; i < count; ++i) {
      tensor_list_[i] = kArguments + kEntries + i;
      values_[tensor_list_[i]] = values_[count_ - count + i];
    }
    count_ -= count;
    runtime::EValue& cell = next();
    cell.tag = runtime::Tag::kTensorList;
    cell.count = static_cast<uint32_t>(count);
    cell.tensor_list = tensor_list_;
    return *this;
  }

  runtime::Args args() { return runtime::Args(indices_, static_cast<uint32_t>(count_), values_); }

 private:
  static constexpr int kArguments = 32, kEntries = 16, kTensors = 8;
  static constexpr uint8_t kRowMajor[4] = {0, 1, 2, 3}, kChannelsLast[4] = {0, 2, 3, 1};

  runtime::EValue& next() {
    indices_[count_] = count_;
    return values_[count_++];
  }
  Call& add_tensor(ScalarType dtype, void* data, int rank, const int32_t* sizes,
                   const uint8_t* order) {
    memcpy(sizes_[tensor_], sizes, sizeof(sizes_[0]));
    runtime::Tensor& tensor = tensors_[tensor_];
    tensor.data = data;
    tensor.sizes = sizes_[tensor_++];
    tensor.dim_order = order;
    tensor.dtype = dtype;
    tensor.rank = static_cast<uint8_t>(rank);
    tensor.capacity = tensor.nbytes();
    runtime::EValue& cell = next();
    cell.tag = runtime::Tag::kTensor;
    cell.tensor = &tensor;
    return *this;
  }

  int count_ = 0, entry_ = 0, tensor_ = 0;
  int32_t indices_[kArguments];
  runtime::EValue values_[kArguments + kEntries + kTensors];
  int64_t entries_[kEntries];
  int32_t tensor_list_[kTensors];
  runtime::Tensor tensors_[kTensors];
  int32_t sizes_[kTensors][4];
};

inline Status do_nothing(runtime::KernelContext&, const runtime::Args&) { return Status::kOk; }

// Instructions of `repeats` calls.
[[gnu::noinline]] inline uint64_t count_calls(runtime::KernelFunction run,
                                              const runtime::Args& args, uint32_t repeats) {
  runtime::KernelContext context;
  runtime::KernelFunction volatile call = run;  // not to be looked into
  const uint64_t begin = count_instructions();
  for (uint32_t i = repeats; i > 0; --i) {
    if (call(context, args) != Status::kOk) stop(Outcome::kRunStatus);
  }
  return count_instructions() - begin;
}

// Instructions of one call of many; what calling takes is not counted.
inline uint32_t count_call(runtime::KernelFunction run, const runtime::Args& args,
                           uint32_t repeats) {
  const uint64_t empty = count_calls(do_nothing, args, repeats);
  const uint64_t all = count_calls(run, args, repeats);
  return static_cast<uint32_t>((all - empty + repeats / 2) / repeats);
}

// 32-bit FNV-1a.
inline uint32_t hash_of(const void* bytes, size_t count) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < count; ++i) {
    hash = (hash ^ static_cast<const uint8_t*>(bytes)[i]) * 16777619u;
  }
  return hash;
}

}  // namespace berth::firmware
