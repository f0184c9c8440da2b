#include "plan/case_text.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

namespace berth::plan {
namespace {

[[noreturn]] void give_up(const std::string& line, const char* why) {
  std::fprintf(stderr, "planner case: %s: %s\n", why, line.c_str());
  std::abort();
}

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, by);) parts.push_back(part);
  return parts;
}

uint64_t to_number(const std::string& text, const std::string& line) {
  size_t used = 0;
  uint64_t value = 0;
  try {
    value = std::stoull(text, &used);
  } catch (...) {
    give_up(line, "not a number");
  }
  if (used != text.size()) give_up(line, "not a number");
  return value;
}

Intervals to_intervals(const std::string& text, const std::string& line) {
  Intervals live;
  for (std::string one : split(text, ')')) {
    if (one.empty() || one[0] != '[') give_up(line, "not an interval");
    const auto ends = split(one.substr(1), ',');
    if (ends.size() != 2) give_up(line, "not an interval");
    live.push_back({std::stoll(ends[0]), std::stoll(ends[1])});
  }
  return live;
}

Placement to_place(const std::string& text, const std::string& line) {
  const auto parts = split(text, ':');
  if (parts.size() == 1) return {0, to_number(parts[0], line)};
  if (parts.size() != 2) give_up(line, "not a place");
  return {static_cast<int32_t>(to_number(parts[0], line)), to_number(parts[1], line)};
}

class Parser {
 public:
  std::vector<Case> run(const std::string& text) {
    for (const std::string& line : split(text, '\n')) {
      if (line.empty()) continue;
      if (line[0] == '#') {
        read_remark(line);
      } else {
        read_buffer(line);
      }
    }
    finish();
    return std::move(cases_);
  }

 private:
  struct Link {
    int32_t buffer;
    std::string to;
    uint64_t offset;
    bool inside;
  };

  Case& now(const std::string& line) {
    if (cases_.empty()) give_up(line, "stands before the first '# case'");
    return cases_.back();
  }

  void read_remark(const std::string& line) {
    std::istringstream words(line.substr(1));
    std::string key;
    words >> key;
    if (key == "case") {
      finish();
      cases_.emplace_back();
      alignment_ = 1;
      std::getline(words >> std::ws, cases_.back().name);
    } else if (key == "planner:") {
      std::string name;
      words >> name;
      Case& target = now(line);
      if (name == "best") {
        target.planner = Planner::kBest;
      } else if (name == "greedy") {
        target.planner = Planner::kGreedy;
      } else if (name == "naive") {
        target.planner = Planner::kNaive;
      } else {
        give_up(line, "unknown planner");
      }
      std::string align;
      if (words >> align >> alignment_ && align != "align:") give_up(line, "unknown word");
    } else if (key == "pool:") {
      Pool pool;
      words >> pool.name;
      for (std::string word; words >> word;) {
        if (word == "cost") {
          words >> pool.cost;
        } else if (word != "-") {
          pool.capacity = to_number(word, line);
        }
      }
      now(line).problem.pools.push_back(pool);
    } else if (key == "peak" || key == "bound") {
      auto& list = key == "peak" ? now(line).peak : now(line).bound;
      for (uint64_t value = 0; words >> value;) list.push_back(value);
      if (list.empty()) give_up(line, "no numbers");
    } else if (key == "optimal") {
      std::string word;
      words >> word;
      if (word != "yes" && word != "no") give_up(line, "yes or no");
      now(line).optimal = word == "yes";
    } else if (key == "error") {
      std::getline(words >> std::ws, now(line).error);
    }
  }

  void read_buffer(const std::string& line) {
    Case& target = now(line);
    const size_t remark = line.find('#');
    std::istringstream words(line.substr(0, remark));
    const auto index = static_cast<int32_t>(target.problem.buffers.size());
    Buffer buffer;
    buffer.alignment = alignment_;
    std::string live;
    if (!(words >> buffer.id >> live >> buffer.size)) give_up(line, "not 'id [b,e) size'");
    buffer.live = to_intervals(live, line);
    for (std::string key, value; words >> key;) {
      if (!(words >> value)) give_up(line, "word without value");
      if (key == "align") {
        buffer.alignment = static_cast<uint32_t>(to_number(value, line));
      } else if (key == "accesses") {
        buffer.accesses = to_number(value, line);
      } else if (key == "pools") {
        for (const auto& pool : split(value, ',')) buffer.pools.push_back(std::stoi(pool));
      } else if (key == "fixed") {
        buffer.fixed = to_place(value, line);
      } else if (key == "inside") {
        const auto parts = split(value, '+');
        if (parts.size() != 2) give_up(line, "not 'inside id+offset'");
        links_.push_back({index, parts[0], to_number(parts[1], line), true});
      } else if (key == "share") {
        for (const auto& other : split(value, ',')) links_.push_back({index, other, 0, false});
      } else {
        give_up(line, "unknown word");
      }
    }
    target.expected.emplace_back();
    if (remark != std::string::npos) {
      std::istringstream rest(line.substr(remark + 1));
      std::string arrow;
      std::string place;
      if (rest >> arrow >> place && arrow == "->") target.expected.back() = to_place(place, line);
    }
    target.problem.buffers.push_back(std::move(buffer));
  }

  void finish() {
    if (cases_.empty()) return;
    Problem& problem = cases_.back().problem;
    if (problem.pools.empty()) problem.pools.push_back({"main"});
    std::map<std::string, int32_t> index;
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      index[problem.buffers[i].id] = static_cast<int32_t>(i);
    }
    for (const Link& link : links_) {
      if (index.count(link.to) == 0) give_up(link.to, "no such buffer");
      Buffer& buffer = problem.buffers[link.buffer];
      if (link.inside) {
        buffer.inside = Inside{index[link.to], link.offset};
      } else {
        buffer.may_share.push_back(index[link.to]);
      }
    }
    links_.clear();
  }

  std::vector<Case> cases_;
  std::vector<Link> links_;
  uint32_t alignment_ = 1;
};

}  // namespace

std::vector<Case> parse_cases(const std::string& text) { return Parser().run(text); }

std::vector<Case> read_cases(const std::string& path) {
  std::ifstream file(path);
  if (!file) give_up(path, "cannot open");
  std::stringstream text;
  text << file.rdbuf();
  return parse_cases(text.str());
}

}  // namespace berth::plan
