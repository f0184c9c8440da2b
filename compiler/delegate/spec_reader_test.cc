#include "compiler/delegate/spec_reader.h"

#include <gtest/gtest.h>

namespace berth::delegate {
namespace {

CompileSpecs specs(const std::vector<std::pair<std::string, std::string>>& list) {
  CompileSpecs out;
  for (const auto& [key, value] : list) {
    const auto* bytes = reinterpret_cast<const std::byte*>(value.data());
    out.push_back({key, ir::Bytes(bytes, bytes + value.size())});
  }
  return out;
}

TEST(SpecReader, WhatIsThereIsReadAndWhatIsNotIsNothing) {
  const CompileSpecs given = specs({{"n", "12"}, {"name", "x y"}, {"on", "1"}});
  SpecReader reader(given);
  EXPECT_EQ(12u, reader.number("n", 0, 12));
  EXPECT_EQ(std::nullopt, reader.number("m", 0, 12));
  EXPECT_EQ("x y", reader.text("name"));
  EXPECT_EQ(std::nullopt, reader.text("other"));
  EXPECT_TRUE(reader.flag("on"));
  EXPECT_FALSE(reader.flag("off"));
  EXPECT_FALSE(reader.finish());
}

TEST(SpecReader, WhatCannotBeReadIsNamedWithWhatCan) {
  for (const std::string bad : {"", "-1", "3", "11", "4x", "0x4", "99999999999999999999"}) {
    const CompileSpecs given = specs({{"n", bad}});
    SpecReader reader(given);
    EXPECT_EQ(std::nullopt, reader.number("n", 4, 10));
    const MaybeError error = reader.finish();
    ASSERT_TRUE(error) << bad;
    EXPECT_EQ("compile spec n", error->place);
    EXPECT_EQ("is \"" + bad + "\"; a number from 4 to 10", error->message);
  }
  const CompileSpecs given = specs({{"on", "yes"}});
  SpecReader reader(given);
  EXPECT_FALSE(reader.flag("on"));
  EXPECT_EQ("is \"yes\"; 0 or 1", reader.finish()->message);
}

TEST(SpecReader, BytesAreWrittenAsOnTheCommandLine) {
  const std::pair<const char*, uint32_t> good[] = {
      {"0", 0}, {"4096", 4096}, {"64KiB", 65536}, {"2MiB", 2097152}, {"4294967295", UINT32_MAX}};
  for (const auto& [word, value] : good) {
    const CompileSpecs given = specs({{"n", word}});
    SpecReader reader(given);
    EXPECT_EQ(value, reader.bytes("n")) << word;
    EXPECT_FALSE(reader.finish()) << word;
  }
  for (const std::string bad : {"", "-1", "64KB", "1.5", "4GiB", "many"}) {
    const CompileSpecs given = specs({{"n", bad}});
    SpecReader reader(given);
    EXPECT_EQ(std::nullopt, reader.bytes("n")) << bad;
    ASSERT_TRUE(reader.finish()) << bad;
    EXPECT_EQ("is \"" + bad + "\"; bytes like 4096, 64KiB or 2MiB, up to 4294967295",
              reader.finish()->message);
  }
}

TEST(SpecReader, AKeyThatNeedsAnotherIsAnErrorAlone) {
  for (const bool has_other : {false, true}) {
    CompileSpecs given = specs({{"align", "32"}});
    if (has_other) given.push_back({"scratch", {}});
    SpecReader reader(given);
    reader.text("align");
    reader.text("scratch");
    reader.needs("align", "scratch");
    reader.needs("pool", "scratch");  // not there: nothing to say
    EXPECT_EQ(!has_other, reader.finish().has_value());
    if (!has_other) {
      EXPECT_EQ("compile spec align", reader.finish()->place);
      EXPECT_EQ("is given without scratch, and says nothing without it", reader.finish()->message);
    }
  }
}

TEST(SpecReader, AnUnknownKeyListsTheKnownOnes) {
  const CompileSpecs given = specs({{"treads", "2"}});
  SpecReader reader(given);
  reader.number("threads", 1, 2);
  reader.text("pool");
  const MaybeError error = reader.finish();
  ASSERT_TRUE(error);
  EXPECT_EQ("compile spec treads", error->place);
  EXPECT_EQ("is unknown; there are threads, pool", error->message);
}

}  // namespace
}  // namespace berth::delegate
