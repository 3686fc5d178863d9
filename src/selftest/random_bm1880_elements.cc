// Random element-wise operations, sums and table lookups of the BM1880.
#include "selftest/bm1880_family.h"

namespace tputwin::testing {
namespace {

class Elements : Bm1880Family {
 public:
  Elements(Rng& rng, const Chip& chip) : Bm1880Family(rng, chip) {}

  Operation mdsum() {
    Mdsum op;
    op.a = tensor(shape(6000), eight(), true);
    op.out = tensor({1, op.a.shape.c, 1, 1}, make_dtype(is_signed(op.a.dtype), rng_.coin()), false);
    if (is_16bit(op.out.dtype)) add_plane(op.out);
    uint32_t lane = placer_.any_lane();
    placer_.place(op.a, rng_.chance(7, 8) ? chip_.eu_bytes : 1, lane);
    placer_.place(op.out, 1, rng_.chance(7, 8) ? lane : placer_.any_lane());
    placer_.finish();
    return op;
  }

  Operation lut() {
    Lut op;
    op.in = tensor(shape(6000), eight(), true);
    op.out = tensor(op.in.shape, eight(), true);
    op.table = tensor({1, chip_.lanes, 16, 16}, eight(), true);
    uint32_t lane = placer_.any_lane(), quantum = rng_.chance(7, 8) ? chip_.eu_bytes : 1;
    placer_.place(op.in, quantum, lane);
    placer_.place(op.table, quantum);
    placer_.place(op.out, quantum, rng_.chance(7, 8) ? lane : placer_.any_lane());
    placer_.finish();
    if (rng_.chance(1, 5)) op.out.address = op.in.address;
    return op;
  }

  Operation elementwise() {
    Elementwise op;
    op.kind = static_cast<Kind>(rng_.below(static_cast<uint64_t>(Kind::copy) + 1));
    const Types types = types_of(op.kind);
    op.b_is_constant = op.kind != Kind::copy && rng_.chance(1, 3);
    op.b_signed = types.signed_b;
    op.constant = constant(types.wide_b, types.signed_b);
    op.rshift = rshift();
    op.lshift = rng_.chance(1, 6) ? rng_.range(0, 31) : rng_.range(0, 10);
    place_operands(op, types);
    return op;
  }

 private:
  using Kind = Elementwise::Kind;
  struct Types {
    bool wide_a, wide_b, wide_out, signed_a, signed_b, signed_out;
  };

  Types types_of(Kind kind) {
    const bool logic = kind == Kind::bit_and || kind == Kind::bit_or || kind == Kind::bit_xor;
    const bool compare = kind == Kind::max || kind == Kind::min;
    const bool sum = kind == Kind::add || kind == Kind::sub;
    Types t{.wide_a = sum || kind == Kind::shift, .wide_b = sum, .wide_out = rng_.coin()};
    if (logic) t.wide_a = t.wide_b = t.wide_out;
    if (compare || kind == Kind::copy) t.wide_out = false;
    if (kind == Kind::shift) t.wide_out = true;

    t.signed_a = rng_.coin(), t.signed_b = rng_.coin();
    if (compare) t.signed_b = t.signed_a;
    if (kind == Kind::shift) t.signed_a = t.signed_b = true;
    t.signed_out = compare ? t.signed_a : t.signed_a || t.signed_b;
    if (kind == Kind::sub || kind == Kind::shift) t.signed_out = true;
    if (logic || kind == Kind::copy) t.signed_out = rng_.coin();
    return t;
  }

  int32_t constant(bool wide, bool is_signed) {
    const uint32_t values = wide ? 65536 : 256;
    const auto value = static_cast<int32_t>(
        rng_.chance(1, 4) ? rng_.pick({0u, values / 2, values - 1}) : rng_.below(values));
    return value - (is_signed ? static_cast<int32_t>(values / 2) : 0);
  }

  // Gives operands one common layout, explicit strides each, or shared bytes.
  void place_operands(Elementwise& op, const Types& types) {
    const Shape s = shape(6000);
    const bool aligned = rng_.coin(), explicit_strides = rng_.chance(1, 4);
    auto operand = [&](bool is_signed, bool wide) {
      TensorView view = tensor(s, make_dtype(is_signed, !wide), aligned);
      if (explicit_strides) view.stride = random_stride(s, /*local=*/true);
      return view;
    };
    op.a = operand(types.signed_a, types.wide_a);
    op.b = operand(types.signed_b, types.wide_b);
    op.out = operand(types.signed_out, types.wide_out);
    if (rng_.chance(1, 20)) op.a.stride.c = op.a.stride.n = 0;  // broadcast
    if (rng_.chance(1, 20)) op.b.stride.h = op.b.stride.w = 0;
    if (types.wide_a) add_plane(op.a);
    if (types.wide_b) add_plane(op.b);
    if (types.wide_out || op.kind == Kind::mac) add_plane(op.out);

    const bool alone = op.b_is_constant || op.kind == Kind::copy;
    const uint32_t lane = alone || rng_.chance(1, 8) ? placer_.any_lane() : 0;
    const uint32_t quantum = aligned && !explicit_strides ? chip_.eu_bytes : 1;
    placer_.place(op.a, quantum, lane);
    if (!alone) placer_.place(op.b, quantum);
    placer_.place(op.out, quantum, rng_.chance(15, 16) ? lane : placer_.any_lane());
    placer_.finish();
    if (rng_.chance(1, 5)) share(op.out, op.a);
    if (op.a.address < chip_.lane_bytes && rng_.chance(1, 16)) share(op.b, op.a);
  }

  static void share(TensorView& to, const TensorView& from) {
    to.address = from.address;
    to.stride = from.stride;
    if (from.plane_stride != 0) to.plane_stride = from.plane_stride;
  }
};

}  // namespace

TW_FAMILY(random_bm1880_elements, Elements, {elementwise, &Elements::elementwise},
          {mdsum, &Elements::mdsum}, {lut, &Elements::lut})

}  // namespace tputwin::testing
