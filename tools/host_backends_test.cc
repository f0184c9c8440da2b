#include "tools/host_backends.h"

#include <gtest/gtest.h>

namespace berth::tools {
namespace {

TEST(HostBackends, BothHalvesOfOneHaveOneId) {
  ASSERT_FALSE(host_backends().empty());
  EXPECT_EQ(host_backends().size(), host_runtime_backends().size());
  for (const HostBackend& backend : host_backends())
    EXPECT_EQ(std::string(backend.compile->id()), backend.runtime->id);
}

TEST(HostBackends, TheOptionIsAnIdAndWhatItIsTold) {
  const Result<BackendText> text = parse_backend("reference,scratch=3008,pool=sram,empty=");
  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_EQ("reference", text.value().id);
  ASSERT_EQ(3u, text.value().specs.size());
  EXPECT_EQ("scratch", text.value().specs[0].key);
  EXPECT_EQ("3008", delegate::text_of(text.value().specs[0]));
  EXPECT_EQ("sram", delegate::text_of(text.value().specs[1]));
  EXPECT_EQ("", delegate::text_of(text.value().specs[2]));
  EXPECT_TRUE(parse_backend("reference").value().specs.empty());
}

TEST(HostBackends, AnUnknownIdListsThoseThereAre) {
  const Result<BackendText> text = parse_backend("refrence,share=1");
  ASSERT_FALSE(text.ok());
  EXPECT_NE(std::string::npos, text.error().message.find("\"refrence\""));
  EXPECT_NE(std::string::npos, text.error().message.find("reference"));
}

TEST(HostBackends, PartsAreKeysWithValuesAndEachKeyStandsOnce) {
  for (const char* wrong : {"", ",", "reference,", "reference,share", "reference,=1",
                            "reference,share=1,", "reference,share=1,share=0"}) {
    EXPECT_FALSE(parse_backend(wrong).ok()) << wrong;
  }
}

}  // namespace
}  // namespace berth::tools
