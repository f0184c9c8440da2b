#include "tools/tensor_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tools/npy.h"

namespace berth::tools {
namespace {

namespace fs = std::filesystem;

class TensorFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("berth_tensors_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const Bytes& bytes) {
    OutputFiles out;
    out.add((folder_ / name).string(), bytes);
    EXPECT_FALSE(out.commit().has_value());
    return (folder_ / name).string();
  }
  fs::path folder_;
  // NCHW over NHWC memory, and a vector.
  const std::vector<TensorSpec> specs_ = {{"a", ScalarType::kChar, {1, 2, 1, 2}, {0, 2, 3, 1}},
                                          {"b", ScalarType::kShort, {2}, {0}}};
};

TEST_F(TensorFiles, OneFilePerTensorOrAllInOne) {
  const Bytes a = as_bytes("abcd"), b = as_bytes("efgh");
  const auto two = read_tensors({write("a.bin", a), write("b.bin", b)}, specs_, "input");
  EXPECT_EQ(two.value(), (std::vector<Bytes>{a, b}));
  const auto one = read_tensors({write("ab.bin", as_bytes("abcdefgh"))}, specs_, "input");
  EXPECT_EQ(one.value(), (std::vector<Bytes>{a, b}));
}

TEST_F(TensorFiles, NpyHasTheMethodsOwnAxesWhateverTheDimOrder) {
  OutputFiles out;
  const std::vector<Bytes> data = {as_bytes("aAbB"), as_bytes("efgh")};  // memory: pixel by pixel
  const std::vector<std::string> paths = {(folder_ / "a.npy").string(),
                                          (folder_ / "b.npy").string()};
  ASSERT_FALSE(add_tensor_files(paths, specs_, data, &out).has_value());
  ASSERT_FALSE(out.commit().has_value());
  const NpyArray a = read_npy(read_file(paths[0]).value()).take();
  EXPECT_EQ(a.shape, (std::vector<uint64_t>{1, 2, 1, 2}));
  EXPECT_EQ(as_text(a.data), "abAB") << "channel by channel";
  EXPECT_EQ(read_tensors(paths, specs_, "input").value(), data);
}

TEST_F(TensorFiles, WrongSizesCountsTypesAndShapesAreErrorsThatNameTheFile) {
  const std::string a = write("a.bin", as_bytes("abcd"));
  const std::string cut = write("cut.bin", as_bytes("abc"));
  const auto error = [&](const std::vector<std::string>& paths) {
    return read_tensors(paths, specs_, "input").error();
  };
  EXPECT_EQ(error({a}).place, a);
  EXPECT_EQ(error({a}).message, "has 4 bytes; all 2 inputs together have 8");
  EXPECT_EQ(error({a, cut}).place, cut);
  EXPECT_EQ(error({a, cut}).message, "has 3 bytes; input 1 is i16[2], which is 4");
  EXPECT_EQ(error({a, a, a}).message, "3 input files given; the method has 2 inputs");
  EXPECT_EQ(error({a, "/no/such"}).place, "/no/such");
  NpyArray array;
  array.type = "i1";
  array.shape = {4};
  array.data = as_bytes("abcd");
  const std::string flat = write("flat.npy", write_npy(array));
  EXPECT_EQ(error({flat, a}).place, flat + ": shape");
  EXPECT_EQ(error({flat, a}).message, "is 4; 1x2x1x2 is wanted");
  array.shape = {1, 2, 1, 2};
  array.type = "u1";
  const std::string unsigned_file = write("unsigned.npy", write_npy(array));
  EXPECT_EQ(error({unsigned_file, a}).message, "has elements of type u1; i1 is wanted");
}

// Files and shapes of a command line say what they like: a sum that wraps around would look small.
TEST_F(TensorFiles, SizesBeyondAllBytesAreNoSmallOnes) {
  TensorSpec spec{"", ScalarType::kInt, {65536, 65536, 65536, 65536}, {0, 1, 2, 3}};
  EXPECT_EQ(spec.bytes(), UINT64_MAX);
  spec.sizes[3] = 0;
  EXPECT_EQ(spec.bytes(), 0u);
  const TensorSpec half{"", ScalarType::kByte, {1 << 30, 1 << 30, 8}, {0, 1, 2}};
  ASSERT_EQ(half.bytes(), uint64_t{1} << 63);
  const std::string empty = write("empty.bin", {});
  EXPECT_EQ(read_tensors({empty}, {half, half}, "input").error().message,
            "has 0 bytes; all 2 inputs together have 18446744073709551615");
}

}  // namespace
}  // namespace berth::tools
