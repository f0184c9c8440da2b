// The wire numbers of the schemas against files that other tools wrote, and against the published
// union numbers.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "format/bundled_program_generated.h"
#include "format/etdump_generated.h"
#include "format/external_data_generated.h"
#include "format/plan_record_generated.h"
#include "format/program_generated.h"
#include "format/tflite_generated.h"

namespace berth::format {
namespace {

namespace fs = std::filesystem;

std::vector<uint8_t> read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<fs::path> files_with_extension(const fs::path& folder, const char* extension) {
  std::vector<fs::path> found;
  if (!fs::exists(folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == extension) found.push_back(entry.path());
  }
  return found;
}

TEST(Format, UnionMembersHaveTheirPublishedNumbers) {
  using tflite::BuiltinOptions;
  using tflite::BuiltinOptions2;
  EXPECT_EQ(1, static_cast<int>(BuiltinOptions::Conv2DOptions));
  EXPECT_EQ(27, static_cast<int>(BuiltinOptions::ReducerOptions));
  EXPECT_EQ(49, static_cast<int>(BuiltinOptions::TransposeConvOptions));
  EXPECT_EQ(74, static_cast<int>(BuiltinOptions::ResizeNearestNeighborOptions));
  EXPECT_EQ(101, static_cast<int>(BuiltinOptions::BatchMatMulOptions));
  EXPECT_EQ(111, static_cast<int>(BuiltinOptions::VarHandleOptions));
  EXPECT_EQ(116, static_cast<int>(BuiltinOptions::GeluOptions));
  EXPECT_EQ(126, static_cast<int>(BuiltinOptions::RightShiftOptions));
  EXPECT_EQ(18, static_cast<int>(BuiltinOptions2::DilateOptions));
  EXPECT_EQ(21, static_cast<int>(BuiltinOptions2::StableHLOCompositeOptions));
  EXPECT_EQ(23, static_cast<int>(BuiltinOptions2::StablehloCaseOptions));
  EXPECT_EQ(11, static_cast<int>(pte::KernelTypes::OptionalTensorList));
  EXPECT_EQ(5, static_cast<int>(pte::InstructionArguments::FreeCall));
  EXPECT_EQ(7, static_cast<int>(etdump::ValueType::String));
}

TEST(Format, SlotsAreWhereOtherReadersLookForThem) {
  auto slot = [](int vtable_offset) { return (vtable_offset - 4) / 2; };
  EXPECT_EQ(9, slot(pte::Tensor::VT_EXTRA_TENSOR_INFO));
  EXPECT_EQ(9, slot(pte::ExecutionPlan::VT_NON_CONST_BUFFER_DEVICE));
  EXPECT_EQ(7, slot(pte::Program::VT_NAMED_DATA));
  EXPECT_EQ(3, slot(etdump::RunData::VT_EVENTS));
  EXPECT_EQ(2, slot(etdump::Event::VT_DEBUG_EVENT));
  EXPECT_EQ(7, slot(etdump::ProfileEvent::VT_END_TIME));
  EXPECT_EQ(5, slot(etdump::DebugEvent::VT_NAME));
  EXPECT_EQ(7, slot(etdump::Value::VT_OUTPUT));
  EXPECT_EQ(3, slot(etdump::Tensor::VT_OFFSET));
  EXPECT_EQ(12, slot(tflite::Operator::VT_BUILTIN_OPTIONS_2));
  EXPECT_EQ(6, slot(tflite::QuantizationParameters::VT_QUANTIZED_DIMENSION));
  EXPECT_EQ(4, slot(tflite::SignatureDef::VT_SUBGRAPH_INDEX));
}

TEST(Format, EveryGoldenProgramVerifies) {
  const auto files = files_with_extension(fs::path(BERTH_SHARED_DIR) / "pte", ".pte");
  if (files.empty()) GTEST_SKIP() << "no golden .pte files in " << BERTH_SHARED_DIR;
  for (const fs::path& path : files) {
    const std::vector<uint8_t> bytes = read_file(path);
    flatbuffers::Verifier verifier(bytes.data(), bytes.size());
    EXPECT_TRUE(pte::VerifyProgramBuffer(verifier)) << path;
    const pte::Program* program = pte::GetProgram(bytes.data());
    ASSERT_NE(nullptr, program->execution_plan()) << path;
    EXPECT_LT(0u, program->execution_plan()->size()) << path;
  }
}

TEST(Format, EveryBundledProgramAndExternalDataFileVerifies) {
  const fs::path root = fs::path(BERTH_SHARED_DIR) / "pte";
  const auto bundles = files_with_extension(root, ".bpte");
  const auto data_files = files_with_extension(root, ".ptd");
  if (bundles.empty() || data_files.empty()) {
    GTEST_SKIP() << "no golden .bpte and .ptd files in " << BERTH_SHARED_DIR;
  }
  for (const fs::path& path : bundles) {
    const std::vector<uint8_t> bytes = read_file(path);
    flatbuffers::Verifier verifier(bytes.data(), bytes.size());
    EXPECT_TRUE(bundled::VerifyBundledProgramBuffer(verifier)) << path;
    const bundled::BundledProgram* bundle = bundled::GetBundledProgram(bytes.data());
    ASSERT_NE(nullptr, bundle->program()) << path;
    flatbuffers::Verifier inner(bundle->program()->data(), bundle->program()->size());
    EXPECT_TRUE(pte::VerifyProgramBuffer(inner)) << path;
  }
  for (const fs::path& path : data_files) {
    const std::vector<uint8_t> bytes = read_file(path);
    flatbuffers::Verifier verifier(bytes.data(), bytes.size());
    EXPECT_TRUE(ptd::VerifyFlatTensorBuffer(verifier)) << path;
    EXPECT_LT(0u, ptd::GetFlatTensor(bytes.data())->named_data()->size()) << path;
  }
}

TEST(Format, EveryTfliteModelVerifies) {
  const auto files = files_with_extension(fs::path(BERTH_SHARED_DIR) / "models", ".tflite");
  if (files.empty()) GTEST_SKIP() << "no .tflite files in " << BERTH_SHARED_DIR;
  for (const fs::path& path : files) {
    const std::vector<uint8_t> bytes = read_file(path);
    flatbuffers::Verifier verifier(bytes.data(), bytes.size());
    EXPECT_TRUE(tflite::VerifyModelBuffer(verifier)) << path;
    EXPECT_EQ(3u, tflite::GetModel(bytes.data())->version()) << path;
  }
}

}  // namespace
}  // namespace berth::format
