// Operators that take parts of a tensor (SLICE, STRIDED_SLICE, SPLIT, SPLIT_V, UNPACK, GATHER) or
// stack tensors (PACK), in plain form with TFLite's own axes. Bytes move and nothing is computed,
// so every dtype is taken, and aten::slice_copy, index_select and cat do all of it. A part is a
// node of its own: it lives from there on, and one that nobody reads is removed.
#include <algorithm>
#include <map>

#include "compiler/import/tflite/translate.h"

namespace berth::import {
namespace {

constexpr size_t kMostParts = 1 << 16;

// Elements start, start + step, ... below end, of one dimension. REQUIRES: start < end within the
// dimension, step >= 1.
struct Cut {
  int64_t start = 0, end = 0, step = 1;
  int64_t count() const { return (end - start + step - 1) / step; }
  bool is_whole(int64_t size) const { return start == 0 && end == size && step == 1; }
};

using Cuts = std::vector<Cut>;  // one per dimension

Cuts whole(std::span<const int32_t> shape) {
  Cuts cuts;
  for (const int32_t size : shape) cuts.push_back({0, size, 1});
  return cuts;
}

// Output `o` is what the cuts leave of input `i`, perhaps without dimensions of size 1.
void add_cuts(OperatorContext& c, int i, const Cuts& cuts, int o) {
  const std::span<const int32_t> shape = c.input(i).shape;
  std::vector<size_t> dims;
  for (size_t d = 0; d < cuts.size(); ++d) {
    if (!cuts[d].is_whole(shape[d])) dims.push_back(d);
  }
  if (dims.empty()) {
    c.layout().define_alias(c.output_index(o), c.input_index(i));
    return;
  }
  // What leaves least comes first: the others have less to copy then.
  std::stable_sort(dims.begin(), dims.end(), [&](size_t a, size_t b) {
    return cuts[a].count() * shape[b] < cuts[b].count() * shape[a];
  });
  ir::ValueId part = c.layout().plain(c.input_index(i));
  ir::TensorSpec spec = c.layout().plain_spec(c.input_index(i));
  for (size_t n = 0; n < dims.size(); ++n) {
    const Cut& cut = cuts[dims[n]];
    spec.sizes[dims[n]] = static_cast<int32_t>(cut.count());
    const ir::ValueId from = part;
    part = n + 1 < dims.size() ? c.add_temporary(".part", spec)
                               : c.layout().define_reshaped(c.output_index(o), spec.sizes);
    c.add_node(ops::kAtenSliceCopyTensor,
               {ref(from), num(static_cast<int64_t>(dims[n])), num(cut.start), num(cut.end),
                num(cut.step)},
               part);
  }
}

// `i` an input, `output` as OperatorContext::at counts outputs.
MaybeFailure expect_same_type(const OperatorContext& c, int i,
                              int output = OperatorContext::kOutput) {
  BERTH_IMPORT_TRY(c.expect_dtype(output, c.at(i).dtype));
  return c.expect_same_params(i, output);
}

// The numbers of input i, one per dimension of input 0.
MaybeFailure read_per_dimension(const OperatorContext& c, int i, std::vector<int64_t>* numbers) {
  BERTH_IMPORT_TRY(c.read_ints(i, OperatorContext::kMostAxes, numbers));
  if (numbers->size() == c.input(0).shape.size()) return {};
  return malformed(c.input_text(i) + " has " + std::to_string(numbers->size()) +
                   " numbers; the input has " + std::to_string(c.input(0).shape.size()) +
                   " dimensions");
}

std::string in_dimension(const char* what, int64_t value, size_t d) {
  return std::string(what) + std::to_string(value) + " in dimension " + std::to_string(d);
}

// The parts of input i along an axis, an output each, as long as `sizes` says.
MaybeFailure add_parts(OperatorContext& c, int i, int64_t axis, const std::vector<int64_t>& sizes) {
  const std::span<const int32_t> shape = c.input(i).shape;
  if (sizes.size() != static_cast<size_t>(c.output_count())) {
    return malformed("has " + std::to_string(c.output_count()) + " outputs for " +
                     std::to_string(sizes.size()) + " parts");
  }
  int64_t start = 0;
  for (int o = 0; o < c.output_count(); ++o) {
    const int at = OperatorContext::kOutput - o;
    const int64_t size = sizes[static_cast<size_t>(o)];
    BERTH_IMPORT_TRY(expect_same_type(c, i, at));
    std::vector<int64_t> made(shape.begin(), shape.end());
    made[static_cast<size_t>(axis)] = size;
    BERTH_IMPORT_TRY(c.expect_shape(at, made));
    Cuts cuts = whole(shape);
    cuts[static_cast<size_t>(axis)] = {start, start + size, 1};
    start += size;
    add_cuts(c, i, cuts, o);
  }
  return {};
}

}  // namespace

MaybeFailure translate_slice(OperatorContext& c) {
  BERTH_IMPORT_TRY(expect_same_type(c, 0));
  const std::span<const int32_t> shape = c.input(0).shape;
  std::vector<int64_t> begins, sizes, made;
  BERTH_IMPORT_TRY(read_per_dimension(c, 1, &begins));
  BERTH_IMPORT_TRY(read_per_dimension(c, 2, &sizes));
  Cuts cuts;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (begins[d] < 0 || begins[d] >= shape[d]) {
      return malformed(in_dimension("begins at ", begins[d], d) + "; the input has " +
                       std::to_string(shape[d]) + " there");
    }
    const int64_t rest = shape[d] - begins[d];
    const int64_t size = sizes[d] == -1 ? rest : sizes[d];
    if (size < 1 || size > rest) {
      return malformed(in_dimension("takes ", sizes[d], d) + "; 1 to " + std::to_string(rest) +
                       " are there, or -1 for all of them");
    }
    cuts.push_back({begins[d], begins[d] + size, 1});
    made.push_back(size);
  }
  BERTH_IMPORT_TRY(c.expect_shape(OperatorContext::kOutput, made));
  add_cuts(c, 0, cuts, 0);
  return {};
}

