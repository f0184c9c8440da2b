// A board: which processor, and which memories a plan may use. Everything that a compile needs to
// know about the target stands here; numbers in a .pte (mem_id) are names there, and only there.
//
//   name = "mps3-an547"
//   cpu = "cortex-m55"          # gives isa and abi, unless they are stated too
//   [[pool]]
//   name = "sram"
//   mem_id = 1
//   size = "2 MiB"
//
// docs/cli.md explains every key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/isa.h"
#include "contract/plan_record.h"
#include "contract/result.h"

namespace berth::target {

struct Pool {
  std::string name;
  uint32_t mem_id = 1;
  std::optional<uint64_t> size;            // bytes; none: as many as it takes
  uint32_t alignment = kDefaultAlignment;  // of the base address
  uint64_t cost = 1;                       // relative, of one byte here
  std::vector<std::string> attributes;     // who can reach it: "cpu", "npu", "dma", ...
  std::optional<uint64_t> address;         // of its first byte; plans do not ask
};

struct Board {
  std::string name;
  std::string cpu;
  Isa isa = Isa::kHost;
  Abi abi = Abi::kHost64;
  std::vector<Pool> pools;  // never empty; names and mem_ids are distinct
  // Memories that no plan uses; what lies in which memory of an image is said by those and pools
  // alike ("holds"). Read by firmware/, only checked here.
  std::vector<std::string> memories;

  // -1 when there is none of that name.
  int32_t find_pool(std::string_view pool_name) const;
};

// A workstation: one pool `main` without a limit.
Board host_board();

// The names of the boards that are compiled in (boards/*.toml, and `host`), sorted.
std::vector<std::string> board_names();

// A board that is compiled in. The error names the nearest one.
Result<Board> find_board(std::string_view name);

// The text of a board file. The error's place is the line.
Result<Board> parse_board(std::string_view toml_text);

// The isa and abi of a processor, by the names compilers use ("cortex-m4").
struct Cpu {
  const char* name;
  Isa isa;
  Abi abi;
};
// Null when it is not known.
const Cpu* find_cpu(std::string_view name);
std::vector<std::string> cpu_names();

}  // namespace berth::target
