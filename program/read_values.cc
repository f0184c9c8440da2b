#include "program/read_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "program/validate_program.h"

namespace berth::program {

MaybeError TensorData::open(ReadContext& context) {
  if (auto error = constants_.open(context.container, &context.used_segments)) return error;
  if (const auto* constants = context.wire.constant_segment()) {
    Scope scope(context.path, "constant_segment");
    context.unknown.look(*constants, pte::SubsegmentOffsets::VT_OFFSETS, context.path);
  }
  const auto* lists = context.wire.mutable_data_segments();
  if (lists == nullptr || lists->size() == 0) return {};
  for (uint32_t i = 0; i < lists->size(); ++i) {
    Scope scope(context.path, "mutable_data_segments", i);
    context.unknown.look(*lists->Get(i), pte::SubsegmentOffsets::VT_OFFSETS, context.path);
    if (i > 0) context.unknown.note(context.path.text() + " (runtimes read the first only)");
  }
  const pte::SubsegmentOffsets& first = *lists->Get(0);
  if (first.segment_index() >= context.container.segments.size()) {
    return Error{"mutable_data_segments[0].segment_index",
                 fmt::format("{}; the file has {} segments", first.segment_index(),
                             context.container.segments.size())};
  }
  context.used_segments[first.segment_index()] = true;
  mutable_bytes_ = context.container.segments[first.segment_index()];
  mutable_offsets_ = first.offsets();
  if (mutable_offsets_ != nullptr && is_misaligned(*mutable_offsets_)) {
    return Error{"mutable_data_segments[0].offsets", kMisaligned};
  }
  return {};
}

// State has initial bytes at offsets[index]; noted here, copied when all are known.
MaybeError TensorData::add_mutable(ReadContext& context, uint32_t index, uint64_t nbytes) {
  const uint32_t count = mutable_offsets_ == nullptr ? 0 : mutable_offsets_->size();
  if (index >= count) {
    return context.path.error(
        "data_buffer_idx",
        fmt::format("{}, with an allocation: initial state; mutable_data_segments "
                    "has {}",
                    index, count == 0 ? 0 : count - 1));
  }
  const uint64_t begin = mutable_offsets_->Get(index);
  if (begin > mutable_bytes_.size() || nbytes > mutable_bytes_.size() - begin) {
    return context.path.error("data_buffer_idx",
                              fmt::format("{}: {} bytes of initial state at {}; the segment has {}",
                                          index, nbytes, begin, mutable_bytes_.size()));
  }
  uint64_t& size = mutable_sizes_[index];
  size = std::max(size, nbytes);
  return {};
}

MaybeError TensorData::copy(ReadContext& context, Program* program) {
  if (auto error = constants_.build(context, &program->constants)) return error;
  for (const auto& [index, size] : mutable_sizes_) {
    mutable_places_[index] = static_cast<int32_t>(program->mutable_data.size());
    program->mutable_data.emplace_back();
    const auto bytes = mutable_bytes_.subspan(static_cast<size_t>(mutable_offsets_->Get(index)),
                                              static_cast<size_t>(size));
    if (auto error = context.read_blob(bytes, &program->mutable_data.back())) return error;
  }
  return {};
}

namespace {

class ValueReader {
 public:
  ValueReader(ReadContext& context, TensorData& data, Method& method,
              std::vector<NotedTensor>& tensors)
      : c_(context), data_(data), method_(method), tensors_(tensors) {}

  MaybeError read_values(const pte::ExecutionPlan& plan) {
    if (plan.values() == nullptr) return c_.missing("values");
    if (!c_.budget.take(plan.values()->size(), sizeof(Value))) return c_.exhausted();
    method_.values.resize(plan.values()->size());
    for (uint32_t i = 0; i < plan.values()->size(); ++i) {
      Scope scope(c_.path, "values", i);
      if (auto error = read_value(*plan.values()->Get(i), static_cast<int32_t>(i))) return error;
    }
    return {};
  }

