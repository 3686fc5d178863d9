// Pairs of special values, and their insertion into operands.
#include "selftest/special_pairs.h"

#include <algorithm>
#include <vector>

#include "numerics/add_tree.h"
#include "ops/conv/weights_bm1684x.h"

namespace tputwin::testing {
namespace {

constexpr uint32_t one_of(DType type) {
  return type == DType::f16 ? 0x3c00 : type == DType::bf16 ? 0x3f80 : 0x3f800000;
}
constexpr uint32_t sign_of(DType type) { return is_half(type) ? 0x8000 : 0x80000000; }

// Returns a pair in random order. Limits and ties have random signs.
Pair random_pair(Rng& rng, PairKind kind, DType type) {
  Pair pair = special_pair(kind, type);
  if (kind >= PairKind::limits && rng.coin())
    pair = {pair.first ^ sign_of(type), pair.second ^ sign_of(type)};
  if (rng.coin()) std::swap(pair.first, pair.second);
  return pair;
}

// A range of consecutive products.
struct Group {
  uint32_t first, count;
};

// Returns one of the groups of `total` products. It has at least two products if there are two.
Group random_group(Rng& rng, uint32_t total) {
  const uint32_t groups = (total + kAddTreeGroup - 1) / kAddTreeGroup;
  uint32_t first = rng.range(0, groups - 1) * kAddTreeGroup;
  if (first != 0 && total - first < 2) first -= kAddTreeGroup;
  return {first, std::min(kAddTreeGroup, total - first)};
}

// Writes the pair to two positions of the group, by set(k, bits). Their partners, by set_partner,
// become 1.
template <class Set, class SetPartner>
void plant_in_group(Rng& rng, DType type, const Group& group, Set&& set, SetPartner&& set_partner) {
  const auto kind = static_cast<PairKind>(rng.below(kPairKinds));
  const bool alone = kind == PairKind::zeros || kind == PairKind::ties || rng.coin();
  const uint32_t rest = rng.coin() ? 0 : sign_of(type);
  const Pair pair = random_pair(rng, kind, type);
  const uint32_t a = rng.range(0, group.count - 1);
  const uint32_t b = (a + rng.range(1, group.count - 1)) % group.count;
  for (uint32_t i = 0; i < group.count; ++i) {
    if (!alone && i != a && i != b) continue;
    set(group.first + i, i == a ? pair.first : i == b ? pair.second : rest);
    set_partner(group.first + i, one_of(type));
  }
}

bool plant_in_sum(Rng& rng, const MatmulBm1684xHalf& op, const Memory& memory) {
  const uint32_t depth = op.left.cols();
  if (depth < 2 || (op.left.is_constant && op.right.is_constant)) return false;
  const Group group = random_group(rng, depth);
  const uint32_t i = rng.range(0, op.out.rows() - 1), j = rng.range(0, op.out.cols() - 1);
  auto left = [&](uint32_t k, uint32_t bits) {
    if (!op.left.is_constant) op.left.write(memory, i, k, static_cast<int32_t>(bits));
  };
  auto right = [&](uint32_t k, uint32_t bits) {
    if (!op.right.is_constant) op.right.write(memory, k, j, static_cast<int32_t>(bits));
  };
  const bool in_left = !op.left.is_constant && (op.right.is_constant || rng.coin());
  in_left ? plant_in_group(rng, op.left.dtype(), group, left, right)
          : plant_in_group(rng, op.left.dtype(), group, right, left);
  return true;
}

bool plant_in_sum(Rng& rng, const Conv2dBm1684xFloat& op, const Memory& memory) {
  const TensorView &in = op.in, &weight = op.weight.view;
  if (!is_half(in.dtype) || in.shape.c < 2) return false;
  const Group group = random_group(rng, in.shape.c);
  const uint32_t n = rng.range(0, in.shape.n - 1), y = rng.range(0, in.shape.h - 1);
  const uint32_t x = rng.range(0, in.shape.w - 1), oc = rng.range(0, op.out.shape.c - 1);
  const uint32_t tap = rng.range(0, taps_of(op.window) - 1);
  const uint32_t row = weight_row(group.first, tap, op.window, kAddTreeGroup);
  auto input = [&](uint32_t k, uint32_t bits) {
    memory.write(in, n, k, y, x, static_cast<int32_t>(bits));
  };
  auto factor = [&](uint32_t k, uint32_t bits) {
    if (!op.weight.is_constant)
      memory.write(weight, 0, oc, row, k % kAddTreeGroup, static_cast<int32_t>(bits));
  };
  op.weight.is_constant || rng.coin() ? plant_in_group(rng, in.dtype, group, input, factor)
                                      : plant_in_group(rng, in.dtype, group, factor, input);
  return true;
}

bool plant_in_sum(Rng& rng, const Operation& operation, const Memory& memory) {
  if (const auto* op = std::get_if<MatmulBm1684xHalf>(&operation))
    return plant_in_sum(rng, *op, memory);
  if (const auto* op = std::get_if<Conv2dBm1684xFloat>(&operation))
    return plant_in_sum(rng, *op, memory);
  return false;
}

// Writes the pair to two elements near each other in one operand, or to the same element of two
// operands.
void plant_nearby(Rng& rng, const Operation& operation, const Memory& memory) {
  std::vector<const TensorView*> views;
  const OperandList list = operands(operation);
  for (const Operand& operand : list)
    if (operand.access != Access::write && is_float(operand.view->dtype))
      views.push_back(operand.view);
  if (views.empty()) return;
  const TensorView& a = *views[rng.below(views.size())];
  const TensorView& b = *views[rng.below(views.size())];
  const uint32_t n = rng.range(0, a.shape.n - 1), c = rng.range(0, a.shape.c - 1);
  const uint32_t h = rng.range(0, a.shape.h - 1), w = rng.range(0, a.shape.w - 1);
  const auto kind = static_cast<PairKind>(rng.below(kPairKinds));
  const uint32_t distance = &a == &b ? rng.range(1, 31) : 0;
  const Pair pair = random_pair(rng, kind, a.dtype);
  memory.write(a, n, c, h, w, static_cast<int32_t>(pair.first));
  const uint32_t second = b.dtype == a.dtype ? pair.second : special_pair(kind, b.dtype).second;
  memory.write(b, std::min(n, b.shape.n - 1), std::min(c, b.shape.c - 1),
               std::min(h, b.shape.h - 1), (w + distance) % b.shape.w,
               static_cast<int32_t>(second));
}

}  // namespace

Pair special_pair(PairKind kind, DType type) {
  constexpr Pair kF16[kPairKinds] = {{0x7e01, 0xfd02}, {0x0000, 0x8000}, {0x7c00, 0xfc00},
                                     {0x7c00, 0xfe01}, {0x0001, 0x7bff}, {0x6800, 0x3c00}};
  constexpr Pair kBf16[kPairKinds] = {{0x7fc1, 0xff82}, {0x0000, 0x8000}, {0x7f80, 0xff80},
                                      {0x7f80, 0xffc1}, {0x0001, 0x7f7f}, {0x4380, 0x3f80}};
  constexpr Pair kF32[kPairKinds] = {{0x7fc12345, 0xff8abcde}, {0x00000000, 0x80000000},
                                     {0x7f800000, 0xff800000}, {0x7f800000, 0xffc10001},
                                     {0x00000001, 0x7f7fffff}, {0x4b800000, 0x3f800000}};
  const auto& pairs = type == DType::f16 ? kF16 : type == DType::bf16 ? kBf16 : kF32;
  return pairs[static_cast<uint32_t>(kind)];
}

void plant_pair(Rng& rng, const Operation& operation, const Memory& memory) {
  if (rng.coin() && plant_in_sum(rng, operation, memory)) return;
  if (rng.chance(1, 4)) plant_nearby(rng, operation, memory);
}

}  // namespace tputwin::testing
