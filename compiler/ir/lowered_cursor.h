// The part of the text form's parser that reads types, bytes and lowered modules.
#pragma once

#include "compiler/ir/text_cursor.h"

namespace berth::ir {

class LoweredCursor : protected Cursor {
 protected:
  explicit LoweredCursor(std::string_view text) : Cursor(text) {}

  // `f32[1,4]`, and `{0,2,3,1}` behind it when memory has another order.
  bool spec(TensorSpec* out);
  // `"80 81 7f"`, behind the word hex.
  bool hex(Bytes* out);
  // `lowered @name { .. }`, added to the module.
  bool lowered_module(Module* module);

 private:
  bool bytes(Bytes* out);
  bool memory(std::vector<MemorySpec>* out);
  bool lowered_line(LoweredModule* lowered);
};

}  // namespace berth::ir