// begin, end and strides, each with a mask for "from the first" and "to the last", negative numbers
// counting from the end, all held within the dimension. A dimension that is shrunk is one element,
// and gone from the output's shape.
MaybeFailure translate_strided_slice(OperatorContext& c) {
  BERTH_IMPORT_TRY(expect_same_type(c, 0));
  const auto* options = c.options<wire::StridedSliceOptions>();
  const auto mask = [&](auto field) { return options == nullptr ? 0 : (options->*field)(); };
  if (mask(&wire::StridedSliceOptions::ellipsis_mask) != 0)
    return unsupported("ellipsis_mask is set; 0 is supported");
  if (mask(&wire::StridedSliceOptions::new_axis_mask) != 0)
    return unsupported("new_axis_mask is set; 0 is supported");
  const int begin_mask = mask(&wire::StridedSliceOptions::begin_mask);
  const int end_mask = mask(&wire::StridedSliceOptions::end_mask);
  const int shrink_mask = mask(&wire::StridedSliceOptions::shrink_axis_mask);
  const bool is_offset = options != nullptr && options->offset();  // end counts from begin
  const std::span<const int32_t> shape = c.input(0).shape;
  std::vector<int64_t> begins, ends, strides, made;
  BERTH_IMPORT_TRY(read_per_dimension(c, 1, &begins));
  BERTH_IMPORT_TRY(read_per_dimension(c, 2, &ends));
  BERTH_IMPORT_TRY(read_per_dimension(c, 3, &strides));
  // int64 tensors may hold anything.
  const auto bounded = [](int64_t number) {
    constexpr int64_t kMost = int64_t{1} << 32;
    return std::clamp(number, -kMost, kMost);
  };
  Cuts cuts;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t size = shape[d];
    const int bit = 1 << d;
    if (strides[d] < 1)
      return unsupported(in_dimension("strides by ", strides[d], d) + "; 1 or more is supported");
    const auto inside = [size](int64_t at) {
      return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
    };
    const int64_t begin = bounded(begins[d]), end = bounded(ends[d]);
    Cut cut{(begin_mask & bit) != 0 ? 0 : inside(begin), size, bounded(strides[d])};
    if ((shrink_mask & bit) != 0) {
      cut.end = std::min(cut.start + 1, size);
      cut.step = 1;
    } else if ((end_mask & bit) == 0) {
      cut.end = is_offset ? std::min(cut.start + end, size) : inside(end);
    }
    if (cut.start >= cut.end) {
      return malformed(in_dimension("takes nothing: it begins at ", begins[d], d) + ", ends at " +
                       std::to_string(ends[d]) + " and has " + std::to_string(size));
    }
    if (cut.count() == 1) cut = {cut.start, cut.start + 1, 1};
    if ((shrink_mask & bit) == 0) made.push_back(cut.count());
    cuts.push_back(cut);
  }
  BERTH_IMPORT_TRY(c.expect_shape(OperatorContext::kOutput, made));
  add_cuts(c, 0, cuts, 0);
  return {};
}

