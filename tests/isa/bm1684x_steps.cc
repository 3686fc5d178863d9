// Functions of several commands: the steps give the results of the function, and each step is one
// command.
#include <gtest/gtest.h>

#include <map>

#include "common/rng.h"
#include "isa/bm1684x/expand.h"
#include "isa/streams/encode.h"
#include "isa/streams/reader.h"
#include "machine/device.h"
#include "numerics/constant_tables.h"
#include "numerics/float16.h"
#include "ops/contract/kernel_steps.h"
#include "selftest/kinds.h"

namespace tputwin::isa {
namespace {

using testing::Rng;

class Steps : public ::testing::Test {
 protected:
  std::unique_ptr<Device> make() {
    return std::move(
        Device::create({.chip = &bm1684x(), .global_bytes = 1 << 16, .poison = false}).value());
  }

  TensorView tensor(const Shape& s, DType dtype) {
    CommandReader reader(bm1684x());
    const uint64_t at = next_;
    next_ += 0x800;
    return reader.aligned({"", lane_ * bm1684x().lane_bytes + at}, s, dtype);
  }
  // Loads a table from static memory to every lane.
  TensorView table(const StaticTable& t) {
    CommandReader reader(bm1684x());
    const TensorView view =
        reader.aligned({"", next_}, {1, bm1684x().lanes, 1, t.words}, DType::f32);
    next_ += 0x400;
    for (const auto& device : {whole_.get(), stepwise_.get()})
      execute(Operation(LoadTable{.out = view, .address = t.address}),
              device->memories().take_all());
    return view;
  }
  void fill(Rng& rng, const TensorView& view) {
    const testing::ValueKind kind = testing::random_kind(rng);
    for_each_index(view.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      float x = static_cast<float>(static_cast<int32_t>(rng.next())) * 0x1p-27f;
      auto bits = static_cast<int32_t>(float_bits(x, view.dtype));
      if (rng.coin()) bits = static_cast<int32_t>(testing::random_bits(rng, view.dtype, kind));
      whole_->memories().take_all().write(view, n, c, h, w, bits);
      stepwise_->memories().take_all().write(view, n, c, h, w, bits);
    });
  }

  // Compares the function with its steps; each step goes through its command.
  void compare(const Operation& op, const TensorView& result) {
    SCOPED_TRACE(describe(op));
    execute(op, whole_->memories().take_all(), KernelChoice::reference);
    const std::vector<Operation> steps = steps_of(op, bm1684x());
    for (const Operation& step : steps) {
      const auto bytes = encode_command({.op = step, .engine = engine(step), .id = 1}, bm1684x());
      ASSERT_TRUE(bytes.ok()) << bytes.error().message() << "\n" << describe(step);
      const auto one = decode_tiu_command(*bytes, bm1684x());
      ASSERT_TRUE(one.ok()) << one.error().message() << "\n" << describe(step);
      const Status legal = check(one->instruction.op, bm1684x());
      ASSERT_TRUE(legal.ok() || legal.error().info().level == Level::warning) << legal.message();
      execute(one->instruction.op, stepwise_->memories().take_all());
    }
    size_t wrong = 0;
    for_each_index(result.shape, [&](uint32_t n, uint32_t c, uint32_t h, uint32_t w) {
      const int32_t expected = whole_->memories().take_all().read(result, n, c, h, w);
      const int32_t got = stepwise_->memories().take_all().read(result, n, c, h, w);
      if (got != expected && wrong++ == 0)
        ADD_FAILURE() << fmt::format("({},{},{},{}): {:#x}, expected {:#x}", n, c, h, w,
                                     static_cast<uint32_t>(got), static_cast<uint32_t>(expected));
    });
    EXPECT_EQ(wrong, 0u);
  }

  Shape shape(Rng& rng) {
    return {rng.range(1, 2), rng.range(1, 70), rng.range(1, 3), rng.range(1, 9)};
  }

