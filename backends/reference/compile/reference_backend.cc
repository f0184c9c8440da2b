#include "backends/reference/compile/reference_backend.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "backends/reference/shared/reference_blob.h"
#include "compiler/delegate/chains.h"
#include "compiler/delegate/node_facts.h"
#include "compiler/delegate/spec_reader.h"

namespace berth::reference {
namespace {

using delegate::CompileSpecs;
using delegate::is_number;
using delegate::operand;
using ir::Graph;
using ir::Node;
using ir::ValueId;

struct Options {
  bool share = false;
  std::vector<ir::MemorySpec> fixtures;
};

// What is too much is refused where all declarations are checked.
Result<Options> read(const CompileSpecs& specs) {
  delegate::SpecReader reader(specs);
  Options options;
  options.share = reader.flag("share");
  const std::optional<uint32_t> scratch = reader.bytes("scratch");
  const uint32_t align = reader.bytes("align").value_or(16);
  const std::string pool = reader.text("pool").value_or("");
  if (scratch) options.fixtures = {{"fixture", *scratch, align, pool}};
  for (const char* key : {"align", "pool"}) reader.needs(key, "scratch");
  if (MaybeError error = reader.finish()) return *error;
  return options;
}

// A node as a step, and the values that its operands are: -1 for none.
struct Taken {
  Step step;
  std::array<ValueId, 3> operands = {-1, -1, -1};
};

Axes axes(const ir::TensorSpec& spec) {
  const std::vector<int32_t> strides = delegate::strides_of(spec);
  Axes out;
  std::copy(spec.sizes.begin(), spec.sizes.end(), out.size);
  std::copy(strides.begin(), strides.end(), out.stride);
  return out;
}

// Nothing when the node is not for this backend.
std::optional<Taken> take(const Graph& graph, const Node& node) {
  const bool is_add = ir::is_operator(node, ops::kAtenAdd);
  const bool is_addmm = ir::is_operator(node, ops::kAtenAddmm);
  const bool is_convolution = ir::is_operator(node, ops::kAtenConvolution);
  if (!is_add && !is_addmm && !is_convolution && !ir::is_operator(node, ops::kAtenMm)) return {};
  if (!delegate::has_only(graph, node, ScalarType::kFloat)) return {};
  if (is_add && !is_number(node, 2, 1)) return {};
  if (is_addmm && !(is_number(node, 3, 1) && is_number(node, 4, 1))) return {};
  const size_t first = is_addmm ? 1 : 0;
  Taken out;
  out.operands = {operand(node, first), operand(node, first + 1), -1};
  if (is_addmm || is_convolution) out.operands[2] = operand(node, is_addmm ? 0 : 2);
  const ir::TensorSpec& x = graph.value(out.operands[0]).spec;
  const ir::TensorSpec& w = graph.value(out.operands[1]).spec;
  const ir::TensorSpec& y = graph.value(node.results[0]).spec;
  Step& step = out.step;
  step.count = static_cast<uint32_t>(y.element_count());
  if (is_add) return x == y && w == y ? std::optional(out) : std::nullopt;
  step.kind = Step::kSum;
  const size_t rank = is_convolution ? 4 : 2;
  if (x.sizes.size() != rank || w.sizes.size() != rank || y.sizes.size() != rank) return {};
  if (is_convolution) {
    if (std::get<bool>(node.args[6])) return {};
    step.groups = static_cast<uint32_t>(std::get<int64_t>(node.args[8]));
    uint32_t* const fields[] = {step.step, step.pad, step.dilation};
    for (size_t i = 0; i < 3; ++i) {
      const std::optional<delegate::Pair> pair = delegate::pair_of(node, 3 + i);
      if (!pair) return {};
      std::copy(pair->begin(), pair->end(), fields[i]);
    }
  }
  const ValueId bias = out.operands[2];
  if (bias >= 0 && graph.value(bias).spec.sizes != std::vector{y.sizes[1]}) return {};
  step.x = axes(x);
  step.w = axes(w);
  step.y = axes(y);
  if (!is_convolution) {  // one of kernel 1: rows are images of one pixel, columns are channels
    std::swap(step.w.size[0], step.w.size[1]);
    std::swap(step.w.stride[0], step.w.stride[1]);
  }
  return out;
}

class ReferenceBackend : public delegate::Backend {
 public:
  std::string_view id() const override { return kBackendId; }

  Result<delegate::Groups> partition(const Graph& graph, const CompileSpecs& specs,
                                     const delegate::Board&) const override {
    if (const Result<Options> options = read(specs); !options.ok()) return options.error();
    return delegate::find_chains(
        graph, [&](const Node& node, bool) { return take(graph, node).has_value(); });
  }

  Result<delegate::PreprocessResult> preprocess(const Graph& part, const CompileSpecs& specs,
                                                const delegate::Board&) const override {
    const Options options = read(specs).take();
    const size_t steps = part.nodes.size();
    ir::Bytes blob(sizeof(Header) + steps * sizeof(Step));
    const auto locate = [&](ValueId id, size_t n) -> Place {
      if (id < 0) return {};
      if (n > 0 && id == part.nodes[n - 1].results[0]) return {Place::kPrevious, 0};
      const int32_t input = delegate::input_index(part, id);
      if (input >= 0) return {Place::kInput, static_cast<uint32_t>(input)};
      return {Place::kConstant, delegate::append(*part.value(id).data, sizeof(float), &blob)};
    };
    Header header;
    for (size_t n = 0; n < steps; ++n) {
      Taken taken = *take(part, part.nodes[n]);
      for (size_t i = 0; i < 3; ++i) taken.step.operands[i] = locate(taken.operands[i], n);
      std::memcpy(blob.data() + sizeof(Header) + n * sizeof(Step), &taken.step, sizeof(Step));
      uint32_t& slot = header.slot_bytes[n % 2];
      if (n + 1 < steps) slot = std::max(slot, 4 * taken.step.count);
    }
    header.blob_bytes = static_cast<uint32_t>(blob.size());
    header.inputs = static_cast<uint32_t>(part.inputs.size());
    header.steps = static_cast<uint32_t>(steps);
    header.shares = options.share ? 1 : 0;
    std::memcpy(blob.data(), &header, sizeof header);

    delegate::PreprocessResult result;
    auto& buffers = options.share ? result.persistent : result.scratch;
    if (steps > 1) buffers.push_back({"even", header.slot_bytes[0] + kGuardBytes});
    if (steps > 2) buffers.push_back({"odd", header.slot_bytes[1] + kGuardBytes});
    for (const ir::MemorySpec& fixture : options.fixtures) result.scratch.push_back(fixture);
    result.share_handle_across_calls = options.share;
    result.processed = std::move(blob);
    return result;
  }
};

}  // namespace

const delegate::Backend& compile_backend() {
  static const ReferenceBackend kBackend;
  return kBackend;
}

}  // namespace berth::reference
