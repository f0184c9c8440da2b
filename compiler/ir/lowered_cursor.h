// The part of the text form's parser that reads types, bytes and lowered modules.
#pragma once

#include <memory>

#include "compiler/ir/text.h"
#include "compiler/ir/text_cursor.h"

namespace berth::ir {

class LoweredCursor : protected Cursor {
 protected:
  // `blobs` outlives this.
  LoweredCursor(std::string_view text, const Blobs& blobs);

  // `f32[1,4]`, and `{0,2,3,1}` behind it when memory has another order.
  bool spec(TensorSpec* out);
  // `"80 81 7f"`, behind the word hex.
  bool hex(Bytes* out);
  // `"name"`, behind the word blob: never null.
  bool blob(std::shared_ptr<const Bytes>* out);
  // Counts bytes that the text has not itself; false when there are too many.
  bool expand_allowed(size_t begin, uint64_t nbytes);
  // `lowered @name { .. }`, added to the module.
  bool lowered_module(Module* module);

 private:
  bool bytes(Bytes* out);
  bool memory(std::vector<MemorySpec>* out);
  bool lowered_line(LoweredModule* lowered);

  const Blobs& blobs_;
  uint64_t may_expand_;  // each blob may be copied once, and 256 MiB besides
};

}  // namespace berth::ir
