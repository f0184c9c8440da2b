#include "compiler/ir/archive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"

namespace berth::ir {
namespace {

// Two constants with the same 256 bytes, a blob, a data entry, and what stays in the text.
Module sample() {
  Result<Module> module = parse(
      "berth.ir 1\n"
      "lowered @npu_0 {\n"
      "  backend \"npu\"\n"
      "  spec \"level\" = hex \"32\"\n"
      "  input f32[4,4]\n"
      "  output f32[4,4]\n"
      "  scratch \"work\" : 3008 align=64 pool=\"sram\"\n"
      "  inside 0 -> 0 + 128\n"
      "  processed = hex \"4e50\"\n"
      "}\n"
      "lowered @npu_1 {\n"
      "  backend \"npu\"\n"
      "  input f32[4,4]\n"
      "  output f32[4,4]\n"
      "  persistent \"weights\" : 4096 align=16\n"
      "  data \"weights\" align=64 = hex \"01\"\n"
      "  share_handle\n"
      "  processed = hex \"\"\n"
      "}\n"
      "graph forward {\n"
      "  input %x : f32[4,4] origin=\"serving:0\"\n"
      "  const %w : f32[4,16] = random seed 1\n"
      "  const %v : f32[4,16] = random seed 1\n"
      "  const %b : f32[4] = [1.0, 2.0, 3.0, 4.0]\n"
      "  %work : u8[3008] = alloc(align=64, role=delegate_scratch, name=\"work\", pool=\"sram\")\n"
      "  %h : f32[4,4] = delegate @npu_0(%x, %work)\n"
      "  %y : f32[4,4] = delegate @npu_1(%h)\n"
      "  %z : f32[4,16] = aten::mm.out(%y, %w)\n"
      "  %u : f32[4,16] = aten::mm.out(%y, %v)\n"
      "  output %z\n"
      "  output %u\n"
      "}\n");
  EXPECT_TRUE(module.ok()) << module.error().place << ": " << module.error().message;
  Module out = module.take();
  out.lowered[0].processed.assign(1000, std::byte{7});
  out.lowered[1].named_data[0].bytes.assign(300, std::byte{9});
  return out;
}

size_t count_of(const Bytes& file, const std::string& word) {
  size_t count = 0;
  for (size_t i = 0; i + word.size() <= file.size(); ++i)
    count += std::memcmp(file.data() + i, word.data(), word.size()) == 0 ? 1 : 0;
  return count;
}

TEST(Archive, AModuleComesBackWhole) {
  const Module module = sample();
  const Result<Bytes> file = write_archive(module);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_TRUE(is_archive(file.value()));
  const Result<Module> again = read_archive(file.value());
  ASSERT_TRUE(again.ok()) << again.error().place << ": " << again.error().message;
  EXPECT_FALSE(verify(again.value()));
  EXPECT_EQ(print(module), print(again.value()));
  EXPECT_TRUE(module.lowered == again.value().lowered);
  // Constants of one content share their bytes.
  const Graph& graph = again.value().graphs[0];
  std::vector<const Bytes*> shared;
  for (const Value& value : graph.values) {
    if (value.kind == ValueKind::kConstant && value.spec.nbytes() == 256)
      shared.push_back(value.data.get());
  }
  ASSERT_EQ(2u, shared.size());
  EXPECT_EQ(shared[0], shared[1]);
}

TEST(Archive, TheSameModuleGivesTheSameBytesAndEqualBlobsStandOnce) {
  const Bytes file = write_archive(sample()).take();
  EXPECT_EQ(file, write_archive(sample()).value());
  // Each name: in its own header, in the directory, and in the text as often as it is named.
  EXPECT_EQ(3u, count_of(file, "blobs/0"));
  EXPECT_EQ(4u, count_of(file, "blobs/2"));
  EXPECT_EQ(0u, count_of(file, "blobs/3"));
}

TEST(Archive, WhatIsNoArchiveIsRefused) {
  EXPECT_FALSE(is_archive({}));
  const char* const text = "PK\x03\x04 and nothing else";
  Bytes bytes(std::strlen(text));
  std::memcpy(bytes.data(), text, bytes.size());
  EXPECT_FALSE(is_archive(bytes));
  const Result<Module> module = read_archive(bytes);
  ASSERT_FALSE(module.ok());
  EXPECT_EQ("archive", module.error().place);
}

TEST(Archive, WhatIsWrongWithAnArchiveIsSaidNotThatItIsNone) {
  Bytes file = write_archive(sample()).take();
  file.pop_back();
  EXPECT_TRUE(is_archive(file));
  const Result<Module> module = read_archive(file);
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(std::string::npos, module.error().message.find("no entry"));
}

// Cut anywhere, or with any byte changed, it is refused or reads as some module; it never crashes.
TEST(Archive, DamageIsRefusedOrHarmless) {
  const Bytes file = write_archive(sample()).take();
  const std::string good = print(sample());
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(
        read_archive(Bytes(file.begin(), file.begin() + static_cast<ptrdiff_t>(size))).ok());
  size_t unnoticed = 0;
  for (size_t i = 0; i < file.size(); ++i) {
    Bytes damaged = file;
    damaged[i] ^= std::byte{0x41};
    const Result<Module> module = read_archive(damaged);
    if (module.ok() && print(module.value()) != good) ++unnoticed;
  }
  EXPECT_EQ(0u, unnoticed);  // what a blob or the text says is under a checksum
}

TEST(Archive, ATextThatNamesABlobItDoesNotHaveSaysWhere) {
  const Result<Module> module = parse(
      "berth.ir 1\n"
      "graph g {\n"
      "  const %w : f32[2] = blob \"blobs/7\"\n"
      "}\n");
  ASSERT_FALSE(module.ok());
  EXPECT_EQ("line 3:28", module.error().place);
  EXPECT_NE(std::string::npos, module.error().message.find("blobs/7"));
}

TEST(Archive, ABlobOfAnotherSizeThanItsTypeIsRefused) {
  const Blobs blobs = {{"a", std::make_shared<const Bytes>(Bytes(7))}};
  const Result<Module> module = parse(
      "berth.ir 1\n"
      "graph g {\n"
      "  const %w : f32[2] = blob \"a\"\n"
      "}\n",
      blobs);
  ASSERT_FALSE(module.ok());
  EXPECT_NE(std::string::npos, module.error().message.find("7 bytes; the type has 8"));
}

}  // namespace
}  // namespace berth::ir
