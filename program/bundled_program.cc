#include "program/bundled_program.h"

#include <fmt/format.h>

#include <utility>

#include "format/bundled_program_generated.h"
#include "program/container.h"
#include "program/field_path.h"
#include "program/validate_program.h"

namespace berth::program {
namespace {

namespace fb = flatbuffers;
namespace bundled = format::bundled;
using Scope = FieldPath::Scope;

class BundleReader {
 public:
  explicit BundleReader(std::span<const std::byte> file) : file_(file), budget_(file.size()) {}

  Result<BundledProgram> read() {
    if (!is_bundled_program(file_)) return Error{"file identifier", "this is no .bpte file"};
    if (file_.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) {
      return Error{"file size",
                   fmt::format("{} bytes; a FlatBuffer has less than 2 GiB", file_.size())};
    }
    const AlignedBytes bytes(file_);
    fb::Verifier verifier(bytes.data(), bytes.size(), verifier_options(bytes.size()));
    if (!bundled::VerifyBundledProgramBuffer(verifier)) {
      return Error{"bundled program",
                   fmt::format("its {} bytes are no sound FlatBuffer: an offset, a length or a "
                               "string in them is damaged",
                               file_.size())};
    }
    const bundled::BundledProgram& wire = *bundled::GetBundledProgram(bytes.data());
    BundledProgram out;
    if (wire.program() == nullptr) return path_.error("program", "missing");
    if (auto error = read_bytes("program", *wire.program(), &out.program)) return *error;
    if (wire.method_test_suites() == nullptr) return out;
    for (uint32_t i = 0; i < wire.method_test_suites()->size(); ++i) {
      const Scope scope(path_, "method_test_suites", i);
      BundledSuite suite;
      if (auto error = read_suite(*wire.method_test_suites()->Get(i), &suite)) return *error;
      out.suites.push_back(std::move(suite));
    }
    return out;
  }

 private:
  // Every thing that is made is paid for, since tables may share their bytes.
  MaybeError pay(uint64_t bytes) {
    if (budget_.take(bytes)) return {};
    return Budget::exhausted(path_);
  }

  MaybeError read_bytes(const char* field, const fb::Vector<uint8_t>& from, Bytes* to) {
    const Scope scope(path_, field);
    if (auto error = pay(from.size())) return error;
    const auto* begin = reinterpret_cast<const std::byte*>(from.data());
    to->assign(begin, begin + from.size());
    return {};
  }

  MaybeError read_suite(const bundled::BundledMethodTestSuite& wire, BundledSuite* out) {
    if (wire.method_name() == nullptr) return path_.error("method_name", "missing");
    if (auto error = pay(wire.method_name()->size() + sizeof(BundledSuite))) return error;
    out->method = wire.method_name()->str();
    if (wire.test_cases() == nullptr) return {};
    for (uint32_t i = 0; i < wire.test_cases()->size(); ++i) {
      const Scope scope(path_, "test_cases", i);
      if (auto error = pay(sizeof(BundledCase))) return error;
      const bundled::BundledMethodTestCase& test = *wire.test_cases()->Get(i);
      BundledCase& to = out->cases.emplace_back();
      if (auto error = read_values("inputs", test.inputs(), &to.inputs)) return error;
      if (auto error =
              read_values("expected_outputs", test.expected_outputs(), &to.expected_outputs)) {
        return error;
      }
    }
    return {};
  }

  MaybeError read_values(const char* field, const fb::Vector<fb::Offset<bundled::Value>>* wire,
                         std::vector<BundledValue>* out) {
    if (wire == nullptr) return {};
    for (uint32_t i = 0; i < wire->size(); ++i) {
      const Scope scope(path_, field, i);
      if (auto error = pay(sizeof(BundledValue))) return error;
      const bundled::Value& value = *wire->Get(i);
      if (value.val() == nullptr) return path_.error("val", "missing");
      switch (value.val_type()) {
        case bundled::ValueUnion::Int:
          out->emplace_back(value.val_as_Int()->int_val());
          break;
        case bundled::ValueUnion::Bool:
          out->emplace_back(value.val_as_Bool()->bool_val());
          break;
        case bundled::ValueUnion::Double:
          out->emplace_back(value.val_as_Double()->double_val());
          break;
        case bundled::ValueUnion::Tensor: {
          BundledTensor tensor;
          if (auto error = read_tensor(*value.val_as_Tensor(), &tensor)) return error;
          out->emplace_back(std::move(tensor));
          break;
        }
        default:
          return path_.error("val_type", fmt::format("{}; 1 to 4 (tensor, int, bool, double) are "
                                                     "known",
                                                     static_cast<int>(value.val_type())));
      }
    }
    return {};
  }

  MaybeError read_tensor(const bundled::Tensor& wire, BundledTensor* out) {
    Tensor tensor;
    tensor.dtype = static_cast<ScalarType>(wire.scalar_type());
    if (wire.sizes() != nullptr) {
      if (auto error = pay(wire.sizes()->size() * sizeof(int32_t))) return error;
      tensor.sizes.assign(wire.sizes()->begin(), wire.sizes()->end());
    }
    if (wire.dim_order() != nullptr) {
      if (auto error = pay(wire.dim_order()->size())) return error;
      tensor.dim_order.assign(wire.dim_order()->begin(), wire.dim_order()->end());
    }
    if (auto error = check_tensor(tensor, path_)) return error;
    const uint64_t data_size = wire.data() == nullptr ? 0 : wire.data()->size();
    uint64_t nbytes = 0;
    if (!tensor_nbytes(tensor, &nbytes) || data_size != nbytes) {
      return path_.error("data", fmt::format("{} bytes; the tensor has {}", data_size, nbytes));
    }
    out->dtype = tensor.dtype;
    out->sizes = std::move(tensor.sizes);
    out->dim_order = std::move(tensor.dim_order);
    return wire.data() == nullptr ? MaybeError() : read_bytes("data", *wire.data(), &out->data);
  }

  std::span<const std::byte> file_;
  Budget budget_;
  FieldPath path_;
};

}  // namespace

bool is_bundled_program(std::span<const std::byte> file) {
  return file.size() >= 8 &&
         fb::BufferHasIdentifier(file.data(), bundled::BundledProgramIdentifier());
}

Result<BundledProgram> read_bundled_program(std::span<const std::byte> file) {
  return BundleReader(file).read();
}

}  // namespace berth::program