 private:
  MaybeError read_value(const pte::EValue& value, int32_t index) {
    c_.unknown.look(value, pte::EValue::VT_VAL, c_.path);
    Value& out = method_.values[static_cast<size_t>(index)];
    const auto type = static_cast<int>(value.val_type());
    if (type < 1 || type > static_cast<int>(pte::KernelTypes::MAX)) {
      return c_.path.error("val_type", fmt::format("{}; must be 1..{}", type,
                                                   static_cast<int>(pte::KernelTypes::MAX)));
    }
    if (value.val() == nullptr) {
      if (value.val_type() == pte::KernelTypes::Null) return {};
      return c_.missing("val");
    }
    if (const auto* tensor = value.val_as_Tensor()) return read_tensor(*tensor, index);
    if (const auto* none = value.val_as_Null()) {
      c_.unknown.look(*none, kNoFields, c_.path);
    } else if (const auto* number = value.val_as_Int()) {
      c_.unknown.look(*number, pte::Int::VT_INT_VAL, c_.path);
      out.data = int64_t{number->int_val()};
    } else if (const auto* flag = value.val_as_Bool()) {
      c_.unknown.look(*flag, pte::Bool::VT_BOOL_VAL, c_.path);
      out.data = flag->bool_val();
    } else if (const auto* real = value.val_as_Double()) {
      c_.unknown.look(*real, pte::Double::VT_DOUBLE_VAL, c_.path);
      out.data = real->double_val();
    } else if (const auto* text = value.val_as_String()) {
      c_.unknown.look(*text, pte::String::VT_STRING_VAL, c_.path);
      return c_.read_text("string_val", text->string_val(), true, &out.data.emplace<std::string>());
    } else if (const auto* ints = value.val_as_IntList()) {
      c_.unknown.look(*ints, pte::IntList::VT_ITEMS, c_.path);
      return c_.read_numbers("items", ints->items(), &out.data.emplace<IntList>().values);
    } else if (const auto* doubles = value.val_as_DoubleList()) {
      c_.unknown.look(*doubles, pte::DoubleList::VT_ITEMS, c_.path);
      return c_.read_numbers("items", doubles->items(), &out.data.emplace<DoubleList>().items);
    } else if (const auto* bools = value.val_as_BoolList()) {
      c_.unknown.look(*bools, pte::BoolList::VT_ITEMS, c_.path);
      return c_.read_numbers("items", bools->items(), &out.data.emplace<BoolList>().items);
    } else if (const auto* tensors = value.val_as_TensorList()) {
      c_.unknown.look(*tensors, pte::TensorList::VT_ITEMS, c_.path);
      return c_.read_numbers("items", tensors->items(), &out.data.emplace<TensorList>().values);
    } else if (const auto* options = value.val_as_OptionalTensorList()) {
      c_.unknown.look(*options, pte::OptionalTensorList::VT_ITEMS, c_.path);
      return c_.read_numbers("items", options->items(),
                             &out.data.emplace<OptionalTensorList>().values);
    }
    return {};
  }

  MaybeError read_tensor(const pte::Tensor& tensor, int32_t index) {
    c_.unknown.look(tensor, pte::Tensor::VT_EXTRA_TENSOR_INFO, c_.path);
    Tensor& out = method_.values[static_cast<size_t>(index)].data.emplace<Tensor>();
    out.dtype = static_cast<ScalarType>(tensor.scalar_type());
    if (tensor.storage_offset() != 0) {
      return c_.path.error("storage_offset", fmt::format("{}; must be 0", tensor.storage_offset()));
    }
    if (auto error = c_.read_numbers("sizes", tensor.sizes(), &out.sizes)) return error;
    if (auto error = c_.read_numbers("dim_order", tensor.dim_order(), &out.dim_order)) return error;
    out.requires_grad = tensor.requires_grad();
    out.layout = tensor.layout();
    out.dynamism = static_cast<Dynamism>(tensor.shape_dynamism());
    if (const pte::ExtraTensorInfo* extra = tensor.extra_tensor_info()) {
      if (auto error = read_extra(*extra, &out)) return error;
    }
    if (auto error = check_tensor(out, c_.path)) return error;
    return place_tensor(tensor, out, index);
  }

