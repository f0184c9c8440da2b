#include "runtime/exec/method_meta.h"

#include "runtime/load/pte_kinds.h"
#include "runtime/load/tensor_shape.h"

namespace berth::runtime {

Status MethodMeta::read(const FlatVector& list, uint32_t i, const Slot& slot, ValueMeta* out,
                        LoadFaults& faults) const {
  FlatReader reader(data_, size_, faults);
  faults.item = i;
  if (i >= list.count) return faults.refuse(Status::kBadIndex, slot, list.count, i);
  const uint32_t index = static_cast<uint32_t>(reader.at<int32_t>(list, i));
  if (index >= tables_.values.count) {
    return faults.fail(Status::kBadIndex, slot, tables_.values.count, index);
  }
  faults.item = index;
  TableLayout values{kinds::kValue};
  const FlatTable value = reader.enter(tables_.values.position + 4 * index, &values);
  BERTH_TRY(reader.status());
  const uint8_t tag = reader.known<uint8_t>(value, values, kinds::kType);
  if (tag == 0 || tag > static_cast<uint8_t>(Tag::kOptionalTensorList)) {
    return faults.fail(Status::kBadValue, slots::kValueType, Tag::kOptionalTensorList, tag);
  }
  ValueMeta meta;
  meta.tag = static_cast<Tag>(tag);
  if (meta.tag == Tag::kTensor) {
    TableLayout layout{kinds::kTensor};
    const FlatTable table = reader.enter_field(value, values, kinds::kBody, &layout);
    BERTH_TRY(reader.status());
    if (!table) return faults.fail(Status::kMissingField, slots::kValue);
    Tensor tensor;
    BERTH_TRY(read_shape(reader, table, layout, &tensor));
    meta.dtype = tensor.dtype;
    meta.rank = tensor.rank;
    meta.sizes = tensor.sizes;
    meta.dim_order = tensor.dim_order;
    meta.nbytes = tensor.capacity;
    meta.dynamic = tensor.dynamic;
    const bool has_data = reader.scalar<uint32_t>(table, slots::kDataBufferIndex) != 0;
    const FlatTable extra = reader.table(table, slots::kExtraTensorInfo);
    const bool external = reader.scalar<uint8_t>(extra, slots::kLocation) != 0;
    meta.planned = has_data || external || reader.table(table, slots::kAllocationInfo);
    BERTH_TRY(reader.status());
  }
  *out = meta;
  return Status::kOk;
}

Status MethodMeta::input(uint32_t i, ValueMeta* out, LoadFault* fault) const {
  LoadFaults faults(fault);
  return faults.tell(read(tables_.inputs, i, slots::kInputs, out, faults));
}

Status MethodMeta::output(uint32_t i, ValueMeta* out, LoadFault* fault) const {
  LoadFaults faults(fault);
  return faults.tell(read(tables_.outputs, i, slots::kOutputs, out, faults));
}

}  // namespace berth::runtime
