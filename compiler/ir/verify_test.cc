#include "compiler/ir/verify.h"

#include <gtest/gtest.h>

#include "compiler/ir/text.h"

namespace berth::ir {
namespace {

Graph unverified(const std::string& body) {
  Result<Module> module = parse("berth.ir 1\ngraph g {\n" + body + "}\n");
  EXPECT_TRUE(module.ok()) << module.error().place << ": " << module.error().message;
  return module.ok() ? module.value().graphs.at(0) : Graph{};
}

// The whole error as one line, empty when the graph is right.
std::string error_of(const Graph& graph, const VerifyOptions& options = {}) {
  const MaybeError error = verify(graph, options);
  return error ? error->place + ": " + error->message : "";
}

struct Case {
  const char* name;
  const char* body;
  const char* error;  // what the error contains
};

class BadGraph : public testing::TestWithParam<Case> {};

TEST_P(BadGraph, IsRefusedWithItsPlaceAndWhatWouldBeRight) {
  const std::string error = error_of(unverified(GetParam().body));
  EXPECT_NE(error.find(GetParam().error), std::string::npos) << "error is: " << error;
}

const Case kCases[] = {
    {"UnknownOperator", "input %x : i8[4]\n%y : i8[4] = aten::nothing.out(%x)\n",
     "graph g, node 0 aten::nothing.out: no such operator"},
    {"UnknownOverload", "input %x : i8[4]\n%y : i8[4] = aten::clamp.in(%x, 0, 1)\n",
     "aten::clamp.in: no such operator"},
    {"TooFewArguments", "input %x : i8[4]\n%y : i8[4] = aten::clamp.out(%x, 0)\n",
     "2 arguments; it takes 3"},
    {"WrongArgumentKind", "input %x : i8[4]\n%y : i8[4] = aten::clamp.out(%x, [0], 1)\n",
     "argument 1 is a list of ints; it takes an int, double, bool or none"},
    {"NoneForATensor", "input %x : i8[4]\n%y : i8[4] = aten::clamp.out(none, 0, 1)\n",
     "argument 0 is none; it takes a tensor"},
    {"NoResult", "input %x : i8[4]\naten::clamp.out(%x, 0, 1)\n", "0 results; it has 1"},
    {"TwoResults", "input %x : i8[4]\n%y : i8[4], %z : i8[4] = aten::clamp.out(%x, 0, 1)\n",
     "2 results; it has 1"},
    {"ViewOfOtherBytes", "input %x : i8[4]\n%y : i8[5] = view(%x)\n",
     "%y is i8[5] and %x is i8[4]"},
    {"ViewOfOtherType", "input %x : i8[4]\n%y : u8[4] = view(%x)\n", "a view has the type"},
    {"ViewOfTwo", "input %x : i8[4]\n%y : i8[4] = view(%x, %x)\n",
     "2 arguments; it takes one tensor"},
    {"ViewOfANumber", "%y : i8[4] = view(4)\n", "an argument is an int; it takes tensors"},
    {"JoinOfNothing", "%y : i8[0] = join()\n", "has no parts"},
    {"JoinOfAnInput", "input %x : i8[4]\n%y : i8[4] = join(%x)\n", "%x, an input or constant"},
    {"JoinOfAViewOfAConstant",
     "const %x : i8[4] = splat 1\n%v : i8[2,2] = view(%x)\n%y : i8[4] = join(%v)\n",
     "part %v stands for the bytes of %x"},
    {"JoinedTwice",
     "input %x : i8[4]\n%a : i8[4] = aten::clamp.out(%x, 0, 1)\n%v : i8[2,2] = view(%a)\n%y : "
     "i8[8] = join(%a, %v)\n",
     "part %v lies inside another value already"},
    {"JoinOfOtherBytes",
     "input %x : i8[4]\n%a : i8[4] = aten::clamp.out(%x, 0, 1)\n%y : i8[8] = join(%a)\n",
     "the parts have 4 bytes and %y 8"},
    {"JoinOfOtherType",
     "input %x : i8[4]\n%a : i8[4] = aten::clamp.out(%x, 0, 1)\n%y : u8[4] = join(%a)\n",
     "they have one element type"},
    {"ScratchOfInts", "%s : i8[4] = alloc()\n", "%s is i8[4]; scratch is u8[bytes]"},
    {"ScratchOfTwoDims", "%s : u8[4,4] = alloc()\n", "scratch is u8[bytes]"},
    {"ScratchOddlyAligned", "%s : u8[4] = alloc(align=12)\n", "align=12; a power of two up to"},
    {"ScratchTooFarAligned", "%s : u8[4] = alloc(align=2097152)\n", "up to 1048576"},
    {"ScratchOfARoleThatIsNone", "%s : u8[4] = alloc(role=state)\n",
     "op_scratch or delegate_scratch"},
    {"ScratchNobodyTakes", "%s : u8[4] = alloc()\n", "value 0 %s: scratch that no operator takes"},
    {"ScratchAsATensor", "%s : u8[4] = alloc()\n%y : u8[4] = aten::clamp.out(%s, 0, 1)\n",
     "scratch goes into scratch slots only"},
    {"ScratchReturned",
     "input %x : i8[1,4,4,4]\n%s : u8[4] = alloc()\n"
     "%y : i8[1,4,1,1] = cortex_m::quantized_avg_pool2d.out(%x, [4, 4], [1, 1], [0, 0], false, 0, "
     "1, 0, %s)\noutput %s\n",
     "output 0: %s is scratch"},
    {"ScratchOfTwoNodes",
     "input %x : i8[1,4,4,4]\n%s : u8[4] = alloc()\n"
     "%y : i8[1,4,1,1] = cortex_m::quantized_avg_pool2d.out(%x, [4, 4], [1, 1], [0, 0], false, 0, "
     "1, 0, %s)\n"
     "%z : i8[1,4,1,1] = cortex_m::quantized_avg_pool2d.out(%x, [4, 4], [1, 1], [0, 0], false, 0, "
     "1, 0, %s)\n",
     "which node 1 has; scratch belongs to one slot"},
    {"TensorAsScratch",
     "input %x : i8[1,4,4,4]\n"
     "%y : i8[1,4,1,1] = cortex_m::quantized_avg_pool2d.out(%x, [4, 4], [1, 1], [0, 0], false, 0, "
     "1, 0, %x)\n",
     "a scratch slot takes the result of an alloc"},
    {"WrittenConstant",
     "const %c : i8[4] = splat 1\ninput %x : i8[4]\naten::copy_(%c, %x, false)\n",
     "argument 0 is the constant %c, which this operator would write"},
    {"InPlaceOfNoArgument",
     "input %x : i8[4]\n%y : i8[4] = aten::clamp.out(%x, 0, 1) in_place(0 <- 3)\n",
     "in_place(0 <- 3): that argument is no tensor"},
    {"InPlaceOfANumber",
     "input %x : i8[4]\n%y : i8[4] = aten::clamp.out(%x, 0, 1) in_place(0 <- 1)\n",
     "that argument is no tensor"},
    {"InPlaceOfNoResult",
     "input %x : i8[4]\n%y : i8[4] = aten::clamp.out(%x, 0, 1) in_place(1 <- 0)\n",
     "in_place(1 <- 0): there are 1 results"},
    {"InPlaceOfAConstant",
     "const %c : i8[4] = splat 1\n%y : i8[4] = aten::clamp.out(%c, 0, 1) in_place(0 <- 0)\n",
     "%c is a constant or scratch"},
    {"InPlaceOfOtherBytes",
     "input %x : i8[1]\ninput %y : i8[4]\n%z : i8[4] = cortex_m::minimum.out(%x, %y) in_place(0 <- "
     "0)\n",
     "%x has 1 bytes and %z 4; they must be equal"},
    {"InPlaceView", "input %x : i8[4]\n%y : i8[4] = view(%x) in_place(0 <- 0)\n",
     "only operators have them"},
    {"DimOrderOfAnotherRank", "input %x : i8[4,4]{0}\n",
     "dim order of i8[4,4]{0} is no permutation"},
    {"DimOrderWithARepeat", "input %x : i8[4,4]{0,0}\n",
     "value 0 %x: dim order of i8[4,4]{0,0} is no permutation of 0 to rank - 1"},
    {"DimOrderOutOfRange", "input %x : i8[4,4]{0,200}\n",
     "dim order of i8[4,4]{0,200} is no permutation"},
    {"Rank17", "input %x : i8[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]\n", "rank 17; at most 16"},
};

INSTANTIATE_TEST_SUITE_P(Verify, BadGraph, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

constexpr char kGood[] = R"(
  input %x : i8[1,8,4,4]{0,2,3,1}
  const %w : i8[8,1,1,8] = random seed 1
  const %m : i32[8] = splat 1073741824
  const %sh : i32[8] = splat 0
  %s : u8[0] = alloc(align=16, role=op_scratch, name="scratch")
  %y : i8[1,8,4,4]{0,2,3,1} = cortex_m::quantized_conv2d.out(%x, %w, none, [1, 1], [0, 0], [1, 1], 128, -128, %m, %sh,
      -128, 127, %s)
  %z : i8[1,8,4,4]{0,2,3,1} = cortex_m::minimum.out(%y, %y) in_place(0 <- 0)
  output %z
)";

TEST(Verify, AcceptsAGraphWithScratchAndAnOperatorInPlace) {
  EXPECT_EQ(error_of(unverified(kGood), {.scratch_required = true}), "");
}

TEST(Verify, ScratchMayBeNoneUntilItIsRequired) {
  const Graph graph = unverified(R"(
    input %x : i8[1,4,4,4]
    %y : i8[1,4,1,1] = cortex_m::quantized_avg_pool2d.out(%x, [4, 4], [1, 1], [0, 0], false, 0, 1, 0, none)
  )");
  EXPECT_EQ(error_of(graph), "");
  EXPECT_NE(error_of(graph, {.scratch_required = true})
                .find("argument 8 is none; by now every scratch slot"),
            std::string::npos);
}

TEST(Verify, EveryIndexOutOfRangeIsAnErrorAndNoAccess) {
  for (const ValueId bad : {-1, 1000, INT32_MIN, INT32_MAX}) {
    Graph graph = unverified(kGood);
    graph.inputs[0] = bad;
    EXPECT_NE(error_of(graph).find("input 0: value " + std::to_string(bad) + " does not exist"),
              std::string::npos);
    graph = unverified(kGood);
    graph.outputs[0] = bad;
    EXPECT_NE(error_of(graph).find("output 0: value"), std::string::npos);
    graph = unverified(kGood);
    graph.nodes[1].results[0] = bad;
    EXPECT_NE(error_of(graph).find("which does not exist"), std::string::npos);
    graph = unverified(kGood);
    graph.nodes[2].args[1] = Ref{bad};
    EXPECT_NE(error_of(graph).find("which does not exist"), std::string::npos);
    EXPECT_NE(print(graph).find("%?" + std::to_string(bad)), std::string::npos);
  }
}

TEST(Verify, OrderAndOwnershipOfValues) {
  Graph graph = unverified(kGood);
  std::swap(graph.nodes[1], graph.nodes[2]);
  EXPECT_NE(error_of(graph).find("node 1 cortex_m::minimum.out: uses %y before"),
            std::string::npos);
  graph = unverified(kGood);
  graph.nodes[2].results[0] = graph.nodes[1].results[0];
  EXPECT_NE(error_of(graph).find("result %y is defined already"), std::string::npos);
  graph = unverified(kGood);
  graph.nodes[2].results[0] = graph.inputs[0];
  EXPECT_NE(error_of(graph).find("is an input or constant"), std::string::npos);
  graph = unverified(kGood);
  graph.inputs.push_back(graph.inputs[0]);
  EXPECT_NE(error_of(graph).find("input 1: %x is listed twice"), std::string::npos);
  graph = unverified(kGood);
  graph.inputs.clear();
  EXPECT_NE(error_of(graph).find("uses %x before"), std::string::npos);
}

TEST(Verify, NamesSpecsAndBytesOfValues) {
  Graph graph = unverified(kGood);
  graph.values[1].name = graph.values[0].name;
  EXPECT_NE(error_of(graph).find("a second value of this name"), std::string::npos);
  graph = unverified(kGood);
  graph.values[1].name = "a b";
  EXPECT_NE(error_of(graph).find("the name is no identifier"), std::string::npos);
  graph = unverified(kGood);
  graph.values[0].spec.sizes[0] = -3;
  EXPECT_NE(error_of(graph).find("size -3; sizes are 0 or more"), std::string::npos);
  graph = unverified(kGood);
  graph.values[0].spec.sizes = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
  EXPECT_NE(error_of(graph).find("more bytes than 63 bits"), std::string::npos);
  graph = unverified(kGood);
  graph.values[0].spec.dtype = static_cast<ScalarType>(99);
  EXPECT_NE(error_of(graph).find("element type 99"), std::string::npos);
  graph = unverified(kGood);
  graph.values[1].data = std::make_shared<const Bytes>(Bytes(63));
  EXPECT_NE(error_of(graph).find("a constant of 63 bytes; i8[8,1,1,8] has 64"), std::string::npos);
  graph.values[1].data = nullptr;
  EXPECT_NE(error_of(graph).find("a constant of 0 bytes"), std::string::npos);
  graph = unverified(kGood);
  graph.values[0].data = graph.values[1].data;
  EXPECT_NE(error_of(graph).find("has bytes but is no constant"), std::string::npos);
}

TEST(Verify, GraphNamesOfAModuleAreUnique) {
  Module module;
  module.graphs.resize(2);
  const MaybeError error = verify(module);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->place, "graph forward");
}

}  // namespace
}  // namespace berth::ir
