// Reads a planner problem as CSV. Every value comes from a stranger: each is checked where it
// stands, so that the error has its line.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "compiler/target/nearest.h"
#include "contract/checked.h"
#include "tools/plan_io.h"

namespace berth::tools {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && std::string_view(" \t\r").find(text.back()) != std::string_view::npos) {
    text.remove_suffix(1);
  }
  return text;
}

// What a field says: without the quotes around it.
std::string unquote(std::string_view field) {
  if (field.size() < 2 || field.front() != '"' || field.back() != '"') return std::string(field);
  std::string text;
  for (size_t i = 1; i + 1 < field.size(); ++i) {
    text += field[i];
    if (field[i] == '"') ++i;  // "" inside quotes is one "
  }
  return text;
}

// A whole number from 0 to 2^63-1, or what is wrong with it.
Result<uint64_t> to_number(std::string_view text) {
  if (text.empty()) return Error{"", "is empty; must be a whole number"};
  uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc::invalid_argument && end == text.data() + text.size()) {
    if (code == std::errc() && value <= kMaxNumber) return value;
    return Error{"", std::string(text) + "; must be below 2^63"};
  }
  if (text.front() == '-') return Error{"", std::string(text) + "; must be 0 or more"};
  return Error{"", std::string(text) + "; must be a whole number"};
}

class CsvReader {
 public:
  CsvReader(std::string_view text, const std::optional<std::string>& only_case)
      : text_(text), only_case_(only_case) {}

  Result<ProblemText> run() {
    std::vector<std::string> fields;
    if (!next_record(&fields) || is_blank(fields)) {
      return Error{"line 1", "is empty; the first line names the columns: id,lower,upper,size"};
    }
    if (auto error = read_header(std::move(fields))) return *error;
    result_.problem.pools = {{"main"}};
    std::optional<size_t> blank;
    while (next_record(&fields)) {
      if (is_blank(fields)) {
        if (!blank) blank = line_number_;
        continue;
      }
      if (blank) {
        return Error{"line " + std::to_string(*blank),
                     "is blank in the middle of the file; remove it"};
      }
      if (auto error = read_row(std::move(fields))) return *error;
    }
    return finish();
  }

 private:
  // In the order of known_columns().
  enum Column { kId, kLower, kUpper, kSize, kAlignment, kGaps, kCase, kPool, kOffset, kOptimum };
  static const std::vector<std::string>& known_columns() {
    static const std::vector<std::string> kNames = {"id",   "lower", "upper", "size",   "alignment",
                                                    "gaps", "case",  "pool",  "offset", "optimum"};
    return kNames;
  }

  static bool is_blank(const std::vector<std::string>& fields) {
    return fields.size() == 1 && fields[0].empty();
  }

  // Fields as they stand, without the blanks around them. Quotes that begin a field may hold
  // commas, line breaks, and "" for one of themselves.
  bool next_record(std::vector<std::string>* fields) {
    if (text_.empty()) return false;
    fields->clear();
    line_number_ = next_line_;
    open_quotes_ = false;
    bool blank = true;  // nothing of the field yet
    size_t begin = 0;
    size_t i = 0;
    for (char c = 0; c != '\n' || open_quotes_; ++i) {
      if (i == text_.size() && open_quotes_) break;
      c = i == text_.size() ? '\n' : text_[i];
      if (c == '\n') ++next_line_;
      if (open_quotes_) {
        const bool pair = c == '"' && text_.substr(i + 1, 1) == "\"";
        if (pair) ++i;
        open_quotes_ = pair || c != '"';
      } else if (c == ',' || c == '\n') {
        fields->emplace_back(trim(text_.substr(begin, i - begin)));
        begin = i + 1;
        blank = true;
      } else {
        open_quotes_ = blank && c == '"';
        blank = blank && (c == ' ' || c == '\t');
      }
    }
    text_.remove_prefix(std::min(i, text_.size()));
    return true;
  }

