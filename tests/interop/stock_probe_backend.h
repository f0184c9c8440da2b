// A backend in the stock runtime that says what it is given: a line per init() and destroy(), and a
// line per argument of each call with the pool it lies in. It adds its inputs (float) up into every
// output and spoils its scratch. Its blob: how many inputs, outputs and scratch buffers a call has
// (a byte each), and how many bytes of work space it needs (two bytes, low first). A call without
// scratch is of an older file: the work space then comes from the temp allocator.
//
//   @init NUMBER                     @destroy NUMBER     NUMBER counts the handles of a process
//   @call NUMBER ARGUMENT_COUNT
//   @argument NUMBER INDEX BYTES POOL OFFSET             POOL 0: in none
//   @temp NUMBER BYTES
#pragma once

#include <executorch/runtime/backend/interface.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace stock_probe {

namespace runtime = executorch::runtime;

class ProbeBackend final : public runtime::BackendInterface {
 public:
  // The pools of the job, in order, from mem_id 1 on. They outlive all calls.
  void set_pools(const std::vector<runtime::Span<uint8_t>>* pools) { pools_ = pools; }

  bool is_available() const override { return true; }

  runtime::Result<runtime::DelegateHandle*> init(
      runtime::BackendInitContext&, runtime::FreeableBuffer* processed,
      runtime::ArrayRef<runtime::CompileSpec>) const override {
    if (processed->size() != 5) return runtime::Error::DelegateInvalidCompatibility;
    auto* handle = new Handle;
    std::memcpy(handle->blob, processed->data(), 5);
    static int count = 0;
    handle->number = count++;
    std::printf("@init %d\n", handle->number);
    return handle;
  }

  runtime::Error execute(runtime::BackendExecutionContext& context, runtime::DelegateHandle* given,
                         runtime::Span<runtime::EValue*> args) const override {
    const auto& handle = *static_cast<const Handle*>(given);
    const size_t inputs = handle.blob[0], outputs = handle.blob[1], scratch = handle.blob[2];
    const size_t work_bytes = handle.blob[3] + 256u * handle.blob[4];
    std::printf("@call %d %zu\n", handle.number, args.size());
    for (size_t i = 0; i < args.size(); ++i) tell(handle.number, i, args[i]->toTensor());
    if (args.size() == inputs + outputs + scratch) {
      for (size_t i = inputs + outputs; i < args.size(); ++i) {
        std::memset(args[i]->toTensor().mutable_data_ptr(), 0xEE, args[i]->toTensor().nbytes());
      }
    } else if (args.size() == inputs + outputs) {
      void* work = context.allocate(work_bytes);
      if (work == nullptr) return runtime::Error::MemoryAllocationFailed;
      std::memset(work, 0xEE, work_bytes);
      std::printf("@temp %d %zu\n", handle.number, work_bytes);
    } else {
      return runtime::Error::InvalidArgument;
    }
    for (size_t o = inputs; o < inputs + outputs; ++o) {
      const auto& out = args[o]->toTensor();
      for (ssize_t e = 0; e < out.numel(); ++e) {
        float sum = 0;
        for (size_t i = 0; i < inputs; ++i) sum += args[i]->toTensor().const_data_ptr<float>()[e];
        out.mutable_data_ptr<float>()[e] = sum;
      }
    }
    return runtime::Error::Ok;
  }

  void destroy(runtime::DelegateHandle* given) const override {
    auto* handle = static_cast<Handle*>(given);
    std::printf("@destroy %d\n", handle->number);
    delete handle;
  }

 private:
  struct Handle {
    uint8_t blob[5];
    int number;
  };

  void tell(int number, size_t index, const executorch::aten::Tensor& tensor) const {
    const auto* data = static_cast<const uint8_t*>(tensor.const_data_ptr());
    size_t pool = 0;
    ptrdiff_t offset = 0;
    for (size_t p = 0; p < pools_->size(); ++p) {
      const uint8_t* begin = (*pools_)[p].data();
      if (data < begin || data >= begin + (*pools_)[p].size()) continue;
      pool = p + 1;
      offset = data - begin;
    }
    std::printf("@argument %d %zu %zu %zu %td\n", number, index, tensor.nbytes(), pool, offset);
  }

  const std::vector<runtime::Span<uint8_t>>* pools_ = nullptr;
};

}  // namespace stock_probe
