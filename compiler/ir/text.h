// The text form of a module (`.bir`): what tests and bug reports are written in, and what dumps
// print. docs/bir.md has an example of every construct. Printing is deterministic; for text as
// print() writes it, print(parse(t)) == t, and for a renumbered module parse(print(m)) == m.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "compiler/ir/ir.h"
#include "contract/result.h"

namespace berth::ir {

inline constexpr char kTextHeader[] = "berth.ir 1";

struct PrintOptions {
  // Constants of more bytes are printed as `random seed N`: the text still compiles to the same
  // plan, without the weights. For dumps a person reads and for bug reports about models that are
  // secret.
  uint64_t random_above = UINT64_MAX;
  // Asked for constants, blobs and data of lowered modules: the name under which the caller keeps
  // these bytes, printed as `blob "name"`; empty: they are printed themselves.
  std::function<std::string(const Bytes&)> keep = nullptr;
};

// The bytes that `blob "name"` stands for.
using Blobs = std::map<std::string, std::shared_ptr<const Bytes>, std::less<>>;

// Takes any graph, also one that does not verify (a dump after a broken pass).
std::string print(const Module& module, const PrintOptions& options = {});
// The graph alone, without the header line.
std::string print(const Graph& graph, const PrintOptions& options = {});
std::string print(const TensorSpec& spec);
std::string print(const LoweredModule& module, const PrintOptions& options = {});

// Checks the words, the numbers' ranges, that names are defined before use and the bytes of
// constants; the rest is verify()'s. Errors have place "line L:C". Constants written as splat or
// random expand to at most 256 MiB.
// What the text calls a blob is looked up in `blobs`; constants share its bytes.
Result<Module> parse(std::string_view text, const Blobs& blobs = {});

}  // namespace berth::ir