  Error wrong(std::string message) const {
    return Error{"line " + std::to_string(line_number_), std::move(message)};
  }

  MaybeError check_quotes() const {
    if (!open_quotes_) return std::nullopt;
    return wrong("quotes that begin here do not end");
  }

  MaybeError read_header(std::vector<std::string> fields) {
    if (auto error = check_quotes()) return error;
    where_.fill(-1);
    result_.columns = std::move(fields);
    for (size_t k = 0; k < result_.columns.size(); ++k) {
      const std::string name = unquote(result_.columns[k]);
      const auto& known = known_columns();
      const auto at = std::find(known.begin(), known.end(), name);
      if (at == known.end()) {
        const std::string meant = target::nearest_name(name, known);
        result_.notes.push_back("column " + name + " is not known and left aside" +
                                (meant.empty() ? "" : "; is " + meant + " meant?"));
        continue;
      }
      result_.columns[k] = name;
      int& where = where_[static_cast<size_t>(at - known.begin())];
      if (where >= 0) return wrong("column " + name + " stands twice; give it once");
      where = static_cast<int>(k);
    }
    for (Column column : {kId, kLower, kUpper, kSize}) {
      if (where_[column] < 0) {
        return wrong("column " + known_columns()[column] +
                     " is missing; needed are id, lower, upper and size, there are: " +
                     target::name_list(result_.columns));
      }
    }
    if (only_case_ && where_[kCase] < 0) {
      return wrong("there is no column case to find case " + *only_case_ + " in");
    }
    return std::nullopt;
  }

  std::string field(const std::vector<std::string>& fields, Column column) const {
    return where_[column] < 0 ? "" : unquote(fields[static_cast<size_t>(where_[column])]);
  }

  MaybeError read_row(std::vector<std::string> fields) {
    if (auto error = check_quotes()) return error;
    if (fields.size() != result_.columns.size()) {
      return wrong(std::to_string(fields.size()) + " fields; the first line names " +
                   std::to_string(result_.columns.size()) + " columns");
    }
    if (where_[kCase] >= 0) {
      const std::string name = field(fields, kCase);
      if (only_case_ && name != *only_case_) {
        // In order, each once where its rows stand together; as many as a message can hold.
        if (name != other_case_ && others_.size() < kLongestList)
          others_ += (others_.empty() ? "" : ", ") + name;
        other_case_ = name;
        return std::nullopt;
      }
      if (case_ && name != *case_) {
        return wrong("case " + name + " after case " + *case_ +
                     ": several problems in one file; name one with --case");
      }
      case_ = name;
    }
    plan::Buffer buffer;
    buffer.id = field(fields, kId);
    if (buffer.id.empty()) return wrong("id is empty; must name the buffer");
    const auto [earlier, fresh] = line_of_id_.try_emplace(buffer.id, line_number_);
    if (!fresh) {
      return wrong("id " + buffer.id + " stands on line " + std::to_string(earlier->second) +
                   " too; ids must differ");
    }
    uint64_t lower = 0;
    uint64_t upper = 0;
    if (auto error = read_number(fields, kLower, &lower)) return error;
    if (auto error = read_number(fields, kUpper, &upper)) return error;
    if (auto error = read_number(fields, kSize, &buffer.size)) return error;
    if (lower >= upper) {
      return wrong("id " + buffer.id + ": lower " + std::to_string(lower) + " and upper " +
                   std::to_string(upper) +
                   "; upper must be greater (a buffer lives in [lower, upper))");
    }
    buffer.live = {{static_cast<plan::Step>(lower), static_cast<plan::Step>(upper)}};
    if (!field(fields, kAlignment).empty()) {
      uint64_t alignment = 0;
      if (auto error = read_number(fields, kAlignment, &alignment)) return error;
      if (!is_power_of_two(alignment) || alignment > UINT32_MAX) {
        return wrong("id " + buffer.id + ": alignment " + std::to_string(alignment) +
                     "; must be a power of two up to 2^31");
      }
      buffer.alignment = static_cast<uint32_t>(alignment);
    }
    if (auto error = cut_gaps(field(fields, kGaps), &buffer)) return error;
    result_.problem.buffers.push_back(std::move(buffer));
    result_.rows.push_back(std::move(fields));
    lines_.push_back(line_number_);
    return std::nullopt;
  }

