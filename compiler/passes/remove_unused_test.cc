#include "compiler/passes/pass_cases.h"

namespace berth::passes {
namespace {

TEST(RemoveUnused, TextCases) { run_pass_cases("remove_unused", remove_unused); }

}  // namespace
}  // namespace berth::passes
