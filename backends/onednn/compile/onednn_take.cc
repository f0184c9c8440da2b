#include "backends/onednn/compile/onednn_take.h"

#include <oneapi/dnnl/dnnl_types.h>

#include <algorithm>
#include <limits>

#include "compiler/delegate/node_facts.h"

namespace berth::onednn {
namespace {

using ir::Graph;
using ir::Node;
using ir::TensorSpec;
using ir::ValueId;
using Ints = std::vector<int64_t>;

constexpr size_t kMaxRank = 6;
constexpr size_t kMaxPosts = 8;

View view_of(const TensorSpec& spec) { return {spec.sizes, delegate::strides_of(spec)}; }

// As an image; a line of pixels is one of a single row.
View image_of(const TensorSpec& spec) {
  View view = view_of(spec);
  if (view.sizes.size() != 3) return view;
  view.strides.insert(view.strides.begin() + 2, view.sizes[2] * view.strides[2]);
  view.sizes.insert(view.sizes.begin() + 2, 1);
  return view;
}

// Rows and columns as an image of that many channels: one column of pixels.
View image_of_rows(int32_t rows, int32_t columns) {
  return {{1, columns, rows, 1}, {rows * columns, 1, columns, columns}};
}

class Taker {
 public:
  Taker(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  std::optional<TakenOp> run() {
    if (!fits_library()) return {};
    out_.result = node_.results[0];
    return take() ? std::optional(out_) : std::nullopt;
  }

  // The node as a Post on something of the shape of `result`.
  bool post(ValueId result, Post* post, ValueId* other) const {
    if (!fits_library()) return false;
    *other = -1;
    if (eltwise(&post->algorithm, &post->alpha, &post->beta)) return tensor(0) == result;
    if (!binary(&post->algorithm) || spec(0) != spec(1) || tensor(0) == tensor(1)) return false;
    const bool commutes = post->algorithm == dnnl_binary_add ||
                          post->algorithm == dnnl_binary_mul ||
                          post->algorithm == dnnl_binary_max || post->algorithm == dnnl_binary_min;
    if (tensor(0) != result && !(commutes && tensor(1) == result)) return false;
    *other = tensor(0) == result ? tensor(1) : tensor(0);
    return !is_constant(*other);
  }

 private:
  bool is(const OperatorSchema& schema) const { return ir::is_operator(node_, schema); }
  ValueId tensor(size_t a) const { return delegate::operand(node_, a); }
  const TensorSpec& spec(size_t a) const { return graph_.value(tensor(a)).spec; }
  const TensorSpec& result() const { return graph_.value(node_.results[0]).spec; }
  bool is_constant(ValueId id) const { return graph_.value(id).kind == ir::ValueKind::kConstant; }
  std::optional<float> scalar(size_t a) const {
    if (const auto* i = std::get_if<int64_t>(&node_.args[a])) return static_cast<float>(*i);
    if (const auto* d = std::get_if<double>(&node_.args[a])) return static_cast<float>(*d);
    return {};
  }
  float scalar_or(size_t a, float otherwise) const { return scalar(a).value_or(otherwise); }

  bool are_images() const { return spec(0).sizes.size() == 4 && result().sizes.size() == 4; }

  // All tensors are floats of 1 to 6 axes; nothing else is looked at before.
  bool fits_library() const {
    if (!delegate::has_only(graph_, node_, ScalarType::kFloat)) return false;
    size_t least = result().sizes.size(), most = least;
    ir::for_each_ref(node_, [&](const ir::Ref& ref) {
      least = std::min(least, graph_.value(ref.id).spec.sizes.size());
      most = std::max(most, graph_.value(ref.id).spec.sizes.size());
    });
    return least >= 1 && most <= kMaxRank;
  }

  bool take() {
    if (is(ops::kAtenConvolution)) return convolution();
    if (is(ops::kAtenMm)) return product(0, 1, -1, false);
    if (is(ops::kAtenLinear)) return product(0, 1, tensor(2), true);
    if (is(ops::kAtenAddmm))
      return scalar(3) == 1.0f && scalar(4) == 1.0f && product(1, 2, tensor(0), false);
    if (is(ops::kAtenBmm)) return batch_product();
    if (is(ops::kAtenSoftmax)) return softmax();
    if (is(ops::kAtenAvgPool2d) || is(ops::kAtenMaxPool2dWithIndices)) return pool();
    if (is(ops::kAtenMean)) return mean();
    if (begin(Kind::kEltwise, 0) && eltwise(&out_.op.algorithm, &out_.op.alpha, &out_.op.beta))
      return spec(0) == result();
    return elementwise_pair();
  }

  bool begin(Kind kind, size_t source) {
    if (tensor(source) < 0 || is_constant(tensor(source))) return false;
    out_.op.kind = static_cast<uint32_t>(kind);
    out_.op.src = view_of(spec(source));
    out_.op.dst = view_of(result());
    out_.inputs = {tensor(source)};
    return true;
  }

  // A list of one entry is for both axes, an empty one stands for `otherwise`.
  bool pair(size_t a, const std::vector<int32_t>& otherwise, std::vector<int32_t>* out) const {
    const auto* list = std::get_if<Ints>(&node_.args[a]);
    *out = otherwise;
    if (list == nullptr || list->empty()) return list != nullptr;
    const std::optional<delegate::Pair> both = delegate::pair_of(node_, a);
    if (both) out->assign(both->begin(), both->end());
    return both.has_value();
  }

  // A bias is a list of as many floats as there are channels.
  bool set_bias(ValueId bias, int32_t channels) {
    out_.bias = bias;
    out_.op.bias_at = bias < 0 ? 0 : 1;  // that there is one; where, the blob will tell
    return bias < 0 || (is_constant(bias) &&
                        graph_.value(bias).spec.element_count() == static_cast<uint64_t>(channels));
  }

  bool convolution() {
    const size_t rank = result().sizes.size();
    if (!begin(Kind::kConvolution, 0) || (rank != 3 && rank != 4) || spec(0).sizes.size() != rank ||
        spec(1).sizes.size() != rank) {
      return false;
    }
    Op& op = out_.op;
    op.src = image_of(spec(0));
    op.dst = image_of(result());
    out_.weights = tensor(1);
    const int64_t wanted = std::get<int64_t>(node_.args[8]);
    if (std::get<bool>(node_.args[6]) || !is_constant(out_.weights) || wanted < 1 ||
        wanted > spec(1).sizes[0] || spec(1).sizes[0] % wanted != 0) {
      return false;
    }
    const auto groups = static_cast<int32_t>(wanted);
    if (!pair(3, {1, 1}, &op.stride) || !pair(4, {0, 0}, &op.padding) ||
        !pair(5, {1, 1}, &op.dilation)) {
      return false;
    }
    if (rank == 3) op.stride[0] = op.dilation[0] = 1, op.padding[0] = 0;
    op.weights = image_of(spec(1));
    if (groups != 1) {  // the library has an axis for them
      const int32_t per_group = op.weights.sizes[0] / groups;
      op.weights.sizes[0] = per_group;
      op.weights.sizes.insert(op.weights.sizes.begin(), groups);
      op.weights.strides.insert(op.weights.strides.begin(), op.weights.strides[0] * per_group);
    }
    return set_bias(tensor(2), op.dst.sizes[1]);
  }

  bool product(size_t x, size_t w, ValueId bias, bool is_transposed) {
    const bool is_given = !is_constant(tensor(w));  // it comes with the call
    if (!begin(is_given ? Kind::kMatmul : Kind::kConvolution, x)) return false;
    const TensorSpec& in = spec(x);
    if (spec(w).sizes.size() != 2 || !is_plain(in) || !is_plain(result())) return false;
    const int32_t columns = result().sizes.back(), depth = in.sizes.back();
    const auto rows = static_cast<int32_t>(in.element_count() / static_cast<uint64_t>(depth));
    const View weights = view_of(spec(w));
    const size_t out_axis = is_transposed ? 0 : 1;
    if (result().element_count() != uint64_t(rows) * uint64_t(columns) ||
        spec(w).sizes[out_axis] != columns || spec(w).sizes[1 - out_axis] != depth) {
      return false;
    }
    Op& op = out_.op;
    if (is_given) {
      op.src = {{rows, depth}, {depth, 1}};
      op.dst = {{rows, columns}, {columns, 1}};
      op.other = {{depth, columns}, {weights.strides[1 - out_axis], weights.strides[out_axis]}};
      out_.inputs.push_back(tensor(w));
      return set_bias(bias, columns);
    }
    out_.weights = tensor(w);
    op.src = image_of_rows(rows, depth);
    op.dst = image_of_rows(rows, columns);
    op.weights.sizes = {columns, depth, 1, 1};
    op.weights.strides = {weights.strides[out_axis], weights.strides[1 - out_axis], 1, 1};
    op.stride = op.dilation = {1, 1};
    op.padding = {0, 0};
    return set_bias(bias, columns);
  }

  // Stacks of matrices that both come with the call.
  bool batch_product() {
    if (!begin(Kind::kMatmul, 0) || is_constant(tensor(1))) return false;
    const std::vector<int32_t>&x = spec(0).sizes, &w = spec(1).sizes, &y = result().sizes;
    if (x.size() != 3 || w.size() != 3 || y != std::vector<int32_t>{x[0], x[1], w[2]} ||
        w[0] != x[0] || w[1] != x[2]) {
      return false;
    }
    out_.op.other = view_of(spec(1));
    out_.inputs.push_back(tensor(1));
    return true;
  }

  static bool is_plain(const TensorSpec& spec) {
    return spec.dim_order == ir::contiguous_order(spec.sizes.size());
  }

  bool softmax() {
    if (!begin(Kind::kSoftmax, 0)) return false;
    out_.op.algorithm = dnnl_softmax_accurate;
    const int64_t axis = std::get<int64_t>(node_.args[1]);
    const auto rank = static_cast<int64_t>(spec(0).sizes.size());
    out_.op.axis = static_cast<int32_t>(axis < 0 ? axis + rank : axis);
    return spec(0) == result() && out_.op.axis >= 0 && out_.op.axis < rank &&
           !std::get<bool>(node_.args[2]);
  }

  // Images in batches; sizes are rounded down.
  bool pool() {
    if (!begin(Kind::kPool, 0) || !are_images()) return false;
    const bool is_max = is(ops::kAtenMaxPool2dWithIndices);
    Op& op = out_.op;
    if (!pair(1, {1, 1}, &op.kernel) || !pair(2, op.kernel, &op.stride) ||
        !pair(3, {0, 0}, &op.padding) || std::get<bool>(node_.args[is_max ? 5 : 4])) {
      return false;
    }
    std::vector<int32_t> dilation = {1, 1};
    if (is_max) {
      op.algorithm = dnnl_pooling_max;
      const ir::Uses uses = ir::find_uses(graph_);  // the indices are nobody's
      const auto indices = static_cast<size_t>(node_.results[1]);
      return pair(4, dilation, &dilation) && dilation == std::vector<int32_t>{1, 1} &&
             uses.consumers[indices].empty() && !uses.is_output[indices];
    }
    op.algorithm = std::get<bool>(node_.args[5]) ? dnnl_pooling_avg_include_padding
                                                 : dnnl_pooling_avg_exclude_padding;
    return std::holds_alternative<ir::None>(node_.args[6]);
  }

  // Over the pixels of an image: a pool as large as it.
  bool mean() {
    if (!begin(Kind::kPool, 0) || spec(0).sizes.size() != 4) return false;
    const auto* axes = std::get_if<Ints>(&node_.args[1]);
    if (axes == nullptr || !(*axes == Ints{2, 3} || *axes == Ints{-2, -1} || *axes == Ints{-1, -2}))
      return false;
    Op& op = out_.op;
    op.algorithm = dnnl_pooling_avg_exclude_padding;
    op.kernel = op.stride = {op.src.sizes[2], op.src.sizes[3]};
    op.padding = {0, 0};
    const int32_t channels = op.src.sizes[1];
    op.dst = {{op.src.sizes[0], channels, 1, 1}, {channels, 1, channels, channels}};
    if (result().element_count() != out_.op.dst.count()) return false;
    return is_plain(result()) || result().dim_order == ir::channels_last_order();
  }

  bool eltwise(uint32_t* algorithm, float* alpha, float* beta) const {
    constexpr float kMost = std::numeric_limits<float>::max();
    const auto is_a = [&](const OperatorSchema& schema, dnnl_alg_kind_t kind, float a = 0) {
      if (!is(schema)) return false;
      *algorithm = kind;
      *alpha = a;
      *beta = 0;
      return true;
    };
    if (is(ops::kAtenClamp) || is(ops::kAtenHardtanh)) {
      *algorithm = dnnl_eltwise_clip;
      *alpha = scalar_or(1, -kMost);
      *beta = scalar_or(2, kMost);
      return *alpha <= *beta;
    }
    if (is(ops::kAtenElu)) {
      *algorithm = dnnl_eltwise_elu;
      *alpha = scalar_or(1, 1);
      *beta = 0;
      return scalar(2) == 1.0f && scalar(3) == 1.0f;
    }
    if (is(ops::kAtenGelu)) {
      const auto* how = std::get_if<std::string>(&node_.args[1]);
      *algorithm =
          how != nullptr && *how == "tanh" ? dnnl_eltwise_gelu_tanh : dnnl_eltwise_gelu_erf;
      *alpha = *beta = 0;
      return true;
    }
    if (is(ops::kAtenAddScalar) || is(ops::kAtenSubScalar)) {
      *algorithm = dnnl_eltwise_linear;
      *alpha = 1;
      *beta = scalar_or(1, 0) * scalar_or(2, 1) * (is(ops::kAtenAddScalar) ? 1.0f : -1.0f);
      return true;
    }
    if (is(ops::kAtenMulScalar))
      return is_a(ops::kAtenMulScalar, dnnl_eltwise_linear, scalar_or(1, 1));
    return is_a(ops::kAtenRelu, dnnl_eltwise_relu) ||
           is_a(ops::kAtenHardswish, dnnl_eltwise_hardswish) ||
           is_a(ops::kAtenLeakyRelu, dnnl_eltwise_relu, scalar_slope()) ||
           is_a(ops::kAtenSigmoid, dnnl_eltwise_logistic) ||
           is_a(ops::kAtenTanh, dnnl_eltwise_tanh) || is_a(ops::kAtenAbs, dnnl_eltwise_abs) ||
           is_a(ops::kAtenExp, dnnl_eltwise_exp) || is_a(ops::kAtenSqrt, dnnl_eltwise_sqrt) ||
           is_a(ops::kAtenSilu, dnnl_eltwise_swish, 1);
  }
  float scalar_slope() const { return is(ops::kAtenLeakyRelu) ? scalar_or(1, 0.01f) : 0; }

  bool binary(uint32_t* algorithm) const {
    if ((is(ops::kAtenAdd) || is(ops::kAtenSub)) && scalar(2) != 1.0f) return false;
    *algorithm = is(ops::kAtenAdd)       ? dnnl_binary_add
                 : is(ops::kAtenSub)     ? dnnl_binary_sub
                 : is(ops::kAtenMul)     ? dnnl_binary_mul
                 : is(ops::kAtenDiv)     ? dnnl_binary_div
                 : is(ops::kAtenMaximum) ? dnnl_binary_max
                 : is(ops::kAtenMinimum) ? dnnl_binary_min
                                         : dnnl_alg_kind_undef;
    return *algorithm != dnnl_alg_kind_undef;
  }

  bool elementwise_pair() {
    if (!binary(&out_.op.algorithm) || !begin(Kind::kBinary, 0) || spec(0) != spec(1) ||
        spec(0) != result() || is_constant(tensor(0)) || is_constant(tensor(1))) {
      return false;
    }
    out_.op.other = view_of(spec(1));
    out_.inputs.push_back(tensor(1));
    return true;
  }

  const Graph& graph_;
  const Node& node_;
  TakenOp out_;
};

int32_t input_index(TakenOp* taken, ValueId id) {
  auto& inputs = taken->inputs;
  const auto found = std::find(inputs.begin(), inputs.end(), id);
  const auto index = static_cast<int32_t>(found - inputs.begin());
  if (found == inputs.end()) inputs.push_back(id);
  return index;
}

}  // namespace

std::optional<TakenOp> take_node(const Graph& graph, const Node& node) {
  std::optional<TakenOp> taken = Taker(graph, node).run();
  if (!taken) return {};
  // The same value on both sides is one input.
  if (taken->inputs.size() == 2) {
    taken->op.other_input = taken->inputs[0] == taken->inputs[1] ? 0 : 1;
    if (taken->op.other_input == 0) taken->inputs.pop_back();
  }
  return taken;
}

bool fuse_node(const Graph& graph, const Node& node, TakenOp* taken) {
  Post post;
  ValueId other = -1;
  if (taken->op.posts.size() == kMaxPosts ||
      !Taker(graph, node).post(taken->result, &post, &other)) {
    return false;
  }
  // In the same layout: the library takes the other operand as it takes the result.
  if (graph.value(node.results[0]).spec != graph.value(taken->result).spec) return false;
  if (other >= 0) post.input = input_index(taken, other);
  taken->op.posts.push_back(post);
  taken->result = node.results[0];
  return true;
}

}  // namespace berth::onednn
