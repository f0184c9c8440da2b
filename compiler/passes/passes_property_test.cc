// Random graphs of what the passes look for: activations in every form, padded convolutions and
// pools, concatenations, views, constants, values with several readers. After the passes they must
// answer as before, in memory as it was marked: joins as one buffer, every in-place option taken.
#include <map>
#include <random>

#include "compiler/passes/graph_runner.h"
#include "compiler/passes/live_bytes.h"
#include "compiler/passes/pass_cases.h"

namespace berth::passes {
namespace {

using ir::Arg;
using ir::Ref;
using ir::ValueId;
using Ints = std::vector<int64_t>;

class RandomGraph {
 public:
  explicit RandomGraph(uint32_t seed) : random_(seed) {}

  ir::Graph make() {
    images_.push_back(input(image(pick(1, 3), pick(2, 5), pick(2, 5))));
    images_.push_back(input(spec(images_[0])));
    images_.push_back(constant(spec(images_[0])));
    const int64_t steps = pick(3, 12);
    for (int64_t i = 0; i < steps; ++i) add_step();
    const int64_t outputs = pick(1, 3);
    for (int64_t i = 0; i < outputs; ++i) {
      graph_.outputs.push_back(i == 0 ? images_.back() : any());
    }
    return graph_;
  }

 private:
  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }
  const ir::TensorSpec& spec(ValueId id) const { return graph_.value(id).spec; }
  static ir::TensorSpec image(int64_t c, int64_t h, int64_t w) {
    return {ScalarType::kChar,
            {1, static_cast<int32_t>(c), static_cast<int32_t>(h), static_cast<int32_t>(w)},
            ir::channels_last_order()};
  }
  ValueId any() { return images_[pick(0, static_cast<int64_t>(images_.size()) - 1)]; }
  ValueId any_like(ValueId id) {
    for (int i = 0; i < 8; ++i) {
      const ValueId other = any();
      if (spec(other) == spec(id)) return other;
    }
    return id;
  }

  ValueId input(ir::TensorSpec of) {
    ir::Value value;
    value.name = "x";
    value.kind = ir::ValueKind::kInput;
    value.spec = std::move(of);
    graph_.inputs.push_back(graph_.add_value(value));
    return graph_.inputs.back();
  }
  ValueId constant(const ir::TensorSpec& of) {
    ir::Bytes bytes(of.nbytes());
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(pick(0, 255));
    return graph_.add_constant("k", of, bytes);
  }
  ValueId splat(const ir::TensorSpec& of, int64_t number) {
    return graph_.add_constant("s", of, ir::Bytes(of.nbytes(), static_cast<std::byte>(number)));
  }
  ValueId words(int64_t count, int32_t number) {
    ir::Bytes bytes(static_cast<size_t>(count) * 4);
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::byte>(static_cast<uint32_t>(number) >> (i % 4 * 8));
    }
    return graph_.add_constant("q", {ScalarType::kInt, {static_cast<int32_t>(count)}, {0}}, bytes);
  }

  ValueId node(const OperatorSchema* schema, std::vector<Arg> args, ir::TensorSpec result) {
    ir::Value value;
    value.name = "v";
    value.spec = std::move(result);
    ir::Node it;
    if (schema == nullptr) {
      it.kind = ir::NodeKind::kView;
    } else {
      it.op = schema->name;
      it.overload = schema->overload;
    }
    it.args = std::move(args);
    it.results = {graph_.add_value(value)};
    graph_.nodes.push_back(it);
    return it.results[0];
  }
  ValueId view(ValueId id, ir::TensorSpec as) { return node(nullptr, {Ref{id}}, std::move(as)); }
  ValueId plain(ValueId id) {
    const std::vector<int32_t>& s = spec(id).sizes;
    return view(id, {ScalarType::kChar, {s[0], s[2], s[3], s[1]}, ir::contiguous_order(4)});
  }
  ValueId as_image(ValueId id) {
    const std::vector<int32_t>& s = spec(id).sizes;
    return view(id, image(s[3], s[1], s[2]));
  }

