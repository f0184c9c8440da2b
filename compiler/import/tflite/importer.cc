// Walks the operators of each subgraph in their order and lets the function of each add its nodes.
// The walk goes on behind an operator that we lack, with its output standing for what it would have
// made, so that one run names them all.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compiler/import/tflite/import_tflite.h"
#include "compiler/import/tflite/layout.h"
#include "compiler/import/tflite/tflite_file.h"
#include "compiler/import/tflite/translate.h"
#include "compiler/import/tflite/widen_constants.h"
#include "compiler/ir/verify.h"

namespace berth::import {
namespace {

using Code = wire::BuiltinOperator;

struct OperatorEntry {
  Code code;
  Translate translate;         // of integers and everything else, or null
  Translate translate_floats;  // where the output is FLOAT32, or null
  size_t required;             // inputs that must be there
  size_t most;
  size_t most_outputs = 1;
};

constexpr size_t kAny = 1 << 20;
constexpr OperatorEntry kOperators[] = {
    {Code::ABS, translate_abs, translate_float_unary, 1, 1},
    {Code::ADD, translate_add, translate_float_add, 2, 2},
    {Code::ARG_MAX, translate_arg_extreme, nullptr, 2, 2},
    {Code::ARG_MIN, translate_arg_extreme, nullptr, 2, 2},
    {Code::AVERAGE_POOL_2D, translate_average_pool_2d, translate_float_average_pool_2d, 1, 1},
    {Code::BATCH_MATMUL, translate_batch_matmul, translate_float_batch_matmul, 2, 2},
    {Code::CAST, translate_cast, translate_cast, 1, 1},
    {Code::CEIL, nullptr, translate_float_unary, 1, 1},
    {Code::CONCATENATION, translate_concatenation, translate_concatenation, 1, kAny},
    {Code::CONV_2D, translate_conv_2d, translate_float_conv_2d, 2, 3},
    {Code::COS, nullptr, translate_float_unary, 1, 1},
    {Code::DEPTHWISE_CONV_2D, translate_depthwise_conv_2d, translate_float_depthwise_conv_2d, 2, 3},
    {Code::DEPTH_TO_SPACE, translate_depth_to_space, translate_depth_to_space, 1, 1},
    {Code::DEQUANTIZE, translate_dequantize, translate_dequantize, 1, 1},
    {Code::DIV, nullptr, translate_float_div, 2, 2},
    {Code::ELU, translate_elu, translate_float_elu, 1, 1},
    {Code::EXP, nullptr, translate_float_unary, 1, 1},
    {Code::EXPAND_DIMS, translate_reshape, translate_reshape, 1, 2},
    {Code::FLOOR, nullptr, translate_float_unary, 1, 1},
    {Code::FULLY_CONNECTED, translate_fully_connected, translate_float_fully_connected, 2, 3},
    {Code::GATHER, translate_gather, translate_gather, 2, 2},
    {Code::GELU, nullptr, translate_float_gelu, 1, 1},
    {Code::HARD_SWISH, translate_hard_swish, translate_float_hard_swish, 1, 1},
    {Code::LEAKY_RELU, translate_leaky_relu, translate_float_leaky_relu, 1, 1},
    {Code::LOG, nullptr, translate_float_unary, 1, 1},
    {Code::LOGISTIC, translate_logistic, translate_float_unary, 1, 1},
    {Code::LOG_SOFTMAX, nullptr, translate_float_log_softmax, 1, 1},
    {Code::MAXIMUM, translate_maximum, translate_float_maximum, 2, 2},
    {Code::MAX_POOL_2D, translate_max_pool_2d, translate_float_max_pool_2d, 1, 1},
    {Code::MEAN, translate_mean, translate_float_reduction, 2, 2},
    {Code::MINIMUM, translate_minimum, translate_float_minimum, 2, 2},
    {Code::MUL, translate_mul, translate_float_mul, 2, 2},
    {Code::NEG, nullptr, translate_float_unary, 1, 1},
    {Code::PACK, translate_pack, translate_pack, 1, kAny},
    {Code::PAD, translate_pad, translate_pad, 2, 2},
    {Code::PADV2, translate_pad, translate_pad, 3, 3},
    {Code::POW, nullptr, translate_float_pow, 2, 2},
    {Code::PRELU, translate_prelu, translate_float_prelu, 2, 2},
    {Code::QUANTIZE, translate_quantize, translate_quantize, 1, 1},
    {Code::REDUCE_MAX, nullptr, translate_float_reduction, 2, 2},
    {Code::REDUCE_MIN, nullptr, translate_float_reduction, 2, 2},
    {Code::RELU, translate_relu, translate_float_unary, 1, 1},
    {Code::RELU6, translate_relu, translate_float_relu6, 1, 1},
    {Code::RELU_N1_TO_1, translate_relu, translate_float_relu_n1_to_1, 1, 1},
    {Code::RESHAPE, translate_reshape, translate_reshape, 1, 2},
    {Code::RESIZE_BILINEAR, translate_resize_bilinear, translate_float_resize_bilinear, 2, 2},
    {Code::RESIZE_NEAREST_NEIGHBOR, translate_resize_nearest_neighbor,
     translate_float_resize_nearest_neighbor, 2, 2},
    {Code::ROUND, nullptr, translate_float_unary, 1, 1},
    {Code::RSQRT, nullptr, translate_float_unary, 1, 1},
    {Code::SIN, nullptr, translate_float_unary, 1, 1},
    {Code::SLICE, translate_slice, translate_slice, 3, 3},
    {Code::SOFTMAX, translate_softmax, translate_float_softmax, 1, 1},
    {Code::SPACE_TO_DEPTH, translate_space_to_depth, translate_space_to_depth, 1, 1},
    {Code::SPLIT, translate_split, translate_split, 2, 2, kAny},
    {Code::SPLIT_V, translate_split_v, translate_split_v, 3, 3, kAny},
    {Code::SQRT, nullptr, translate_float_unary, 1, 1},
    {Code::SQUARE, nullptr, translate_float_square, 1, 1},
    {Code::SQUARED_DIFFERENCE, nullptr, translate_float_squared_difference, 2, 2},
    {Code::SQUEEZE, translate_reshape, translate_reshape, 1, 1},
    {Code::STRIDED_SLICE, translate_strided_slice, translate_strided_slice, 4, 4},
    {Code::SUB, translate_sub, translate_float_sub, 2, 2},
    {Code::SUM, translate_mean, translate_float_reduction, 2, 2},
    {Code::TANH, translate_tanh, translate_float_unary, 1, 1},
    {Code::TILE, translate_tile, translate_tile, 2, 2},
    {Code::TRANSPOSE, translate_transpose, translate_transpose, 2, 2},
    {Code::TRANSPOSE_CONV, translate_transpose_conv, translate_float_transpose_conv, 3, 4},
    {Code::UNPACK, translate_unpack, translate_unpack, 1, 1, kAny},
};

const OperatorEntry* find_entry(Code code) {
  for (const OperatorEntry& entry : kOperators) {
    if (entry.code == code) return &entry;
  }
  return nullptr;
}

class Importer {
 public:
  Importer(TfliteFile* file, Diagnostics* diagnostics)
      : file_(*file), diagnostics_(diagnostics), constants_(&file->allowance) {}

