// The answers of the vendor's own library: shapes with a recipe for their data and a hash of the
// output bytes. Some rows stand here, all of them in the shared oracles; scratch sizes stand there
// too and are held against the rules.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>

#include "contract/scratch_rules.h"
#include "runtime/kernels/cortex_m/cortex_m_kernels.h"
#include "runtime/kernels/kernel_test_util.h"

namespace berth::runtime {
namespace {

using Ints = std::vector<int64_t>;

// The recipe: a linear congruential generator per tensor, told apart by its seed.
class Draw {
 public:
  explicit Draw(uint32_t seed) : state_(seed) {}
  uint32_t next() { return state_ = state_ * 1664525u + 1013904223u; }

 private:
  uint32_t state_;
};

void fill_bytes(TestTensor& tensor, uint32_t seed, bool is_weights = false) {
  Draw draw(seed);
  for (size_t i = 0; i < tensor.numel(); ++i) {
    const int8_t value = static_cast<int8_t>(draw.next() >> 24);
    tensor.data<int8_t>()[i] = is_weights && value == -128 ? static_cast<int8_t>(-127) : value;
  }
}

uint32_t fnv1a(TestTensor& tensor) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < tensor.numel(); ++i) {
    hash = (hash ^ static_cast<uint8_t>(tensor.data<int8_t>()[i])) * 16777619u;
  }
  return hash;
}

struct Row {
  std::map<std::string, std::string> field;
  int64_t number(const char* name) const { return std::atoll(field.at(name).c_str()); }
  int32_t size(const char* name) const { return static_cast<int32_t>(number(name)); }
};

const char kHeader[] =
    "core,op,id,in_n,in_h,in_w,in_c,k_h,k_w,out_h,out_w,out_c,stride_h,stride_w,pad_h,pad_w,dil_h,"
    "dil_w,groups_or_mult,"
    "in_offset,out_offset,act_min,act_max,macs,instructions,scratch_bytes,instructions_clang19,out_"
    "fnv1a,nets";

Row parse(const std::string& line) {
  Row row;
  std::stringstream names(kHeader), values(line);
  std::string name, value;
  while (std::getline(names, name, ',')) {
    value.clear();
    std::getline(values, value, ',');
    row.field[name] = value;
  }
  return row;
}

Isa isa_of(const Row& row) {
  const std::string& core = row.field.at("core");
  return core == "cortex-m55" ? Isa::kMve : core == "cortex-m4" ? Isa::kDsp : Isa::kScalar;
}

// One row's call; the scratch is the file's.
struct Layer {
  explicit Layer(const Row& r)
      : row(r),
        channels(r.size("out_c")),
        in(ScalarType::kChar, {r.size("in_n"), r.size("in_c"), r.size("in_h"), r.size("in_w")},
           nhwc()),
        out(ScalarType::kChar, {r.size("in_n"), channels, r.size("out_h"), r.size("out_w")},
            nhwc()),
        bias(ScalarType::kInt, {channels}),
        multipliers(ScalarType::kInt, {channels}),
        shifts(ScalarType::kInt, {channels}),
        scratch(ScalarType::kByte, {r.size("scratch_bytes")}) {
    fill_bytes(in, 1);
    Draw biases(4), factors(5);
    for (int32_t i = 0; i < channels; ++i) {
      bias.data<int32_t>()[i] = static_cast<int32_t>((biases.next() >> 16) & 0x7ff) - 1024;
      multipliers.data<int32_t>()[i] = static_cast<int32_t>(0x40000000u + (factors.next() >> 2));
      shifts.data<int32_t>()[i] = shift();
    }
  }

  int32_t shift() const {
    const std::string& op = row.field.at("op");
    int64_t products = row.number("in_c");
    if (op == "conv")
      products = row.number("k_h") * row.number("k_w") * products / row.number("groups_or_mult");
    if (op == "depthwise") products = row.number("k_h") * row.number("k_w");
    if (op == "transpose_conv") products = row.number("k_h") * row.number("k_w") * products;
    int32_t log2 = 0;
    while ((products >> (log2 + 1)) != 0) ++log2;
    return -(7 + log2 / 2);
  }
  Ints pair(const char* name) const {
    return {row.number((std::string(name) + "_h").c_str()),
            row.number((std::string(name) + "_w").c_str())};
  }
  Status convolve(TestTensor& weights, bool depthwise) {
    fill_bytes(weights, 3, true);
    Call call;
    call << in << weights << bias << pair("stride") << pair("pad") << pair("dil");
    if (depthwise) call << row.number("groups_or_mult");
    call << row.number("in_offset") << row.number("out_offset") << multipliers << shifts
         << row.number("act_min") << row.number("act_max") << scratch << out;
    return call.run(depthwise ? kQuantizedDepthwiseConv2dKernel : kQuantizedConv2dKernel,
                    isa_of(row));
  }
  Status transpose(TestTensor& weights) {
    fill_bytes(weights, 3, true);
    Call call;
    call << in << weights << bias << pair("stride") << pair("pad") << Ints{0, 0} << Ints{1, 1}
         << row.number("in_offset") << row.number("out_offset") << multipliers << shifts
         << row.number("act_min") << row.number("act_max") << scratch << scratch << out;
    return call.run(kQuantizedTransposeConv2dKernel, Isa::kUnstated);
  }
  Status pool(bool average) {
    Call call;
    call << in << pair("k") << pair("stride") << pair("pad");
    if (average) {
      call << false << 0 << 0 << 0 << scratch << out;
      return call.run(kQuantizedAvgPool2dKernel, isa_of(row));
    }
    call << pair("dil") << false << 0 << 0 << row.number("act_min") << row.number("act_max") << out;
    return call.run(kQuantizedMaxPool2dKernel);
  }

