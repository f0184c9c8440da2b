// Problems and answers of `berth plan` as text: CSV and JSON in, CSV, JSON and words out. The
// formats are docs/cli.md's.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/result.h"
#include "plan/plan.h"

namespace berth::tools {

constexpr uint64_t kMaxNumber = INT64_MAX;  // in either format
constexpr size_t kLongestList = 200;        // characters of names that an error lists

struct ProblemText {
  plan::Problem problem;
  std::vector<std::string> notes;  // what was read and left aside: unknown columns and fields

  // What write_plan_csv() repeats: the columns and rows of a CSV as they stood, or what a JSON
  // problem says in a CSV's words.
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // one per buffer
};

// Reads a CSV (`id,lower,upper,size` and optionally `alignment`, `gaps`, in any order of columns)
// or JSON, told apart by the first character. A file of several cases (a CSV with a column `case`,
// a JSON with a list `cases`) needs `only_case`. Errors name the line and the column, or the JSON
// field, and the value.
Result<ProblemText> read_problem(std::string_view text,
                                 const std::optional<std::string>& only_case = {});

// The two halves of read_problem().
Result<ProblemText> read_problem_csv(std::string_view text,
                                     const std::optional<std::string>& only_case);
Result<ProblemText> read_problem_json(std::string_view text,
                                      const std::optional<std::string>& only_case);

// The input's columns, then `pool` when there are several, then `offset`; old columns of these
// names are replaced.
std::string write_plan_csv(const ProblemText& text, const plan::Plan& plan);

// The object of `berth plan --json`. With one pool, `bytes`, `lower_bound` and `bound_at` are that
// pool's; with several, bytes are sums and `pools` has each.
std::string write_plan_json(const plan::Problem& problem, const plan::Plan& plan, double seconds);

// The same when a capacity is missed: `conflict`, `short_by`, `proven`, and what the best attempt
// needs.
std::string write_shortage_json(const plan::Problem& problem, const plan::Shortage& shortage,
                                double seconds);

// For people: per pool bytes, bound and what lies between; for a shortage the buffers in conflict;
// the listing has every buffer too, by address.
std::string write_plan_text(const plan::Problem& problem, const plan::Plan& plan);
std::string write_plan_listing(const plan::Problem& problem, const plan::Plan& plan);
std::string write_shortage_text(const plan::Problem& problem, const plan::Shortage& shortage);

}  // namespace berth::tools
