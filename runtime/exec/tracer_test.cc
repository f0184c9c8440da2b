// What a tracer is told of a run.
#include "runtime/exec/tracer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/exec/method_test_util.h"

namespace berth::runtime::method_tests {
namespace {

class Listener final : public Tracer {
 public:
  void instruction_begins(const LoadedMethod& method, uint32_t instruction) override {
    said.push_back(std::string(method.name) + " begins " + std::to_string(instruction));
  }
  void instruction_ends(const LoadedMethod& method, uint32_t instruction, Status status) override {
    said.push_back(std::string(method.name) + " ends " + std::to_string(instruction) +
                   (status == Status::kOk ? "" : std::string(": ") + status_words(status)));
  }
  std::vector<std::string> said;
};

using Said = std::vector<std::string>;

// 0 flag -> go to 2 unless true / 1 fill 5 / 2 fill 9, of which the last counts.
TestFile skipping_file(bool flag) {
  TestFile file;
  TestMethod& m = file.method();
  m.operators = {{"test::fill", "out"}};
  m.values = {make::bool_value(flag), make::int_value(5), make::int_value(9),
              make::planned({1}, 0)};
  m.outputs = {3};
  m.code() = {make::jump_false(0, 2), make::call(0, {1, 3, 3}), make::call(0, {2, 3, 3})};
  m.pool_sizes = {0, 16};
  return file;
}

TEST(TracerTest, IsToldOfTheInstructionsThatRun) {
  for (const bool flag : {false, true}) {
    Session s(skipping_file(flag));
    Listener listener;
    ASSERT_EQ(s.method.execute(), Status::kOk);
    s.method.set_tracer(&listener);
    ASSERT_EQ(s.method.execute(), Status::kOk);
    Said expected = {"forward begins 0", "forward ends 0"};
    if (flag) expected.insert(expected.end(), {"forward begins 1", "forward ends 1"});
    expected.insert(expected.end(), {"forward begins 2", "forward ends 2"});
    EXPECT_EQ(listener.said, expected);
    s.method.set_tracer(nullptr);
    ASSERT_EQ(s.method.execute(), Status::kOk);
    EXPECT_EQ(listener.said, expected) << "it listens no more";
    EXPECT_EQ(*s.output(0), 9.0f);
  }
}

TEST(TracerTest, BelongsToTheHandleAndItsCopies) {
  Session s(skipping_file(false));
  Listener listener;
  s.method.set_tracer(&listener);
  Method copy = s.method;
  ASSERT_EQ(copy.execute(), Status::kOk);
  EXPECT_EQ(listener.said.size(), 4u);
  ASSERT_EQ(s.load(), Status::kOk);
  ASSERT_EQ(s.method.execute(), Status::kOk);
  EXPECT_EQ(listener.said.size(), 8u) << "a load leaves it";
}

TEST(TracerTest, IsToldOfAFailureAndOfNothingAfterIt) {
  TestFile file = skipping_file(true);
  TestMethod& m = file.method();
  m.operators.push_back({"test::fail", "out"});
  m.code()[1] = make::call(1, {3, 3, 3});
  Session s(file);
  Listener listener;
  s.method.set_tracer(&listener);
  const Status status = s.method.execute();
  ASSERT_NE(status, Status::kOk);
  ASSERT_EQ(listener.said.size(), 4u);
  EXPECT_EQ(listener.said.back(), std::string("forward ends 1: ") + status_words(status));
  EXPECT_EQ(s.method.stopped_at(), 1u);
}

TEST(TracerTest, HearsNothingWhileInputsAreMissing) {
  Session s(add_file());
  Listener listener;
  s.method.set_tracer(&listener);
  EXPECT_EQ(s.method.execute(), Status::kInputNotSet);
  EXPECT_EQ(listener.said, Said());
}

}  // namespace
}  // namespace berth::runtime::method_tests
