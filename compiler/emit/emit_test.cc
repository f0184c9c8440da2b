#include "compiler/emit/emit.h"

#include <gtest/gtest.h>

#include "compiler/ir/text.h"
#include "compiler/ir/verify.h"

namespace berth::emit {
namespace {

using program::KernelCall;
using program::StorageKind;

program::Method emit_text(const std::string& body, Io io = Io::kPlanned) {
  Result<ir::Module> module = ir::parse("berth.ir 1\ngraph forward {\n" + body + "}\n");
  EXPECT_TRUE(module.ok()) << (module.ok() ? ""
                                           : module.error().place + ": " + module.error().message);
  if (!module.ok()) return {};
  const auto wrong = ir::verify(module.value());
  EXPECT_FALSE(wrong) << wrong->place << ": " << wrong->message;
  Result<program::Program> program = emit(module.value(), {io});
  EXPECT_TRUE(program.ok());
  return program.value().methods[0];
}

const program::Storage& storage_of(const program::Method& method, int32_t value) {
  return method
      .storages[static_cast<size_t>(method.values[static_cast<size_t>(value)].tensor()->storage)];
}

const KernelCall& call(const program::Method& method, size_t k) {
  return std::get<KernelCall>(method.instructions[k].call);
}

std::string op_name(const program::Method& method, size_t k) {
  return method.operators[static_cast<size_t>(call(method, k).op)].name;
}

TEST(EmitTest, ACallRepeatsItsOutAndSharesEqualLiterals) {
  const program::Method m = emit_text(
      "  input %x : i8[4]\n"
      "  %y : i8[4] = aten::clamp.out(%x, 0, 6)\n"
      "  %z : i8[4] = aten::clamp.out(%y, 0, 6)\n"
      "  output %z\n");
  ASSERT_EQ(m.instructions.size(), 2u);
  const KernelCall& first = call(m, 0);
  const KernelCall& second = call(m, 1);
  ASSERT_EQ(first.args.size(), 5u);
  EXPECT_EQ(first.args[3], first.args[4]);
  EXPECT_EQ(first.args[1], second.args[1]);
  EXPECT_EQ(first.args[2], second.args[2]);
  EXPECT_EQ(m.operators.size(), 1u);
  EXPECT_EQ(m.values.size(), 5u);  // x, 0, 6, y, z
  EXPECT_EQ(storage_of(m, m.outputs[0]).role, Role::kOutput);
}

// Stock kernels end the process when such a list is of the other kind.
TEST(EmitTest, ListsWhoseEntriesMayBeNoneSaySo) {
  const program::Method m = emit_text(
      "  input %x : f32[4,3]\n"
      "  input %i : i64[2]\n"
      "  %y : f32[2,3] = aten::index.Tensor_out(%x, [%i])\n"
      "  %z : f32[4,3] = aten::cat.out([%y, %y], 0)\n"
      "  output %z\n");
  const auto list_of = [&](size_t k, size_t argument) -> const program::Value& {
    return m.values[static_cast<size_t>(call(m, k).args[argument])];
  };
  const auto* indices = std::get_if<program::OptionalTensorList>(&list_of(0, 1).data);
  ASSERT_NE(indices, nullptr);
  EXPECT_EQ(indices->values, std::vector<int32_t>{m.inputs[1]});
  EXPECT_TRUE(std::holds_alternative<program::TensorList>(list_of(1, 0).data));
}

TEST(EmitTest, ViewsBecomeValuesOfOneStorage) {
  const program::Method m = emit_text(
      "  input %x : i8[1,2,2,3]\n"
      "  %v : i8[1,3,2,2]{0,2,3,1} = view(%x)\n"
      "  %y : i8[1,3,2,2]{0,2,3,1} = aten::clamp.out(%v, 0, 6)\n"
      "  %z : i8[12] = view(%y)\n"
      "  output %z\n");
  ASSERT_EQ(m.instructions.size(), 1u);
  EXPECT_EQ(m.storages.size(), 2u);
  const KernelCall& c = call(m, 0);
  EXPECT_EQ(&storage_of(m, c.args[0]), &storage_of(m, m.inputs[0]));
  EXPECT_EQ(&storage_of(m, c.args[3]), &storage_of(m, m.outputs[0]));
}

TEST(EmitTest, PartsOfAJoinLieInsideIt) {
  const program::Method m = emit_text(
      "  input %x : i8[16]\n"
      "  %a : i8[16] = aten::clamp.out(%x, 0, 6)\n"
      "  %b : i8[16] = aten::clamp.out(%x, 1, 6)\n"
      "  %c : i8[32] = join(%a, %b)\n"
      "  %d : i8[32] = aten::clamp.out(%c, 0, 5)\n"
      "  output %d\n");
  const program::Tensor* a = m.values[static_cast<size_t>(call(m, 0).args[3])].tensor();
  const program::Tensor* b = m.values[static_cast<size_t>(call(m, 1).args[3])].tensor();
  const program::Tensor* c = m.values[static_cast<size_t>(call(m, 2).args[0])].tensor();
  EXPECT_EQ(a->storage, c->storage);
  EXPECT_EQ(b->storage, c->storage);
  EXPECT_EQ(a->offset, 0u);
  EXPECT_EQ(b->offset, 16u);
  EXPECT_EQ(m.storages[static_cast<size_t>(c->storage)].nbytes, 32u);
}

TEST(EmitTest, CallerIoLeavesInputsAndOutputsUnplaced) {
  const program::Method m = emit_text(
      "  input %x : i8[4]\n"
      "  %y : i8[4] = aten::clamp.out(%x, 0, 6)\n"
      "  output %y\n",
      Io::kCaller);
  EXPECT_EQ(m.instructions.size(), 1u);
  EXPECT_EQ(storage_of(m, m.inputs[0]).kind, StorageKind::kCaller);
  EXPECT_EQ(storage_of(m, m.outputs[0]).kind, StorageKind::kCaller);
}

TEST(EmitTest, ViewsOfTheCallersBytesAreMadeAtRunTime) {
  const program::Method m = emit_text(
      "  input %x : i8[1,2,2,3]\n"
      "  %v : i8[1,3,2,2]{0,2,3,1} = view(%x)\n"
      "  %y : i8[1,3,2,2]{0,2,3,1} = aten::clamp.out(%v, 0, 6)\n"
      "  %z : i8[12] = view(%y)\n"
      "  output %z\n",
      Io::kCaller);
  ASSERT_EQ(m.instructions.size(), 3u);
  EXPECT_EQ(op_name(m, 0), "executorch_prim::et_view");
  EXPECT_EQ(op_name(m, 1), "executorch_prim::et_view");
  EXPECT_EQ(call(m, 0).args[0], m.inputs[0]);
  EXPECT_EQ(call(m, 1).args[0], m.outputs[0]);
  EXPECT_EQ(call(m, 1).args[2], call(m, 2).args[3]);
}

TEST(EmitTest, AnOutputThatIsAnInputIsCopiedForTheCaller) {
  const program::Method m = emit_text(
      "  input %x : i8[4]\n"
      "  output %x\n",
      Io::kCaller);
  ASSERT_EQ(m.instructions.size(), 1u);
  EXPECT_EQ(op_name(m, 0), "aten::copy_");
  EXPECT_NE(m.inputs[0], m.outputs[0]);
}

TEST(EmitTest, AJoinThatIsAnOutputIsPlannedAndCopiedForTheCaller) {
  const program::Method m = emit_text(
      "  input %x : i8[16]\n"
      "  %a : i8[16] = aten::clamp.out(%x, 0, 6)\n"
      "  %b : i8[16] = aten::clamp.out(%x, 1, 6)\n"
      "  %c : i8[32] = join(%a, %b)\n"
      "  output %c\n",
      Io::kCaller);
  ASSERT_EQ(m.instructions.size(), 3u);
  EXPECT_EQ(op_name(m, 2), "aten::copy_");
  EXPECT_EQ(storage_of(m, call(m, 0).args[3]).kind, StorageKind::kPlanned);
  EXPECT_EQ(storage_of(m, m.outputs[0]).kind, StorageKind::kCaller);
}

TEST(EmitTest, ScratchIsOwnedByItsUser) {
  const program::Method m = emit_text(
      "  input %x : i8[1,4,8,8]{0,2,3,1}\n"
      "  %s : u8[64] = alloc(align=32, role=op_scratch, name=\"scratch\", pool=\"dtcm\")\n"
      "  %y : i8[1,4,4,4]{0,2,3,1} = cortex_m::quantized_avg_pool2d.out(%x, [2, 2], [2, 2], [0, "
      "0], false, 0, 0, 0, %s)\n"
      "  output %y\n");
  ASSERT_EQ(m.instructions.size(), 1u);
  const program::Storage& scratch = storage_of(m, call(m, 0).args[8]);
  EXPECT_EQ(scratch.role, Role::kOpScratch);
  EXPECT_EQ(scratch.alignment, 32u);
  EXPECT_EQ(scratch.pool, "dtcm");
  EXPECT_EQ(scratch.owner, 0);
  EXPECT_EQ(scratch.name, "scratch");
}

}  // namespace
}  // namespace berth::emit
