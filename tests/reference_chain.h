// A chain of matrix products that the reference backend takes, for tests of delegates.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/delegate/compile_backend.h"
#include "tests/support/delegate_run.h"

namespace berth::testing {

// From f32[4,8] to f32[4,8], so that it can be called again on what it made: three steps, which is
// both buffers of the backend.
std::string chain_graph(const std::string& name);
constexpr size_t kCount = 32;

delegate::CompileSpecs specs(const std::vector<std::pair<std::string, std::string>>& list);

// With the reference backend, or without where `with` is null. A test failure when that fails.
Compiled compile_model(const std::vector<std::byte>& model, const delegate::CompileSpecs* with,
                       const target::Board& board = target::host_board());
Compiled compile_text(const std::string& graphs, const delegate::CompileSpecs* with,
                      const target::Board& board = target::host_board());
Compiled compile_module(const ir::Module& module,
                        const target::Board& board = target::host_board());

// `calls` calls of one lowered module, each on what the one before made.
ir::Module repeated(int calls, const delegate::CompileSpecs& with);

// What our own kernels answer, applied `times` times.
std::vector<float> expected(int times);
void expect_near(const std::vector<float>& want, const std::vector<float>& got);

// "sram", and "dtcm" with number 3, both on 64-byte boundaries.
target::Board two_pools();

}  // namespace berth::testing