  std::unique_ptr<Device> whole_ = make(), stepwise_ = make();
  uint64_t next_ = 0, lane_ = 0;
};

// Returns the table of a function's own series.
StaticTable series_of(FloatFunction::Kind kind) {
  using Kind = FloatFunction::Kind;
  switch (kind) {
    case Kind::erf:
    case Kind::erfc:
    case Kind::gelu:
      return kErfCoeff;
    case Kind::sin:
      return kSinCoeff;
    case Kind::cos:
      return kCosCoeff;
    case Kind::tan:
    case Kind::cot:
      return kTanCoeff;
    case Kind::arcsin:
    case Kind::arccos:
      return kArcsinCoeff;
    default:
      return kLogCoeff;
  }
}

TEST_F(Steps, AreThoseOfEveryFunction) {
  using Kind = FloatFunction::Kind;
  testing::RandomCases cases(6);
  for (uint64_t index = cases.first; index < cases.end(); ++index)
    for (auto kind = Kind::compensated_reciprocal; kind <= Kind::isfinite;
         kind = static_cast<Kind>(static_cast<int>(kind) + 1)) {
      if (kind == Kind::taylor) continue;  // a single command
      SCOPED_TRACE(cases.rerun(index));
      Rng rng = cases.rng(index);
      next_ = 0;
      lane_ = rng.below(64);
      const Shape s = shape(rng);
      const bool typed = kind >= Kind::hsigmoid;
      const DType type = typed ? rng.pick({DType::f32, DType::f16, DType::bf16}) : DType::f32;
      FloatFunction op{.kind = kind, .out = tensor(s, type)};
      op.a = Source::tensor(tensor(s, type));
      op.b = rng.coin() ? Source::value(1.75f) : Source::tensor(tensor(s, type));
      for (auto& work : op.work) work = tensor(s, type);
      op.exp_coeff = table(kExpCoeff);
      op.exp_table = table(kExpTable);
      op.coeff = table(series_of(kind));
      op.parameters = {.iterations = rng.range(1, 4),
                       .corrections = rng.range(1, 3),
                       .alpha = 0.75f,
                       .beta = rng.coin() ? 1.0f : -1.5f};
      fill(rng, op.a.view);
      if (!op.b.is_constant) fill(rng, op.b.view);
      compare(op, op.out);
      if (HasFailure()) return;
    }
}

TEST_F(Steps, AreThoseOfSignsAndComparisons) {
  testing::RandomCases cases(40);
  for (uint64_t index = cases.first; index < cases.end(); ++index) {
    SCOPED_TRACE(cases.rerun(index));
    Rng rng = cases.rng(index);
    next_ = 0;
    lane_ = rng.below(64);
    const Shape s = shape(rng);
    const DType type = rng.pick({DType::f32, DType::f16, DType::bf16, DType::i8, DType::u8,
                                 DType::i16, DType::u16, DType::i32, DType::u32});
    const TensorView out = tensor(s, type), in = tensor(s, type), other = tensor(s, type);
    fill(rng, in);
    fill(rng, other);
    for (auto kind : {Unary::Kind::neg, Unary::Kind::relu, Unary::Kind::sign})
      compare(Unary{.kind = kind, .out = out, .in = in}, out);
    if (is_float(type))
      compare(
          Unary{.kind = Unary::Kind::prelu, .out = out, .in = in, .alpha = float_bits(0.3f, type)},
          out);
    for (auto condition :
         {Select::Compare::at_least, Select::Compare::at_most, Select::Compare::not_equal})
      compare(Select{.compare = condition,
                     .out = out,
                     .a = Source::tensor(in),
                     .b = Source::tensor(other),
                     .if_true = Source::value(5, type),
                     .if_false = Source::value(0u, type),
                     .type = type},
              out);
    if (HasFailure()) return;
  }
}

TEST_F(Steps, AreThoseOfSequences) {
  for (uint32_t count : {1u, 63u, 64u, 65u, 130u, 300u}) {
    next_ = 0;
    const TensorView row = tensor({1, 3, 1, count}, DType::i32);
    compare(Sequence{.out = row, .start = 7, .step_w = 3}, row);
    const TensorView column = tensor({1, count, 1, 1}, DType::i32);
    compare(Sequence{.out = column, .start = 0xffffff00, .step_c = 5}, column);
    CommandReader reader(bm1684x());
    const TensorView compact = reader.compact({"", 0x3000}, {1, count, 1, 1}, DType::i32);
    compare(Sequence{.out = compact, .start = 1, .step_c = 2}, compact);
  }
}

// Later commands get later numbers, and waits refer to the last step.
TEST_F(Steps, AreNumbered) {
  const TensorView x = tensor({1, 2, 1, 4}, DType::f32), y = tensor({1, 2, 1, 4}, DType::f32);
  const Unary sign{.kind = Unary::Kind::sign, .out = y, .in = x};
  TensorView there = x;
  there.space = Space::global;
  there.address = 0;
  there.stride = {32, 16, 16, 4};
  const std::vector<Instruction> program{{.op = sign, .id = 1},
                                         {.op = Copy{.dst = there, .src = Source::tensor(y)},
                                          .engine = Engine::dma,
                                          .id = 1,
                                          .wait = 1},
                                         {.op = sign, .id = 2, .wait = 1}};
  const auto commands = expand(program, bm1684x());
  std::vector<std::array<uint32_t, 3>> numbers;
  for (const Instruction& in : commands)
    numbers.push_back({static_cast<uint32_t>(in.engine), in.id, in.wait});
  const std::vector<std::array<uint32_t, 3>> expected{
      {0, 1, 0}, {0, 2, 0}, {2, 1, 2}, {0, 3, 1}, {0, 4, 1}};
  EXPECT_EQ(numbers, expected);
  EXPECT_TRUE(encode_streams(commands, bm1684x()).ok());
}

}  // namespace
}  // namespace tputwin::isa
