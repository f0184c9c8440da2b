#include "backends/reference/compile/reference_backend.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>

#include "backends/reference/shared/reference_blob.h"

namespace berth::reference {
namespace {

using delegate::Board;
using delegate::CompileSpecs;
using ir::Graph;
using ir::Node;
using ir::ValueId;

// The axes of a tensor in the order in which a step wants them; -1 for an axis of size 1.
Axes axes(const ir::TensorSpec& spec, const std::array<int, 4>& order) {
  Axes out;
  uint32_t stride = 1;
  for (size_t i = spec.sizes.size(); i-- > 0;) {
    const int axis = spec.dim_order[i];
    const auto at =
        static_cast<size_t>(std::find(order.begin(), order.end(), axis) - order.begin());
    out.size[at] = static_cast<uint32_t>(spec.sizes[static_cast<size_t>(axis)]);
    out.stride[at] = stride;
    stride *= out.size[at];
  }
  return out;
}

// A node as a step, whose operands are kValue and the value; nothing when the node is not for this
// backend.
constexpr uint32_t kValue = 99;
std::optional<Step> take(const Graph& graph, const Node& node) {
  const bool is_convolution = ir::is_operator(node, ops::kAtenConvolution);
  const bool is_addmm = ir::is_operator(node, ops::kAtenAddmm);
  const bool is_add = ir::is_operator(node, ops::kAtenAdd);
  if (!is_convolution && !is_addmm && !is_add && !ir::is_operator(node, ops::kAtenMm)) return {};
  const ir::TensorSpec& y = graph.value(node.results[0]).spec;
  bool fits = y.nbytes() != 0;
  ir::for_each_ref(node, [&](const ir::Ref& ref) {
    const ir::TensorSpec& spec = graph.value(ref.id).spec;
    fits = fits && spec.dtype == ScalarType::kFloat && spec.nbytes() - 1 < INT32_MAX;
  });
  const auto operand = [&](size_t a) -> Place {
    const auto* ref = std::get_if<ir::Ref>(&node.args[a]);
    return ref == nullptr ? Place() : Place{kValue, static_cast<uint32_t>(ref->id)};
  };
  const auto is_one = [&](size_t a) {
    return node.args[a] == ir::Arg(int64_t{1}) || node.args[a] == ir::Arg(1.0);
  };
  const size_t first = is_addmm ? 1 : 0;
  Step out;
  out.x = operand(first);
  out.w = operand(first + 1);
  const ir::TensorSpec& x = graph.value(static_cast<ValueId>(out.x.at)).spec;
  const ir::TensorSpec& w = graph.value(static_cast<ValueId>(out.w.at)).spec;
  out.count = static_cast<uint32_t>(y.element_count());
  if (is_add) return fits && is_one(2) && x == w && x == y ? out : std::optional<Step>();
  out.kind = Step::kSum;
  // A graph's verifier knows kinds of arguments, not what an operator makes of shapes.
  const size_t rank = is_convolution ? 4 : 2;
  for (const ir::TensorSpec* spec : {&x, &w, &y}) fits = fits && spec->sizes.size() == rank;
  if (!fits) return {};
  if (is_convolution) {
    if (std::get<bool>(node.args[6])) return {};
    out.bias = operand(2);
    out.groups = static_cast<uint32_t>(std::get<int64_t>(node.args[8]));
    uint32_t* const fields[] = {out.step, out.pad, out.dilation};
    for (size_t d = 0; d < 6; ++d) {
      // A list of one entry is for both axes.
      const auto& list = std::get<std::vector<int64_t>>(node.args[3 + d / 2]);
      if (list.empty()) return {};
      fields[d / 2][d % 2] = static_cast<uint32_t>(list[d % 2 % list.size()]);
    }
    out.x_axes = axes(x, {0, 1, 2, 3});
    out.w_axes = axes(w, {0, 1, 2, 3});
    out.y_axes = axes(y, {0, 1, 2, 3});
  } else {  // a convolution of kernel 1: rows are an axis of the image, columns are channels
    if (is_addmm) out.bias = operand(0);
    fits = fits && (!is_addmm || (is_one(3) && is_one(4) &&
                                  graph.value(static_cast<ValueId>(out.bias.at)).spec.sizes ==
                                      std::vector{w.sizes[1]}));
    out.x_axes = axes(x, {-1, 1, 0, -1});
    out.w_axes = axes(w, {1, 0, -1, -1});
    out.y_axes = axes(y, {-1, 1, 0, -1});
  }
  return fits ? out : std::optional<Step>();
}

struct Options {
  uint64_t share = 0, scratch = 0, align = 16;
  std::string pool;
};

// What is too much is refused where all declarations are checked.
Result<Options> read(const CompileSpecs& specs) {
  Options options;
  for (const ir::CompileSpec& spec : specs) {
    const std::string text = delegate::text_of(spec);
    uint64_t* number = spec.key == "share"     ? &options.share
                       : spec.key == "scratch" ? &options.scratch
                       : spec.key == "align"   ? &options.align
                                               : nullptr;
    if (number == nullptr && spec.key != "pool")
      return Error{"compile spec " + spec.key, "is unknown; there are share, scratch, align, pool"};
    if (number == nullptr) options.pool = text;
    if (number == nullptr) continue;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), *number);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size() || *number > UINT32_MAX)
      return Error{"compile spec " + spec.key, "is \"" + text + "\"; a number below 2^32"};
  }
  return options;
}