  const Row& row;
  int32_t channels;
  TestTensor in, out, bias, multipliers, shifts, scratch;
};

// The hash of the row's output, or why there is none.
Status answer(const Row& r, uint32_t* hash) {
  const std::string& op = r.field.at("op");
  Layer layer(r);
  Status status = Status::kUnsupported;
  const int32_t k_h = r.size("k_h"), k_w = r.size("k_w"), in_c = r.size("in_c"),
                out_c = r.size("out_c");
  if (op == "conv") {
    TestTensor weights(ScalarType::kChar, {out_c, k_h, k_w, in_c / r.size("groups_or_mult")});
    status = layer.convolve(weights, false);
  } else if (op == "depthwise") {
    TestTensor weights(ScalarType::kChar, {1, k_h, k_w, out_c});
    status = layer.convolve(weights, true);
  } else if (op == "transpose_conv") {
    TestTensor weights(ScalarType::kChar, {out_c, k_h, k_w, in_c});
    status = layer.transpose(weights);
  } else if (op == "avg_pool" || op == "max_pool") {
    status = layer.pool(op == "avg_pool");
  } else if (op == "add" || op == "mul") {
    TestTensor other(ScalarType::kChar, {r.size("in_n"), in_c, r.size("in_h"), r.size("in_w")},
                     nhwc());
    fill_bytes(other, 2);
    const int64_t zero_point = -r.number("in_offset"), out_zero_point = r.number("out_offset");
    Call call;
    if (op == "add") {
      call << layer.in << zero_point << 1073741824 << 0 << other << zero_point << 1518500250 << 0
           << out_zero_point << 1482910400 << -19 << r.number("act_min") << r.number("act_max")
           << layer.out;
      status = call.run(kQuantizedAddKernel);
    } else {
      call << layer.in << zero_point << other << zero_point << out_zero_point << 1482910400 << -7
           << layer.out;
      status = call.run(kQuantizedMulKernel);
    }
  } else if (op == "softmax") {
    TestTensor rows(ScalarType::kChar, {r.size("in_n"), in_c}),
        out(ScalarType::kChar, {r.size("in_n"), in_c});
    fill_bytes(rows, 1);
    Call call;
    call << rows << 1 << 0 << -128 << 1077952640 << 23 << -248 << out;
    status = call.run(kSoftmaxKernel);
    *hash = fnv1a(out);
    return status;
  } else if (op == "fully_connected") {
    TestTensor rows(ScalarType::kChar, {r.size("in_n"), in_c}),
        out(ScalarType::kChar, {r.size("in_n"), out_c});
    TestTensor weights(ScalarType::kChar, {out_c, in_c});
    fill_bytes(rows, 1);
    fill_bytes(weights, 3, true);
    Call call;
    call << rows << weights << layer.bias;
    call.none() << r.number("in_offset") << 0 << r.number("out_offset")
                << Ints{layer.multipliers.data<int32_t>()[0]} << Ints{layer.shift()}
                << r.number("act_max") << r.number("act_min") << out;
    status = call.run(kQuantizedLinearKernel);
    *hash = fnv1a(out);
    return status;
  } else if (op == "batch_matmul") {
    const int32_t batch = r.size("in_n") * r.size("in_h");
    TestTensor lhs(ScalarType::kChar, {batch, r.size("in_w"), in_c}),
        rhs(ScalarType::kChar, {batch, out_c, in_c});
    TestTensor out(ScalarType::kChar, {batch, r.size("in_w"), out_c});
    fill_bytes(lhs, 1);
    fill_bytes(rhs, 2);
    Call call;
    call << lhs << r.number("in_offset") << rhs << 0 << r.number("out_offset")
         << layer.multipliers.data<int32_t>()[0] << layer.shift() << layer.scratch << out;
    status = call.run(kQuantizedBatchMatmulKernel, isa_of(r));
    *hash = fnv1a(out);
    return status;
  }
  *hash = fnv1a(layer.out);
  return status;
}

