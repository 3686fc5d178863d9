// Programs of the BM1684X from bytes to bytes that run repeatedly: residuals of two inputs, lookups
// and products, with loads and stores of tensors and matrices. Also arithmetic on 16-bit floats.
// With and without plans, all memory is equal after every run.
#include <gtest/gtest.h>

#include "base/parallel.h"
#include "common/rng.h"
#include "machine/plan_pair.h"
#include "ops/fast/fast.h"
#include "selftest/random_operation.h"

namespace tputwin::test::of_bytes {
namespace {

using testing::RandomCases;
using testing::Rng;

constexpr uint64_t kBytesOfMemory = testing::kTestGlobalBytes;

const Chip& chip() { return testing::chip_of(testing::OperationKind::int_arithmetic); }

// Adds an operation if it is legal.
void add(ProgramBuilder& b, const Operation& op) {
  if (testing::is_legal(op, chip(), kBytesOfMemory)) b.add(op, engine(op), 0);
}

// Tensors of one shape at addresses of which some overlap.
struct Tensors {
  Rng& rng;
  Shape shape;
  TensorView draw(DType dtype) {
    const uint64_t size = uint64_t{shape.n} * ((shape.c + chip().lanes - 1) / chip().lanes) *
                          ((shape.h * shape.w + 63) / 64 * 64) * 2;
    const uint64_t step = rng.chance(1, 6) ? 64 : (size + 63) / 64 * 64;
    TensorView view =
        local_tensor(chip(), step * rng.below(chip().lane_bytes / step / 2), shape, true, dtype);
    view.stride = lane_stride(chip(), shape, 0, element_bytes(dtype), rng.chance(3, 4));
    view.plane_stride = element_bytes(dtype) == 2;
    return view;
  }
};

DType byte_type(Rng& rng) { return rng.coin() ? DType::i8 : DType::u8; }

// Returns a tensor in global memory, of which many begin at the same few addresses.
TensorView in_global(Rng& rng, const TensorView& local) {
  TensorView view = local;
  view.space = Space::global;
  view.address = rng.below(6) * 4096 + (rng.chance(1, 4) ? rng.below(64) : 0);
  view.stride = system_stride(local.shape, element_bytes(local.dtype));
  return view;
}

// Returns the rows of a matrix with a row for each n.
MatrixView as_matrix(const TensorView& view, uint32_t cols) { return {view, view.shape.n, cols}; }
TensorView rows_in_global(Rng& rng, const TensorView& local, uint32_t cols) {
  TensorView view = in_global(rng, local);
  view.shape = {local.shape.n, 1, 1, cols};
  // Elements of 16 bits one byte apart share bytes.
  const uint32_t bytes = element_bytes(local.dtype), step = rng.chance(1, 4) ? 1 : bytes;
  view.stride = {cols * bytes + (rng.chance(1, 4) ? 5 : 0), 0, 0, step};
  return view;
}

// Moves a tensor from or to global memory, as a tensor or as rows of a matrix.
void move(Rng& rng, ProgramBuilder& b, const TensorView& local, bool is_store) {
  const Shape& s = local.shape;
  if (s.h == 1 && rng.chance(2, 3)) {
    const uint32_t cols = s.c * s.w - (rng.chance(1, 4) ? rng.below(s.w) : 0);
    const MatrixView lanes = as_matrix(local, cols),
                     rows = as_matrix(rows_in_global(rng, local, cols), cols);
    return add(b, is_store ? CopyMatrix{rows, lanes} : CopyMatrix{lanes, rows});
  }
  const TensorView global = in_global(rng, local);
  add(b, is_store ? Copy{.dst = global, .src = Source::tensor(local)}
                  : Copy{.dst = local, .src = Source::tensor(global)});
}

IntArithmetic product(Rng& rng, const TensorView& in, const TensorView& out) {
  const DType type = byte_type(rng);
  const int32_t factor = rng.pick({1, 0x1d, 0x77, 127, 255, -128, -3, 0});
  return {.kind = IntArithmetic::Kind::mul,
          .out = out,
          .a = Source::tensor(in),
          .b = Source::value(static_cast<uint32_t>(type == DType::i8 ? static_cast<int8_t>(factor)
                                                                     : factor & 0xff),
                             type),
          .shift = Source::value(static_cast<uint32_t>(rng.pick({-7, -5, -6, 0, -1, -15, 2})),
                                 DType::i8),
          .rounding = rng.chance(5, 6) ? Rounding::half_up : static_cast<Rounding>(rng.below(7)),
          .saturates = !rng.chance(1, 8)};
}

// Sometimes overwrites a tensor, so that its bytes are not live-out.
void overwrite(Rng& rng, ProgramBuilder& b, const TensorView& view, uint32_t of) {
  if (!rng.chance(1, of))
    add(b, Copy{.engine = Engine::compute, .dst = view, .src = Source::value(3u, view.dtype)});
}

void add_sum(Rng& rng, ProgramBuilder& b, Tensors& tensors) {
  const TensorView first = tensors.draw(byte_type(rng)), addend = tensors.draw(byte_type(rng));
  const DType wide = rng.chance(4, 5) ? DType::i16 : DType::u16;
  const TensorView a = tensors.draw(wide), c = tensors.draw(rng.chance(4, 5) ? DType::i16 : wide);
  move(rng, b, first, false);
  move(rng, b, addend, false);
  const bool casts = rng.coin();
  TensorView sum =
      casts ? (rng.coin() ? a : tensors.draw(DType::i16)) : tensors.draw(byte_type(rng));
  if (casts) sum.dtype = DType::i16;
  add(b, product(rng, first, a));
  if (rng.chance(1, 6)) overwrite(rng, b, rng.coin() ? first : addend, 2);
  add(b, product(rng, rng.chance(1, 8) ? first : addend, c));
  if (rng.chance(1, 6)) move(rng, b, rng.coin() ? first : addend, false);
  add(b, IntArithmetic{.out = sum,
                       .a = Source::tensor(a),
                       .b = Source::tensor(rng.chance(1, 8) ? a : c),
                       .saturates = !rng.chance(1, 10)});
  TensorView result = sum;
  if (casts) {
    result = tensors.draw(byte_type(rng));
    add(b, Convert{.rounding = Rounding::half_away, .out = result, .in = sum});
  }
  move(rng, b, result, true);
  for (const TensorView& view : {first, addend, a, c, sum, result}) overwrite(rng, b, view, 8);
}

void add_map(Rng& rng, ProgramBuilder& b, Tensors& tensors) {
  const TensorView in = tensors.draw(rng.chance(3, 4) ? DType::u8 : DType::i8);
  const TensorView out = tensors.draw(byte_type(rng));
  if (rng.chance(1, 4)) {
    move(rng, b, in, false);
    add(b, product(rng, in, out));
  } else {
    TensorView table =
        local_tensor(chip(), chip().lane_bytes - 512,
                     {1, chip().lanes, 1, rng.pick({256u, 300u, 60u})}, true, DType::u8);
    move(rng, b, table, false);
    move(rng, b, in, false);
    TensorView index = in;
    index.dtype = DType::u8;
    add(b, TableLookup{.out = out, .in = index, .table = table, .fault = {}});
  }
  if (rng.chance(1, 8)) move(rng, b, in, true);
  move(rng, b, out, true);
  if (rng.chance(1, 8)) move(rng, b, out, true);
  for (const TensorView& view : {in, out}) overwrite(rng, b, view, 8);
}

// Two inputs, of which some bytes are read again, and a result that is mostly stored only.
void add_float_map(Rng& rng, ProgramBuilder& b, Tensors& tensors) {
  using Kind = FloatArithmetic::Kind;
  const DType type = rng.coin() ? DType::f16 : DType::bf16;
  const TensorView first = tensors.draw(type), second = tensors.draw(type);
  const TensorView out = rng.chance(1, 8) ? first : tensors.draw(type);
  move(rng, b, first, false);
  move(rng, b, second, false);
  if (rng.chance(1, 8)) move(rng, b, rng.coin() ? first : out, true);
  add(b, FloatArithmetic{.kind = rng.pick({Kind::add, Kind::sub, Kind::mul, Kind::max}),
                         .out = out,
                         .a = Source::tensor(first),
                         .b = Source::tensor(rng.chance(1, 8) ? first : second)});
  move(rng, b, out, true);
  if (rng.chance(1, 4)) move(rng, b, rng.coin() ? first : second, true);
  for (const TensorView& view : {first, second, out}) overwrite(rng, b, view, 6);
}

Shape random_shape(Rng& rng) {
  const uint32_t lanes = chip().lanes;
  const uint32_t c = rng.pick({1u, 3u, lanes - 1, lanes, lanes + 1, 2 * lanes, 2 * lanes + 5});
  // Images of lanes with one number of channels follow each other, and those of other lanes do not.
  if (rng.chance(1, 6)) return {static_cast<uint32_t>(rng.range(2, 4)), 2 * lanes + 5, 1, 64};
  if (rng.chance(1, 3))
    return {static_cast<uint32_t>(rng.range(1, 4)), c, 1, rng.pick({16u, 64u, 100u})};
  return {rng.chance(1, 4) ? 2u : 1u, c, static_cast<uint32_t>(rng.range(1, 9)),
          static_cast<uint32_t>(rng.range(1, 40))};
}

std::vector<Instruction> random_program(Rng& rng) {
  ProgramBuilder b(chip());
  for (uint32_t left = rng.range(1, 4); left > 0; --left) {
    Tensors tensors{rng, random_shape(rng)};
    const auto add_some = rng.pick({&add_sum, &add_map, &add_float_map});
    add_some(rng, b, tensors);
  }
  return b.program();
}

class PlansOfBytes : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ASSERT_TRUE(fast::select_isa(GetParam())); }
  void TearDown() override {
    fast::select_isa("");
    set_thread_count(0);
  }
};

