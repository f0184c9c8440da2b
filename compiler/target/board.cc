#include "compiler/target/board.h"

#include <algorithm>

#include "compiler/target/board_files.h"
#include "compiler/target/nearest.h"

namespace berth::target {
namespace {

// The instruction set is the one kernels may count on. M33 and M35P come with or without the DSP
// extension; Arm's own parts have it, and a board that does not says isa = "scalar".
constexpr Cpu kCpus[] = {
    {"cortex-m0", Isa::kScalar, Abi::kArm32},  {"cortex-m0plus", Isa::kScalar, Abi::kArm32},
    {"cortex-m1", Isa::kScalar, Abi::kArm32},  {"cortex-m3", Isa::kScalar, Abi::kArm32},
    {"cortex-m23", Isa::kScalar, Abi::kArm32}, {"cortex-m4", Isa::kDsp, Abi::kArm32},
    {"cortex-m7", Isa::kDsp, Abi::kArm32},     {"cortex-m33", Isa::kDsp, Abi::kArm32},
    {"cortex-m35p", Isa::kDsp, Abi::kArm32},   {"cortex-m52", Isa::kMve, Abi::kArm32},
    {"cortex-m55", Isa::kMve, Abi::kArm32},    {"cortex-m85", Isa::kMve, Abi::kArm32},
    {"host", Isa::kHost, Abi::kHost64},
};

}  // namespace

int32_t Board::find_pool(std::string_view pool_name) const {
  for (size_t i = 0; i < pools.size(); ++i) {
    if (pools[i].name == pool_name) return static_cast<int32_t>(i);
  }
  return -1;
}

const Cpu* find_cpu(std::string_view name) {
  if (name == "cortex-m0+") name = "cortex-m0plus";
  for (const Cpu& cpu : kCpus) {
    if (name == cpu.name) return &cpu;
  }
  return nullptr;
}

std::vector<std::string> cpu_names() {
  std::vector<std::string> names;
  for (const Cpu& cpu : kCpus) names.emplace_back(cpu.name);
  return names;
}

Board host_board() {
  Board board;
  board.name = "host";
  board.cpu = "host";
  Pool pool;
  pool.name = "main";
  pool.attributes = {"cpu"};
  board.pools.push_back(pool);
  return board;
}

std::vector<std::string> board_names() {
  std::vector<std::string> names = {"host"};
  for (size_t i = 0; i < kBoardFileCount; ++i) names.emplace_back(kBoardFiles[i].name);
  std::sort(names.begin(), names.end());
  return names;
}

Result<Board> find_board(std::string_view name) {
  if (name == "host") return host_board();
  for (size_t i = 0; i < kBoardFileCount; ++i) {
    if (name == kBoardFiles[i].name) return parse_board(kBoardFiles[i].text);
  }
  const std::string nearest = nearest_name(name, board_names());
  std::string message = "no board \"" + std::string(name) + "\"";
  if (!nearest.empty()) message += "; did you mean \"" + nearest + "\"?";
  message += "; boards are " + name_list(board_names()) + ", or a file whose name ends with .toml";
  return Error{"", message};
}

}  // namespace berth::target