uint64_t scratch_of(const Row& r) {
  const Isa isa = isa_of(r);
  const std::string& op = r.field.at("op");
  WindowShape s;
  s.batch = r.number("in_n"), s.in_h = r.number("in_h"), s.in_w = r.number("in_w"),
  s.in_c = r.number("in_c");
  s.kernel_h = r.number("k_h"), s.kernel_w = r.number("k_w"), s.out_h = r.number("out_h");
  s.kernel_c = op == "conv" ? s.in_c / r.number("groups_or_mult") : s.in_c;
  s.out_w = r.number("out_w"), s.out_c = r.number("out_c"), s.stride_h = r.number("stride_h");
  s.stride_w = r.number("stride_w"), s.pad_h = r.number("pad_h"), s.pad_w = r.number("pad_w");
  s.dilation_h = r.number("dil_h"), s.dilation_w = r.number("dil_w");
  if (op == "conv") return conv2d_scratch_bytes(s, isa);
  if (op == "depthwise") return depthwise_conv2d_scratch_bytes(s, isa);
  if (op == "transpose_conv") {
    return transpose_conv2d_scratch_bytes(s, isa) + transpose_conv2d_output_scratch_bytes(s, isa);
  }
  if (op == "avg_pool") return avg_pool2d_scratch_bytes(s.in_c, isa);
  if (op == "batch_matmul" || op == "fully_connected" || op == "vector_sum")
    return fully_connected_scratch_bytes(s.out_c, isa);
  return 0;
}

void check_row(const std::string& line) {
  const Row row = parse(line);
  EXPECT_EQ(scratch_of(row), static_cast<uint64_t>(row.number("scratch_bytes"))) << line;
  if (row.field.at("op") == "vector_sum") return;  // a step of the MVE linear layer, no operator
  uint32_t hash = 0;
  ASSERT_EQ(answer(row, &hash), Status::kOk) << line;
  EXPECT_EQ(hash,
            static_cast<uint32_t>(std::strtoul(row.field.at("out_fnv1a").c_str(), nullptr, 16)))
      << line;
}

TEST(VendorAnswers, AreOursOnARowPerOperator) {
  const char* rows[] = {
      "cortex-m3,conv,kws_conv0,1,49,10,1,10,4,25,5,64,2,2,4,1,1,1,1,128,-128,-128,127,320000,"
      "1362470,160,1327475,7bc88477,kws:1",
      "cortex-m3,depthwise,kws_dw,1,25,5,64,3,3,25,5,64,1,1,1,1,1,1,1,128,-128,-128,127,72000,"
      "674335,0,748140,9060d105,kws:4",
      "cortex-m3,conv,odd_3x3_g2,1,10,10,16,3,3,10,10,24,1,1,1,1,1,1,2,128,-128,-128,127,172800,"
      "705575,576,665660,4945dbd6,",
      "cortex-m3,depthwise,odd_dw_m2,1,10,10,8,3,3,10,10,16,1,1,1,1,1,1,2,128,-128,-128,127,14400,"
      "381115,0,569575,3c2357b0,",
      "cortex-m3,transpose_conv,odd_t3x3s2_p1,1,6,5,8,3,3,11,9,4,2,2,1,1,1,1,1,128,-128,-128,127,"
      "8640,74033,528,77453,cf068f9b,",
      "cortex-m3,batch_matmul,odd_bmm_5x7x9,2,1,5,7,1,1,1,5,9,1,1,0,0,1,1,1,3,-5,-128,127,630,6674,"
      "0,7141,7e9a6b82,",
      "cortex-m3,add,odd_add_333,1,1,9,37,1,1,1,9,37,1,1,0,0,1,1,1,128,-128,-128,127,0,28069,0,"
      "25083,a36ab083,",
      "cortex-m3,mul,odd_mul_333,1,1,9,37,1,1,1,9,37,1,1,0,0,1,1,1,3,-5,-128,127,0,10048,0,11654,"
      "5443dee9,",
      "cortex-m3,max_pool,odd_max3x3s2_same_c7,1,13,9,7,3,3,7,5,7,2,2,1,1,1,1,1,0,0,-128,127,0,"
      "21209,0,25059,0be850e8,",
      "cortex-m3,avg_pool,odd_avg2x2s1_same_c5,1,7,7,5,2,2,7,7,5,1,1,0,0,1,1,1,0,0,-128,127,0,"
      "26041,0,24863,f464a9b9,",
      "cortex-m3,fully_connected,odd_fc_33_17_b4,4,1,1,33,1,1,1,1,17,1,1,0,0,1,1,1,128,-128,-128,"
      "127,2244,11290,0,12237,420b09d3,",
      "cortex-m3,softmax,softmax_10x100,10,1,1,100,1,1,1,1,100,1,1,0,0,1,1,1,0,0,-128,127,0,511240,"
      "0,420080,559c2b72,",
  };
  for (const char* row : rows) check_row(row);
}

TEST(VendorAnswers, AreOursOnEveryRowOfTheOracle) {
  const std::string path = std::string(BERTH_SHARED_DIR) + "/oracles/cmsis_nn_instructions.csv";
  std::ifstream file(path);
  if (!file) GTEST_SKIP() << "no " << path << ": only the rows in this file were compared";
  std::string line;
  std::getline(file, line);
  ASSERT_EQ(line, kHeader);
  int rows = 0;
  while (std::getline(file, line)) {
    check_row(line);
    ++rows;
  }
  EXPECT_EQ(rows, 255);
}

}  // namespace
}  // namespace berth::runtime
