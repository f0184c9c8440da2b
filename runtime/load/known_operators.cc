#include "runtime/load/known_operators.h"

namespace berth::runtime {

bool is_named(const OperatorSchema& schema, const char* name, const char* overload) {
  return same_text(schema.name, name) && same_text(schema.overload, overload);
}

bool is_et_view(const OperatorSchema& schema) {
  return same_text(schema.name, ops::kPrimEtView.name);
}

bool is_copy(const OperatorSchema& schema) {
  return same_text(schema.name, ops::kAtenCopyInPlace.name);
}

}  // namespace berth::runtime
