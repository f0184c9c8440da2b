#include "tools/tensor_files.h"

#include "contract/checked.h"
#include "tools/npy.h"

namespace berth::tools {
namespace {

std::string sizes_text(const std::vector<int32_t>& sizes) {
  std::string text;
  for (int32_t size : sizes) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

Result<Bytes> read_npy_tensor(const Bytes& file, const TensorSpec& spec) {
  Result<NpyArray> array = read_npy(file);
  if (!array.ok()) return array.error();
  const std::string want = npy_type(spec.dtype);
  const bool same_raw = array.value().type.substr(1) == want.substr(1) &&
                        (want[0] == 'V' || array.value().type[0] == 'V');
  if (array.value().type != want && !same_raw) {
    return Error{"descr",
                 "has elements of type " + array.value().type + "; " + want + " is wanted"};
  }
  const std::vector<int32_t> shape(array.value().shape.begin(), array.value().shape.end());
  if (shape != spec.sizes) {
    return Error{"shape", "is " + sizes_text(shape) + "; " + sizes_text(spec.sizes) + " is wanted"};
  }
  return from_c_order(array.value().data, spec.sizes, spec.dim_order, element_size(spec.dtype));
}

Error in_file(const std::string& path, Error error) {
  error.place = error.place.empty() ? path : path + ": " + error.place;
  return error;
}

}  // namespace

uint64_t TensorSpec::bytes() const {
  uint64_t bytes = element_size(dtype);
  bool fits = true;
  for (int32_t size : sizes) {
    if (size == 0) return 0;
    fits = fits && checked_mul(bytes, static_cast<uint64_t>(size), &bytes);
  }
  return fits ? bytes : UINT64_MAX;
}

std::string counted(size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string spec_text(const TensorSpec& spec) {
  return std::string(scalar_type_name(spec.dtype)) + "[" + sizes_text(spec.sizes) + "]";
}

Result<std::vector<Bytes>> read_tensors(const std::vector<std::string>& paths,
                                        const std::vector<TensorSpec>& specs,
                                        const std::string& what) {
  std::vector<Bytes> tensors;
  if (paths.size() == 1 && specs.size() > 1 && !ends_with(paths[0], ".npy")) {
    Result<Bytes> file = read_file(paths[0]);
    if (!file.ok()) return in_file(paths[0], file.error());
    uint64_t total = 0;
    bool fits = true;
    for (const TensorSpec& spec : specs) fits = fits && checked_add(total, spec.bytes(), &total);
    if (!fits) total = UINT64_MAX;  // as of one tensor of that many
    if (file.value().size() != total) {
      return Error{paths[0], "has " + std::to_string(file.value().size()) + " bytes; all " +
                                 counted(specs.size(), what) + " together have " +
                                 std::to_string(total)};
    }
    auto at = file.value().begin();
    for (const TensorSpec& spec : specs) {
      const auto end = at + static_cast<std::ptrdiff_t>(spec.bytes());
      tensors.emplace_back(at, end);
      at = end;
    }
    return tensors;
  }
  if (paths.size() != specs.size()) {
    return Error{"", counted(paths.size(), what + " file") + " given; the method has " +
                         counted(specs.size(), what)};
  }
  for (size_t i = 0; i < paths.size(); ++i) {
    Result<Bytes> file = read_file(paths[i]);
    if (!file.ok()) return in_file(paths[i], file.error());
    if (ends_with(paths[i], ".npy")) {
      Result<Bytes> tensor = read_npy_tensor(file.value(), specs[i]);
      if (!tensor.ok()) return in_file(paths[i], tensor.error());
      tensors.push_back(tensor.take());
      continue;
    }
    if (file.value().size() != specs[i].bytes()) {
      return Error{paths[i], "has " + std::to_string(file.value().size()) + " bytes; " + what +
                                 " " + std::to_string(i) + " is " + spec_text(specs[i]) +
                                 ", which is " + std::to_string(specs[i].bytes())};
    }
    tensors.push_back(file.take());
  }
  return tensors;
}

MaybeError add_tensor_files(const std::vector<std::string>& paths,
                            const std::vector<TensorSpec>& specs, const std::vector<Bytes>& data,
                            OutputFiles* out) {
  if (paths.size() == 1 && specs.size() > 1 && !ends_with(paths[0], ".npy")) {
    Bytes all;
    for (const Bytes& tensor : data) all.insert(all.end(), tensor.begin(), tensor.end());
    out->add(paths[0], std::move(all));
    return std::nullopt;
  }
  if (paths.size() != specs.size()) {
    return Error{"", counted(paths.size(), "output file") + " given; the method has " +
                         counted(specs.size(), "output")};
  }
  for (size_t i = 0; i < paths.size(); ++i) {
    if (!ends_with(paths[i], ".npy")) {
      out->add(paths[i], data[i]);
      continue;
    }
    NpyArray array;
    array.type = npy_type(specs[i].dtype);
    array.shape.assign(specs[i].sizes.begin(), specs[i].sizes.end());
    array.data =
        to_c_order(data[i], specs[i].sizes, specs[i].dim_order, element_size(specs[i].dtype));
    out->add(paths[i], write_npy(array));
  }
  return std::nullopt;
}

}  // namespace berth::tools
