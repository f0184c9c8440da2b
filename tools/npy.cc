#include "tools/npy.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "contract/checked.h"

namespace berth::tools {
namespace {

constexpr char kMagic[] = "\x93NUMPY";
constexpr size_t kMagicBytes = 6;

// The header is a Python dict literal with three known keys; this reads exactly that, and no other
// Python.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  bool accept(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool read_string(std::string* out) {
    skip_spaces();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return false;
    const size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return false;
    *out = std::string(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return true;
  }
  bool read_bool(bool* out) {
    skip_spaces();
    if (text_.substr(at_, 4) == "True") {
      *out = true;
      at_ += 4;
      return true;
    }
    if (text_.substr(at_, 5) == "False") {
      *out = false;
      at_ += 5;
      return true;
    }
    return false;
  }
  // (), (3,), (3, 4)
  bool read_shape(std::vector<uint64_t>* out) {
    if (!accept('(')) return false;
    out->clear();
    while (!accept(')')) {
      uint64_t number = 0;
      if (!read_number(&number)) return false;
      out->push_back(number);
      if (!accept(',')) return accept(')');
    }
    return true;
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool read_number(uint64_t* out) {
    skip_spaces();
    const size_t begin = at_;
    uint64_t number = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (!checked_mul(number, 10, &number)) return false;
      if (!checked_add(number, static_cast<uint64_t>(text_[at_] - '0'), &number)) return false;
    }
    *out = number;
    return at_ > begin;
  }

  std::string_view text_;
  size_t at_ = 0;
};

struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<uint64_t> shape;
};

Result<Header> parse_header(std::string_view text) {
  HeaderReader reader(text);
  Header header;
  bool has_descr = false, has_order = false, has_shape = false;
  if (!reader.accept('{')) return Error{"header", "is no dict; NumPy 1.0 to 3.0 files are read"};
  while (!reader.accept('}')) {
    std::string key;
    if (!reader.read_string(&key) || !reader.accept(':'))
      return Error{"header", "is cut or damaged"};
    if (key == "descr") {
      has_descr = reader.read_string(&header.descr);
      if (!has_descr) return Error{"descr", "is no plain type; records are not read"};
    } else if (key == "fortran_order") {
      has_order = reader.read_bool(&header.fortran);
      if (!has_order) return Error{"fortran_order", "is neither True nor False"};
    } else if (key == "shape") {
      has_shape = reader.read_shape(&header.shape);
      if (!has_shape) return Error{"shape", "is no list of sizes"};
    } else {
      return Error{"header", "has the unknown key \"" + key + "\""};
    }
    if (!reader.accept(',') && !reader.accept('}')) return Error{"header", "is cut or damaged"};
    if (has_descr && has_order && has_shape) break;
  }
  if (!has_descr || !has_order || !has_shape) {
    return Error{"header", "lacks descr, fortran_order or shape"};
  }
  return header;
}

// "<f4" is ('<', "f4", 4).
bool split_descr(const std::string& descr, char* order, std::string* type, uint64_t* bytes) {
  if (descr.size() < 3 || descr.size() > 4 || std::strchr("<>|=", descr[0]) == nullptr)
    return false;
  if (std::strchr("biufcV", descr[1]) == nullptr) return false;
  uint64_t count = 0;
  for (size_t i = 2; i < descr.size(); ++i) {
    if (descr[i] < '0' || descr[i] > '9') return false;
    count = count * 10 + static_cast<uint64_t>(descr[i] - '0');
  }
  if (count == 0 || count > 16 || (count & (count - 1)) != 0) return false;
  *order = descr[0];
  *type = descr.substr(1);
  *bytes = count;
  return true;
}

// Steps in elements of each axis when memory runs through `order` (outermost to innermost).
std::vector<size_t> steps_of(const std::vector<int32_t>& sizes, const std::vector<uint8_t>& order) {
  std::vector<size_t> steps(sizes.size());
  size_t step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    steps[order[i]] = step;
    step *= static_cast<size_t>(sizes[order[i]]);
  }
  return steps;
}

// Copies elements laid out by `from` to where `to` lays them out.
Bytes reorder(const Bytes& data, const std::vector<int32_t>& sizes, const std::vector<size_t>& from,
              const std::vector<size_t>& to, uint32_t element_bytes) {
  Bytes out(data.size());
  std::vector<int32_t> index(sizes.size(), 0);
  const size_t count = element_bytes == 0 ? 0 : data.size() / element_bytes;
  size_t source = 0, target = 0;
  for (size_t n = 0; n < count; ++n) {
    std::memcpy(out.data() + target * element_bytes, data.data() + source * element_bytes,
                element_bytes);
    for (size_t axis = sizes.size(); axis-- > 0;) {
      source += from[axis];
      target += to[axis];
      if (++index[axis] < sizes[axis]) break;
      source -= from[axis] * static_cast<size_t>(sizes[axis]);
      target -= to[axis] * static_cast<size_t>(sizes[axis]);
      index[axis] = 0;
    }
  }
  return out;
}

std::vector<uint8_t> c_order(size_t rank) {
  std::vector<uint8_t> order(rank);
  std::iota(order.begin(), order.end(), uint8_t{0});
  return order;
}

}  // namespace

