// Board files: TOML in, Board out. Every key is known or an error, since a misspelt `size` would
// plan without a limit.
#include <algorithm>
#include <array>

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "compiler/target/board.h"
#include "compiler/target/byte_size.h"
#include "compiler/target/nearest.h"
#include "contract/checked.h"
#include "contract/plan_record.h"

namespace berth::target {

namespace {

// A file writes one size per mem_id up to the largest, so a large one would only make files large.
constexpr int64_t kMaxMemId = 255;
constexpr size_t kMaxName = 64;
constexpr uint64_t kArm32Space = uint64_t{1} << 32;

std::string line_of(const toml::source_region& source) {
  return "line " + std::to_string(source.begin.line);
}

Error at(const toml::node& node, std::string message) {
  return {line_of(node.source()), std::move(message)};
}

std::string quoted(std::string_view text) { return "\"" + std::string(text.substr(0, 80)) + "\""; }

// Names stand in --pool NAME=BYTES, in reports and in C macros.
bool is_name(std::string_view text) {
  if (text.empty() || text.size() > kMaxName) return false;
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (!letter(text[0]) && text[0] != '_') return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  });
}

MaybeError check_keys(const toml::table& table, const std::vector<std::string>& known,
                      const std::string& where) {
  for (const auto& [key, node] : table) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    const std::string nearest = nearest_name(key.str(), known);
    std::string message = "unknown key " + quoted(key.str()) + where;
    if (!nearest.empty()) message += "; did you mean \"" + nearest + "\"?";
    message += "; known keys are " + name_list(known);
    return Error{line_of(key.source()), message};
  }
  return std::nullopt;
}

Result<std::string> read_name(const toml::node& node, const std::string& key) {
  const auto* text = node.as_string();
  if (text == nullptr) return at(node, key + " is not a string; write " + key + " = \"sram\"");
  if (!is_name(text->get())) {
    return at(node, key + " " + quoted(text->get()) +
                        " is not a name; a name has up to 64 letters, digits, _ - . and does not "
                        "begin with a digit");
  }
  return text->get();
}

Result<int64_t> read_integer(const toml::node& node, const std::string& key, int64_t lowest,
                             int64_t highest) {
  const auto* number = node.as_integer();
  if (number == nullptr || number->get() < lowest || number->get() > highest) {
    const std::string have = number == nullptr ? "not an integer" : std::to_string(number->get());
    return at(node, key + " is " + have + "; it is an integer from " + std::to_string(lowest) +
                        " to " + std::to_string(highest));
  }
  return number->get();
}

Result<uint64_t> read_size(const toml::node& node, Abi abi) {
  uint64_t bytes = 0;
  if (const auto* number = node.as_integer()) {
    if (number->get() < 0) return at(node, "size is negative; it is a number of bytes");
    bytes = static_cast<uint64_t>(number->get());
  } else if (const auto* text = node.as_string()) {
    Result<uint64_t> parsed = parse_byte_size(text->get());
    if (!parsed.ok()) return at(node, parsed.error().message);
    bytes = parsed.value();
  } else {
    return at(node, "size is neither a number nor a string; write 65536 or \"64 KiB\"");
  }
  if (bytes == 0) return at(node, "size is 0; leave the pool out, or leave size out for no limit");
  if (abi == Abi::kArm32 && bytes > kArm32Space) {
    return at(node, "size " + std::to_string(bytes) + " is more than a 32-bit address space");
  }
  return bytes;
}

Result<std::vector<std::string>> read_attributes(const toml::node& node) {
  const auto* list = node.as_array();
  if (list == nullptr) return at(node, "attributes is not a list; write [\"cpu\", \"npu\"]");
  std::vector<std::string> attributes;
  for (const toml::node& item : *list) {
    Result<std::string> name = read_name(item, "attribute");
    if (!name.ok()) return name.error();
    if (std::find(attributes.begin(), attributes.end(), name.value()) != attributes.end()) {
      return at(item, "attribute " + quoted(name.value()) + " stands twice");
    }
    attributes.push_back(name.take());
  }
  return attributes;
}

Result<uint32_t> read_mem_id(const toml::node& node) {
  const auto* number = node.as_integer();
  if (number != nullptr && number->get() == 0) {
    return at(node, "mem_id is 0, which files use for constants; pools are numbered from 1");
  }
  if (number != nullptr && number->get() == int64_t{kSharedStateMemId}) {
    return at(node,
              "mem_id is 2, where stock runtimes put the state that methods share; leave it free "
              "and take 3 or more");
  }
  Result<int64_t> checked = read_integer(node, "mem_id", 1, kMaxMemId);
  if (!checked.ok()) return checked.error();
  return static_cast<uint32_t>(checked.value());
}

