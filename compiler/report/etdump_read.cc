#include <fmt/format.h>

#include <utility>

#include "compiler/report/etdump.h"
#include "format/etdump_generated.h"
#include "program/container.h"
#include "program/field_path.h"

namespace berth::report {
namespace {

namespace fb = flatbuffers;
namespace wire = format::etdump;
using program::Budget;
using Scope = program::FieldPath::Scope;

// The size, an offset, the identifier.
constexpr size_t kSmallest = 12;

class EtdumpReader {
 public:
  explicit EtdumpReader(std::span<const std::byte> file) : file_(file), budget_(file.size()) {}

  Result<Etdump> read() {
    if (!is_etdump(file_)) return Error{"file identifier", "this is no ETDump file"};
    if (file_.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) {
      return Error{"file size",
                   fmt::format("{} bytes; a FlatBuffer has less than 2 GiB", file_.size())};
    }
    const program::AlignedBytes bytes(file_);
    const uint64_t said = fb::GetPrefixedSize(bytes.data());
    if (said != file_.size() - sizeof(uint32_t)) {
      return Error{"size prefix",
                   fmt::format("{}; {} bytes follow it", said, file_.size() - sizeof(uint32_t))};
    }
    fb::Verifier verifier(bytes.data(), bytes.size(), program::verifier_options(bytes.size()));
    if (!wire::VerifySizePrefixedETDumpBuffer(verifier)) {
      return Error{"ETDump", fmt::format("its {} bytes are no sound FlatBuffer: an offset, a "
                                         "length or a string in them is damaged",
                                         file_.size())};
    }
    const wire::ETDump& dump = *wire::GetSizePrefixedETDump(bytes.data());
    if (dump.version() != 0) {
      return Error{"version", fmt::format("{}; version 0 is known", dump.version())};
    }
    if (dump.run_data() == nullptr) return path_.error("run_data", "missing");
    Etdump out;
    for (uint32_t i = 0; i < dump.run_data()->size(); ++i) {
      const Scope scope(path_, "run_data", i);
      if (auto error = read_run(*dump.run_data()->Get(i), &out)) return *error;
    }
    return out;
  }

 private:
  // Every thing that is made is paid for, since tables may share their bytes.
  MaybeError pay(uint64_t bytes) {
    if (budget_.take(bytes)) return {};
    return Budget::exhausted(path_);
  }

  MaybeError read_run(const wire::RunData& run, Etdump* dump) {
    if (auto error = pay(sizeof(TraceRun))) return error;
    TraceRun& out = dump->runs.emplace_back();
    if (run.name() == nullptr) return path_.error("name", "missing");
    if (auto error = read_text(run.name(), &out.name)) return error;
    out.bundled_input_index = run.bundled_input_index();
    if (run.events() == nullptr) return {};
    for (uint32_t i = 0; i < run.events()->size(); ++i) {
      const Scope scope(path_, "events", i);
      if (auto error = read_event(*run.events()->Get(i), &out)) return error;
    }
    return {};
  }

  MaybeError read_event(const wire::Event& event, TraceRun* run) {
    if (auto error = pay(sizeof(run->events[0]))) return error;
    const int kinds = (event.profile_event() != nullptr ? 1 : 0) +
                      (event.allocation_event() != nullptr ? 1 : 0) +
                      (event.debug_event() != nullptr ? 1 : 0);
    if (kinds != 1) {
      return path_.error("", fmt::format("tells {} things; an event tells one", kinds));
    }
    if (event.profile_event() != nullptr) {
      const Scope scope(path_, "profile_event");
      return read_profile(*event.profile_event(), run);
    }
    if (event.debug_event() != nullptr) {
      const Scope scope(path_, "debug_event");
      return read_debug(*event.debug_event(), run);
    }
    return {};
  }

  MaybeError read_profile(const wire::ProfileEvent& event, TraceRun* run) {
    ProfileEvent out;
    if (event.chain_index() < -1) {
      return path_.error("chain_index", fmt::format("{}; -1 stands for none", event.chain_index()));
    }
    out.place.chain = event.chain_index();
    if (auto error = read_place(event, &out.place)) return error;
    if (auto error = read_text(event.name(), &out.name)) return error;
    out.start = event.start_time();
    out.end = event.end_time();
    run->events.emplace_back(std::move(out));
    return {};
  }

