// Subnets on the host, together with command groups that this file writes, for both chips.
#include "bmrt/subnet_launch.h"
#include "common/command_program.h"
#include "ops/operation.h"

namespace tputwin::testing {
namespace {

using bmodel::bm168x::AddressMode;
using bmodel::bm168x::compiled_base;
using bmodel::bm168x::Storage;
using bmodel::bm168x::SubnetMode;
using bmodel::bm168x::SubNetT;

// Size of the neurons, which begin at the first byte that compilers allocate.
constexpr uint64_t kNeuronBytes = 0x8000;

class OnChip : public Subnets, public ::testing::WithParamInterface<const Chip*> {
 protected:
  OnChip() : Subnets(*GetParam()), file(chip().name.data()) {
    file.stage().ctx_addr = compiled_base(chip());
    file.stage().ctx_size = kNeuronBytes;
  }
  static const Chip& chip() { return *GetParam(); }

  // Returns a tensor `offset` bytes into the neurons. place() is its address in commands.
  static TensorT at(uint64_t offset, const TensorT& tensor) {
    TensorT placed = tensor;
    placed.device_addr = compiled_base(chip()) + offset;
    return placed;
  }
  static uint64_t place(uint64_t offset) {
    return compiled_base(chip()) - chip().global_base + offset;
  }
  SubNetT& tpu(const CommandProgram& program, const SubnetFile::Tensors& inputs,
               const SubnetFile::Tensors& outputs) {
    SubNetT& made = file.subnet(SubnetMode::tpu, inputs, outputs);
    auto group = program.group(file.binary);
    EXPECT_TRUE(group.ok()) << group.status().message();
    if (group.ok()) made.cmd_group.push_back(std::move(*group));
    return made;
  }
  // to = from * factor + addend, fp32.
  static CommandProgram affine(const Shape& shape, uint64_t from, float factor, float addend,
                               uint64_t to) {
    using Kind = FloatArithmetic::Kind;
    CommandProgram program(chip());
    const TensorView x = program.lanes(shape, DType::f32);
    program.load(x, place(from));
    for (const auto& [kind, number] : {std::pair{Kind::mul, factor}, {Kind::add, addend}})
      program.add(FloatArithmetic{
          .kind = kind, .out = x, .a = Source::tensor(x), .b = Source::value(number)});
    program.store(x, place(to));
    return program;
  }

  SubnetFile file;
};

// The host reads results of commands, and commands read results of the host.
TEST_P(OnChip, TheHostBetweenCommands) {
  const TensorT x = at(0, f32("x", {1, 3, 2, 4})), y = at(0x1000, f32("y", {1, 3, 2, 4})),
                best = at(0x2000, f32("best", {1, 3, 2, 2})),
                z = at(0x3000, f32("z", {1, 3, 2, 2})), which = i32("which", {1, 3, 2, 2});
  file.input(owned(x));
  tpu(affine({1, 3, 2, 4}, 0, -1.0f, 1.0f, 0x1000), {x}, {y});
  file.cpu("topk k=2", {y}, {best, which});
  tpu(affine({1, 3, 2, 2}, 0x2000, 2.0f, 0.5f, 0x3000), {best}, {z});
  file.output(owned(z));
  file.output(owned(which));
  std::vector<float> in(24);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i * 7 % 11);
  const auto out = launch(file, {bytes_of(in)});
  ASSERT_EQ(out.size(), 2u) << tputwin_last_error();
  const auto values = values_of<float>(out[0].bytes);
  const auto positions = values_of<int32_t>(out[1].bytes);
  for (size_t row = 0; row < 6; ++row) {
    std::vector<float> sorted(in.begin() + static_cast<ptrdiff_t>(4 * row),
                              in.begin() + static_cast<ptrdiff_t>(4 * row + 4));
    std::ranges::sort(sorted);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(values[2 * row + i], (1 - sorted[i]) * 2 + 0.5f);
      EXPECT_EQ(in[4 * row + static_cast<size_t>(positions[2 * row + i])], sorted[i]);
    }
  }
}