  Result<ir::Module> run() {
    ir::Module module;
    for (size_t s = 0; s < file_.subgraphs.size(); ++s) {
      place_ = file_.subgraphs.size() == 1 ? "" : "subgraphs[" + std::to_string(s) + "].";
      ir::Graph graph;
      graph.name = method_name(s);
      if (auto error = import_subgraph(file_.subgraphs[s], &graph)) return *error;
      module.graphs.push_back(std::move(graph));
    }
    if (!lacks_.empty()) return lacks_error();
    return module;
  }

 private:
  std::string method_name(size_t s) {
    std::string wanted = "forward";
    if (s != 0) {
      const std::string_view own = file_.subgraphs[s].name.substr(0, 60);
      wanted = own.empty() ? "subgraph_" + std::to_string(s) : ir::clean_name(own);
    }
    std::string name = wanted;
    for (int suffix = 2; !method_names_.insert(name).second; ++suffix)
      name = wanted + "_" + std::to_string(suffix);
    return name;
  }

  MaybeError import_subgraph(const FileSubgraph& subgraph, ir::Graph* graph) {
    for (size_t i = 0; i < subgraph.inputs.size(); ++i) {
      const FileTensor& tensor = subgraph.tensors[static_cast<size_t>(subgraph.inputs[i])];
      const std::string place = place_ + "inputs[" + std::to_string(i) + "] " + quoted(tensor.name);
      if (!tensor.unusable.empty())
        return Error{place, tensor.unusable + "; dense tensors of plain types are read"};
      if (tensor.open_shape)
        note(place, "a dimension is open in the file (-1); its size there is taken");
    }
    Layout layout(subgraph, &constants_, graph);
    for (size_t o = 0; o < subgraph.operators.size(); ++o) {
      const FileOperator& op = subgraph.operators[o];
      if (op.is_done) continue;
      const std::string place =
          place_ + "operators[" + std::to_string(o) + "] " + operator_name(op);
      if (auto error = check_operands(subgraph, op, place, layout)) return error;
      const MaybeFailure failure = translate(subgraph, op, &layout, graph);
      if (layout.overspent()) return file_.allowance.error(place);
      if (!failure) continue;
      if (failure->is_malformed) return Error{place, failure->message};
      lacks_.push_back(place + (failure->message.empty() ? "" : ": " + failure->message));
      for (const int32_t output : op.outputs) {
        if (!layout.is_defined(output)) layout.define_plain(output);
      }
    }
    for (size_t i = 0; i < subgraph.outputs.size(); ++i) {
      const int32_t output = subgraph.outputs[i];
      if (!layout.is_defined(output)) {
        return Error{place_ + "outputs[" + std::to_string(i) + "]",
                     "is tensor " + std::to_string(output) + ", which no operator writes"};
      }
      graph->outputs.push_back(layout.plain(output));
    }
    return layout.overspent() ? MaybeError(file_.allowance.error(place_ + "outputs"))
                              : std::nullopt;
  }

