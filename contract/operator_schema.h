// What is known of an operator before its kernel is: its name and its arguments in the order of the
// file.
//
// One letter per argument:
//
//     T  tensor               t  tensor or none
//     L  tensor list          l  tensor list whose entries may be none
//     O  out tensor           P  out tensor list: all entries are written
//     X  scratch: byte tensor, 0 bytes is legal
//     M  tensor that is read, written and returned (in-place operators)
//     i  int                  n  int or none (also dtype, layout, memory format)
//     d  double               e  double or none (both take an int too)
//     s  scalar               z  scalar or none (a scalar: int, double or bool)
//     b  bool                 c  bool or none
//     I  int list             j  int list or none
//     D  double list          k  double list or none
//     a  string               S  string or none
//     B  bool list
//     Y  the cell a scalar result is written to: int, double or bool
//
// A call in a file has one more slot: the out (or M) value again, the return; with several outs it
// is a tensor list of them; with P a second list of the same tensors. Prim operators
// (executorch_prim::) and those without O, P and M have no such slot.
#pragma once

#include <cstdint>

namespace berth {

constexpr uint16_t text_length(const char* text) {
  uint16_t length = 0;
  while (text[length] != '\0') ++length;
  return length;
}

struct OperatorSchema {
  const char* name;                          // "cortex_m::quantized_conv2d"
  const char* overload;                      // "out"; "" for none
  const char* args;                          // letters as above
  uint16_t name_length = text_length(name);  // told apart by it before the names are compared
};

// Letters of arguments that a call names but a node of the compiler's graph has as results.
constexpr bool is_out(char letter) { return letter == 'O' || letter == 'P'; }

// Letters of arguments that a call names again in its last slot.
constexpr bool is_returned(char letter) { return is_out(letter) || letter == 'M'; }

// Letters of arguments whose tensors a call writes.
constexpr bool is_written(char letter) { return is_returned(letter) || letter == 'X'; }

constexpr bool same_text(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

// Operators of the executor itself, executorch_prim::.
constexpr bool is_prim(const OperatorSchema& schema) {
  const char* prefix = "executorch_prim::";
  const char* name = schema.name;
  while (*prefix != '\0' && *prefix == *name) {
    ++prefix;
    ++name;
  }
  return *prefix == '\0';
}

}  // namespace berth
