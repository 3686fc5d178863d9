// Random operations of the BM1880, and of the BM1684's bytes, that fill registers and are split for
// threads.
#include "selftest/differential.h"

#include "memory/layout.h"
#include "selftest/random_tensors.h"

namespace tputwin::testing {
namespace {

constexpr uint64_t kMaxLargeWork = 3'000'000;

// Addresses for local operands, one after the other. The generator gives up if a lane is full.
class LaneAddresses {
 public:
  LaneAddresses(Rng& rng, const Chip& chip) : rng_(rng), chip_(chip) {}
  // Returns an address for `bytes` per lane. If `any_lane`, the start lane is random.
  uint64_t take(uint64_t bytes, bool any_lane = false) {
    uint64_t address = next_;
    next_ = align_up(next_ + bytes, chip_.eu_bytes);
    return address + (any_lane ? rng_.below(chip_.lanes) * chip_.lane_bytes : 0);
  }
  bool fits() const { return next_ <= chip_.lane_bytes; }

 private:
  Rng& rng_;
  const Chip& chip_;
  uint64_t next_ = 0;
};

DType eight(Rng& rng) { return rng.coin() ? DType::i8 : DType::u8; }

std::optional<TensorView> random_bias(Rng& rng, const Chip& chip, LaneAddresses& addresses,
                                      uint32_t oc) {
  if (rng.chance(1, 4)) return {};
  return conv_bias(chip, addresses.take(2 * ceil_div(oc, chip.lanes)), oc, rng.coin());
}

Axis random_axis(Rng& rng, uint32_t kernel) {
  Axis a{.kernel = kernel, .stride = rng.pick({1u, 1u, 1u, 2u, 3u})};
  if (rng.coin()) a.pad_before = a.pad_after = kernel / 2;
  if (rng.chance(1, 8)) a.dilation = 2;
  if (rng.chance(1, 8)) a.insert = 1;
  return a;
}

std::optional<Operation> large_conv2d(Rng& rng, const Chip& chip) {
  LaneAddresses addresses(rng, chip);
  Conv2dBm1880 op;
  Shape in{rng.chance(3, 4) ? 1 : 2u, rng.pick({3u, 16u, 61u, 64u, 128u, 256u}), rng.range(5, 34),
           rng.range(5, 34)};
  uint32_t oc = rng.pick({8u, 17u, 32u, 64u, 100u}), kernel = rng.pick({1u, 1u, 3u, 3u, 5u});
  op.window = {random_axis(rng, kernel), random_axis(rng, kernel)};
  Shape out{in.n, oc, op.window.h.output(in.h), op.window.w.output(in.w)};
  if (out.count() == 0 || out.count() * in.c * kernel * kernel > kMaxLargeWork) return {};
  op.relu = rng.coin();
  op.rshift = rng.chance(1, 6) ? rng.range(0, 31) : rng.range(4, 12);
  op.in = local_tensor(chip, addresses.take(local_lane_bytes(chip, in, true), true), in, true,
                       eight(rng));
  op.out = local_tensor(chip, addresses.take(local_lane_bytes(chip, out, true)), out, true,
                        op.relu ? DType::u8 : DType::i8);
  Shape weight{in.c, oc, kernel, kernel};
  op.weight =
      conv_weight(addresses.take(uint64_t{ceil_div(oc, chip.lanes)} * in.c * kernel * kernel),
                  weight, eight(rng));
  op.bias = random_bias(rng, chip, addresses, oc);
  if (!addresses.fits()) return {};
  return op;
}

std::optional<Operation> large_winograd2d(Rng& rng, const Chip& chip) {
  LaneAddresses addresses(rng, chip);
  Winograd2d op;
  Shape in{rng.chance(3, 4) ? 1 : 2u, rng.pick({16u, 33u, 64u, 96u}), rng.range(8, 40),
           rng.range(8, 40)};
  uint32_t oc = rng.pick({8u, 32u, 40u, 64u});
  Axis axis{.kernel = 3, .pad_before = 1, .pad_after = 1};
  op.window = {axis, axis};
  op.window.h.pad_after += in.h % 2;
  op.window.w.pad_after += in.w % 2;
  Shape out{in.n, oc, op.window.h.output(in.h), op.window.w.output(in.w)};
  if (out.count() * in.c * 16 > 4 * kMaxLargeWork) return {};
  op.relu = rng.coin();
  op.rshift = rng.range(2, 14);
  op.in = local_tensor(chip, addresses.take(local_lane_bytes(chip, in, true), true), in, true,
                       eight(rng));
  op.out = local_tensor(chip, addresses.take(local_lane_bytes(chip, out, true)), out, true,
                        op.relu ? DType::u8 : DType::i8);
  Shape weight{in.c, oc, 4, 4};
  op.weight = local_tensor(chip, addresses.take(local_lane_bytes(chip, weight, false)), weight,
                           false, DType::i8);
  op.bias = random_bias(rng, chip, addresses, oc);
  if (!addresses.fits()) return {};
  return op;
}

std::optional<Operation> large_matrix_mac(Rng& rng, const Chip& chip) {
  LaneAddresses addresses(rng, chip);
  MatrixMac op;
  uint32_t rows = rng.range(1, 64), inner = rng.range(100, 600), cols = rng.range(33, 900);
  if (uint64_t{rows} * inner * cols > kMaxLargeWork) return {};
  auto place = [&](uint32_t r, uint32_t c, DType dtype) {
    MatrixView m = local_matrix(chip, 0, r, c, dtype);
    m.tensor.address = addresses.take(local_lane_bytes(chip, m.tensor.shape, true) *
                                      (is_16bit(dtype) || r == rows ? 2 : 1));
    return m;
  };
  op.relu = rng.chance(1, 3);
  op.accumulate = !op.relu && rng.coin();
  op.lshift = op.accumulate ? rng.range(0, 12) : 0;
  op.rshift = rng.range(0, 14);
  op.left = place(rows, inner, eight(rng));
  op.right = place(inner, cols, eight(rng));
  op.res = place(rows, cols, make_dtype(!op.relu, rng.coin()));
  TensorView& res = op.res.tensor;
  res.plane_stride = is_16bit(res.dtype) || op.accumulate ? rows * res.stride.n : 0;
  if (rng.coin()) {
    op.bias = place(1, cols, make_dtype(rng.coin(), false));
    op.bias->tensor.plane_stride = op.bias->tensor.stride.n;
  }
  const bool has_signed = is_signed(op.left.tensor.dtype) || is_signed(op.right.tensor.dtype) ||
                          (op.bias && is_signed(op.bias->tensor.dtype));
  if (op.accumulate && !has_signed) op.right.tensor.dtype = DType::i8;
  if (!addresses.fits()) return {};
  return op;
}

DType sixteen(Rng& rng) { return make_dtype(rng.coin(), /*is_8bit=*/false); }

std::optional<Operation> large_winograd2d_bm1684(Rng& rng, const Chip& chip) {
  constexpr uint64_t kMostSums = 200'000;  // limit for each of 16 products
  RandomTensors tensors(rng, chip);
  const Shape in{rng.pick({1u, 4u, 5u}), rng.pick({7u, 16u, 33u}), rng.range(6, 30),
                 rng.range(6, 30)};
  const uint32_t oc = rng.pick({5u, 16u, 24u}), lane = rng.below(chip.lanes);
  const auto axis = [&] {
    return Axis{.kernel = 3, .pad_before = rng.range(0, 2), .pad_after = rng.range(0, 2)};
  };
  Winograd2dBm1684 op{.window = {axis(), axis()}, .rshift = rng.range(2, 16)};
  const Shape out{in.n, oc, op.window.h.output(in.h), op.window.w.output(in.w)};
  if (out.count() * in.c > kMostSums) return {};
  op.in = tensors.dense(in, lane, eight(rng), /*aligned=*/true, 4);
  op.out = tensors.dense(out, lane, rng.coin() ? eight(rng) : sixteen(rng), /*aligned=*/true, 4);
  op.weight = tensors.dense({in.c, oc, 4, 4}, lane, DType::i8, /*aligned=*/false, 4);
  if (rng.coin()) op.bias = tensors.dense({1, oc, 1, 1}, lane, sixteen(rng), /*aligned=*/false);
  return op;
}

std::optional<Operation> large_matmul_bm1684_int8(Rng& rng, const Chip& chip) {
  constexpr uint64_t kMostTerms = 1'000'000;
  RandomTensors tensors(rng, chip);
  const uint32_t rows = rng.chance(1, 3) ? 1 : rng.range(2, 64), depth = rng.range(100, 600);
  const uint32_t width = rng.pick({1u, 8u, 31u, 64u}), channels = rng.range(1, 70);
  if (uint64_t{rows} * depth * width * channels > kMostTerms) return {};
  const uint32_t lane = rng.below(chip.lanes), left_width = rng.pick({16u, 64u, 99u});
  const auto matrix = [&](uint32_t r, uint32_t c, uint32_t w, uint32_t first, DType dtype) {
    return MatrixView{tensors.dense({r, ceil_div(c, w), 1, w}, first, dtype, /*aligned=*/true), r,
                      c};
  };
  MatmulBm1684Int8 op{.rshift = rng.range(0, 16)};
  op.out = matrix(rows, width * channels, width, lane, rng.coin() ? eight(rng) : sixteen(rng));
  op.left = matrix(rows, depth, left_width, rng.below(chip.lanes), eight(rng));
  op.right = matrix(depth, width * channels, width, lane, eight(rng));
  if (rng.coin()) op.bias = matrix(1, width * channels, width, lane, sixteen(rng));
  return op;
}

std::optional<Operation> attempt(Rng& rng, OperationKind kind, const Chip& chip) {
  switch (kind) {
    case OperationKind::conv2d_bm1880:
      return large_conv2d(rng, chip);
    case OperationKind::winograd2d:
      return large_winograd2d(rng, chip);
    case OperationKind::matrix_mac:
      return large_matrix_mac(rng, chip);
    case OperationKind::winograd2d_bm1684:
      return large_winograd2d_bm1684(rng, chip);
    case OperationKind::matmul_bm1684_int8:
      return large_matmul_bm1684_int8(rng, chip);
    default:
      return {};
  }
}

}  // namespace

std::optional<Operation> large_operation(Rng& rng, OperationKind kind, const Chip& chip) {
  for (int tries = 0; tries < 100; ++tries)
    if (std::optional<Operation> op = attempt(rng, kind, chip);
        op && is_legal(*op, chip, kTestGlobalBytes))
      return op;
  return {};
}

}  // namespace tputwin::testing
