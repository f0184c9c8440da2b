#include <algorithm>

#include "compiler/ir/lowered_cursor.h"

namespace berth::ir {
namespace {

constexpr uint64_t kMaxExpandedBytes = uint64_t{256} << 20;

}  // namespace

LoweredCursor::LoweredCursor(std::string_view text, const Blobs& blobs)
    : Cursor(text), blobs_(blobs), may_expand_(kMaxExpandedBytes) {
  for (const auto& [name, bytes] : blobs) may_expand_ += bytes->size();
}

bool LoweredCursor::spec(TensorSpec* out) {
  const std::string_view word = word_ahead();
  int type = 0;
  while (type < kScalarTypeCount && word != scalar_type_name(static_cast<ScalarType>(type))) ++type;
  if (type == kScalarTypeCount)
    return fail_expected("an element type: i8, u8, i16, i32, i64, f32, bool, ..");
  at_ += word.size();
  out->dtype = static_cast<ScalarType>(type);
  const size_t begin = at_;
  const bool sizes_ok = bracketed('[', ']', [&] {
    out->sizes.push_back(0);
    const size_t at = (skip_space(), at_);
    if (!number(&out->sizes.back())) return false;
    return out->sizes.back() >= 0 ||
           fail_at(at, "a size is 0 or more, not " + std::to_string(out->sizes.back()));
  });
  if (!sizes_ok) return false;
  if (!out->checked_nbytes()) return fail_at(begin, "more bytes than 63 bits can count");
  out->dim_order = contiguous_order(out->sizes.size());
  skip_space();
  if (peek() != '{') return true;
  out->dim_order.clear();
  return bracketed('{', '}', [&] {
    out->dim_order.push_back(0);
    return number(&out->dim_order.back());
  });
}

bool LoweredCursor::hex(Bytes* out) {
  if (!expect("\"")) return false;
  int high = -1;
  for (; peek() != '"'; ++at_) {
    if (at_end()) return fail("hex without an end; it ends with '\"'");
    const char c = peek();
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') continue;
    const int digit = hex_digit(c);
    if (digit < 0) return fail("no hex digit" + instead());
    if (high >= 0) out->push_back(static_cast<std::byte>(high * 16 + digit));
    high = high >= 0 ? -1 : digit;
  }
  if (high >= 0) return fail("an odd number of hex digits; each byte has two");
  ++at_;
  return true;
}

bool LoweredCursor::bytes(Bytes* out) {
  if (!expect("=")) return false;
  if (accept_word("hex")) return hex(out);
  const size_t begin = (skip_space(), at_);
  if (!accept_word("blob")) return fail_expected("hex \"..\" or blob \"..\"");
  std::shared_ptr<const Bytes> found;
  if (!blob(&found) || !expand_allowed(begin, found->size())) return false;
  *out = *found;
  return true;
}

bool LoweredCursor::blob(std::shared_ptr<const Bytes>* out) {
  std::string name;
  const size_t begin = (skip_space(), at_);
  if (!string(&name)) return false;
  const auto found = blobs_.find(name);
  if (found == blobs_.end())
    return fail_at(begin, "there is no blob \"" + name + "\" with this text");
  *out = found->second;
  return true;
}

bool LoweredCursor::expand_allowed(size_t begin, uint64_t nbytes) {
  if (nbytes > may_expand_) {
    return fail_at(begin, "splat and random constants of more than " +
                              std::to_string(kMaxExpandedBytes) +
                              " bytes; what is copied from blobs counts too");
  }
  may_expand_ -= nbytes;
  return true;
}

// `"name" : 3008 align=16 pool="sram"`, the pool only when it is not the default.
bool LoweredCursor::memory(std::vector<MemorySpec>* out) {
  MemorySpec& spec = out->emplace_back();
  if (!string(&spec.name) || !expect(":") || !number(&spec.nbytes)) return false;
  if (accept_word("align") && !(expect("=") && number(&spec.alignment))) return false;
  return !accept_word("pool") || (expect("=") && string(&spec.pool));
}

bool LoweredCursor::lowered_line(LoweredModule* lowered) {
  if (word_ahead() == "backend" && !lowered->backend.empty())
    return fail("a second backend; the first is \"" + lowered->backend + "\"");
  if (accept_word("backend")) return string(&lowered->backend);
  if (accept_word("spec")) {
    CompileSpec& it = lowered->compile_specs.emplace_back();
    return string(&it.key) && bytes(&it.value);
  }
  if (accept_word("input")) return spec(&lowered->inputs.emplace_back());
  if (accept_word("output")) return spec(&lowered->outputs.emplace_back());
  if (accept_word("scratch")) return memory(&lowered->scratch);
  if (accept_word("persistent")) return memory(&lowered->persistent);
  if (accept_word("inside")) {
    Inside& it = lowered->inside.emplace_back();
    return number(&it.argument) && expect("->") && number(&it.scratch) && expect("+") &&
           number(&it.offset);
  }
  if (accept_word("data")) {
    NamedBlob& it = lowered->named_data.emplace_back();
    if (!string(&it.key)) return false;
    if (accept_word("align") && !(expect("=") && number(&it.alignment))) return false;
    return bytes(&it.bytes);
  }
  if (accept_word("share_handle")) return lowered->share_handle = true;
  if (word_ahead() == "processed" && !lowered->processed.empty())
    return fail("a second processed; the first has " + std::to_string(lowered->processed.size()) +
                " bytes");
  if (accept_word("processed")) return bytes(&lowered->processed);
  return fail_expected(
      "backend, spec, input, output, scratch, persistent, inside, data, share_handle, processed or "
      "'}'");
}

bool LoweredCursor::lowered_module(Module* module) {
  if (!accept_word("lowered") || !expect("@")) return false;
  const size_t begin = at_;
  LoweredModule lowered;
  if (!identifier("the lowered module's name", &lowered.name)) return false;
  if (module->find_lowered(lowered.name) != nullptr)
    return fail_at(begin, "@" + lowered.name + " is defined already");
  if (!expect("{") || !end_of_line()) return false;
  while (true) {
    skip_lines();
    if (at_end()) return fail("lowered @" + lowered.name + " without an end; it ends with '}'");
    if (accept("}")) break;
    if (!lowered_line(&lowered) || !end_of_line()) return false;
  }
  module->lowered.push_back(std::move(lowered));
  return end_of_line();
}

}  // namespace berth::ir
