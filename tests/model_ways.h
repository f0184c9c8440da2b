// Compiles a model and runs it with known answers in one of the ways that must not change them:
// reuse on and off, planned and caller's inputs and outputs, pools filled before the first run.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "compiler/compiler.h"
#include "runtime/runtime.h"

namespace berth {

std::vector<std::byte> read_file(const std::filesystem::path& path);

struct Way {
  bool reuse;
  emit::Io io;
  int fill;  // -1: noise
};
std::string way_text(const Way& way);

// Empty when output `got` is as good as the bytes `expected` (as many), otherwise what is wrong.
using CompareOutput =
    std::function<std::string(const runtime::Tensor& got, const std::byte* expected)>;
std::string same_bytes(const runtime::Tensor& got, const std::byte* expected);

// Fails the test that runs unless `model` compiles, loads with its plan proven, and answers each
// inputN.bin of `folder` with its outputN.bin (inputs and outputs one after the other), `runs`
// times each.
void check_model(const std::filesystem::path& model, const std::filesystem::path& folder,
                 const Way& way, int runs, const CompareOutput& compare = same_bytes);

}  // namespace berth
