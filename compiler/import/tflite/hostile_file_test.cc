// Damaged files as a whole: cut anywhere, and with every 32-bit word of the file replaced by values
// that hurt. An import must give a module that verifies or an error with words, read nothing
// outside the bytes (the sanitizers watch), and allocate no more than a small multiple of the file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "compiler/import/tflite/import_tflite.h"
#include "compiler/import/tflite/small_model.h"
#include "compiler/ir/verify.h"

namespace {
// Bytes asked for since the last reset, freed or not: an upper bound of what was ever held.
size_t allocated = 0;
}  // namespace

[[gnu::noinline]] void* operator new(size_t size) {
  allocated += size;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace berth::import {
namespace {

namespace fb = format::tflite;

// Imports a copy whose end is the end of an allocation, so that a read behind it is seen.
bool import_is_sound(std::span<const std::byte> bytes) {
  const std::unique_ptr<std::byte[]> exact(new std::byte[bytes.size()]);
  if (!bytes.empty()) std::memcpy(exact.get(), bytes.data(), bytes.size());
  allocated = 0;
  const Result<ir::Module> module = import_tflite({exact.get(), bytes.size()}, nullptr);
  EXPECT_LE(allocated, 64 * bytes.size() + (4 << 20));
  if (!module.ok()) {
    EXPECT_FALSE(module.error().place.empty());
    EXPECT_FALSE(module.error().message.empty());
    return false;
  }
  const auto error = ir::verify(module.value());
  EXPECT_FALSE(error.has_value()) << error->place << ": " << error->message;
  return true;
}

SmallModel rich_model() {
  // conv -> depthwise -> max pool -> pad -> mean -> fully connected -> softmax, with a reshape and
  // a concatenation.
  SmallModel model;
  SmallSubgraph& graph = model.main();
  const auto add = [&](SmallTensor tensor) {
    graph.tensors.push_back(std::move(tensor));
    return static_cast<int32_t>(graph.tensors.size()) - 1;
  };
  const auto step = [&](BuiltinOperator code, std::vector<int32_t> inputs, SmallTensor out,
                        OptionsBuilder options) {
    const int32_t output = add(std::move(out));
    graph.operators.push_back({.code = code,
                               .inputs = std::move(inputs),
                               .outputs = {output},
                               .options = std::move(options)});
    return output;
  };
  const int32_t input = add({.shape = {1, 6, 6, 2}, .name = "input"});
  graph.inputs = {input};
  const int32_t filter = add({.shape = {2, 3, 3, 2},
                              .scales = {0.1F, 0.2F},
                              .zero_points = {0, 0},
                              .data = std::vector<uint8_t>(36, 1)});
  const int32_t bias = add({.shape = {2},
                            .type = TensorType::INT32,
                            .scales = {0.1F, 0.2F},
                            .zero_points = {0, 0},
                            .data = std::vector<uint8_t>(8, 1)});
  int32_t x = step(BuiltinOperator::CONV_2D, {input, filter, bias}, {.shape = {1, 6, 6, 2}},
                   options_of(BuiltinOptions::Conv2DOptions, [](auto& b) {
                     return fb::CreateConv2DOptions(b, fb::Padding::SAME, 1, 1,
                                                    fb::ActivationFunctionType::RELU6);
                   }));
  const int32_t depthwise = add({.shape = {1, 3, 3, 2}, .data = std::vector<uint8_t>(18, 2)});
  x = step(BuiltinOperator::DEPTHWISE_CONV_2D, {x, depthwise, -1}, {.shape = {1, 3, 3, 2}},
           options_of(BuiltinOptions::DepthwiseConv2DOptions, [](auto& b) {
             return fb::CreateDepthwiseConv2DOptions(b, fb::Padding::SAME, 2, 2, 1);
           }));
  const int32_t paddings = add({.shape = {4, 2},
                                .type = TensorType::INT32,
                                .scales = {},
                                .data = int32_bytes({0, 0, 0, 1, 0, 1, 0, 0})});
  x = step(BuiltinOperator::PAD, {x, paddings}, {.shape = {1, 4, 4, 2}}, {});
  x = step(BuiltinOperator::MAX_POOL_2D, {x}, {.shape = {1, 2, 2, 2}},
           options_of(BuiltinOptions::Pool2DOptions, [](auto& b) {
             return fb::CreatePool2DOptions(b, fb::Padding::VALID, 2, 2, 2, 2);
           }));
  const int32_t joined = step(BuiltinOperator::CONCATENATION, {x, x}, {.shape = {1, 2, 2, 4}},
                              options_of(BuiltinOptions::ConcatenationOptions, [](auto& b) {
                                return fb::CreateConcatenationOptions(b, -1);
                              }));
  const int32_t axes =
      add({.shape = {2}, .type = TensorType::INT32, .scales = {}, .data = int32_bytes({1, 2})});
  x = step(BuiltinOperator::MEAN, {joined, axes},
           {.shape = {1, 4}, .scales = {0.3F}, .zero_points = {3}}, {});
  x = step(BuiltinOperator::RESHAPE, {x}, {.shape = {4}, .scales = {0.3F}, .zero_points = {3}}, {});
  const int32_t weights = add({.shape = {3, 4}, .data = std::vector<uint8_t>(12, 3)});
  x = step(BuiltinOperator::FULLY_CONNECTED, {x, weights}, {.shape = {1, 3}}, {});
  x = step(BuiltinOperator::SOFTMAX, {x},
           {.shape = {1, 3}, .scales = {1.0F / 256}, .zero_points = {-128}},
           options_of(BuiltinOptions::SoftmaxOptions,
                      [](auto& b) { return fb::CreateSoftmaxOptions(b, 1.0F); }));
  graph.outputs = {x};
  model.metadata = {{"OfflineMemoryAllocation", {}}};
  std::vector<int32_t> plan = {1, 1, static_cast<int32_t>(graph.tensors.size())};
  plan.resize(3 + graph.tensors.size(), -1);
  model.metadata[0].second = int32_bytes(plan);
  model.signatures = {
      {.key = "serving_default", .inputs = {0}, .outputs = {static_cast<uint32_t>(x)}}};
  return model;
}

void cut_everywhere(const FileBytes& bytes) {
  ASSERT_TRUE(import_is_sound(bytes));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(import_is_sound(std::span(bytes).first(size)))
        << "cut at " << size << " of " << bytes.size();
  }
}

TEST(HostileFile, CutAnywhereTheSmallModelIsRefused) { cut_everywhere(rich_model().build()); }

TEST(HostileFile, CutAnywhereTheSmallModelWithAppendedConstantsIsRefused) {
  SmallModel model = rich_model();
  model.append_buffers = true;
  cut_everywhere(model.build());
}

TEST(HostileFile, CutAnywhereHelloWorldIsRefused) {
  BERTH_NEEDS_MODELS();
  cut_everywhere(read_bytes(models_folder() / "hello_world/model.tflite"));
}

TEST(HostileFile, CutAnywhereMicroSpeechIsRefused) {
  BERTH_NEEDS_MODELS();
  cut_everywhere(read_bytes(models_folder() / "micro_speech/model.tflite"));
}

// Every position is tried, aligned or not: single bytes of a vtable are reached too.
void replace_every_word(const FileBytes& bytes) {
  constexpr uint32_t kHostile[] = {0,
                                   1,
                                   2,
                                   0xFF,
                                   0x7FFF,
                                   0xFFFF,
                                   0x10000,
                                   0x7FFFFFFF,
                                   0x80000000,
                                   0xFFFFFFFF,
                                   0xFFFFFFFE,
                                   0x3F800000,
                                   0x7F800000 /* inf */,
                                   0x7FC00000 /* NaN */,
                                   0x00000001 /* a denormal */};
  size_t accepted = 0;
  for (size_t at = 0; at + 4 <= bytes.size(); ++at) {
    for (const uint32_t value : kHostile) {
      FileBytes damaged = bytes;
      std::memcpy(damaged.data() + at, &value, sizeof value);
      accepted += import_is_sound(damaged) ? 1 : 0;
      if (testing::Test::HasFailure()) FAIL() << "word " << value << " at " << at;
    }
  }
  EXPECT_GT(accepted, 0U);  // constants may hold anything
}

TEST(HostileFile, AnyWordOfTheSmallModelMayBeHostile) { replace_every_word(rich_model().build()); }

TEST(HostileFile, AnyWordOfHelloWorldMayBeHostile) {
  BERTH_NEEDS_MODELS();
  replace_every_word(read_bytes(models_folder() / "hello_world/model.tflite"));
}

TEST(HostileFile, ManyOperatorsOnOneConstantAreRefusedBeforeTheyCostMemory) {
  // 3000 convolutions that share one filter of 30,000 output channels would make 720 MB of
  // multipliers out of 300 kB.
  SmallModel model;
  SmallSubgraph& graph = model.main();
  constexpr int32_t kChannels = 30000;
  graph.tensors = {{.shape = {1, 1, 1, 1}},
                   {.shape = {kChannels, 1, 1, 1}, .data = std::vector<uint8_t>(kChannels, 1)}};
  graph.inputs = {0};
  for (int32_t i = 0; i < 3000; ++i) {
    graph.tensors.push_back({.shape = {1, 1, 1, kChannels}});
    graph.operators.push_back({.code = BuiltinOperator::CONV_2D,
                               .inputs = {0, 1},
                               .outputs = {2 + i},
                               .options = options_of(BuiltinOptions::Conv2DOptions, [](auto& b) {
                                 return fb::CreateConv2DOptions(b, fb::Padding::VALID, 1, 1);
                               })});
  }
  graph.outputs = {2};
  const FileBytes bytes = model.build();
  EXPECT_FALSE(import_is_sound(bytes));
  const Result<ir::Module> module = import_tflite(bytes, nullptr);
  EXPECT_NE(std::string::npos, module.error().message.find("so often")) << module.error().message;
}

}  // namespace
}  // namespace berth::import
