#include "tools/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace berth::tools {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("berth_files_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  size_t count() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  fs::path folder_;
};

TEST_F(Files, WhatIsWrittenIsRead) {
  for (size_t size : {size_t{0}, size_t{1}, size_t{4095}, size_t{4096}, size_t{3000000}}) {
    const Bytes bytes(size, std::byte{7});
    OutputFiles out;
    out.add(path("a"), bytes);
    ASSERT_FALSE(out.commit().has_value());
    EXPECT_EQ(read_file(path("a")).value(), bytes) << size;
  }
  EXPECT_EQ(count(), 1u) << "no temporary file stays";
}

TEST_F(Files, MissingFilesAndFoldersAreErrors) {
  EXPECT_EQ(read_file(path("none")).error().message, "cannot open: No such file or directory");
  EXPECT_EQ(read_file(folder_.string()).error().message, "is a folder; a file is wanted");
}

TEST_F(Files, DevicesAreNotRead) {
  for (const char* path : {"/dev/zero", "/dev/null"}) {
    EXPECT_EQ(read_file(path).error().message, "is a device, which need not end; a file is wanted");
  }
}

TEST_F(Files, OneOutputThatFailsLeavesAllOthersAsTheyWere) {
  OutputFiles first;
  first.add(path("a"), as_bytes("old"));
  ASSERT_FALSE(first.commit().has_value());
  // A folder that is missing, a folder in the file's place, a device that takes nothing, no name.
  for (const std::string& bad :
       {path("no/such/folder/b"), folder_.string(), std::string("/dev/full"), std::string()}) {
    OutputFiles out;
    out.add(path("a"), as_bytes("new"));
    out.add(bad, as_bytes("b"));
    const MaybeError error = out.commit();
    ASSERT_TRUE(error.has_value()) << bad;
    EXPECT_EQ(error->place, bad);
    EXPECT_EQ(error->message.rfind("cannot write: ", 0), 0u) << error->message;
    EXPECT_EQ(as_text(read_file(path("a")).value()), "old") << bad;
    EXPECT_EQ(count(), 1u) << "no temporary file stays";
  }
}

TEST_F(Files, TheSameNameTwiceIsAnError) {
  OutputFiles out;
  out.add(path("a"), as_bytes("1"));
  out.add(path("a"), as_bytes("2"));
  EXPECT_TRUE(out.commit().has_value());
  EXPECT_EQ(count(), 0u);
}

TEST_F(Files, DevicesAreWrittenToAndNotReplaced) {
  OutputFiles out;
  out.add("/dev/null", as_bytes("x"));
  EXPECT_FALSE(out.commit().has_value());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Files, LinksAreFollowedAndStay) {
  OutputFiles first;
  first.add(path("a"), as_bytes("old"));
  ASSERT_FALSE(first.commit().has_value());
  fs::create_symlink("a", path("link"));
  OutputFiles out;
  out.add(path("link"), as_bytes("new"));
  ASSERT_FALSE(out.commit().has_value());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(as_text(read_file(path("a")).value()), "new");
  EXPECT_EQ(count(), 2u);
}

// Whatever the two are called.
TEST_F(Files, OneFileUnderTwoNamesIsAnError) {
  fs::create_symlink("a", path("link"));
  for (const std::string& other : {path("./a"), path("link")}) {
    OutputFiles out;
    out.add(path("a"), as_bytes("1"));
    out.add(other, as_bytes("2"));
    const MaybeError error = out.commit();
    ASSERT_TRUE(error.has_value()) << other;
    EXPECT_EQ("is named for two outputs; give each its own file", error->message);
  }
}

TEST_F(Files, WhatWasReadIsNotReplaced) {
  OutputFiles first;
  first.add(path("a"), as_bytes("old"));
  ASSERT_FALSE(first.commit().has_value());
  OutputFiles out;
  out.keep("");
  out.keep(path("./a"));
  out.add(path("b"), as_bytes("new"));
  out.add(path("a"), as_bytes("new"));
  const MaybeError error = out.commit();
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ("is read by this command too; give the output another name", error->message);
  EXPECT_EQ(as_text(read_file(path("a")).value()), "old");
  EXPECT_EQ(count(), 1u);
}

// A folder of /dev like any other.
TEST_F(Files, SharedMemoryTakesFiles) {
  if (::access("/dev/shm", W_OK) != 0) GTEST_SKIP() << "no /dev/shm to write to";
  const std::string shared = "/dev/shm/berth_files_test." + std::to_string(::getpid());
  for (const char* text : {"the longer one", "short"}) {
    OutputFiles out;
    out.add(shared, as_bytes(text));
    ASSERT_FALSE(out.commit().has_value());
    EXPECT_EQ(as_text(read_file(shared).value()), text);
  }
  fs::remove(shared);
}

TEST(FileNames, StemIsTheNameWithoutFolderAndLastSuffix) {
  EXPECT_EQ(file_stem("out/kws.pte"), "kws");
  EXPECT_EQ(file_stem("kws"), "kws");
  EXPECT_EQ(file_stem("a.b.pte"), "a.b");
  EXPECT_EQ(file_stem(".hidden"), ".hidden");
}

}  // namespace
}  // namespace berth::tools
