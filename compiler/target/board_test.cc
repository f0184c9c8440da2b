#include "compiler/target/board.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::target {
namespace {

constexpr char kGood[] = R"(name = "mine"
cpu = "cortex-m4"
[[pool]]
name = "fast"
mem_id = 3
size = "64 KiB"
[[pool]]
name = "slow"
mem_id = 1
size = 1048576
alignment = 32
cost = 4
attributes = ["cpu", "npu"]
)";

// `text` with the first `from` replaced by `to`.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// The error of kGood with one change, as "place: message".
std::string error_of(const std::string& from, const std::string& to) {
  Result<Board> board = parse_board(with(kGood, from, to));
  if (board.ok()) return "accepted";
  return board.error().place + ": " + board.error().message;
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\n  lacks: " << part;
}

TEST(Board, HostHasOnePoolWithoutALimit) {
  const Board board = find_board("host").take();
  EXPECT_EQ(board.isa, Isa::kHost);
  EXPECT_EQ(board.abi, Abi::kHost64);
  ASSERT_EQ(board.pools.size(), 1u);
  EXPECT_EQ(board.pools[0].name, "main");
  EXPECT_EQ(board.pools[0].mem_id, 1u);
  EXPECT_EQ(board.pools[0].alignment, 16u);
  EXPECT_FALSE(board.pools[0].size.has_value());
}

TEST(Board, ReadsEveryKey) {
  const Board board = parse_board(kGood).take();
  EXPECT_EQ(board.name, "mine");
  EXPECT_EQ(board.cpu, "cortex-m4");
  EXPECT_EQ(board.isa, Isa::kDsp);
  EXPECT_EQ(board.abi, Abi::kArm32);
  ASSERT_EQ(board.pools.size(), 2u);
  EXPECT_EQ(board.pools[0].size, 65536u);
  EXPECT_EQ(board.pools[0].alignment, 16u);
  EXPECT_EQ(board.pools[0].cost, 1u);
  EXPECT_EQ(board.pools[0].attributes, std::vector<std::string>{"cpu"});
  EXPECT_EQ(board.pools[1].size, 1048576u);
  EXPECT_EQ(board.pools[1].alignment, 32u);
  EXPECT_EQ(board.pools[1].cost, 4u);
  EXPECT_EQ(board.pools[1].attributes, (std::vector<std::string>{"cpu", "npu"}));
  EXPECT_EQ(board.find_pool("fast"), 0);
  EXPECT_EQ(board.find_pool("none"), -1);
}

TEST(Board, EveryCompiledInFileIsGoodAndCalledByItsName) {
  const std::vector<std::string> names = board_names();
  EXPECT_GE(names.size(), 6u);
  for (const std::string& name : names) {
    Result<Board> board = find_board(name);
    ASSERT_TRUE(board.ok()) << name << ": " << board.error().place << ": " << board.error().message;
    EXPECT_EQ(board.value().name, name);
  }
}

TEST(Board, An547IsAnMveBoardWithSramAndDtcm) {
  const Board board = find_board("mps3-an547").take();
  EXPECT_EQ(board.isa, Isa::kMve);
  EXPECT_EQ(board.abi, Abi::kArm32);
  EXPECT_EQ(board.pools[0].name, "sram");
  EXPECT_EQ(board.pools[0].size, 2u << 20);
  ASSERT_EQ(board.find_pool("dtcm"), 1);
  EXPECT_EQ(board.pools[1].mem_id, 3u);
  EXPECT_EQ(board.pools[1].size, 512u << 10);
}

TEST(Board, AnUnknownNameGetsTheNearestOne) {
  Result<Board> board = find_board("mps3-an574");
  ASSERT_FALSE(board.ok());
  expect_contains(board.error().message, "did you mean \"mps3-an547\"?");
}

TEST(Board, EachProcessorHasItsInstructionSet) {
  const std::pair<const char*, Isa> rows[] = {
      {"cortex-m0", Isa::kScalar}, {"cortex-m0plus", Isa::kScalar}, {"cortex-m0+", Isa::kScalar},
      {"cortex-m3", Isa::kScalar}, {"cortex-m23", Isa::kScalar},    {"cortex-m4", Isa::kDsp},
      {"cortex-m7", Isa::kDsp},    {"cortex-m33", Isa::kDsp},       {"cortex-m35p", Isa::kDsp},
      {"cortex-m55", Isa::kMve},   {"cortex-m85", Isa::kMve}};
  for (const auto& [name, isa] : rows) {
    const Cpu* cpu = find_cpu(name);
    ASSERT_NE(cpu, nullptr) << name;
    EXPECT_EQ(cpu->isa, isa) << name;
    EXPECT_EQ(cpu->abi, Abi::kArm32) << name;
  }
}

TEST(Board, StatedIsaAndAbiCountInsteadOfTheProcessors) {
  const Board no_dsp =
      parse_board(with(kGood, "cpu = \"cortex-m4\"", "cpu = \"cortex-m33\"\nisa = \"scalar\""))
          .take();
  EXPECT_EQ(no_dsp.isa, Isa::kScalar);
  EXPECT_EQ(no_dsp.abi, Abi::kArm32);
  const Board other = parse_board(with(kGood, "cpu = \"cortex-m4\"",
                                       "cpu = \"riscv\"\nisa = \"host\"\nabi = \"host64\""))
                          .take();
  EXPECT_EQ(other.isa, Isa::kHost);
  EXPECT_EQ(other.abi, Abi::kHost64);
}