class ReferenceBackend : public delegate::Backend {
 public:
  std::string_view id() const override { return kBackendId; }

  // A chain goes on while a result has one reader, and that can be taken: what leaves a chain does
  // so at its end, and no path comes back.
  Result<delegate::Groups> partition(const Graph& graph, const CompileSpecs& specs,
                                     const Board&) const override {
    if (const Result<Options> options = read(specs); !options.ok()) return options.error();
    const ir::Uses uses = ir::find_uses(graph);
    const std::vector<bool> written = ir::find_written(graph);
    std::vector<bool> taken(graph.nodes.size(), false);
    const auto takes = [&](size_t n) {
      bool is_steady = !taken[n];
      ir::for_each_ref(graph.nodes[n], [&](const ir::Ref& ref) {
        is_steady = is_steady && !written[static_cast<size_t>(ref.id)];
      });
      return is_steady && take(graph, graph.nodes[n]).has_value();
    };
    delegate::Groups groups;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      if (!takes(n)) continue;
      groups.emplace_back();
      for (size_t next = n;;) {
        groups.back().push_back(static_cast<int32_t>(next));
        taken[next] = true;
        const auto result = static_cast<size_t>(graph.nodes[next].results[0]);
        if (uses.is_output[result] || uses.consumers[result].size() != 1) break;
        next = static_cast<size_t>(uses.consumers[result][0]);
        if (!takes(next)) break;
      }
    }
    return groups;
  }

  Result<delegate::PreprocessResult> preprocess(const Graph& part, const CompileSpecs& specs,
                                                const Board&) const override {
    const Options options = read(specs).take();
    Header header;
    header.inputs = static_cast<uint32_t>(part.inputs.size());
    header.steps = static_cast<uint32_t>(part.nodes.size());
    header.shares = options.share != 0 ? 1 : 0;
    ir::Bytes bytes(sizeof(Header) + part.nodes.size() * sizeof(Step));
    ValueId previous = -1;
    const auto locate = [&](Place* place) {
      if (place->where != kValue) return;
      const auto id = static_cast<ValueId>(place->at);
      const auto input = std::find(part.inputs.begin(), part.inputs.end(), id);
      if (id == previous) {
        *place = {Place::kPrevious, 0};
      } else if (input != part.inputs.end()) {
        *place = {Place::kInput, static_cast<uint32_t>(input - part.inputs.begin())};
      } else {
        *place = {Place::kConstant, static_cast<uint32_t>(bytes.size())};
        const ir::Bytes& data = *part.value(id).data;
        bytes.insert(bytes.end(), data.begin(), data.end());
      }
    };
    for (size_t n = 0; n < part.nodes.size(); ++n) {
      Step step = *take(part, part.nodes[n]);
      for (Place* place : {&step.x, &step.w, &step.bias}) locate(place);
      std::memcpy(bytes.data() + sizeof(Header) + n * sizeof(Step), &step, sizeof(Step));
      previous = part.nodes[n].results[0];
      uint32_t& slot = header.slot_bytes[n % 2];
      if (n + 1 < part.nodes.size()) slot = std::max(slot, 4 * step.count);
    }
    delegate::PreprocessResult result;
    uint64_t kept = kSharedHeadBytes;
    for (const size_t slot : {0, 1}) {
      if (header.slot_bytes[slot] == 0) continue;
      result.scratch.push_back({slot == 0 ? "even" : "odd", header.slot_bytes[slot] + kGuardBytes});
      kept += header.slot_bytes[slot];
    }
    if (options.share != 0) {
      result.scratch.clear();
      result.persistent = {{"work", kept}};
    }
    result.share_handle_across_calls = options.share != 0;
    if (delegate::find_spec(specs, "scratch") != nullptr) {
      const auto align = static_cast<uint32_t>(options.align);
      result.scratch.push_back({"fixture", options.scratch, align, options.pool});
    }
    header.blob_bytes = static_cast<uint32_t>(bytes.size());
    std::memcpy(bytes.data(), &header, sizeof header);
    result.processed = std::move(bytes);
    return result;
  }
};

}  // namespace

const delegate::Backend& compile_backend() {
  static const ReferenceBackend kBackend;
  return kBackend;
}

}  // namespace berth::reference