  MaybeError read_number(const std::vector<std::string>& fields, Column column,
                         uint64_t* out) const {
    const Result<uint64_t> value = to_number(field(fields, column));
    if (!value.ok()) {
      return wrong("id " + field(fields, kId) + ": " + known_columns()[column] + " " +
                   value.error().message);
    }
    *out = value.value();
    return std::nullopt;
  }

  // Takes the holes `a-b c-d` out of the one interval.
  MaybeError cut_gaps(const std::string& text, plan::Buffer* buffer) const {
    std::string_view rest = trim(text);
    while (!rest.empty()) {
      const std::string_view gap = rest.substr(0, rest.find(' '));
      rest = trim(rest.substr(gap.size()));
      const std::string place = "id " + buffer->id + ": gap " + std::string(gap);
      const size_t dash = gap.find('-');
      const auto begin = to_number(gap.substr(0, dash));
      const auto end = to_number(dash == std::string_view::npos ? "" : gap.substr(dash + 1));
      if (!begin.ok() || !end.ok()) return wrong(place + "; must be two whole numbers, like 3-5");
      const auto from = static_cast<plan::Step>(begin.value());
      const auto to = static_cast<plan::Step>(end.value());
      plan::Interval last = buffer->live.back();
      if (from >= to) return wrong(place + "; must end after it begins");
      if (from < last.begin || to > last.end) {
        return wrong(place + "; must lie in [" + std::to_string(last.begin) + ", " +
                     std::to_string(last.end) + "), what is left of the lifetime behind the gap " +
                     "before it");
      }
      buffer->live.pop_back();
      if (last.begin < from) buffer->live.push_back({last.begin, from});
      if (to < last.end) buffer->live.push_back({to, last.end});
      if (buffer->live.empty()) return wrong(place + "; leaves no lifetime");
      if (to == last.end && !rest.empty()) return wrong(place + "; must be the last");
    }
    return std::nullopt;
  }

  Result<ProblemText> finish() {
    if (only_case_ && result_.rows.empty()) {
      return Error{"column case", "there is no case " + *only_case_ + "; it has " + others_};
    }
    int32_t which = -1;
    if (auto error = plan::validate(result_.problem, &which)) {
      if (which < 0) return *error;
      return Error{"line " + std::to_string(lines_[static_cast<size_t>(which)]),
                   error->place + ": " + error->message};
    }
    return std::move(result_);
  }

  std::string_view text_;
  const std::optional<std::string>& only_case_;
  size_t line_number_ = 0;  // where the record begins
  size_t next_line_ = 1;
  bool open_quotes_ = false;               // the record ends within them
  std::array<int, kOptimum + 1> where_{};  // per known column: which of the file's, -1 for none
  std::optional<std::string> case_;
  std::string other_case_;  // the last that was left aside
  std::string others_;      // all such, for a message
  std::map<std::string, size_t> line_of_id_;
  std::vector<size_t> lines_;  // per buffer
  ProblemText result_;
};

}  // namespace

Result<ProblemText> read_problem_csv(std::string_view text,
                                     const std::optional<std::string>& only_case) {
  return CsvReader(text, only_case).run();
}

Result<ProblemText> read_problem(std::string_view text,
                                 const std::optional<std::string>& only_case) {
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);  // a byte order mark
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (text[first] == '{' || text[first] == '[')) {
    return read_problem_json(text, only_case);
  }
  return read_problem_csv(text, only_case);
}

}  // namespace berth::tools
