// Reads a planner problem as JSON: everything a CSV cannot say. Fields are checked one by one and
// named like `buffers[3].size`.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "compiler/target/nearest.h"
#include "contract/checked.h"
#include "tools/plan_io.h"

namespace berth::tools {
namespace {

using Json = nlohmann::json;

std::string line_of(std::string_view text, size_t byte) {
  size_t line = 1;
  for (size_t i = 0; i < byte && i < text.size(); ++i) line += text[i] == '\n' ? 1 : 0;
  return "line " + std::to_string(line);
}

// A value as an error shows it: short, and without following how deep a list goes.
std::string show(const Json& value) {
  constexpr size_t kMost = 60;
  if (value.is_array()) return "a list of " + std::to_string(value.size());
  if (value.is_object()) return "an object";
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

// Ids may be written as numbers or as strings.
std::optional<std::string> to_id(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return value.dump();
  return std::nullopt;
}

// Watches a parse for fields that stand twice in one object: the first would be lost without a
// word.
class TwiceWatch {
 public:
  bool see(Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    switch (event) {
      case Event::object_start:
      case Event::array_start:
        next_item();
        open_.push_back({event == Event::array_start, 0, "", {}});
        break;
      case Event::object_end:
      case Event::array_end:
        open_.pop_back();
        break;
      case Event::key:
        open_.back().key = parsed.get<std::string>();
        if (!open_.back().keys.insert(open_.back().key).second && place_.empty()) place_ = path();
        break;
      case Event::value:
        next_item();
        break;
    }
    return true;
  }

  // "buffers[3].size", or nothing.
  const std::string& place() const { return place_; }

 private:
  struct Open {
    bool is_array;
    size_t items;     // of an array, begun so far
    std::string key;  // of an object, the last
    std::set<std::string> keys;
  };

  void next_item() {
    if (!open_.empty()) ++open_.back().items;
  }

  std::string path() const {
    std::string text;
    for (const Open& one : open_) {
      if (one.is_array) {
        text += "[" + std::to_string(one.items - 1) + "]";
      } else {
        text += (text.empty() ? "" : ".") + one.key;
      }
    }
    return text;
  }

  std::vector<Open> open_;
  std::string place_;
};

class JsonReader {
 public:
  explicit JsonReader(const Json& root) : root_(root) {}

  Result<ProblemText> run() {
    note_unknown(root_, "",
                 {"pools", "buffers", "case", "optimal_cost", "address_free_cost", "placement"});
    if (auto error = read_pools()) return *error;
    const auto buffers = root_.find("buffers");
    if (buffers == root_.end() || !buffers->is_array()) {
      return Error{"buffers", "is missing or no list; must be a list of objects"};
    }
    if (auto error = collect_ids(*buffers)) return *error;
    for (size_t i = 0; i < buffers->size(); ++i) {
      place_ = "buffers[" + std::to_string(i) + "]";
      plan::Buffer buffer;
      if (auto error = read_buffer((*buffers)[i], &buffer)) return *error;
      result_.problem.buffers.push_back(std::move(buffer));
    }
    int32_t which = -1;
    if (auto error = plan::validate(result_.problem, &which)) {
      if (which < 0) return *error;
      return Error{"buffers[" + std::to_string(which) + "]", error->place + ": " + error->message};
    }
    fill_rows();
    return std::move(result_);
  }

 private:
  Error wrong(const std::string& field, const Json& value, const std::string& right) const {
    return Error{place_ + "." + field, show(value) + "; must be " + right};
  }

  // A typing error in an optional field would change the plan without a word.
  void note_unknown(const Json& object, const std::string& place,
                    const std::vector<std::string>& known) {
    for (const auto& [name, value] : object.items()) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      if (!noted_.insert({name, true}).second) continue;
      const std::string meant = target::nearest_name(name, known);
      result_.notes.push_back("field " + (place.empty() ? "" : place + ".") + name +
                              " is not known and left aside" +
                              (meant.empty() ? "" : "; is " + meant + " meant?"));
    }
  }

  MaybeError to_number(const std::string& field, const Json& value, uint64_t* out) const {
    if (!value.is_number_unsigned() || value.get<uint64_t>() > kMaxNumber) {
      return wrong(field, value, "a whole number from 0 to 2^63-1");
    }
    *out = value.get<uint64_t>();
    return std::nullopt;
  }

  MaybeError to_index(const std::string& field, const Json& value, int32_t* out) const {
    if (!value.is_number_unsigned() || value.get<uint64_t>() > INT32_MAX) {
      return wrong(field, value, "an index, counted from 0");
    }
    *out = value.get<int32_t>();
    return std::nullopt;
  }

  MaybeError read_pools() {
    const auto pools = root_.find("pools");
    if (pools == root_.end()) {
      result_.problem.pools = {{"main"}};
      return std::nullopt;
    }
    if (!pools->is_array() || pools->empty()) {
      return Error{"pools", show(*pools) + "; must be a list of objects, at least one"};
    }
    for (size_t p = 0; p < pools->size(); ++p) {
      const Json& given = (*pools)[p];
      place_ = "pools[" + std::to_string(p) + "]";
      if (!given.is_object()) return Error{place_, show(given) + "; must be an object"};
      note_unknown(given, "pools[]", {"name", "capacity", "cost"});
      plan::Pool pool;
      pool.name = "pool" + std::to_string(p);
      if (const auto name = given.find("name"); name != given.end()) {
        if (!name->is_string()) return wrong("name", *name, "a string");
        pool.name = name->get<std::string>();
      }
      const auto capacity = given.find("capacity");
      if (capacity != given.end() && !capacity->is_null()) {
        uint64_t bytes = 0;
        if (auto error = to_number("capacity", *capacity, &bytes)) return error;
        pool.capacity = bytes;
      }
      if (const auto cost = given.find("cost"); cost != given.end()) {
        if (auto error = to_number("cost", *cost, &pool.cost)) return error;
      }
      result_.problem.pools.push_back(std::move(pool));
    }
    return std::nullopt;
  }

  // First, because options and parts may name buffers that come later.
  MaybeError collect_ids(const Json& buffers) {
    for (size_t i = 0; i < buffers.size(); ++i) {
      place_ = "buffers[" + std::to_string(i) + "]";
      if (!buffers[i].is_object()) return Error{place_, show(buffers[i]) + "; must be an object"};
      const auto id = buffers[i].find("id");
      if (id == buffers[i].end())
        return Error{place_ + ".id", "is missing; give a string or a whole number"};
      const auto name = to_id(*id);
      if (!name || name->empty()) return wrong("id", *id, "a string or a whole number");
      const auto [earlier, fresh] = index_of_.try_emplace(*name, static_cast<int32_t>(i));
      if (!fresh) {
        return Error{place_ + ".id", *name + " is the id of buffers[" +
                                         std::to_string(earlier->second) +
                                         "] too; ids must differ"};
      }
    }
    return std::nullopt;
  }

  MaybeError to_buffer(const std::string& field, const Json& value, int32_t* out) const {
    const auto name = to_id(value);
    const auto at = name ? index_of_.find(*name) : index_of_.end();
    if (at == index_of_.end()) return wrong(field, value, "the id of a buffer");
    *out = at->second;
    return std::nullopt;
  }

  MaybeError read_buffer(const Json& given, plan::Buffer* buffer) {
    note_unknown(given, "buffers[]",
                 {"id", "lower", "upper", "size", "intervals", "alignment", "accesses", "pools",
                  "fixed", "inside", "may_share"});
    buffer->id = *to_id(given["id"]);
    const auto size = given.find("size");
    if (size == given.end()) return Error{place_ + ".size", "is missing; give its bytes"};
    if (auto error = to_number("size", *size, &buffer->size)) return error;
    if (auto error = read_life(given, buffer)) return error;
    if (const auto alignment = given.find("alignment"); alignment != given.end()) {
      uint64_t value = 0;
      if (auto error = to_number("alignment", *alignment, &value)) return error;
      if (!is_power_of_two(value) || value > UINT32_MAX) {
        return wrong("alignment", *alignment, "a power of two up to 2^31");
      }
      buffer->alignment = static_cast<uint32_t>(value);
    }
    if (const auto accesses = given.find("accesses"); accesses != given.end()) {
      if (auto error = to_number("accesses", *accesses, &buffer->accesses)) return error;
    }
    return read_constraints(given, buffer);
  }

  MaybeError read_life(const Json& given, plan::Buffer* buffer) const {
    const auto intervals = given.find("intervals");
    if (intervals != given.end()) {
      if (given.contains("lower") || given.contains("upper")) {
        return Error{place_ + ".intervals", "stands beside lower or upper; give one of the two"};
      }
      if (!intervals->is_array() || intervals->empty()) {
        return wrong("intervals", *intervals, "a list of [begin, end]");
      }
      for (const Json& one : *intervals) {
        if (!one.is_array() || one.size() != 2) return wrong("intervals", one, "[begin, end]");
        if (auto error = add_interval("intervals", one[0], one[1], buffer)) return error;
      }
      return std::nullopt;
    }
    for (const char* field : {"lower", "upper"}) {
      if (!given.contains(field)) {
        return Error{place_ + "." + field, "is missing; give lower and upper, or intervals"};
      }
    }
    return add_interval("lower, upper", given["lower"], given["upper"], buffer);
  }

  MaybeError add_interval(const std::string& field, const Json& begin, const Json& end,
                          plan::Buffer* buffer) const {
    uint64_t from = 0;
    uint64_t to = 0;
    if (auto error = to_number(field, begin, &from)) return error;
    if (auto error = to_number(field, end, &to)) return error;
    if (from >= to) {
      return Error{place_ + "." + field, "[" + std::to_string(from) + ", " + std::to_string(to) +
                                             "); must end after it begins"};
    }
    buffer->live.push_back({static_cast<plan::Step>(from), static_cast<plan::Step>(to)});
    return std::nullopt;
  }

  MaybeError read_constraints(const Json& given, plan::Buffer* buffer) const {
    if (const auto pools = given.find("pools"); pools != given.end()) {
      if (!pools->is_array() || pools->empty()) {
        return wrong("pools", *pools, "a list of pool indices, at least one");
      }
      for (const Json& pool : *pools) {
        if (auto error = to_index("pools", pool, &buffer->pools.emplace_back())) return error;
      }
    }
    if (const auto fixed = given.find("fixed"); fixed != given.end() && !fixed->is_null()) {
      if (!fixed->is_array() || fixed->size() != 2) return wrong("fixed", *fixed, "[pool, offset]");
      buffer->fixed.emplace();
      if (auto error = to_index("fixed", (*fixed)[0], &buffer->fixed->pool)) return error;
      if (auto error = to_number("fixed", (*fixed)[1], &buffer->fixed->offset)) return error;
    }
    if (const auto inside = given.find("inside"); inside != given.end() && !inside->is_null()) {
      if (!inside->is_object() || !inside->contains("id") || !inside->contains("offset")) {
        return wrong("inside", *inside, "an object with id and offset");
      }
      buffer->inside.emplace();
      if (auto error = to_buffer("inside.id", (*inside)["id"], &buffer->inside->buffer)) {
        return error;
      }
      if (auto error = to_number("inside.offset", (*inside)["offset"], &buffer->inside->offset)) {
        return error;
      }
    }
    if (const auto share = given.find("may_share"); share != given.end()) {
      if (!share->is_array()) return wrong("may_share", *share, "a list of ids");
      for (const Json& other : *share) {
        if (auto error = to_buffer("may_share", other, &buffer->may_share.emplace_back())) {
          return error;
        }
      }
    }
    return std::nullopt;
  }

  // The problem in a CSV's words, for write_plan_csv().
  void fill_rows() {
    bool holes = false;
    bool aligned = false;
    for (const plan::Buffer& buffer : result_.problem.buffers) {
      holes = holes || buffer.live.size() > 1;
      aligned = aligned || buffer.alignment != 1;
    }
    result_.columns = {"id", "lower", "upper", "size"};
    if (aligned) result_.columns.push_back("alignment");
    if (holes) result_.columns.push_back("gaps");
    for (const plan::Buffer& buffer : result_.problem.buffers) {
      std::vector<std::string> row = {quote(buffer.id), std::to_string(buffer.live.front().begin),
                                      std::to_string(buffer.live.back().end),
                                      std::to_string(buffer.size)};
      if (aligned) row.push_back(std::to_string(buffer.alignment));
      std::string gaps;
      for (size_t k = 1; k < buffer.live.size(); ++k) {
        if (buffer.live[k - 1].end == buffer.live[k].begin) continue;
        gaps += (gaps.empty() ? "" : " ") + std::to_string(buffer.live[k - 1].end) + "-" +
                std::to_string(buffer.live[k].begin);
      }
      if (holes) row.push_back(gaps);
      result_.rows.push_back(std::move(row));
    }
  }

  static std::string quote(const std::string& text) {
    if (text.find_first_of(",\"\n\r\t ") == std::string::npos) return text;
    std::string quoted = "\"";
    for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
  }

  const Json& root_;
  std::string place_;
  std::map<std::string, int32_t> index_of_;
  std::map<std::string, bool> noted_;
  ProblemText result_;
};

// One problem of `{"cases": [...]}`.
Result<const Json*> find_case(const Json& cases, const std::optional<std::string>& only_case) {
  if (!cases.is_array() || cases.empty()) {
    return Error{"cases", show(cases) + "; must be a list of problems"};
  }
  std::string known;
  for (size_t i = 0; i < cases.size(); ++i) {
    const std::string place = "cases[" + std::to_string(i) + "]";
    if (!cases[i].is_object()) return Error{place, show(cases[i]) + "; must be an object"};
    const auto name = cases[i].find("case");
    const auto id = name == cases[i].end() ? std::to_string(i) : to_id(*name).value_or("");
    if (only_case ? id == *only_case : cases.size() == 1) return &cases[i];
    if (known.size() < kLongestList) known += (known.empty() ? "" : ", ") + id;
  }
  if (only_case) return Error{"cases", "there is no case " + *only_case + "; it has " + known};
  return Error{"cases", std::to_string(cases.size()) +
                            " problems in one file; name one with --case: " + known};
}

}  // namespace

Result<ProblemText> read_problem_json(std::string_view text,
                                      const std::optional<std::string>& only_case) {
  Json root;
  TwiceWatch twice;
  try {
    root = Json::parse(text.begin(), text.end(),
                       [&](int, Json::parse_event_t event, const Json& parsed) {
                         return twice.see(event, parsed);
                       });
  } catch (const Json::parse_error& error) {
    return Error{line_of(text, error.byte), "is no JSON from here on"};
  } catch (const Json::exception&) {
    return Error{"JSON", "has a number that is too large to read; at most 2^63-1"};
  }
  if (!twice.place().empty()) return Error{twice.place(), "stands twice; give it once"};
  if (!root.is_object()) return Error{"JSON", show(root) + "; must be an object with buffers"};
  if (const auto cases = root.find("cases"); cases != root.end()) {
    const auto found = find_case(*cases, only_case);
    if (!found.ok()) return found.error();
    return JsonReader(*found.value()).run();
  }
  if (only_case) return Error{"cases", "is missing; there is no case " + *only_case};
  return JsonReader(root).run();
}

}  // namespace berth::tools