std::string npy_type(ScalarType type) {
  switch (type) {
    case ScalarType::kByte:
    case ScalarType::kQUInt8:
      return "u1";
    case ScalarType::kChar:
    case ScalarType::kQInt8:
      return "i1";
    case ScalarType::kShort:
      return "i2";
    case ScalarType::kInt:
    case ScalarType::kQInt32:
      return "i4";
    case ScalarType::kLong:
      return "i8";
    case ScalarType::kHalf:
      return "f2";
    case ScalarType::kFloat:
      return "f4";
    case ScalarType::kDouble:
      return "f8";
    case ScalarType::kComplexFloat:
      return "c8";
    case ScalarType::kComplexDouble:
      return "c16";
    case ScalarType::kBool:
      return "b1";
    case ScalarType::kUInt16:
      return "u2";
    case ScalarType::kUInt32:
      return "u4";
    case ScalarType::kUInt64:
      return "u8";
    default:
      return "V" + std::to_string(element_size(type));
  }
}

Result<NpyArray> read_npy(const Bytes& file) {
  const auto byte = [&](size_t i) { return std::to_integer<uint32_t>(file[i]); };
  if (file.size() < kMagicBytes + 4 || std::memcmp(file.data(), kMagic, kMagicBytes) != 0) {
    return Error{"magic", "is no .npy file: it does not begin with \\x93NUMPY"};
  }
  const uint32_t version = byte(6);
  if (version < 1 || version > 3) {
    return Error{"version", "is " + std::to_string(version) + "; 1 to 3 are read"};
  }
  const size_t length_bytes = version == 1 ? 2 : 4;
  const size_t header_begin = 8 + length_bytes;
  if (file.size() < header_begin) return Error{"header length", "is cut"};
  uint64_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) length |= uint64_t{byte(8 + i)} << (8 * i);
  if (length > file.size() - header_begin)
    return Error{"header length", "points past the end of the file"};
  const size_t data_begin = header_begin + static_cast<size_t>(length);
  Result<Header> header =
      parse_header(as_text(file).substr(header_begin, static_cast<size_t>(length)));
  if (!header.ok()) return header.error();

  char order = '<';
  NpyArray array;
  uint64_t element_bytes = 0;
  if (!split_descr(header.value().descr, &order, &array.type, &element_bytes)) {
    return Error{"descr", "\"" + header.value().descr +
                              "\" is not read; write a plain number type, such as <f4"};
  }
  array.shape = header.value().shape;
  uint64_t bytes = element_bytes;
  bool fits = array.shape.size() <= 64;
  for (uint64_t size : array.shape)
    fits = fits && size <= INT32_MAX && checked_mul(bytes, size, &bytes);
  if (!fits) return Error{"shape", "is too large"};
  if (bytes != file.size() - data_begin) {
    return Error{"data", "has " + std::to_string(file.size() - data_begin) +
                             " bytes; the shape asks for " + std::to_string(bytes)};
  }
  array.data.assign(file.begin() + static_cast<std::ptrdiff_t>(data_begin), file.end());
  if (order == '>') {
    const auto part = static_cast<size_t>(array.type[0] == 'c' ? element_bytes / 2 : element_bytes);
    for (size_t i = 0; i < array.data.size(); i += part) {
      std::reverse(array.data.begin() + static_cast<std::ptrdiff_t>(i),
                   array.data.begin() + static_cast<std::ptrdiff_t>(i + part));
    }
  }
  if (header.value().fortran && bytes > 0) {
    const std::vector<int32_t> sizes(array.shape.begin(), array.shape.end());
    std::vector<uint8_t> reversed = c_order(sizes.size());
    std::reverse(reversed.begin(), reversed.end());
    array.data = to_c_order(array.data, sizes, reversed, static_cast<uint32_t>(element_bytes));
  }
  return array;
}

Bytes write_npy(const NpyArray& array) {
  const bool one_byte = array.type.substr(1) == "1" || array.type[0] == 'V';
  std::string text = std::string("{'descr': '") + (one_byte ? "|" : "<") + array.type +
                     "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < array.shape.size(); ++i) {
    text += std::to_string(array.shape[i]) + (array.shape.size() == 1      ? ","
                                              : i + 1 < array.shape.size() ? ", "
                                                                           : "");
  }
  text += "), }";
  // The elements begin at a multiple of 64 bytes, and the header ends with a newline.
  while ((kMagicBytes + 4 + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string head(kMagic, kMagicBytes);
  head += std::string("\x01\x00", 2);
  head += static_cast<char>(text.size() & 0xff);
  head += static_cast<char>(text.size() >> 8);
  Bytes file = as_bytes(head + text);
  file.insert(file.end(), array.data.begin(), array.data.end());
  return file;
}

Bytes to_c_order(const Bytes& data, const std::vector<int32_t>& sizes,
                 const std::vector<uint8_t>& dim_order, uint32_t element_bytes) {
  if (dim_order == c_order(sizes.size())) return data;
  return reorder(data, sizes, steps_of(sizes, dim_order), steps_of(sizes, c_order(sizes.size())),
                 element_bytes);
}

Bytes from_c_order(const Bytes& data, const std::vector<int32_t>& sizes,
                   const std::vector<uint8_t>& dim_order, uint32_t element_bytes) {
  if (dim_order == c_order(sizes.size())) return data;
  return reorder(data, sizes, steps_of(sizes, c_order(sizes.size())), steps_of(sizes, dim_order),
                 element_bytes);
}

}  // namespace berth::tools