Result<uint64_t> read_address(const toml::node& node, Abi abi) {
  const uint64_t most = abi == Abi::kArm32 ? kArm32Space - 1 : uint64_t{INT64_MAX};
  Result<int64_t> address = read_integer(node, "address", 0, static_cast<int64_t>(most));
  if (!address.ok()) return address.error();
  return static_cast<uint64_t>(address.value());
}

// What an image puts into a memory.
MaybeError check_holds(const toml::table& table) {
  const toml::node* node = table.get("holds");
  if (node == nullptr) return std::nullopt;
  const std::vector<std::string> known = {"code", "constants", "data"};
  const auto* list = node->as_array();
  if (list == nullptr) return at(*node, "holds is not a list; write [\"code\", \"constants\"]");
  for (const toml::node& item : *list) {
    const std::string text = item.value_or(std::string());
    if (std::find(known.begin(), known.end(), text) != known.end()) continue;
    return at(item, "holds " + quoted(text) + "; it is one of " + name_list(known));
  }
  if (!table.contains("address")) return at(*node, "holds needs an address beside it");
  return std::nullopt;
}

Result<Pool> read_pool(const toml::table& table, Abi abi) {
  const std::vector<std::string> known = {"name", "mem_id",     "size",    "alignment",
                                          "cost", "attributes", "address", "holds"};
  if (MaybeError error = check_keys(table, known, " in [[pool]]")) return *error;
  for (const char* key : {"name", "mem_id"}) {
    if (!table.contains(key)) return at(table, std::string("[[pool]] has no ") + key);
  }
  Pool pool;
  Result<std::string> name = read_name(*table.get("name"), "name");
  if (!name.ok()) return name.error();
  pool.name = name.take();
  Result<uint32_t> mem_id = read_mem_id(*table.get("mem_id"));
  if (!mem_id.ok()) return mem_id.error();
  pool.mem_id = mem_id.value();
  if (const toml::node* node = table.get("size")) {
    Result<uint64_t> size = read_size(*node, abi);
    if (!size.ok()) return size.error();
    pool.size = size.value();
  }
  if (const toml::node* node = table.get("alignment")) {
    Result<int64_t> alignment = read_integer(*node, "alignment", 1, kMaxAlignment);
    if (!alignment.ok()) return alignment.error();
    if (!is_power_of_two(static_cast<uint64_t>(alignment.value()))) {
      return at(*node, "alignment " + std::to_string(alignment.value()) +
                           " is not a power of two; 16 suits most memories");
    }
    pool.alignment = static_cast<uint32_t>(alignment.value());
  }
  if (const toml::node* node = table.get("cost")) {
    Result<int64_t> cost = read_integer(*node, "cost", 0, 1000000);
    if (!cost.ok()) return cost.error();
    pool.cost = static_cast<uint64_t>(cost.value());
  }
  pool.attributes = {"cpu"};
  if (const toml::node* node = table.get("attributes")) {
    Result<std::vector<std::string>> attributes = read_attributes(*node);
    if (!attributes.ok()) return attributes.error();
    pool.attributes = attributes.take();
  }
  if (const toml::node* node = table.get("address")) {
    Result<uint64_t> address = read_address(*node, abi);
    if (!address.ok()) return address.error();
    pool.address = address.value();
  }
  if (MaybeError error = check_holds(table)) return *error;
  return pool;
}

MaybeError read_processor(const toml::table& table, Board* board) {
  const toml::node* cpu_node = table.get("cpu");
  const toml::node* isa_node = table.get("isa");
  const toml::node* abi_node = table.get("abi");
  const Cpu* cpu = nullptr;
  if (cpu_node != nullptr) {
    const auto* text = cpu_node->as_string();
    if (text == nullptr) return at(*cpu_node, "cpu is not a string; write cpu = \"cortex-m4\"");
    board->cpu = text->get();
    cpu = find_cpu(board->cpu);
    if (cpu == nullptr && (isa_node == nullptr || abi_node == nullptr)) {
      const std::string nearest = nearest_name(board->cpu, cpu_names());
      std::string message = "unknown cpu " + quoted(board->cpu);
      if (!nearest.empty()) message += "; did you mean \"" + nearest + "\"?";
      return at(*cpu_node, message + "; known are " + name_list(cpu_names()) +
                               "; state isa and abi for any other");
    }
  } else if (isa_node == nullptr || abi_node == nullptr) {
    return Error{"line 1", "the board has no cpu; write cpu = \"cortex-m4\", or state isa and abi"};
  }
  if (cpu != nullptr) {
    board->isa = cpu->isa;
    board->abi = cpu->abi;
  }
  if (isa_node != nullptr) {
    const std::string text = isa_node->value_or(std::string());
    bool found = false;
    for (int i = 0; i < static_cast<int>(Isa::kUnstated); ++i) {
      if (text != isa_name(static_cast<Isa>(i))) continue;
      board->isa = static_cast<Isa>(i);
      found = true;
    }
    if (!found) {
      return at(*isa_node, "isa " + quoted(text) + " is unknown; it is host, scalar, dsp or mve");
    }
  }
  if (abi_node != nullptr) {
    const std::string text = abi_node->value_or(std::string());
    bool found = false;
    for (const Abi abi : {Abi::kHost64, Abi::kArm32}) {
      if (text != abi_name(abi)) continue;
      board->abi = abi;
      found = true;
    }
    if (!found) return at(*abi_node, "abi " + quoted(text) + " is unknown; it is host64 or arm32");
  }
  return std::nullopt;
}