  ValueId activation(ValueId x) {
    const ir::TensorSpec s = spec(x);
    const int64_t low = pick(-140, 20), high = low + pick(0, 150);
    switch (pick(0, 3)) {
      case 0: {
        const Arg from = pick(0, 3) == 0 ? Arg(ir::None{}) : Arg(low);
        return node(&ops::kAtenClamp, {Ref{x}, from, std::min<int64_t>(high, 127)}, s);
      }
      case 1:
        return node(&ops::kMaximum, {Ref{x}, Ref{splat(s, std::max<int64_t>(low, -128))}}, s);
      case 2:
        return node(&ops::kMinimum, {Ref{splat(s, std::min<int64_t>(high, 127))}, Ref{x}}, s);
      default:
        break;
    }
    ir::Bytes table(256);
    const bool is_clamp = pick(0, 1) == 0;
    for (int i = 0; i < 256; ++i) {
      const int64_t entry = is_clamp ? std::min<int64_t>(std::max<int64_t>(i - 128, -9), 99)
                                     : (i * i / 7 + low) % 128;
      table[i] = static_cast<std::byte>(entry);
    }
    const ValueId lut = graph_.add_constant("t", {ScalarType::kChar, {256}, {0}}, table);
    return node(&ops::kQuantizedActivation, {Ref{x}, Ref{lut}}, s);
  }

  ValueId window(ValueId x) {
    const bool is_pool = pick(0, 2) == 0;
    const int64_t zero = pick(-3, 3);
    const Ints before = {0, pick(0, 1), pick(0, 1), 0}, after = {0, pick(1, 2), pick(1, 2), 0};
    const int64_t value = pick(0, 4) == 0 ? pick(-128, 127) : is_pool ? -128 : zero;
    const std::vector<int32_t> s = spec(x).sizes;
    const int64_t h = s[2] + before[1] + after[1], w = s[3] + before[2] + after[2];
    if (h < 3 || w < 3) return x;
    const bool plainly = pick(0, 1) == 0;
    ValueId p = plainly ? plain(x) : x;
    ir::TensorSpec padded = image(s[1], h, w);
    if (plainly) {
      padded.sizes = {1, padded.sizes[2], padded.sizes[3], padded.sizes[1]};
      padded.dim_order = ir::contiguous_order(4);
    }
    p = node(&ops::kPad, {Ref{p}, before, after, value}, padded);
    if (pick(0, 5) == 0) images_.push_back(plainly ? as_image(p) : p);  // another reader
    if (plainly) p = as_image(p);
    const int64_t stride = pick(1, 2), kernel = 3;
    const int64_t out_h = (h - kernel) / stride + 1, out_w = (w - kernel) / stride + 1;
    if (is_pool) {
      return node(&ops::kQuantizedMaxPool2d,
                  {Ref{p}, Ints{kernel, kernel}, Ints{stride, stride}, Ints{0, 0}, Ints{1, 1},
                   false, int64_t{0}, int64_t{0}, int64_t{-128}, int64_t{127}},
                  image(s[1], out_h, out_w));
    }
    const int64_t out_c = pick(1, 3);
    const ir::TensorSpec weights{
        ScalarType::kChar, {static_cast<int32_t>(out_c), 3, 3, s[1]}, ir::contiguous_order(4)};
    return node(&ops::kQuantizedConv2d,
                {Ref{p}, Ref{constant(weights)}, ir::None{}, Ints{stride, stride}, Ints{0, 0},
                 Ints{1, 1}, -zero, pick(-5, 5), Ref{words(out_c, 1 << 30)}, Ref{words(out_c, -8)},
                 int64_t{-128}, int64_t{127}, ir::None{}},
                image(out_c, out_h, out_w));
  }

  ValueId two_operands(ValueId x) {
    const int64_t q = 1 << 30, z = 1;
    if (pick(0, 1) == 0) {
      return node(&ops::kQuantizedMul, {Ref{x}, z, Ref{any_like(x)}, z, -z, q, int64_t{-4}},
                  spec(x));
    }
    return node(&ops::kQuantizedAdd,
                {Ref{x}, z, q, int64_t{0}, Ref{any_like(x)}, z, q, int64_t{0}, z, q, int64_t{-19},
                 int64_t{-128}, int64_t{127}},
                spec(x));
  }

  ValueId concat(ValueId x) {
    const int64_t count = pick(1, 3);
    ir::RefList parts;
    int32_t rows = 0;
    for (int64_t i = 0; i < count; ++i) {
      const ValueId part = i == 0 ? x : any_like(x);
      parts.push_back(Ref{plain(part)});
      rows += spec(part).sizes[2];
    }
    ir::TensorSpec whole = spec(parts[0].id);
    whole.sizes[1] = rows;
    return as_image(
        node(&ops::kAtenCat, {parts, pick(0, 1) == 0 ? int64_t{1} : int64_t{-3}}, whole));
  }

  void add_step() {
    const ValueId x = any();
    if (spec(x).sizes[2] > 24) return;
    switch (pick(0, 7)) {
      case 0:
      case 1:
        images_.push_back(activation(x));
        break;
      case 2:
        images_.push_back(activation(window(x)));
        break;
      case 3:
        images_.push_back(window(x));
        break;
      case 4:
        images_.push_back(two_operands(x));
        break;
      case 5:
      case 6:
        images_.push_back(concat(x));
        break;
      default:
        images_.push_back(as_image(plain(x)));
    }
  }