// Commands see zeros above and below the host's rows. The host does not read what commands store
// there.
TEST_P(OnChip, PaddedRowsWithTheHost) {
  constexpr uint32_t kRows = 3, kWidth = 4, kAbove = 2, kBelow = 1, kAll = kAbove + kRows + kBelow;
  const TensorT x = f32("x", {2, kRows, kWidth}), one = i32("one", {1});
  TensorT padded = at(0, f32("padded", {1, 2, kRows, kWidth}));
  const TensorT all = at(0x1000, f32("all", {1, 2, kAll, kWidth}));
  TensorT inner = at(0x1000, f32("inner", {1, 2, kRows, kWidth}));
  padded.pad_h = inner.pad_h = kAbove << 16 | kBelow;
  const TensorT order = i32("order", {1, 2, kRows, kWidth});
  file.input(owned(f32("x", {3, 2, kRows, kWidth})));
  file.input(owned(one));
  file.cpu("gather", {f32("x", {3, 2, kRows, kWidth}), one}, {padded});
  tpu(affine({1, 2, kAll, kWidth}, 0, -2.0f, 1.0f, 0x1000), {padded}, {all, inner});
  file.cpu("argsort", {inner}, {order});
  for (const TensorT& tensor : {all, inner, order}) file.output(owned(tensor));
  std::vector<float> in(3 * 2 * kRows * kWidth);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  const auto out = launch(file, {bytes_of(in), bytes_of<int32_t>({1})});
  ASSERT_EQ(out.size(), 3u) << tputwin_last_error();
  const auto whole = values_of<float>(out[0].bytes), rows = values_of<float>(out[1].bytes);
  const auto positions = values_of<int32_t>(out[2].bytes);
  const float* chosen = in.data() + 2 * kRows * kWidth;
  for (uint32_t c = 0; c < 2; ++c)
    for (uint32_t y = 0; y < kAll; ++y)
      for (uint32_t w = 0; w < kWidth; ++w) {
        const bool inside = kAbove <= y && y < kAbove + kRows;
        const uint32_t at = (c * kRows + y - kAbove) * kWidth + w;
        EXPECT_EQ(whole[(c * kAll + y) * kWidth + w], inside ? 1 - 2 * chosen[at] : 1.0f);
        if (!inside) continue;
        EXPECT_EQ(rows[at], 1 - 2 * chosen[at]);
        EXPECT_EQ(positions[at], static_cast<int32_t>(kWidth - 1 - w));  // they descend
      }
}

// The user's input is padded for the first commands of a graph.
TEST_P(OnChip, PaddedRowsOfTheUser) {
  TensorT x = at(0, f32("x", {1, 2, 1, 3}));
  x.pad_h = 1 << 16;
  const TensorT y = at(0x1000, f32("y", {1, 2, 2, 3})), order = i32("order", {1, 2, 2, 3});
  file.input(owned(x));
  tpu(affine({1, 2, 2, 3}, 0, 1.0f, 0.0f, 0x1000), {x}, {y});
  file.cpu("argsort", {y}, {order});
  file.output(owned(y));
  file.output(owned(order));
  const auto out = launch(file, {bytes_of<float>({1, 2, 3, 4, 5, 6})});
  ASSERT_EQ(out.size(), 2u) << tputwin_last_error();
  EXPECT_EQ(values_of<float>(out[0].bytes),
            (std::vector<float>{0, 0, 0, 1, 2, 3, 0, 0, 0, 4, 5, 6}));
}

INSTANTIATE_TEST_SUITE_P(Chips, OnChip, ::testing::Values(&bm1684(), &bm1684x()),
                         [](const auto& info) { return std::string(info.param->name); });

class OnBm1684 : public OnChip {};

