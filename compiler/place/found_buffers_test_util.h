// For tests: the buffers that find_buffers forms in a method made by hand.
#pragma once

#include <gtest/gtest.h>

#include "compiler/place/find_buffers.h"
#include "compiler/place/method_builder.h"

namespace berth::place {

class FoundBuffersTest : public ::testing::Test {
 protected:
  void find() {
    program::Program program;
    program.methods.push_back(b_.method());
    const MaybeError error = find_buffers(&program);
    ASSERT_FALSE(error) << error->place << ": " << error->message;
    found_ = program.methods[0];
  }
  // REQUIRES: found.
  const program::Tensor& tensor(int32_t v) const {
    return *found_.values[static_cast<size_t>(v)].tensor();
  }
  const program::Storage& storage(int32_t v) const {
    return found_.storages[static_cast<size_t>(tensor(v).storage)];
  }

  MethodBuilder b_;
  program::Method found_;
};

}  // namespace berth::place