TEST(Board, UnknownKeysAreErrorsWithLineAndNearestKey) {
  const std::string error = error_of("size =", "sise =");
  expect_contains(error, "line 6: ");
  expect_contains(error, "unknown key \"sise\"");
  expect_contains(error, "did you mean \"size\"?");
  expect_contains(error_of("cpu =", "cpuu ="),
                  "line 2: unknown key \"cpuu\"; did you mean \"cpu\"?");
}

TEST(Board, WrongValuesAreErrorsWithTheLine) {
  expect_contains(error_of("cortex-m4", "cortex-m44"), "line 2: unknown cpu \"cortex-m44\"");
  expect_contains(error_of("cortex-m4\"", "cortex-m4\"\nisa = \"neon\""), "line 3: isa \"neon\"");
  expect_contains(error_of("cortex-m4\"", "cortex-m4\"\nabi = \"lp64\""), "line 3: abi \"lp64\"");
  expect_contains(error_of("cpu = \"cortex-m4\"", ""), "no cpu");
  expect_contains(error_of("name = \"mine\"", ""), "no name");
  expect_contains(error_of("\"64 KiB\"", "0"), "line 6: size is 0");
  expect_contains(error_of("\"64 KiB\"", "-1"), "line 6: size is negative");
  expect_contains(error_of("\"64 KiB\"", "\"64 KB\""), "line 6: size \"64 KB\"");
  expect_contains(error_of("\"64 KiB\"", "1.5"), "line 6: size is neither");
  expect_contains(error_of("\"64 KiB\"", "\"8 GiB\""), "line 6: size 8589934592 is more than");
  expect_contains(error_of("alignment = 32", "alignment = 24"),
                  "line 11: alignment 24 is not a power");
  expect_contains(error_of("alignment = 32", "alignment = 0"), "line 11: alignment is 0");
  expect_contains(error_of("alignment = 32", "alignment = \"x\""),
                  "line 11: alignment is not an integer");
  expect_contains(error_of("cost = 4", "cost = -4"), "line 12: cost is -4");
  expect_contains(error_of("mem_id = 3", "mem_id = 0"), "line 5: mem_id is 0");
  expect_contains(error_of("mem_id = 3", "mem_id = 2"),
                  "line 5: mem_id is 2, where stock runtimes");
  expect_contains(error_of("mem_id = 3", "mem_id = 256"), "line 5: mem_id is 256");
  expect_contains(error_of("mem_id = 3", "mem_id = -3"), "line 5: mem_id is -3");
  expect_contains(error_of("mem_id = 3", ""), "line 3: [[pool]] has no mem_id");
  expect_contains(error_of("mem_id = 3", "mem_id = 1"),
                  "line 9: pools \"fast\" and \"slow\" both have mem_id 1");
  expect_contains(error_of("\"fast\"", "\"slow\""), "line 8: two pools have the name \"slow\"");
  expect_contains(error_of("\"fast\"", "\"a b\""), "line 4: name \"a b\" is not a name");
  expect_contains(error_of("[\"cpu\", \"npu\"]", "\"cpu\""), "line 13: attributes is not a list");
  expect_contains(error_of("[\"cpu\", \"npu\"]", "[\"cpu\", \"cpu\"]"), "stands twice");
  expect_contains(error_of("[[pool]]", "[pool"), "not TOML");
}

TEST(Board, MemoriesOfAnImageHaveAnAddressAndAKnownUse) {
  const std::string memory =
      "[[memory]]\nname = \"rom\"\naddress = 0x1000\nsize = 64\nholds = [\"code\"]\n";
  const std::string text = std::string(kGood) + "address = 0x20000000\nholds = [\"data\"]\n";
  const Board board = parse_board(text + memory).take();
  EXPECT_EQ(board.pools[1].address, 0x20000000u);
  EXPECT_FALSE(board.pools[0].address.has_value());
  EXPECT_EQ(board.memories, std::vector<std::string>{"rom"});
  const auto error = [](const std::string& toml) { return parse_board(toml).error().message; };
  expect_contains(error(text + "[[memory]]\nname = \"rom\"\n"), "[[memory]] has no address");
  expect_contains(error(text + memory + memory), "two memories have the name \"rom\"");
  expect_contains(error(text + memory + "cost = 1\n"), "unknown key \"cost\" in [[memory]]");
  expect_contains(error(std::string(kGood) + "holds = [\"data\"]\n"), "holds needs an address");
  expect_contains(error(std::string(kGood) + "address = 0\nholds = [\"heap\"]\n"),
                  "holds \"heap\"; it is one of");
  expect_contains(error(std::string(kGood) + "address = 0\nholds = \"data\"\n"),
                  "holds is not a list");
  expect_contains(error(std::string(kGood) + "address = 4294967296\n"), "address is 4294967296");
}

TEST(Board, ABoardWithoutPoolsIsAnError) {
  const std::string head = "name = \"x\"\ncpu = \"cortex-m4\"\n";
  EXPECT_FALSE(parse_board(head).ok());
  EXPECT_FALSE(parse_board(head + "pool = []\n").ok());
  EXPECT_FALSE(parse_board(head + "pool = 3\n").ok());
  EXPECT_FALSE(parse_board(head + "pool = [1]\n").ok());
  EXPECT_FALSE(parse_board("").ok());
}

}  // namespace
}  // namespace berth::target
