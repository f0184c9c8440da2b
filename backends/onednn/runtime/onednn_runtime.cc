#include "backends/onednn/runtime/onednn_runtime.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/onednn/shared/onednn_primitive.h"

namespace berth::onednn {
namespace {

using dnnl::memory;
using runtime::DelegateArgs;
using runtime::DelegatePart;
using runtime::Span;

// One entry of the delegate table: the primitive, and what each call hands it.
class Handle {
 public:
  static Status make(runtime::InitContext& context, std::unique_ptr<Handle>* out) {
    auto handle = std::make_unique<Handle>();
    const Span<const uint8_t> blob = context.processed();
    const auto refuse_blob = [&](Status status) {
      return context.refuse(status, DelegatePart::kBlob, 0, 0, 0);
    };
    if (!read_op(reinterpret_cast<const std::byte*>(blob.data()), blob.size(), &handle->op_))
      return refuse_blob(Status::kBadValue);
    if (!use_isa(handle->op_.isa)) return refuse_blob(Status::kUnsupported);
    const ThreadCount threads(handle->op_.threads);
    const std::unique_ptr<Primitive> primitive = make_primitive(handle->op_);
    if (!primitive) return refuse_blob(Status::kUnsupported);
    const Status status = handle->take(*primitive, context);
    if (status == Status::kOk) *out = std::move(handle);
    return status;
  }

  Status execute(runtime::ExecuteContext& context, const DelegateArgs& given) {
    DelegateArgs args = given;
    BERTH_TRY(given.expect(op_.inputs, 1, scratch_bytes_ != 0 ? 1 : 0, &args));
    for (size_t i = 0; i < sources_.size(); ++i) {
      BERTH_TRY(set(args.value(static_cast<uint32_t>(sources_[i])), &arguments_[i]));
    }
    if (scratch_bytes_ != 0) {
      Span<uint8_t> scratch;
      BERTH_TRY(find_work(context, args, op_.shares != 0, scratch_index(), scratch_bytes_,
                          kAlignment, &scratch));
      if (!set_data(scratch.data(), &arguments_[sources_.size()])) return Status::kBackendFailed;
    }
    const ThreadCount threads(op_.threads);
    const auto count = static_cast<int>(arguments_.size());
    if (context.tracer != nullptr) context.tracer->step_begins();
    if (dnnl_primitive_execute(primitive_.get(), stream_.get(), count, arguments_.data()) !=
            dnnl_success ||
        dnnl_stream_wait(stream_.get()) != dnnl_success) {
      return Status::kBackendFailed;
    }
    if (context.tracer != nullptr) context.tracer->step_ends(name_.c_str());
    return Status::kOk;
  }

 private:
  // Arguments whose memory changes with each call come first: inputs and the output, then the
  // call's scratchpad.
  Status take(const Primitive& primitive, runtime::InitContext& context) {
    const auto add = [&](int what, const memory::desc& desc, void* data) {
      memories_.emplace_back(desc, cpu_engine(), data);
      arguments_.push_back({what, memories_.back().get()});
    };
    const auto add_call = [&](int what, const View& view, int32_t argument) {
      add(what, desc_of(view), nullptr);
      sources_.push_back(argument);
      bytes_.push_back(4 * view.count());
    };
    primitive_ = dnnl::primitive(primitive.desc.get());
    name_ = primitive.name;
    stream_ = dnnl::stream(cpu_engine());
    scratch_bytes_ = primitive.scratch_bytes;
    const auto kind = static_cast<Kind>(op_.kind);
    add_call(DNNL_ARG_SRC, op_.src, op_.src_input);
    if (kind == Kind::kBinary) add_call(DNNL_ARG_SRC_1, op_.other, op_.other_input);
    if (kind == Kind::kMatmul) add_call(DNNL_ARG_WEIGHTS, op_.other, op_.other_input);
    for (size_t i = 0; i < op_.posts.size(); ++i) {
      if (op_.posts[i].input < 0) continue;
      add_call(DNNL_ARG_ATTR_MULTIPLE_POST_OP(static_cast<int>(i)) | DNNL_ARG_SRC_1, op_.dst,
               op_.posts[i].input);
    }
    add_call(DNNL_ARG_DST, op_.dst, static_cast<int32_t>(op_.inputs));
    return take_memory(primitive, context, add);
  }

