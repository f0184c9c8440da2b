#include "compiler/report/blob_kind.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::report {
namespace {

using namespace std::string_literals;

std::string number(uint64_t value, int size) {
  std::string text;
  for (int i = 0; i < size; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

BlobKind recognise(const std::string& blob) {
  return recognise_blob(std::as_bytes(std::span(blob.data(), blob.size())));
}

// A header of XNNPACK's or Vulkan's layout, and `body` behind it from byte 32.
std::string headed(const std::string& magic, uint64_t graph, uint64_t constants,
                   const std::string& body) {
  std::string blob = number(0, 4) + magic + number(30, 2) + number(32, 4) + number(graph, 4) +
                     number(32 + graph, 4) + number(constants, 8);
  return blob + std::string(32 - blob.size(), '\0') + body;
}

std::string vela_block(const std::string& name, const std::string& data) {
  std::string block = name + std::string(16 - name.size(), '\0') + number(data.size(), 4) +
                      std::string(12, '\0') + data;
  return block + std::string((16 - data.size() % 16) % 16, '\0');
}

TEST(BlobKind, XnnpackTellsItsGraphAndItsConstants) {
  const BlobKind kind = recognise(headed("XH00", 40, 24, std::string(64, 'x')));
  EXPECT_EQ(kind.name, "xnnpack");
  EXPECT_EQ(kind.parts, (std::vector<BlobPart>{{"graph", 40}, {"constants", 24}}));
}

TEST(BlobKind, XnnpackWithoutAHeaderIsAGraph) {
  const BlobKind kind = recognise("\x20\0\0\0XN00rest"s);
  EXPECT_EQ(kind.name, "xnnpack");
  EXPECT_EQ(kind.parts, (std::vector<BlobPart>{{"graph", 12}}));
}

TEST(BlobKind, PartsThatEndOutsideAreNotShown) {
  const BlobKind kind = recognise(headed("XH00", 40, ~uint64_t{0}, std::string(64, 'x')));
  EXPECT_EQ(kind.parts, (std::vector<BlobPart>{{"graph", 40}}));
}

TEST(BlobKind, VulkanHasTheSameHeader) {
  EXPECT_EQ(recognise(headed("VH00", 8, 0, std::string(8, 'x'))).name, "vulkan");
}

TEST(BlobKind, VelaTellsItsBlocksAndItsScratch) {
  const BlobKind kind =
      recognise(vela_block("vela_bin_stream", "") + vela_block("cmd_data", std::string(20, 'c')) +
                vela_block("weight_data", std::string(48, 'w')) +
                vela_block("scratch_size", number(7120, 4)) + vela_block("vela_end_stream", ""));
  EXPECT_EQ(kind.name, "vela");
  EXPECT_EQ(kind.parts,
            (std::vector<BlobPart>{{"cmd_data", 20}, {"weight_data", 48}, {"scratch", 7120}}));
}

TEST(BlobKind, TheDemoBackendWritesText) {
  EXPECT_EQ(recognise("1version:0#op:demo::aten.sin.default").name, "demo");
}

TEST(BlobKind, AnythingElseIsBytes) {
  for (const std::string& blob :
       {""s, "X"s, "\0\0\0\0XH0"s, "vela_bin_stream"s, std::string(64, 'v')})
    EXPECT_EQ(recognise(blob).name, "") << blob;
}

// Cut anywhere, no byte behind the end is touched, and no part is larger than what there is.
TEST(BlobKind, CutBlobsAreReadAsFarAsTheyGo) {
  const std::string blobs[] = {
      headed("XH00", 8, 8, std::string(16, 'x')),
      vela_block("vela_bin_stream", "") + vela_block("cmd_data", std::string(20, 'c'))};
  for (const std::string& blob : blobs) {
    for (size_t size = 0; size < blob.size(); ++size) {
      const std::string cut = blob.substr(0, size);
      for (const BlobPart& part : recognise(cut).parts) EXPECT_LE(part.bytes, size);
    }
  }
}

TEST(BlobKind, ABlockThatIsTooLongEndsTheList) {
  std::string blob = vela_block("vela_bin_stream", "") + vela_block("cmd_data", "1234");
  blob[32 + 16 + 3] = '\x7f';
  EXPECT_EQ(recognise(blob).parts.size(), 0u);
}

TEST(BlobKind, BackendsOfOurs) {
  EXPECT_EQ("reference", recognise("REF1 and what follows").name);
  EXPECT_EQ("onednn", recognise("DNN1").name);
  EXPECT_EQ("", recognise("DNN").name);
}

}  // namespace
}  // namespace berth::report