MaybeFailure translate_split(OperatorContext& c) {
  std::vector<int64_t> axes;
  BERTH_IMPORT_TRY(c.read_ints(0, 1, &axes));
  if (axes.size() != 1) return malformed(c.input_text(0) + " has no number; an axis");
  int64_t axis = 0;
  BERTH_IMPORT_TRY(c.normalise_axis(1, axes[0], &axis));
  const int64_t size = c.input(1).shape[static_cast<size_t>(axis)];
  const int64_t count = c.output_count();
  if (size % count != 0) {
    return malformed("has " + std::to_string(count) + " outputs; " + std::to_string(size) +
                     " elements along axis " + std::to_string(axis) +
                     " do not make as many equal parts");
  }
  return add_parts(c, 1, axis, std::vector<int64_t>(static_cast<size_t>(count), size / count));
}

// One of the sizes may be -1: what the others leave.
MaybeFailure translate_split_v(OperatorContext& c) {
  std::vector<int64_t> sizes, axes;
  BERTH_IMPORT_TRY(c.read_ints(1, kMostParts, &sizes));
  BERTH_IMPORT_TRY(c.read_ints(2, 1, &axes));
  if (axes.size() != 1) return malformed(c.input_text(2) + " has no number; an axis");
  int64_t axis = 0;
  BERTH_IMPORT_TRY(c.normalise_axis(0, axes[0], &axis));
  int64_t left = c.input(0).shape[static_cast<size_t>(axis)];
  const int64_t total = left;
  int64_t* open = nullptr;
  for (int64_t& size : sizes) {
    if (size == -1 && open == nullptr) {
      open = &size;
    } else if (size < 1 || size > left) {
      return malformed(c.input_text(1) + " has the size " + std::to_string(size) + "; " +
                       std::to_string(left) + " of " + std::to_string(total) +
                       " elements are left there");
    } else {
      left -= size;
    }
  }
  if (open != nullptr) {
    *open = left;
    left = 0;
  }
  if (left != 0 || (open != nullptr && *open == 0)) {
    return malformed(c.input_text(1) + " has sizes that do not add up to the " +
                     std::to_string(total) + " elements along axis " + std::to_string(axis));
  }
  return add_parts(c, 0, axis, sizes);
}

MaybeFailure translate_unpack(OperatorContext& c) {
  const auto* options = c.options<wire::UnpackOptions>();
  int64_t axis = 0;
  BERTH_IMPORT_TRY(c.normalise_axis(0, options == nullptr ? 0 : options->axis(), &axis));
  const std::span<const int32_t> shape = c.input(0).shape;
  const int64_t count = shape[static_cast<size_t>(axis)];
  if (count != c.output_count()) {
    return malformed("has " + std::to_string(c.output_count()) + " outputs; the input has " +
                     std::to_string(count) + " along axis " + std::to_string(axis));
  }
  std::vector<int64_t> made(shape.begin(), shape.end());
  made.erase(made.begin() + static_cast<std::ptrdiff_t>(axis));
  for (int o = 0; o < c.output_count(); ++o) {
    BERTH_IMPORT_TRY(expect_same_type(c, 0, OperatorContext::kOutput - o));
    BERTH_IMPORT_TRY(c.expect_shape(OperatorContext::kOutput - o, made));
    Cuts cuts = whole(shape);
    cuts[static_cast<size_t>(axis)] = {o, o + 1, 1};
    add_cuts(c, 0, cuts, o);
  }
  return {};
}