  MaybeError read_debug(const wire::DebugEvent& event, TraceRun* run) {
    DebugEvent out;
    const uint64_t chain = event.chain_index();
    if (chain != UINT64_MAX && chain > INT32_MAX) {
      return path_.error("chain_index", fmt::format("{}; {} stands for none", chain, UINT64_MAX));
    }
    out.place.chain = chain == UINT64_MAX ? -1 : static_cast<int32_t>(chain);
    if (auto error = read_place(event, &out.place)) return error;
    if (auto error = read_text(event.name(), &out.name)) return error;
    if (event.debug_entry() == nullptr) return path_.error("debug_entry", "missing");
    const Scope scope(path_, "debug_entry");
    const wire::Value& value = *event.debug_entry();
    if (auto error = read_value(value, &out.value)) return error;
    out.is_output = value.output() != nullptr && value.output()->bool_val();
    run->events.emplace_back(std::move(out));
    return {};
  }

  template <typename Event>
  MaybeError read_place(const Event& event, EventPlace* out) {
    if (event.instruction_id() < -1) {
      return path_.error("instruction_id",
                         fmt::format("{}; -1 stands for none", event.instruction_id()));
    }
    out->instruction = event.instruction_id();
    out->delegate_number = event.delegate_debug_id_int();
    return read_text(event.delegate_debug_id_str(), &out->delegate_name);
  }

  MaybeError read_text(const fb::String* text, std::string* out) {
    if (text == nullptr) return {};
    if (auto error = pay(text->size())) return error;
    *out = text->str();
    return {};
  }

  MaybeError read_value(const wire::Value& value, TracedValue* out) {
    using wire::ValueType;
    const auto missing = [&](const char* field) { return path_.error(field, "missing"); };
    switch (value.val()) {
      case ValueType::Null:
      case ValueType::String:  // which has no field
        return {};
      case ValueType::Int:
        if (value.int_value() == nullptr) return missing("int_value");
        *out = value.int_value()->int_val();
        return {};
      case ValueType::Bool:
        if (value.bool_value() == nullptr) return missing("bool_value");
        *out = value.bool_value()->bool_val();
        return {};
      case ValueType::Float:
        if (value.float_value() == nullptr) return missing("float_value");
        *out = value.float_value()->float_val();
        return {};
      case ValueType::Double:
        if (value.double_value() == nullptr) return missing("double_value");
        *out = value.double_value()->double_val();
        return {};
      case ValueType::Tensor: {
        if (value.tensor() == nullptr) return missing("tensor");
        const Scope scope(path_, "tensor");
        return read_tensor(*value.tensor(), &out->emplace<TracedTensor>());
      }
      case ValueType::TensorList: {
        const wire::TensorList* list = value.tensor_list();
        if (list == nullptr) return missing("tensor_list");
        auto& tensors = out->emplace<std::vector<TracedTensor>>();
        const Scope scope(path_, "tensor_list");
        for (uint32_t i = 0; list->tensors() != nullptr && i < list->tensors()->size(); ++i) {
          const Scope entry(path_, "tensors", i);
          if (auto error = read_tensor(*list->tensors()->Get(i), &tensors.emplace_back())) {
            return error;
          }
        }
        return {};
      }
    }
    return path_.error("val", fmt::format("{}; 0 to 7 are known", static_cast<int>(value.val())));
  }

  MaybeError read_tensor(const wire::Tensor& tensor, TracedTensor* out) {
    if (auto error = pay(sizeof(TracedTensor))) return error;
    if (!is_scalar_type(tensor.scalar_type())) {
      return path_.error("scalar_type", fmt::format("{}; types are 0 to {}", tensor.scalar_type(),
                                                    kScalarTypeCount - 1));
    }
    out->dtype = static_cast<ScalarType>(tensor.scalar_type());
    if (tensor.sizes() == nullptr) return path_.error("sizes", "missing");
    if (tensor.strides() == nullptr) return path_.error("strides", "missing");
    if (tensor.sizes()->size() != tensor.strides()->size()) {
      return path_.error("strides", fmt::format("{} of them for {} sizes", tensor.strides()->size(),
                                                tensor.sizes()->size()));
    }
    if (auto error = pay(2 * sizeof(int64_t) * uint64_t{tensor.sizes()->size()})) return error;
    out->sizes = numbers(*tensor.sizes());
    out->strides = numbers(*tensor.strides());
    out->offset = tensor.offset();
    return {};
  }

  // Copied as bytes: a stranger's numbers may lie where this machine reads none.
  static std::vector<int64_t> numbers(const fb::Vector<int64_t>& list) {
    std::vector<int64_t> out(list.size());
    if (!out.empty()) std::memcpy(out.data(), list.Data(), out.size() * sizeof(int64_t));
    return out;
  }

  std::span<const std::byte> file_;
  Budget budget_;
  program::FieldPath path_;
};

}  // namespace

bool is_etdump(std::span<const std::byte> file) {
  return file.size() >= kSmallest &&
         fb::BufferHasIdentifier(file.data(), wire::ETDumpIdentifier(), true);
}

Result<Etdump> read_etdump(std::span<const std::byte> file) { return EtdumpReader(file).read(); }

}  // namespace berth::report
