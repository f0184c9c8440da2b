// The rules against the vendor library's own sizes: a dozen rows here, all rows of the shared file
// where it is.
#include "contract/scratch_rules.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace berth {
namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::stringstream stream(line);
  std::string field;
  while (std::getline(stream, field, ',')) fields.push_back(field);
  if (!line.empty() && line.back() == ',') fields.emplace_back();
  return fields;
}

// A row: op, then
// in_n,in_h,in_w,in_c,k_h,k_w,out_n_c,out_h,out_w,stride_h,stride_w,pad_h,pad_w,dil_h,dil_w,ch_mult,
// in_offset,scalar,dsp,mve,scalar2.
void check_row(const std::string& line) {
  const std::vector<std::string> field = split(line);
  ASSERT_EQ(field.size(), 22u) << line;
  std::vector<int64_t> n(22, 0);
  for (size_t i = 1; i < 22; ++i) n[i] = std::atoll(field[i].c_str());
  WindowShape s;
  s.batch = n[1], s.in_h = n[2], s.in_w = n[3], s.in_c = n[4], s.kernel_h = n[5], s.kernel_w = n[6];
  s.kernel_c = n[4], s.out_c = n[7], s.out_h = n[8], s.out_w = n[9], s.stride_h = n[10],
  s.stride_w = n[11];
  s.pad_h = n[12], s.pad_w = n[13], s.dilation_h = n[14], s.dilation_w = n[15];
  const Isa isas[] = {Isa::kScalar, Isa::kDsp, Isa::kMve};
  for (int i = 0; i < 3; ++i) {
    uint64_t bytes = kNoScratchSize;
    if (field[0] == "conv") bytes = conv2d_scratch_bytes(s, isas[i]);
    if (field[0] == "depthwise") bytes = depthwise_conv2d_scratch_bytes(s, isas[i]);
    if (field[0] == "transpose_conv") {
      bytes = transpose_conv2d_scratch_bytes(s, isas[i]);
      EXPECT_EQ(transpose_conv2d_output_scratch_bytes(s, isas[i]), static_cast<uint64_t>(n[21]))
          << line;
    }
    if (field[0] == "fully_connected") {
      bytes = fully_connected_scratch_bytes(n[7], isas[i]);
      EXPECT_EQ(batch_matmul_scratch_bytes(n[7], isas[i]), bytes);
    }
    if (field[0] == "avg_pool") bytes = avg_pool2d_scratch_bytes(n[4], isas[i]);
    EXPECT_EQ(bytes, static_cast<uint64_t>(n[18 + i])) << isa_name(isas[i]) << ": " << line;
  }
}

TEST(ScratchRules, AgreeWithTheVendorOnADozenRows) {
  const char* rows[] = {
      "conv,1,14,14,64,5,3,5,10,4,1,4,2,2,2,1,0,1,3840,3840,3840,",
      "conv,1,4,32,1,1,10,32,2,14,3,1,0,0,1,2,0,128,48,48,64,",
      "conv,1,1,5,96,1,5,32,1,2,1,3,0,2,1,1,0,0,1920,1920,672,",
      "conv,1,1,12,160,1,2,16,1,3,3,4,0,0,2,1,0,-5,1280,1280,320,",
      "conv,1,49,16,32,1,1,64,49,16,1,1,0,0,1,2,0,128,128,128,128,",
      "depthwise,1,14,14,64,5,3,64,10,4,1,4,2,2,2,1,1,1,0,0,0,",
      "depthwise,1,8,8,128,3,2,128,2,9,3,1,0,1,1,1,1,-5,0,1536,2976,",
      "depthwise,1,1,5,96,1,5,96,1,2,1,3,0,2,1,1,1,0,0,960,2480,",
      "depthwise,1,14,56,128,4,2,384,17,57,1,1,3,1,1,1,3,127,0,0,0,",
      "transpose_conv,1,14,14,64,5,3,5,14,51,1,4,2,2,1,1,0,1,5500,5500,5500,0",
      "transpose_conv,1,32,12,17,1,1,64,63,12,2,1,0,0,1,1,0,127,80,80,128,1088",
      "transpose_conv,1,7,10,16,3,4,2,5,9,1,1,2,2,1,1,0,0,312,312,312,0",
      "fully_connected,0,0,0,320,0,0,5,0,0,0,0,0,0,0,0,0,0,0,0,20,",
      "avg_pool,0,0,0,160,0,0,0,0,3,0,0,0,0,0,0,0,0,0,640,0,",
  };
  for (const char* row : rows) check_row(row);
}

TEST(ScratchRules, AgreeWithTheVendorOnEveryRowOfTheOracle) {
  const std::string path = std::string(BERTH_SHARED_DIR) + "/oracles/cmsis_nn_buffer_sizes.csv";
  std::ifstream file(path);
  if (!file) GTEST_SKIP() << "no " << path << ": the vendor's sizes were not compared";
  std::string line;
  std::getline(file, line);
  ASSERT_EQ(line.rfind("op,in_n,in_h", 0), 0u) << line;
  int rows = 0;
  while (std::getline(file, line)) {
    check_row(line);
    ++rows;
    if (HasFailure()) break;
  }
  EXPECT_GT(rows, 4000);
}

TEST(ScratchRules, TheHostNeedsNone) {
  WindowShape s;
  s.in_h = s.in_w = 32, s.in_c = s.kernel_c = 64, s.kernel_h = s.kernel_w = 3, s.out_c = 64;
  EXPECT_EQ(conv2d_scratch_bytes(s, Isa::kHost), 0u);
  EXPECT_EQ(depthwise_conv2d_scratch_bytes(s, Isa::kHost), 0u);
  EXPECT_EQ(transpose_conv2d_scratch_bytes(s, Isa::kHost), 0u);
  EXPECT_EQ(transpose_conv2d_output_scratch_bytes(s, Isa::kHost), 0u);
  EXPECT_EQ(batch_matmul_scratch_bytes(64, Isa::kHost), 0u);
  EXPECT_EQ(avg_pool2d_scratch_bytes(64, Isa::kHost), 0u);
}

TEST(ScratchRules, HostileParametersHaveNoSize) {
  const int64_t hostile[] = {0, -1, INT64_MIN, INT64_MAX, int64_t{1} << 31};
  for (Isa isa : {Isa::kHost, Isa::kScalar, Isa::kDsp, Isa::kMve}) {
    for (int64_t value : hostile) {
      WindowShape s;
      s.kernel_w = value;
      EXPECT_EQ(conv2d_scratch_bytes(s, isa), kNoScratchSize);
      EXPECT_EQ(depthwise_conv2d_scratch_bytes(s, isa), kNoScratchSize);
      EXPECT_EQ(transpose_conv2d_scratch_bytes(s, isa), kNoScratchSize);
      EXPECT_EQ(avg_pool2d_scratch_bytes(value, isa), kNoScratchSize);
      EXPECT_EQ(batch_matmul_scratch_bytes(value, isa), kNoScratchSize);
    }
  }
  WindowShape huge;
  huge.in_c = huge.kernel_c = huge.kernel_h = huge.kernel_w = huge.out_c = huge.in_w =
      huge.stride_w = INT32_MAX;
  EXPECT_EQ(conv2d_scratch_bytes(huge, Isa::kMve), kNoScratchSize);
  EXPECT_EQ(transpose_conv2d_scratch_bytes(huge, Isa::kScalar), kNoScratchSize);
}

}  // namespace
}  // namespace berth
