// For tests: graphs as text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "compiler/ir/text.h"

namespace berth::delegate {

// The body of a graph; an empty one, and a failure, where it is none.
inline ir::Graph parsed(const std::string& body) {
  const Result<ir::Module> module = ir::parse("berth.ir 1\ngraph g {\n" + body + "}\n");
  if (!module.ok()) {
    ADD_FAILURE() << module.error().place << ": " << module.error().message;
    return {};
  }
  return module.value().graphs[0];
}

}  // namespace berth::delegate
