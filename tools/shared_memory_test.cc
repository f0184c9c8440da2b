#include "tools/shared_memory.h"

#include <gtest/gtest.h>

namespace berth::tools {
namespace {

// A method with arenas 1 and 2, and a state of that name and offset in one of them.
program::Method make_method(const std::string& name, const std::string& state, uint32_t mem_id,
                            uint64_t offset) {
  program::Method method;
  method.name = name;
  method.pools = {{1, 64, 0, 0}, {2, 64, 0, 0}};
  program::Storage storage;
  storage.kind = program::StorageKind::kState;
  storage.mem_id = mem_id;
  storage.offset = offset;
  method.storages = {storage};
  program::Tensor tensor;
  tensor.storage = 0;
  tensor.fully_qualified_name = state;
  method.values.push_back({tensor, ""});
  return method;
}

TEST(SharedMemory, WithoutARecordOnlyArenasOfTheSameNamedStateAreShared) {
  program::Program program;
  program.methods = {make_method("a", "cache", 2, 16), make_method("b", "cache", 2, 16),
                     make_method("c", "cache", 2, 32), make_method("d", "other", 2, 16),
                     make_method("e", "", 2, 16),      make_method("f", "", 2, 16),
                     make_method("g", "", 1, 16),      make_method("h", "", 1, 16)};
  const MemoryNumbers numbers = share_memory(program, {"a", "b", "c", "d", "e", "f", "g", "h"});
  EXPECT_EQ(numbers.at({0, 2}), numbers.at({1, 2}));
  EXPECT_NE(numbers.at({0, 1}), numbers.at({1, 1}));
  EXPECT_NE(numbers.at({0, 2}), numbers.at({2, 2})) << "another offset";
  EXPECT_NE(numbers.at({0, 2}), numbers.at({3, 2})) << "another name";
  EXPECT_EQ(numbers.at({4, 2}), numbers.at({5, 2})) << "no name, in stock's arena for shared state";
  EXPECT_NE(numbers.at({6, 1}), numbers.at({7, 1})) << "no name, elsewhere";
}

TEST(SharedMemory, SharingGoesFromMethodToMethod) {
  program::Program program;
  program.methods = {make_method("a", "x", 1, 0), make_method("b", "y", 1, 16),
                     make_method("c", "x", 1, 0)};
  program::Method& last = program.methods[2];
  last.storages.push_back(last.storages[0]);
  last.storages[1].offset = 16;
  program::Tensor tensor;
  tensor.storage = 1;
  tensor.fully_qualified_name = "y";
  last.values.push_back({tensor, ""});
  const MemoryNumbers numbers = share_memory(program, {"a", "b", "c"});
  EXPECT_EQ(numbers.at({0, 1}), numbers.at({2, 1}));
  EXPECT_EQ(numbers.at({1, 1}), numbers.at({2, 1}));
  EXPECT_NE(share_memory(program, {"a", "b"}).at({0, 1}),
            share_memory(program, {"a", "b"}).at({1, 1}));
}

TEST(SharedMemory, WithARecordAllMethodsShareAllPools) {
  program::Program program;
  program.methods = {make_method("a", "x", 1, 0), make_method("b", "y", 2, 0)};
  program.record = program::Record();
  const MemoryNumbers numbers = share_memory(program, {"b", "a"});
  EXPECT_EQ(numbers.at({0, 1}), numbers.at({1, 1}));
  EXPECT_EQ(numbers.at({0, 2}), numbers.at({1, 2}));
  EXPECT_NE(numbers.at({0, 1}), numbers.at({0, 2}));
}

TEST(SharedMemory, WithARecordOfSeparateMethodsOnlyArenasOfTheSameStateAreShared) {
  program::Program program;
  program.methods = {make_method("a", "x", 1, 0), make_method("b", "x", 1, 0)};
  program.record = program::Record();
  program.record->separate_methods = true;
  const MemoryNumbers numbers = share_memory(program, {"a", "b"});
  EXPECT_EQ(numbers.at({0, 1}), numbers.at({1, 1}));
  EXPECT_NE(numbers.at({0, 2}), numbers.at({1, 2}));
}

TEST(SharedMemory, StateThatAnotherMethodWritesOverIsFound) {
  program::Program program;
  program.record = program::Record();
  program.methods = {make_method("a", "x", 1, 0), make_method("b", "x", 1, 0)};
  for (program::Method& method : program.methods) method.storages[0].nbytes = 16;
  const std::vector<std::string> both = {"a", "b"};
  const auto lost = [&] {
    const MaybeError error = find_lost_state(program, both, share_memory(program, both));
    return error ? error->place + ": " + error->message : "";
  };
  EXPECT_EQ(lost(), "") << "one state, known to both";
  program::Storage scratch;
  scratch.nbytes = 16;
  scratch.mem_id = 1;
  scratch.offset = 15;
  scratch.name = "hidden";
  program.methods[1].storages.push_back(scratch);
  EXPECT_EQ(lost(),
            "method b: its buffer hidden lies over the state x of method a, which shares the pool; "
            "a run of one destroys the other's state");
  program.methods[1].storages[1].offset = 16;
  EXPECT_EQ(lost(), "");
  program.methods[1].storages[1].offset = 0;
  program.methods[1].storages[1].mem_id = 2;
  EXPECT_EQ(lost(), "") << "another pool";
  program.methods[1].storages[0].offset = 8;
  EXPECT_NE(lost(), "") << "the same state at two places";
  program.record = std::nullopt;
  EXPECT_EQ(lost(), "") << "each method has its own memory";
}

}  // namespace
}  // namespace berth::tools
