// PyTorch models, and TFLite models made from them, pad in an operator of its own and convolve
// without padding. The padded copy is often the largest buffer of the network, and a convolution
// pads for nothing:
//
//   x -> pad 1 with the zero point -> conv, padding 0     becomes    x -> conv, padding 1
//
// The convolution's padding is (top, left); its output's shape says the rest, so rows and columns
// that the pad added at the end need no word. It works when what was padded with is what a tap
// outside the image stands for: the zero point for a convolution, and for a maximum anything that
// the activation's lower bound hides. An average counts only taps inside, so its pad must stay.
//
// All readers must agree, or the padded copy has to be made anyway.
#include <optional>

#include "compiler/passes/memory_layout.h"
#include "compiler/passes/passes.h"

namespace berth::passes {
namespace {

using ir::Node;
using ir::Ref;
using ir::ValueId;
using Ints = std::vector<int64_t>;

struct Padding {
  int64_t top = 0, left = 0;
  int64_t value = 0;
};

// The padding of an operator is argument `padding`; `zero` is where a convolution has its input
// offset (minus the zero point), a pool its lower bound.
struct Window {
  const OperatorSchema* schema;
  size_t padding;
  size_t zero;
  bool is_pool;
};
constexpr Window kWindows[] = {
    {&ops::kQuantizedConv2d, 4, 6, false},   {&ops::kQuantizedDepthwiseConv2d, 4, 7, false},
    {&ops::kBerthConv2d, 4, 6, false},       {&ops::kBerthDepthwiseConv2d, 4, 7, false},
    {&ops::kQuantizedMaxPool2d, 3, 8, true}, {&ops::kBerthMaxPool2d, 3, 4, true},
};

bool is_pad(const Node& node) {
  return ir::is_operator(node, ops::kPad) || ir::is_operator(node, ops::kBerthPad);
}

const Window* window_of(const Node& node) {
  for (const Window& window : kWindows) {
    if (ir::is_operator(node, *window.schema)) return &window;
  }
  return nullptr;
}

// A sum small enough for the argument (kernels take int32), or nothing.
std::optional<int64_t> sum(int64_t a, int64_t b) {
  if (a < 0 || b < 0 || a > INT32_MAX || b > INT32_MAX - a) return std::nullopt;
  return a + b;
}

class PadFolder {
 public:
  explicit PadFolder(ir::Graph& graph)
      : graph_(graph), uses_(ir::find_uses(graph)), written_(ir::find_written(graph)) {}

  bool run() {
    bool changed = false;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (is_pad(graph_.nodes[n])) changed = fold(graph_.nodes[n]) || changed;
    }
    if (changed) ir::remove_unused(graph_);
    return changed;
  }

 private:
  bool fold(Node& pad) {
    const ValueId input = std::get<Ref>(pad.args[0]).id;
    const std::optional<Padding> padding = read_padding(pad, graph_.value(input).spec);
    readers_.clear();
    view_depth_ = 0;
    // A written input must be read when the pad reads it.
    if (!padding || written_[input] || !find_readers(pad.results[0], *padding) || readers_.empty())
      return false;

    // The pad becomes a view of its input in the form that the readers want.
    ir::Value image;
    image.name = graph_.value(input).name + "_image";
    image.spec = graph_.value(input).spec;
    image.spec.sizes = {batch_, channels_, height_, width_};
    image.spec.dim_order = ir::channels_last_order();
    const ValueId unpadded = graph_.add_value(std::move(image));
    pad = Node{};
    pad.kind = ir::NodeKind::kView;
    pad.args = {Ref{input}};
    pad.results = {unpadded};
    uses_.consumers.emplace_back();
    uses_.is_output.push_back(false);
    written_.push_back(false);
    for (Node* reader : readers_) {
      const Window& window = *window_of(*reader);
      reader->args[0] = Ref{unpadded};
      Ints& amounts = std::get<Ints>(reader->args[window.padding]);
      amounts = {amounts[0] + padding->top, amounts[1] + padding->left};
    }
    return true;
  }