  // What a correct file never violates, whether we know the operator or not.
  static MaybeError check_operands(const FileSubgraph& subgraph, const FileOperator& op,
                                   const std::string& place, const Layout& layout) {
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      const int32_t t = op.inputs[i];
      if (t < 0 || layout.is_defined(t) ||
          !subgraph.tensors[static_cast<size_t>(t)].unusable.empty())
        continue;
      return Error{place,
                   "inputs[" + std::to_string(i) + "] is tensor " + std::to_string(t) +
                       ", which nothing before writes; operators stand in the order of execution"};
    }
    std::set<int32_t> written;
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      const int32_t t = op.outputs[i];
      const bool again = layout.is_defined(t) || !written.insert(t).second;
      if (!again) continue;
      return Error{
          place, "outputs[" + std::to_string(i) + "] is tensor " + std::to_string(t) +
                     ", which is an input, a constant or written before; a tensor is written once"};
    }
    return {};
  }

  MaybeFailure translate(const FileSubgraph& subgraph, const FileOperator& op, Layout* layout,
                         ir::Graph* graph) {
    const OperatorEntry* entry = find_entry(op.code);
    if (entry == nullptr) return unsupported("");
    const auto check_usable = [&](const char* list, size_t i, int32_t t) -> MaybeFailure {
      const FileTensor& tensor = subgraph.tensors[static_cast<size_t>(t)];
      if (tensor.unusable.empty()) return {};
      return unsupported(std::string(list) + "[" + std::to_string(i) + "] (tensors[" +
                         std::to_string(t) + "] " + quoted(tensor.name) + ") " + tensor.unusable);
    };
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (op.inputs[i] >= 0) BERTH_IMPORT_TRY(check_usable("inputs", i, op.inputs[i]));
    }
    for (size_t i = 0; i < op.outputs.size(); ++i)
      BERTH_IMPORT_TRY(check_usable("outputs", i, op.outputs[i]));
    if (op.inputs.size() < entry->required || op.inputs.size() > entry->most) {
      return malformed("has " + std::to_string(op.inputs.size()) + " inputs; it takes " +
                       std::to_string(entry->required) +
                       (entry->most == entry->required ? ""
                        : entry->most == kAny          ? " or more"
                                                       : " to " + std::to_string(entry->most)));
    }
    for (size_t i = 0; i < entry->required; ++i) {
      if (op.inputs[i] < 0)
        return malformed("inputs[" + std::to_string(i) + "] is absent (-1); it is not optional");
    }
    if (op.outputs.empty() || op.outputs.size() > entry->most_outputs) {
      return malformed("has " + std::to_string(op.outputs.size()) + " outputs; it has " +
                       (entry->most_outputs == 1 ? "1" : "1 or more"));
    }
    OperatorContext context(subgraph, op, layout, &file_.allowance, graph);
    const bool floats = context.output().dtype == ScalarType::kFloat;
    const Translate translate_it = floats ? entry->translate_floats : entry->translate;
    if (translate_it != nullptr) return translate_it(context);
    return unsupported(
        context.output_text() + " is " + type_name(context.output().type) +
        (floats ? "; FLOAT32 is not supported here" : "; FLOAT32 is supported here"));
  }

  Error lacks_error() const {
    std::string message = std::to_string(lacks_.size()) + " of the model's operators " +
                          (lacks_.size() == 1 ? "is" : "are") + " not supported:";
    // One line: a diagnostic is one line, and control characters of names are escaped when printed.
    for (size_t i = 0; i < lacks_.size(); ++i) message += (i == 0 ? " " : "; ") + lacks_[i];
    return {"operators", std::move(message)};
  }

  void note(std::string place, std::string message) {
    if (diagnostics_ != nullptr)
      diagnostics_->notes.push_back({std::move(place), std::move(message)});
  }

  TfliteFile& file_;
  Diagnostics* diagnostics_;
  ConstantBytes constants_;
  std::set<std::string> method_names_;
  std::string place_;
  std::vector<std::string> lacks_;
};

}  // namespace

std::vector<std::string> supported_tflite_operators() {
  std::vector<std::string> names;
  for (const OperatorEntry& entry : kOperators) {
    names.emplace_back(wire::EnumNameBuiltinOperator(entry.code));
  }
  return names;
}

Result<ir::Module> import_tflite(std::span<const std::byte> bytes, Diagnostics* diagnostics) {
  // FlatBuffers reads 64-bit numbers where they stand.
  std::vector<std::byte> aligned;
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 8 != 0) {
    aligned.assign(bytes.begin(), bytes.end());
    bytes = aligned;
  }
  Result<TfliteFile> file = read_tflite(bytes, diagnostics);
  if (!file.ok()) return file.error();
  if (MaybeError error = widen_constants(&file.value(), diagnostics)) return *error;
  Result<ir::Module> module = Importer(&file.value(), diagnostics).run();
  if (!module.ok()) return module.error();
  if (MaybeError error = ir::verify(module.value())) return *error;
  return module;
}

}  // namespace berth::import