MaybeError read_pools(const toml::table& table, Board* board) {
  const toml::node* node = table.get("pool");
  const auto* list = node == nullptr ? nullptr : node->as_array();
  if (list == nullptr || list->empty()) {
    const std::string place = node == nullptr ? "line 1" : line_of(node->source());
    return Error{place, "the board has no pool; write at least one [[pool]] with name and mem_id"};
  }
  for (const toml::node& item : *list) {
    const auto* pool_table = item.as_table();
    if (pool_table == nullptr) return at(item, "pool is not a table; write [[pool]]");
    Result<Pool> pool = read_pool(*pool_table, board->abi);
    if (!pool.ok()) return pool.error();
    for (const Pool& other : board->pools) {
      if (other.name == pool.value().name) {
        return at(*pool_table->get("name"), "two pools have the name " + quoted(other.name));
      }
      if (other.mem_id == pool.value().mem_id) {
        return at(*pool_table->get("mem_id"), "pools " + quoted(other.name) + " and " +
                                                  quoted(pool.value().name) + " both have mem_id " +
                                                  std::to_string(other.mem_id));
      }
    }
    board->pools.push_back(pool.take());
  }
  return std::nullopt;
}

// [[memory]]: what an image has beside the pools.
MaybeError read_memories(const toml::table& table, Board* board) {
  const toml::node* node = table.get("memory");
  if (node == nullptr) return std::nullopt;
  const auto* list = node->as_array();
  if (list == nullptr) return at(*node, "memory is not a list; write [[memory]]");
  for (const toml::node& item : *list) {
    const auto* memory = item.as_table();
    if (memory == nullptr) return at(item, "memory is not a table; write [[memory]]");
    const std::vector<std::string> known = {"name", "address", "size", "holds"};
    if (MaybeError error = check_keys(*memory, known, " in [[memory]]")) return *error;
    for (const std::string& key : known) {
      if (!memory->contains(key)) return at(item, "[[memory]] has no " + key);
    }
    Result<std::string> name = read_name(*memory->get("name"), "name");
    if (!name.ok()) return name.error();
    const auto& others = board->memories;
    if (board->find_pool(name.value()) >= 0 ||
        std::find(others.begin(), others.end(), name.value()) != others.end()) {
      return at(item, "two memories have the name " + quoted(name.value()));
    }
    Result<uint64_t> address = read_address(*memory->get("address"), board->abi);
    if (!address.ok()) return address.error();
    Result<uint64_t> size = read_size(*memory->get("size"), board->abi);
    if (!size.ok()) return size.error();
    if (MaybeError error = check_holds(*memory)) return *error;
    board->memories.push_back(name.take());
  }
  return std::nullopt;
}

}  // namespace

Result<Board> parse_board(std::string_view toml_text) {
  toml::parse_result parsed = toml::parse(toml_text);
  if (!parsed) {
    return Error{line_of(parsed.error().source()),
                 "not TOML: " + std::string(parsed.error().description())};
  }
  const toml::table& table = parsed.table();
  if (MaybeError error = check_keys(table, {"name", "cpu", "isa", "abi", "pool", "memory"}, ""))
    return *error;
  if (!table.contains("name"))
    return Error{"line 1", "the board has no name; write name = \"...\""};
  Board board;
  Result<std::string> name = read_name(*table.get("name"), "name");
  if (!name.ok()) return name.error();
  board.name = name.take();
  if (MaybeError error = read_processor(table, &board)) return *error;
  if (MaybeError error = read_pools(table, &board)) return *error;
  if (MaybeError error = read_memories(table, &board)) return *error;
  return board;
}

}  // namespace berth::target