  MaybeError read_extra(const pte::ExtraTensorInfo& extra, Tensor* out) {
    Scope scope(c_.path, "extra_tensor_info");
    c_.unknown.look(extra, pte::ExtraTensorInfo::VT_DEVICE_INDEX, c_.path);
    out->has_extra = true;
    out->mutable_data_segments_idx = extra.mutable_data_segments_idx();
    const auto location = static_cast<int>(extra.location());
    if (location != 0 && location != 1) {
      return c_.path.error("location",
                           fmt::format("{}; must be 0 (segment) or 1 (external)", location));
    }
    out->external = location == 1;
    out->device_type = static_cast<int8_t>(extra.device_type());
    out->device_index = extra.device_index();
    return c_.read_text("fully_qualified_name", extra.fully_qualified_name(), false,
                        &out->fully_qualified_name);
  }

  MaybeError place_tensor(const pte::Tensor& tensor, const Tensor& out, int32_t index) {
    NotedTensor raw;
    raw.place.value = index;
    if (!tensor_nbytes(out, &raw.place.nbytes))
      return c_.missing("sizes");  // check_tensor was here
    if (const pte::AllocationDetails* allocation = tensor.allocation_info()) {
      if (auto error = read_allocation(*allocation, &raw.place)) return error;
    }
    const uint32_t data = tensor.data_buffer_idx();
    if (data != 0 && !out.external) {
      if (tensor.allocation_info() != nullptr) {
        if (auto error = data_.add_mutable(c_, data, raw.place.nbytes)) return error;
        raw.mutable_index = data;
      } else {
        const auto range = data_.add_constant(c_, data, raw.place.nbytes);
        if (!range.ok()) return range.error();
        raw.constant = range.value();
        raw.is_constant = true;
      }
    }
    // The tensor's storage, and this note of where it is.
    if (!c_.budget.take(1, sizeof(NotedTensor) + sizeof(TensorPlace) + sizeof(Storage) +
                               sizeof(ConstantPool::Range)))
      return c_.exhausted();
    tensors_.push_back(raw);
    return {};
  }

  MaybeError read_allocation(const pte::AllocationDetails& allocation, TensorPlace* place) {
    Scope scope(c_.path, "allocation_info");
    c_.unknown.look(allocation, pte::AllocationDetails::VT_MEMORY_OFFSET_HIGH, c_.path);
    const std::vector<PoolSize>& pools = method_.pools;
    if (allocation.memory_id() == 0 || allocation.memory_id() > pools.size()) {
      return c_.path.error("memory_id", fmt::format("{}; must be 1..{} (arenas of the method)",
                                                    allocation.memory_id(), pools.size()));
    }
    place->mem_id = allocation.memory_id();
    place->offset =
        uint64_t{allocation.memory_offset_high()} << 32 | allocation.memory_offset_low();
    const uint64_t have = pools[place->mem_id - 1].bytes;
    uint64_t end = 0;
    if (!checked_add(place->offset, place->nbytes, &end) || end > have) {
      return c_.path.error("memory_offset_low",
                           fmt::format("offset {} and {} bytes from there; arena {} has {}",
                                       place->offset, place->nbytes, place->mem_id, have));
    }
    return {};
  }

  ReadContext& c_;
  TensorData& data_;
  Method& method_;
  std::vector<NotedTensor>& tensors_;
};

}  // namespace

MaybeError read_values(ReadContext& context, TensorData& data, const pte::ExecutionPlan& plan,
                       Method& method, std::vector<NotedTensor>* tensors) {
  return ValueReader(context, data, method, *tensors).read_values(plan);
}

MaybeError finish_tensors(const TensorData& data, const std::vector<NotedTensor>& tensors,
                          Method& method) {
  std::vector<TensorPlace> places;
  places.reserve(tensors.size());
  for (const NotedTensor& raw : tensors) {
    TensorPlace place = raw.place;
    if (raw.is_constant) {
      const ConstantPool::Place found = data.find_constant(raw.constant);
      place.data = found.piece;
      place.data_offset = found.offset;
    } else if (raw.mutable_index != 0) {
      place.data = data.find_mutable(raw.mutable_index);
    }
    places.push_back(place);
  }
  return form_storages(places, method);
}

}  // namespace berth::program
