#include "compiler/place/share_handles.h"

#include <gtest/gtest.h>

#include "compiler/place/method_builder.h"

namespace berth::place {
namespace {

using Numbers = std::vector<int32_t>;

// x -> four calls -> out; the entries are all of A with blob 0, until a test changes one.
class ShareHandlesTest : public ::testing::Test {
 protected:
  ShareHandlesTest() {
    int32_t last = b_.input("x", 16);
    for (int call = 0; call < 4; ++call) {
      const int32_t next = b_.tensor("t" + std::to_string(call), 16);
      b_.call_delegate("A", {last, next});
      last = next;
    }
    b_.output(last);
  }
  program::Delegate& entry(size_t i) { return b_.method().delegates[i]; }
  program::Program program() {
    program::Program p;
    p.methods.push_back(b_.method());
    return p;
  }
  static Numbers calls_of(const program::Method& method) {
    Numbers entries;
    for (const program::Instruction& instruction : method.instructions) {
      entries.push_back(std::get<program::DelegateCall>(instruction.call).delegate);
    }
    return entries;
  }
  MethodBuilder b_;
};

TEST_F(ShareHandlesTest, EntriesOfTheSameBlobAndSpecsBecomeOne) {
  program::Program p = program();
  const Result<std::vector<SharedHandle>> shared = share_handles("A", &p);
  ASSERT_TRUE(shared.ok()) << shared.error().message;
  ASSERT_EQ(shared.value().size(), 1u);
  EXPECT_EQ(shared.value()[0].method, 0);
  EXPECT_EQ(shared.value()[0].delegate, 0);
  EXPECT_EQ(shared.value()[0].entries, (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(shared.value()[0].calls, (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(p.methods[0].delegates.size(), 1u);
  EXPECT_EQ(calls_of(p.methods[0]), (Numbers{0, 0, 0, 0}));
}

TEST_F(ShareHandlesTest, AnotherBlobSpecOrBackendStaysApart) {
  entry(1).data = 1;
  entry(2).id = "B";
  program::Program p = program();
  Result<std::vector<SharedHandle>> shared = share_handles("A", &p);
  ASSERT_TRUE(shared.ok());
  ASSERT_EQ(shared.value().size(), 1u);
  EXPECT_EQ(shared.value()[0].entries, (Numbers{0, 3}));
  EXPECT_EQ(shared.value()[0].calls, (Numbers{0, 3}));
  EXPECT_EQ(calls_of(p.methods[0]), (Numbers{0, 1, 2, 0}));
  EXPECT_EQ(p.methods[0].delegates.size(), 3u);

  entry(3).compile_specs = {{"mode", program::Bytes(1)}};
  p = program();
  shared = share_handles("A", &p);
  ASSERT_TRUE(shared.ok());
  EXPECT_TRUE(shared.value().empty());
  EXPECT_EQ(p.methods, program().methods);
  entry(0).compile_specs = {{"mode", program::Bytes(2)}};
  p = program();
  EXPECT_TRUE(share_handles("A", &p).value().empty());
  entry(0).compile_specs = entry(3).compile_specs;
  p = program();
  EXPECT_EQ(share_handles("A", &p).value().size(), 1u);
}

TEST_F(ShareHandlesTest, MethodsHaveHandlesOfTheirOwn) {
  program::Program p = program();
  p.methods.push_back(p.methods[0]);
  const Result<std::vector<SharedHandle>> shared = share_handles("A", &p);
  ASSERT_TRUE(shared.ok());
  ASSERT_EQ(shared.value().size(), 2u);
  EXPECT_EQ(shared.value()[1].method, 1);
  EXPECT_EQ(p.methods[1].delegates.size(), 1u);
}

TEST_F(ShareHandlesTest, ScratchAndKeptMemoryForbidIt) {
  for (const Role role : {Role::kDelegateScratch, Role::kPersistent}) {
    program::Program p = program();
    const int32_t work = b_.tensor("work", 64, role);
    p.methods[0].values = b_.method().values;
    p.methods[0].storages = b_.method().storages;
    std::get<program::DelegateCall>(p.methods[0].instructions[2].call).args.push_back(work);
    const program::Program before = p;
    const Result<std::vector<SharedHandle>> shared = share_handles("A", &p);
    ASSERT_FALSE(shared.ok());
    EXPECT_EQ(shared.error().place, "method forward, instruction 2");
    EXPECT_EQ(shared.error().message,
              std::string("delegate 2 (A) ") +
                  (role == Role::kPersistent ? "keeps the memory" : "has the scratch") +
                  " \"work\" of 64 bytes; a handle that calls share can have neither scratch nor "
                  "memory of one call's");
    EXPECT_EQ(p.methods, before.methods);
    // One call of it alone is nobody's business.
    p.methods[0].delegates[2].data = 1;
    EXPECT_TRUE(share_handles("A", &p).ok());
  }
}

TEST_F(ShareHandlesTest, ABackendThatIsNotThereIsNamedWithThoseThatAre) {
  entry(1).id = "B";
  program::Program p = program();
  const Result<std::vector<SharedHandle>> shared = share_handles("C", &p);
  ASSERT_FALSE(shared.ok());
  EXPECT_EQ(shared.error().place, "--share-handles");
  EXPECT_EQ(shared.error().message, "the file has no delegate \"C\"; it has A, B");
}

}  // namespace
}  // namespace berth::place