  // The pad's amounts, when it pads an NHWC image above, below, left and right only. Its lists run
  // over memory order, aligned at the right.
  std::optional<Padding> read_padding(const Node& pad, const ir::TensorSpec& input) {
    const Ints& before = std::get<Ints>(pad.args[1]);
    const Ints& after = std::get<Ints>(pad.args[2]);
    const std::vector<int32_t> from = memory_sizes(input);
    padded_ = memory_sizes(graph_.value(pad.results[0]).spec);
    if (from.size() != 4 || padded_.size() != 4 || before.size() != 4 || after.size() != 4) {
      return std::nullopt;
    }
    for (size_t i = 0; i < 4; ++i) {
      const auto grown = sum(before[i], after[i]);
      if (!grown || from[i] + *grown != padded_[i]) return std::nullopt;
      if ((i == 0 || i == 3) && *grown != 0) return std::nullopt;
    }
    batch_ = from[0], height_ = from[1], width_ = from[2], channels_ = from[3];
    if (height_ == 0 || width_ == 0) return std::nullopt;  // kernels want an image to pad
    return Padding{before[1], before[2], std::get<int64_t>(pad.args[3])};
  }

  // Collects the operators that read `id`, through views; false when one of them cannot pad.
  bool find_readers(ValueId id, const Padding& padding) {
    if (uses_.is_output[id]) return false;
    for (const int32_t n : uses_.consumers[id]) {
      Node& node = graph_.nodes[n];
      if (node.kind == ir::NodeKind::kView) {
        // A view's only argument; rows of views are as long as the graph, not deep in any model.
        if (++view_depth_ > 16 || !find_readers(node.results[0], padding)) return false;
        --view_depth_;
        continue;
      }
      if (!can_pad(node, id, padding)) return false;
      readers_.push_back(&node);
    }
    return true;
  }

  bool can_pad(const Node& node, ValueId id, const Padding& padding) const {
    const Window* window = window_of(node);
    int reads = 0;
    ir::for_each_ref(node, [&](const Ref& ref) { reads += ref.id == id ? 1 : 0; });
    if (window == nullptr || reads != 1 || std::get<Ref>(node.args[0]).id != id) return false;
    const ir::TensorSpec& spec = graph_.value(id).spec;
    ir::TensorSpec image = spec;
    image.sizes = {padded_[0], padded_[3], padded_[1], padded_[2]};
    image.dim_order = ir::channels_last_order();
    if (!same_layout(spec, image)) return false;
    const Ints& amounts = std::get<Ints>(node.args[window->padding]);
    if (amounts.size() != 2 || !sum(amounts[0], padding.top) || !sum(amounts[1], padding.left)) {
      return false;
    }
    const int64_t zero = std::get<int64_t>(node.args[window->zero]);
    if (!window->is_pool) return zero > -INT32_MAX && padding.value == -zero;
    return padding.value <= zero && window_meets_image(node, amounts, padding);
  }

  // Every window of a pool must keep an element of the image.
  bool window_meets_image(const Node& node, const Ints& amounts, const Padding& padding) const {
    const Ints& kernel = std::get<Ints>(node.args[1]);
    const Ints& stride = std::get<Ints>(node.args[2]);
    if (kernel.size() != 2 || stride.size() != 2) return false;
    if (ir::is_operator(node, ops::kQuantizedMaxPool2d) &&
        std::get<Ints>(node.args[4]) != Ints{1, 1}) {
      return false;
    }
    const ir::TensorSpec& out = graph_.value(node.results[0]).spec;
    if (out.sizes.size() != 4) return false;
    const auto meets = [](int64_t before, int64_t window, int64_t step, int64_t count,
                          int64_t size) {
      return step > 0 && step <= INT32_MAX && before < window && (count - 1) * step - before < size;
    };
    return meets(amounts[0] + padding.top, kernel[0], stride[0], out.sizes[2], height_) &&
           meets(amounts[1] + padding.left, kernel[1], stride[1], out.sizes[3], width_);
  }

  ir::Graph& graph_;
  ir::Uses uses_;
  std::vector<bool> written_;    // of the values that stood there at the start
  std::vector<int32_t> padded_;  // the padded image in memory order
  int32_t batch_ = 0, height_ = 0, width_ = 0, channels_ = 0;  // the image before
  std::vector<Node*> readers_;
  int view_depth_ = 0;
};

}  // namespace

Result<bool> fold_pad(ir::Graph& graph, const PassContext&) { return PadFolder(graph).run(); }

}  // namespace berth::passes