// Cells with bytes of four images pass through branches; the user gets plain storage.
TEST_P(OnBm1684, FourImagesToACell) {
  const Shape shape{3, 70, 1, 5};  // more channels than lanes, a partial cell
  const auto packed = [&](const char* name, uint64_t offset) {
    TensorT tensor =
        at(offset, *host_tensor(name, {shape.n, shape.c, shape.h, shape.w}, ElementType::i8));
    tensor.gmem_stmode = static_cast<int32_t>(Storage::n4);
    return tensor;
  };
  // to = from + from, or 0 - from
  const auto commands = [&](FixedPoint::Kind kind, uint64_t from, uint64_t to) {
    CommandProgram program(chip());
    const TensorView x = program.lanes(shape, DType::i8, /*aligned=*/true, /*pack=*/4);
    program.load(x, place(from));
    program.add(
        FixedPoint{.kind = kind,
                   .out = x,
                   .a = kind == FixedPoint::Kind::sub ? Source::value(0u) : Source::tensor(x),
                   .b = Source::tensor(x)});
    program.store(x, place(to));
    return program;
  };
  const TensorT x = packed("x", 0), which = i32("which", {1}), a = packed("a", 0x1000),
                b = packed("b", 0x2000), twice = packed("twice", 0x3000),
                minus = packed("minus", 0x4000), y = packed("y", 0x5000);
  file.input(owned(x));
  file.input(owned(which));
  file.branch({x, which}, {a, b}, {0, 0}, {0, 1}, {1, 2});
  tpu(commands(FixedPoint::Kind::add, 0x1000, 0x3000), {a}, {twice}).next_subnet_ids = {3};
  tpu(commands(FixedPoint::Kind::sub, 0x2000, 0x4000), {b}, {minus}).next_subnet_ids = {3};
  file.merge({twice, minus}, {y}, {{0, 1}});
  file.output(owned(y));
  Bytes in(shape.count());
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint8_t>(i % 61 - 30);
  for (int32_t branch : {0, 1}) {
    const auto out = launch(file, {in, bytes_of<int32_t>({branch})});
    ASSERT_EQ(out.size(), 1u) << tputwin_last_error();
    for (size_t i = 0; i < in.size(); ++i) {
      const auto value = static_cast<int8_t>(in[i]);
      ASSERT_EQ(static_cast<int8_t>(out[0].bytes[i]), branch == 0 ? 2 * value : -value) << i;
    }
  }
}

// Files of the BM1684 have no such mode. It is unknown how entries would name the two parts of an
// address.
TEST_P(OnBm1684, RefusesNumbersOfInputs) {
  const TensorT x = at(0, f32("x", {1, 1, 1, 4})), y = at(0x1000, f32("y", {1, 1, 1, 4}));
  file.input(owned(x));
  tpu(affine({1, 1, 1, 4}, 0, 1.0f, 0.0f, 0x1000), {x}, {y});
  file.output(owned(y));
  file.net().addr_mode = static_cast<int32_t>(AddressMode::io_reloc);
  refused(file, {bytes_of<float>({1, 2, 3, 4})});
  EXPECT_EQ(code(), "TW-BRT-0106");
}

INSTANTIATE_TEST_SUITE_P(Chip, OnBm1684, ::testing::Values(&bm1684()),
                         [](const auto&) { return std::string("BM1684"); });

class OnBm1684x : public OnChip {};

// Entries name the addresses that are inputs and outputs of the net, in every subnet.
TEST_P(OnBm1684x, InputsByNumberWithTheHost) {
  constexpr uint32_t kSource = 64, kTarget = 72, kCommand = 96;
  const TensorT x = f32("x", {1, 1, 1, 4}), y = f32("y", {1, 1, 1, 4}), z = f32("z", {1, 1, 1, 4}),
                order = i32("order", {1, 1, 1, 4});
  file.input(owned(x));
  for (const TensorT& tensor : {y, order, z}) file.output(owned(tensor));
  const uint32_t input = 0, of_y = 1, of_z = 3;
  tpu(affine({1, 1, 1, 4}, 0, -1.0f, 0.0f, 0), {x}, {y}).cmd_group[0]->reloc_entries = {
      {input, 0, kSource}, {of_y, 0, kCommand + kTarget}};
  file.cpu("argsort", {y}, {order});
  tpu(affine({1, 1, 1, 4}, 0, 1.0f, 100.0f, 0), {y}, {z}).cmd_group[0]->reloc_entries = {
      {of_y, 0, kSource}, {of_z, 0, kCommand + kTarget}};
  file.net().addr_mode = static_cast<int32_t>(AddressMode::io_reloc);
  const auto out = launch(file, {bytes_of<float>({3, 1, 2, 4})});
  ASSERT_EQ(out.size(), 3u) << tputwin_last_error();
  EXPECT_EQ(values_of<float>(out[0].bytes), (std::vector<float>{-3, -1, -2, -4}));
  EXPECT_EQ(values_of<int32_t>(out[1].bytes), (std::vector<int32_t>{3, 0, 2, 1}));
  EXPECT_EQ(values_of<float>(out[2].bytes), (std::vector<float>{97, 99, 98, 96}));
}

INSTANTIATE_TEST_SUITE_P(Chip, OnBm1684x, ::testing::Values(&bm1684x()),
                         [](const auto&) { return std::string("BM1684X"); });

}  // namespace
}  // namespace tputwin::testing