  // Of persistent memory, where the scratchpad lies there: behind the weights.
  uint32_t scratch_index() const { return op_.shares != 0 && op_.weights_bytes != 0 ? 1 : 0; }

  template <typename Add>
  Status take_memory(const Primitive& primitive, runtime::InitContext& context, Add add) {
    // The file's own numbers first: they say what is wrong with the machine rather than the call.
    if (scratch_bytes_ > op_.scratch_bytes) {
      const DelegatePart part =
          op_.shares != 0 ? DelegatePart::kPersistent : DelegatePart::kScratch;
      return context.refuse(Status::kScratchTooSmall, part, scratch_index(), scratch_bytes_,
                            op_.scratch_bytes);
    }
    if (op_.shares != 0) BERTH_TRY(context.check_persistent(scratch_index(), scratch_bytes_));
    if (scratch_bytes_ != 0)
      add(DNNL_ARG_SCRATCHPAD, primitive.desc.query_md(dnnl::query::scratchpad_md), nullptr);
    auto* blob = const_cast<uint8_t*>(context.processed().data());
    if (op_.bias_at != 0) add(DNNL_ARG_BIAS, bias_desc(op_), blob + op_.bias_at);
    if (op_.kind != static_cast<uint32_t>(Kind::kConvolution)) return Status::kOk;
    if (!primitive.reorders_weights) {
      add(DNNL_ARG_WEIGHTS, primitive.weights, blob + op_.weights_at);
      return Status::kOk;
    }
    BERTH_TRY(context.check_persistent(0, primitive.weights.get_size()));
    const Span<uint8_t> weights = context.persistent(0);
    add(DNNL_ARG_WEIGHTS, primitive.weights, weights.data());
    memory plain(desc_of(op_.weights), cpu_engine(), blob + op_.weights_at);
    dnnl::reorder(plain, memories_.back()).execute(stream_, plain, memories_.back());
    stream_.wait();
    return Status::kOk;
  }

  Status set(const runtime::EValue& value, dnnl_exec_arg_t* argument) const {
    if (value.tag != runtime::Tag::kTensor) return Status::kBadArguments;
    const runtime::Tensor& tensor = *value.tensor;
    const auto i = static_cast<size_t>(argument - arguments_.data());
    if (tensor.dtype != ScalarType::kFloat || tensor.nbytes() != bytes_[i])
      return Status::kBadShape;
    return set_data(tensor.data, argument) ? Status::kOk : Status::kBackendFailed;
  }
  static bool set_data(void* data, dnnl_exec_arg_t* argument) {
    return dnnl_memory_set_data_handle(argument->memory, data) == dnnl_success;
  }

  Op op_;
  dnnl::primitive primitive_;
  std::string name_;  // of its implementation, for traces
  dnnl::stream stream_;
  std::vector<memory> memories_;
  std::vector<dnnl_exec_arg_t> arguments_;
  std::vector<int32_t> sources_;  // which of the call's arguments, for the first of `arguments_`
  std::vector<uint64_t> bytes_;   // of each
  uint64_t scratch_bytes_ = 0;
};

// What the library throws stays here.
Status init(runtime::InitContext& context, runtime::BackendHandle* out) {
  try {
    std::unique_ptr<Handle> handle;
    const Status status = Handle::make(context, &handle);
    *out = handle.release();
    return status;
  } catch (const std::exception&) {
    return Status::kBackendFailed;
  }
}

Status execute(runtime::ExecuteContext& context, runtime::BackendHandle handle,
               const DelegateArgs& args) {
  return static_cast<Handle*>(handle)->execute(context, args);
}

void destroy(runtime::BackendHandle handle) { delete static_cast<Handle*>(handle); }

}  // namespace

const runtime::Backend& runtime_backend() {
  static constexpr runtime::Backend kBackend = {kBackendId, init, execute, destroy};
  return kBackend;
}

}  // namespace berth::onednn