// Each input under a new dimension of size 1, side by side along it.
MaybeFailure translate_pack(OperatorContext& c) {
  const auto* options = c.options<wire::PackOptions>();
  BERTH_IMPORT_TRY(c.expect_rank(OperatorContext::kOutput, c.input(0).shape.size() + 1));
  int64_t axis = 0;
  BERTH_IMPORT_TRY(
      c.normalise_axis(OperatorContext::kOutput, options == nullptr ? 0 : options->axis(), &axis));
  const std::span<const int32_t> shape = c.input(0).shape;
  std::vector<int32_t> part(shape.begin(), shape.end());
  part.insert(part.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  std::vector<int64_t> made(part.begin(), part.end());
  made[static_cast<size_t>(axis)] = c.input_count();
  BERTH_IMPORT_TRY(c.expect_shape(OperatorContext::kOutput, made));
  for (int i = 0; i < c.input_count(); ++i) {
    if (!c.has_input(i))
      return malformed("inputs[" + std::to_string(i) + "] is absent; none of them is optional");
    BERTH_IMPORT_TRY(expect_same_type(c, i));
    BERTH_IMPORT_TRY(c.expect_shape(i, std::vector<int64_t>(shape.begin(), shape.end())));
  }
  if (c.input_count() == 1) {
    c.layout().define_alias(c.output_index(), c.input_index(0));
    return {};
  }
  ir::RefList parts;
  std::map<int32_t, ir::ValueId> views;  // a tensor may be stacked many times
  for (int i = 0; i < c.input_count(); ++i) {
    const auto [it, fresh] = views.try_emplace(c.input_index(i), -1);
    if (fresh) it->second = c.layout().reshaped(c.input_index(i), part);
    parts.push_back({it->second});
  }
  c.add_node(ops::kAtenCat, {parts, num(axis)}, c.layout().define_plain(c.output_index()));
  return {};
}

// The input's slices along an axis that the indices name, in their order.
MaybeFailure translate_gather(OperatorContext& c) {
  BERTH_IMPORT_TRY(expect_same_type(c, 0));
  const auto* options = c.options<wire::GatherOptions>();
  if (options != nullptr && options->batch_dims() != 0) {
    return unsupported("batch_dims is " + std::to_string(options->batch_dims()) +
                       "; 0 is supported");
  }
  int64_t axis = 0;
  BERTH_IMPORT_TRY(c.normalise_axis(0, options == nullptr ? 0 : options->axis(), &axis));
  if (c.input(1).dtype != ScalarType::kLong) BERTH_IMPORT_TRY(c.expect_dtype(1, ScalarType::kInt));
  const std::span<const int32_t> shape = c.input(0).shape;
  const std::span<const int32_t> indices = c.input(1).shape;
  std::vector<int64_t> made(shape.begin(), shape.end());
  const auto at = static_cast<std::ptrdiff_t>(axis);
  made.erase(made.begin() + at);
  made.insert(made.begin() + at, indices.begin(), indices.end());
  BERTH_IMPORT_TRY(c.expect_shape(OperatorContext::kOutput, made));
  const auto count = static_cast<int32_t>(c.input(1).element_count);
  if (c.input(1).is_constant()) {
    std::vector<int64_t> numbers;
    BERTH_IMPORT_TRY(c.pay(c.input(1).element_count * sizeof(int64_t)));
    BERTH_IMPORT_TRY(c.read_ints(1, static_cast<size_t>(c.input(1).element_count), &numbers));
    for (const int64_t number : numbers) {
      if (number >= 0 && number < shape[static_cast<size_t>(axis)]) continue;
      return malformed(c.input_text(1) + " has the index " + std::to_string(number) +
                       "; the input has " + std::to_string(shape[static_cast<size_t>(axis)]) +
                       " along axis " + std::to_string(axis));
    }
  }
  std::vector<int32_t> flat(shape.begin(), shape.end());
  flat[static_cast<size_t>(axis)] = count;
  const ir::ValueId input = c.layout().plain(c.input_index(0));
  const ir::ValueId index = c.layout().reshaped(c.input_index(1), {count});
  c.add_node(ops::kAtenIndexSelect, {ref(input), num(axis), ref(index)},
             c.layout().define_reshaped(c.output_index(), flat));
  return {};
}

}  // namespace berth::import