  std::mt19937 random_;
  ir::Graph graph_;
  std::vector<ValueId> images_;  // int8 images, made so far
};

// Runs the graph in one buffer per storage; a result that may overwrite an argument does.
// Everything is copied out before a kernel runs, so only what later nodes read shows a wrong
// option.
std::vector<ir::Bytes> run_in_storages(const ir::Graph& graph,
                                       const std::vector<ir::Bytes>& inputs) {
  const std::vector<ir::Placement> places = ir::find_placements(graph);
  std::map<ValueId, std::shared_ptr<ir::Bytes>> storages;
  const auto storage = [&](ValueId id) -> std::shared_ptr<ir::Bytes>& {
    std::shared_ptr<ir::Bytes>& it = storages[places[id].root];
    if (it == nullptr) {
      it = std::make_shared<ir::Bytes>(graph.value(places[id].root).spec.nbytes());
    }
    return it;
  };
  const auto read = [&](ValueId id) {
    const auto begin = storage(id)->begin() + static_cast<int64_t>(places[id].offset);
    const auto end = begin + static_cast<int64_t>(graph.value(id).spec.nbytes());
    return std::make_shared<const ir::Bytes>(begin, end);
  };
  const auto write = [&](ValueId id, const ir::Bytes& bytes) {
    std::copy(bytes.begin(), bytes.end(),
              storage(id)->begin() + static_cast<int64_t>(places[id].offset));
  };
  for (size_t v = 0; v < graph.values.size(); ++v) {
    if (graph.values[v].data) write(static_cast<ValueId>(v), *graph.values[v].data);
  }
  for (size_t i = 0; i < inputs.size(); ++i) write(graph.inputs[i], inputs[i]);
  for (const ir::Node& node : graph.nodes) {
    if (node.kind != ir::NodeKind::kOperator) continue;
    KnownBytes known(graph.values.size());
    ir::for_each_ref(node, [&](const Ref& ref) { known[ref.id] = read(ref.id); });
    const auto results = evaluate(graph, node, known);
    if (!results) {
      ADD_FAILURE() << "a kernel refuses " << ir::node_label(node);
      return {};
    }
    for (const ir::InPlace& option : node.in_place) {
      const ValueId from = std::get<Ref>(node.args[option.argument]).id;
      storages[places[node.results[option.output]].root] = storage(from);
    }
    for (size_t r = 0; r < results->size(); ++r) write(node.results[r], (*results)[r]);
  }
  std::vector<ir::Bytes> outputs;
  for (const ValueId id : graph.outputs) outputs.push_back(*read(id));
  return outputs;
}

TEST(PassesProperty, RandomGraphsAnswerAsBeforeAndNeedNoMoreMemory) {
  std::map<std::string, int> changes;
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    ir::Module module;
    module.graphs.push_back(RandomGraph(seed).make());
    const ir::Graph before = module.graphs[0];
    const std::string text = ir::print(module);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const MaybeError wrong = ir::verify(before);
    ASSERT_FALSE(wrong) << error_text(*wrong);
    const std::vector<ir::Bytes> inputs = random_inputs(before, seed);
    const auto want = run_graph(before, inputs);
    ASSERT_TRUE(want.has_value()) << text;
    std::vector<PassReport> reports;
    RunOptions options;
    options.reports = &reports;
    const MaybeError error = run_passes(module, {}, options);
    ASSERT_FALSE(error) << error_text(*error) << "\n" << text;
    const ir::Graph& after = module.graphs[0];
    ASSERT_EQ(run_graph(after, inputs), want) << text << "\nbecame\n" << ir::print(after);
    ASSERT_EQ(run_in_storages(after, inputs), *want) << text << "\nbecame\n" << ir::print(after);
    ASSERT_LE(peak_live_bytes(after), peak_live_bytes(before)) << text << ir::print(after);
    const Result<ir::Module> again = ir::parse(ir::print(module));
    ASSERT_TRUE(again.ok()) << error_text(again.error());
    ASSERT_EQ(ir::print(again.value()), ir::print(module));
    for (const PassReport& report : reports) changes[report.name] += report.changed ? 1 : 0;
  }
  for (const Pass& pass : all_passes()) {
    if (std::string(pass.name) == "sum_weights") continue;  // for MVE alone
    EXPECT_GT(changes[pass.name], 80) << pass.name << " found next to nothing to do";
  }
}

}  // namespace
}  // namespace berth::passes
