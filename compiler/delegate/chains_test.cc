// Which nodes of small graphs, as text, become chains.
#include "compiler/delegate/chains.h"

#include <gtest/gtest.h>

#include "compiler/delegate/graph_test_util.h"

namespace berth::delegate {
namespace {

// Of everything but abs.
Groups chains(const std::string& body) {
  return find_chains(parsed(body), [](const ir::Node& node, bool) {
    return !ir::is_operator(node, ops::kAtenAbs);
  });
}

TEST(Chains, AResultWithOneReaderGoesOn) {
  EXPECT_EQ((Groups{{0, 1}, {3}}), chains("input %x : f32[4]\n"
                                          "%a : f32[4] = aten::relu.out(%x)\n"
                                          "%b : f32[4] = aten::neg.out(%a)\n"
                                          "%c : f32[4] = aten::abs.out(%b)\n"
                                          "%y : f32[4] = aten::neg.out(%c)\n"
                                          "output %y\n"));
}

TEST(Chains, AResultWithTwoReadersOrThatIsAnOutputEndsAChain) {
  const std::string begin =
      "input %x : f32[4]\n"
      "%a : f32[4] = aten::relu.out(%x)\n"
      "%b : f32[4] = aten::neg.out(%a)\n";
  EXPECT_EQ((Groups{{0}, {1}}), chains(begin + "output %a\noutput %b\n"));
  EXPECT_EQ((Groups{{0}, {1, 2}}),
            chains(begin + "%y : f32[4] = aten::add.out(%a, %b, 1)\noutput %y\n"));
}

// What lies between the two nodes of a chain may stay outside, and be read by its second.
TEST(Chains, AChainMayLeaveOutWhatItsLaterNodesRead) {
  EXPECT_EQ((Groups{{0, 2}}), chains("input %x : f32[4]\n"
                                     "%a : f32[4] = aten::relu.out(%x)\n"
                                     "%b : f32[4] = aten::abs.out(%x)\n"
                                     "%y : f32[4] = aten::add.out(%a, %b, 1)\n"
                                     "output %y\n"));
}

TEST(Chains, ASecondResultThatIsReadEndsAChain) {
  const std::string begin =
      "input %x : f32[1,1,4,4]\n"
      "%m : f32[1,1,2,2], %i : i64[1,1,2,2] = aten::max_pool2d_with_indices.out(%x, [2, 2], [2, "
      "2], [0, 0], [1, 1], false)\n"
      "%y : f32[1,1,2,2] = aten::neg.out(%m)\n"
      "output %y\n";
  EXPECT_EQ((Groups{{0, 1}}), chains(begin));
  EXPECT_EQ((Groups{{0}, {1}}), chains(begin + "output %i\n"));
}

TEST(Chains, WhatIsChangedInPlaceIsReadByNoChain) {
  EXPECT_EQ((Groups{}), chains("input %x : f32[4]\n"
                               "input %s : f32[4]\n"
                               "%y : f32[4] = aten::neg.out(%s)\n"
                               "aten::copy_(%s, %x, false)\n"
                               "output %y\n"));
}

TEST(Chains, TakesIsToldWhatBegins) {
  std::string seen;
  find_chains(parsed("input %x : f32[4]\n"
                     "%a : f32[4] = aten::relu.out(%x)\n"
                     "%b : f32[4] = aten::neg.out(%a)\n"
                     "output %b\n"),
              [&](const ir::Node& node, bool begins) {
                seen += (begins ? "begins " : "goes on ") + node.op + "\n";
                return begins;
              });
  EXPECT_EQ("begins aten::relu\ngoes on aten::neg\nbegins aten::neg\n", seen);
}

}  // namespace
}  // namespace berth::delegate
