#include "compiler/ir/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

#include "compiler/ir/verify.h"

namespace berth::ir {
namespace {

// One of everything, as print() writes it.
constexpr char kCanonical[] = R"(berth.ir 1
graph forward {
  input %x : i8[1,1,8,8]{0,2,3,1} origin="serving_default_x:0"
  input %f : f32[]
  const %w : i8[4,2,2,1] = [1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12, 13, -14, 127, -128]
  const %m : i32[4] = splat 1073741824
  const %sh : i32[4] origin="tricky = \"name\" \\ \x07" = [-7, -8, -9, -10]
  const %long : i16[24] = hex "
    0100 0200 0300 0400 0500 0600 0700 0800 0900 0a00 0b00 0c00 0d00 0e00 0f00 1000
    1100 1200 1300 1400 1500 1600 1700 1800
  "
  const %half : f16[2] = hex "003c 0040"
  const %floats : f32[4] = [0.1, -0.0, 1e+20, -inf]
  const %doubles : f64[2] = [0.1, 1.0]
  const %bools : bool[3] = [true, false, true]
  const %unsigned : u64[1] = [18446744073709551615]
  const %empty : i8[0,4] = []
  %s : u8[160] = alloc(align=32, role=op_scratch, name="scratch", pool="sram")
  %y : i8[1,4,4,4]{0,2,3,1} origin="conv" = cortex_m::quantized_conv2d.out(%x, %w, none, [2, 2], [0, 0], [1, 1], 128, -128, %m, %sh, -128, 127, %s)
  %v : i8[1,64] = view(%y)
  %a : i8[1,64] = cortex_m::minimum.out(%v, %v)
  %b : i8[1,64] = aten::clamp.out(%a, -5, none) in_place(0 <- 0)
  %c : i8[2,64] = join(%a, %b)
  %d : i8[4,64] = aten::cat.out([%c, %c], 0)
  %q : i8[] = cortex_m::quantize_per_tensor.out(%f, 0.5, 3, -128, 127, 1)
  aten::copy_(%x, %y, false)
  output %d
  output %q
  output %d
}
graph second.method_2 {
  input %x : i8[4]
  output %x
}
)";

Module parsed(const std::string& text) {
  Result<Module> module = parse(text);
  EXPECT_TRUE(module.ok()) << module.error().place << ": " << module.error().message;
  return module.ok() ? module.take() : Module{};
}

std::string error_of(const std::string& text) {
  const Result<Module> module = parse(text);
  return module.ok() ? "" : module.error().place + ": " + module.error().message;
}

TEST(Text, PrintOfParsedCanonicalTextIsTheText) {
  const std::string text = kCanonical;
  const Module module = parsed(text);
  EXPECT_EQ(print(module), text);
  const MaybeError wrong = verify(module);
  EXPECT_FALSE(wrong) << wrong->place << ": " << wrong->message;
}

TEST(Text, ParseOfPrintedModuleIsTheModule) {
  const Module module = parsed(kCanonical);
  EXPECT_TRUE(parsed(print(module)) == module);
}

TEST(Text, EveryKindOfListArgumentComesBack) {
  Module module;
  Graph& graph = module.graphs.emplace_back();
  Node node;
  node.op = "test::lists";
  node.args = {std::vector<int64_t>{},
               std::vector<double>{},
               std::vector<bool>{},
               RefList{},
               std::vector<int64_t>{INT64_MIN, INT64_MAX},
               std::vector<double>{1.0, 0.1, 1e300, -0.0, INFINITY},
               std::vector<bool>{true, false},
               std::string("a\"\\\n\t\x7f\xc3\xa9"),
               5e-324,
               int64_t{7},
               true,
               None{}};
  graph.nodes.push_back(node);
  EXPECT_EQ(
      print(module),
      "berth.ir 1\ngraph forward {\n"
      "  test::lists([], double[], bool[], tensor[], [-9223372036854775808, 9223372036854775807], "
      "[1.0, 0.1, 1e+300, -0.0, inf], [true, false], \"a\\\"\\\\\\n\\x09\\x7f\xc3\xa9\", 5e-324, "
      "7, true, none)\n}\n");
  EXPECT_TRUE(parsed(print(module)) == module);
}

TEST(Text, EveryElementTypeComesBackWhateverItsBytes) {
  for (int type = 0; type < kScalarTypeCount; ++type) {
    for (const int32_t count : {0, 1, 3, 40}) {
      Module module;
      Graph& graph = module.graphs.emplace_back();
      const TensorSpec spec{static_cast<ScalarType>(type), {count}, {0}};
      Bytes bytes(spec.nbytes());
      for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(255 - i * 7);
      graph.add_constant("c", spec, bytes);
      const std::string text = print(module);
      EXPECT_TRUE(parsed(text) == module) << text;
    }
  }
}

TEST(Text, CommentsBlankLinesAndLineEndsInsideBracketsAreFree) {
  const Module module = parsed(
      "# a bug report\n\nberth.ir 1 # version\ngraph g { # body\n\n  input %x: i8[ 1,\n 4 ] # "
      "in\r\n"
      "  %y : i8[4,1] = view( # why\n    %x\n  )\n  output %y # out\n}");
  EXPECT_EQ(
      print(module),
      "berth.ir 1\ngraph g {\n  input %x : i8[1,4]\n  %y : i8[4,1] = view(%x)\n  output %y\n}\n");
}

TEST(Text, RandomBytesAreTheSameForEver) {
  const Module module = parsed(
      "berth.ir 1\ngraph g {\n const %c : i8[4] = random seed 5\n"
      " const %f : f32[1000] = random seed 5\n const %b : bool[8] = random seed 1\n}\n");
  EXPECT_NE(print(module).find("%c : i8[4] = [90, -8, 71, 69]"), std::string::npos)
      << print(module).substr(0, 200);
  const Value& f = module.graphs[0].values[1];
  double sum = 0;
  for (size_t i = 0; i < 1000; ++i) {
    float number;
    std::memcpy(&number, f.data->data() + i * 4, 4);
    ASSERT_GE(number, -1.0f);
    ASSERT_LT(number, 1.0f);
    sum += number;
  }
  EXPECT_LT(std::abs(sum), 60.0);  // 3 sigma of 1000 uniform draws
}

TEST(Text, SecretWeightsCanBePrintedAsRandom) {
  const Module module = parsed(
      "berth.ir 1\ngraph g {\n const %c : i8[40] = splat 3\n const %d : i8[4] = splat 3\n}\n");
  const std::string text = print(module, {.random_above = 32});
  EXPECT_EQ(text,
            "berth.ir 1\ngraph g {\n  const %c : i8[40] = random seed 0\n  const %d : i8[4] = "
            "splat 3\n}\n");
  EXPECT_EQ(parsed(text).graphs[0].values[0].spec, module.graphs[0].values[0].spec);
}

struct BadText {
  std::string text;
  std::string error;
};

TEST(Text, AMistakeIsReportedWithItsLineAndColumn) {
  const std::string begin = "berth.ir 1\ngraph g {\n";
  const BadText cases[] = {
      {"%x : i9[4] = view()\n}\n", "line 3:6: expected an element type"},
      {"input %x : i8[4\n}\n", "line 4:1: expected ']'"},
      {"input %x : i8[-4]\n}\n", "line 3:15: a size is 0 or more, not -4"},
      {"input %x : i8[3000000000]\n}\n", "line 3:15: number 3000000000 is out of range here"},
      {"input %x : i64[2000000000,2000000000]\n}\n",
       "line 3:15: more bytes than 63 bits can count"},
      {"input %x : i8[4]{0,1000}\n}\n", "line 3:20: number 1000 is out of range here"},
      {"input %x : i8[4]\ninput %x : i8[4]\n}\n", "line 4:7: %x is defined already"},
      {"input x : i8[4]\n}\n", "line 3:7: expected '%'"},
      {"input %1x : i8[4]\n}\n", "line 3:8: expected a value's name"},
      {"%y : i8[4] = view(%x)\n}\n", "line 3:19: %x is not defined above"},
      {"%y : i8[4] = view(%y)\n}\n", "line 3:19: %y is not defined above"},
      {"output %y\n}\n", "line 3:8: %y is not defined above"},
      {"const %c : i8[2] = [1]\n}\n", "line 3:20: 1 bytes; the type has 2"},
      {"const %c : i8[2] = [1, 128]\n}\n", "line 3:24: number 128 is out of range here"},
      {"const %c : i8[2] = [1, 2.5]\n}\n", "line 3:24: expected a whole number, not \"2.5]\""},
      {"const %c : i8[2] = hex \"01 0\"\n}\n", "an odd number of hex digits"},
      {"const %c : i8[2] = hex \"01 0g\"\n}\n", "line 3:29: no hex digit"},
      {"const %c : i8[2] = hex \"01 02\n}\n", "no hex digit"},
      {"const %c : f16[2] = splat 1\n}\n", "f16 has no literals; write hex"},
      {"const %c : bool[2] = splat 1\n}\n", "expected true or false"},
      {"const %c : i8[2] = random 5\n}\n", "expected 'seed'"},
      {"const %c : i8[2] = 7\n}\n", "line 3:20: expected hex \"..\", splat N"},
      {"const %c : i8[2000000000] = splat 7\n}\n",
       "line 3:29: splat and random constants of more than"},
      {"%y : i8[4] = clamp(4)\n}\n", "line 3:14: expected an operator"},
      {"t::f([1, 2.0])\n}\n", "a list holds items of one kind"},
      {"t::f([[1]])\n}\n", "expected a whole number"},
      {"t::f([none])\n}\n", "line 3:7: a list holds tensors, ints, doubles or bools"},
      {"t::f(\"abc)\n}\n", "line 3:6: a string without an end"},
      {"t::f(\"a\\qc\")\n}\n", "line 3:8: no such escape"},
      {"t::f(\"a\\x0\")\n}\n", "takes two hex digits"},
      {"t::f(1) in_place(0 - 1)\n}\n", "expected '<-'"},
      {"t::f(1) 2\n}\n", "line 3:9: expected the end of the line, not \"2\""},
      {"%s : u8[4] = alloc(size=4)\n}\n", "expected align=, role=, name= or pool="},
      {"%s : u8[4] = alloc(role=boss)\n}\n",
       "line 3:25: expected the role op_scratch or delegate_scratch, not \"boss)\""},
      {"%s : u8[4] = alloc(name=\"a\", name=\"b\")\n}\n", "line 3:30: a second name= of one alloc"},
      {"input\n}\n", "line 3:6: expected '%', not the end of the line"},
      {"input", "line 3:6: expected '%', not the end of the text"},
      {"input %x : i8[4] " + std::string(99, 'z') + "\n}\n",
       "line 3:18: expected the end of the line, not \"" + std::string(40, 'z') + "...\""},
      {"input %x : i8[4]\n", "line 4:1: graph g without an end"},
      {"}\nhello\n", "line 4:1: expected 'graph name {'"},
  };
  for (const BadText& bad : cases) {
    const std::string error = error_of(begin + bad.text);
    EXPECT_NE(error.find(bad.error), std::string::npos) << bad.text << "gives: " << error;
  }
  EXPECT_NE(error_of("").find("line 1:1: not a .bir text"), std::string::npos);
  EXPECT_NE(error_of("berth.ir 2\n").find("line 1:10: version 2"), std::string::npos)
      << error_of("berth.ir 2\n");
}

// The second one would be taken for more of the first.
TEST(Text, WhatALoweredModuleHasOnceIsNotGivenTwice) {
  const std::string begin = "berth.ir 1\nlowered @m {\nbackend \"npu\"\nprocessed = hex \"01\"\n";
  EXPECT_EQ(error_of(begin + "backend \"npu2\"\n}\n"),
            "line 5:1: a second backend; the first is \"npu\"");
  EXPECT_EQ(error_of(begin + "processed = hex \"02\"\n}\n"),
            "line 5:1: a second processed; the first has 1 bytes");
}

TEST(Text, EveryTruncationIsAnErrorOrAWholeModule) {
  const std::string text = kCanonical;
  for (size_t length = 0; length < text.size(); ++length) {
    const Result<Module> module = parse(std::string_view(text).substr(0, length));
    if (!module.ok())
      continue;  // nothing but a cut between two graphs, or of the last line end, is whole
    EXPECT_TRUE(module.value().graphs.size() < 2 || length == text.size() - 1) << length;
  }
}

TEST(Text, EveryChangedByteIsAnErrorOrAPrintableModule) {
  const std::string text = kCanonical;
  for (size_t i = 0; i < text.size(); ++i) {
    for (const char c : {'\0', '%', '"', '[', ')', '9', '\\', '\n', '#', '\xff'}) {
      std::string changed = text;
      changed[i] = c;
      const Result<Module> module = parse(changed);
      if (!module.ok()) continue;
      const std::string printed = print(module.value());
      const Result<Module> again = parse(printed);
      ASSERT_TRUE(again.ok()) << again.error().place << ": " << again.error().message << "\n"
                              << printed;
      ASSERT_EQ(print(again.value()), printed);
      (void)verify(module.value());
    }
  }
}

// docs/bir.md shows one construct per block; all of them must be real.
TEST(Text, EveryExampleOfTheDocumentParsesAndVerifies) {
  std::ifstream file(std::string(BERTH_SOURCE_DIR) + "/docs/bir.md");
  ASSERT_TRUE(file) << "docs/bir.md is missing";
  std::string line, block;
  bool inside = false;
  int examples = 0;
  while (std::getline(file, line)) {
    if (line == "```bir") {
      inside = true;
      block.clear();
    } else if (line == "```" && inside) {
      inside = false;
      ++examples;
      const Result<Module> module = parse(block);
      ASSERT_TRUE(module.ok()) << module.error().place << ": " << module.error().message << "\n"
                               << block;
      const MaybeError wrong = verify(module.value());
      EXPECT_FALSE(wrong) << wrong->place << ": " << wrong->message << "\n" << block;
    } else if (inside) {
      block += line + "\n";
    }
  }
  EXPECT_GE(examples, 8);
}

}  // namespace
}  // namespace berth::ir
