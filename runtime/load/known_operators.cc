#include "runtime/load/known_operators.h"

namespace berth::runtime {

bool is_named(const OperatorSchema& schema, const char* name, const char* overload) {
  return same_text(schema.name, name) && same_text(schema.overload, overload);
}

bool is_et_view(const OperatorSchema& schema) {
  return is_named(schema, ops::kEtView.name, ops::kEtView.overload);
}

bool is_copy(const OperatorSchema& schema) {
  return is_named(schema, ops::kCopy.name, ops::kCopy.overload);
}

}  // namespace berth::runtime
