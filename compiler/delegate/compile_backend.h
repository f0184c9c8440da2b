// The compile half of a backend: which parts of a graph it takes, and what it makes of one. The
// runtime half is runtime/core/backend.h; the two agree on a blob that nobody between them looks
// into. docs/write-a-backend.md walks through one.
//
// Hello: take every aten::relu, and ask for 64 bytes of scratch.
//
//   class Relu : public delegate::Backend {
//     std::string_view id() const override { return "relu"; }
//     Result<Groups> partition(const ir::Graph& graph, const CompileSpecs&, const Board&) const
//         override {
//       Groups groups;
//       for (size_t n = 0; n < graph.nodes.size(); ++n)
//         if (ir::is_operator(graph.nodes[n], ops::kAtenRelu)) groups.push_back({int32_t(n)});
//       return groups;
//     }
//     Result<PreprocessResult> preprocess(const ir::Graph&, const CompileSpecs&, const Board&)
//     const
//         override {
//       PreprocessResult result;
//       result.scratch = {{"work", 64}};
//       return result;
//     }
//   };
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/ir.h"
#include "compiler/target/board.h"
#include "contract/result.h"

namespace berth::delegate {

using target::Board;
using CompileSpecs = std::vector<ir::CompileSpec>;

// Null when there is none of this key.
const ir::CompileSpec* find_spec(const CompileSpecs& specs, std::string_view key);
// Its value as text.
std::string text_of(const ir::CompileSpec& spec);

// What a backend makes of a part of a graph; the fields are those of ir::LoweredModule, and what a
// report is to say besides.
struct PreprocessResult {
  ir::Bytes processed;
  std::vector<ir::MemorySpec> scratch;
  std::vector<ir::MemorySpec> persistent;
  std::vector<ir::Inside> inside;
  std::vector<ir::NamedBlob> named_data;
  bool share_handle_across_calls = false;
  // Bytes that a call takes from elsewhere, behind what was declared: a library's own heap.
  // Measured; none where that was tried in vain. A backend that takes nothing leaves it alone.
  std::optional<uint64_t> hidden_bytes = 0;
  std::vector<std::string> notes;  // lines for people
};

// Indices of nodes, ascending; each group becomes one lowered module. A group is convex: no path
// leaves it and comes back.
using Groups = std::vector<std::vector<int32_t>>;

class Backend {
 public:
  virtual ~Backend() = default;
  // The name in the file, by which runtimes find the other half.
  virtual std::string_view id() const = 0;
  // The attributes of the pools that it can reach; a pool without attributes is reached by all.
  virtual std::vector<std::string> reachable_attributes() const { return {"cpu"}; }
  // Why its other half cannot run on the board, as in "runs where oneDNN does: isa host"; empty
  // when it can.
  virtual std::string obstacle(const Board&) const { return ""; }
  // The parts of `graph` that it takes. No node is in two groups; allocs and delegate calls are in
  // none. Errors: a compile spec that it does not know or cannot read.
  virtual Result<Groups> partition(const ir::Graph& graph, const CompileSpecs& specs,
                                   const Board& board) const = 0;
  // `part` is a group as a graph of its own, constants included. A pure function: the same part
  // gives the same bytes.
  virtual Result<PreprocessResult> preprocess(const ir::Graph& part, const CompileSpecs& specs,
                                              const Board& board) const = 0;
};

}  // namespace berth::delegate