TEST_P(PlansOfBytes, LeaveTheBytesOfRunsWithoutThem) {
  const bool prepares = GetParam() != "reference";
  const RandomCases cases(prepares ? 48 : 2);
  PlanStatistics done;
  for (uint64_t i = cases.first; i < cases.end(); ++i) {
    SCOPED_TRACE(cases.rerun(i));
    Rng rng = cases.rng(i);
    set_thread_count(1 + static_cast<int>(i % 2));
    PlanPair pair(rng, {.bytes = kBytesOfMemory,
                        .constants = 0,
                        .constant_bytes = kBytesOfMemory,
                        .chip = &chip()});
    pair.add(random_program(rng));
    for (int run_index = 0; run_index < 4; ++run_index) {
      const std::string difference = pair.run(0);
      ASSERT_EQ(difference, "") << "in run " << run_index << " of\n" << pair.text();
      if (rng.coin()) pair.change_something();
    }
    pair.add_statistics(done);
  }
  if (!prepares || cases.count < 48) return;
  EXPECT_GT(done.fused_products, 5u);
  EXPECT_GT(done.fused_moves, 10u);
}

INSTANTIATE_TEST_SUITE_P(Every, PlansOfBytes,
                         ::testing::ValuesIn(fast::available_isas().begin(),
                                             fast::available_isas().end()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tputwin::test::of_bytes
