// Random moves, bitwise operations and packed fixed-point operations of the BM1684.
#include "base/bits.h"
#include "selftest/tensor_family.h"

namespace tputwin::testing {
namespace {

class Packed : TensorFamily {
 public:
  Packed(Rng& rng, const Chip& chip) : TensorFamily(rng, chip) { shape_ = tensors_.shape(3000, 9); }

  Operation bitwise() {
    using Kind = Bitwise::Kind;
    lane_ = tensors_.start_lane();
    Bitwise op{.kind = static_cast<Kind>(rng_.below(5)), .keeps_at_32 = rng_.coin()};
    const bool shift = op.kind >= Kind::arithmetic_shift;
    op.out = result(DType::b32);
    op.a = source(DType::b32);
    op.b = source(DType::b32);
    in_place(op.out, op.a.view);
    if (rng_.chance(1, 3))
      op.b = Source::value(static_cast<uint32_t>(shift ? rng_.below(81) - 40 : rng_.next()));
    else if (rng_.chance(1, 4))
      op.a = Source::value(static_cast<uint32_t>(rng_.next()));
    return op;
  }

  Operation fixed_point() {
    using Kind = FixedPoint::Kind;
    FixedPoint op{.kind = static_cast<Kind>(rng_.below(11))};
    bool wide = rng_.coin(), wide_out = rng_.coin();
    if (op.kind == Kind::mul || op.kind == Kind::mac) wide = false;
    if (op.kind == Kind::mac) wide_out = true;
    op.a_type = type(wide);
    op.b_type = type(wide);
    DType out_type = make_dtype(is_signed(op.a_type) || is_signed(op.b_type), !wide_out);
    if (op.kind == Kind::max || op.kind == Kind::min) out_type = op.b_type = op.a_type;
    if (op.kind >= Kind::bit_and) {
      op.a_type = op.b_type = out_type = make_dtype(/*is_signed=*/false, !wide);
    } else if (op.kind >= Kind::arithmetic_shift) {
      out_type = op.a_type = op.kind == Kind::arithmetic_shift ? DType::i16 : DType::u16;
      op.b_type = DType::i16;
    }
    op.out = packed_result(out_type);
    op.a = Source::tensor(packed_source(op.a_type));
    op.b = Source::tensor(packed_source(op.b_type));
    in_place(op.out, op.b.view);
    if (rng_.chance(1, 3))
      op.b = Source::value(constant_of(op.b_type));
    else if (rng_.chance(1, 4))
      op.a = Source::value(constant_of(op.a_type));
    op.old_type = rng_.coin() ? DType::i16 : DType::u16;
    if (op.kind == Kind::mac) op.lshift = rng_.range(0, 14);
    if (op.kind <= Kind::mac) op.rshift = rshift();
    return op;
  }

  Operation split_byte() {
    SplitByte op{.out = packed_result(DType::u8), .in = packed_source(DType::u16), .work = {}};
    if (rng_.coin()) {
      op.in = whole(op.in);
      op.work = whole(packed_result(DType::u16));
    }
    return op;
  }

  Operation mul_16_by_8() {
    const bool sign = rng_.coin();
    return Mul16By8{.out = packed_result(make_dtype(sign, false)),
                    .high = packed_source(make_dtype(sign, true)),
                    .low = packed_source(DType::u8),
                    .b = packed_source(make_dtype(sign, true)),
                    .rshift = rshift()};
  }

  Operation mul_s16_by_u8() {
    if (rng_.chance(3, 4)) shape_.n = align_up(shape_.n, 2);  // the fast kernel needs an even n
    MulS16ByU8 op{.out = whole(packed_result(DType::i16)),
                  .a = packed_source(DType::i16),
                  .b = packed_source(DType::u8)};
    op.work = whole(packed_result(DType::i16));
    op.work_high = packed_result(DType::u8);
    op.work_low = packed_result(DType::u8);
    op.rshift = rshift();
    return op;
  }

  Operation copy() {
    Copy op;
    const DType type = rng_.pick({DType::u8, DType::u16, DType::b32});
    if (rng_.chance(1, 4)) {
      op.engine = Engine::compute;
      lane_ = tensors_.start_lane();
      op.dst = result(DType::b32);
      op.src = source(DType::b32);
    } else {
      auto side = [&](bool is_source) {
        if (rng_.chance(1, 4)) return crossed(shape_, type, is_source);
        if (rng_.coin()) return tensors_.system(shape_, type, is_source);
        TensorView view = tensors_.any(shape_, tensors_.start_lane(), type, is_source);
        if (view.stride.w != element_bytes(type)) view.stride.w = element_bytes(type);
        return view;
      };
      op.dst = side(/*is_source=*/false);
      op.src = Source::tensor(side(/*is_source=*/true));
      if (rng_.chance(1, 8)) {  // overlapping or equal
        op.src.view = op.dst;
        op.src.view.address += rng_.below(9) * element_bytes(type);
      }
    }
    if (rng_.chance(1, 5)) op.src = Source::value(static_cast<uint32_t>(rng_.next()));
    return op;
  }

  Operation copy_matrix() {
    const uint32_t rows = rng_.range(1, 30), cols = rng_.range(1, 90);
    MatrixView lanes = tensors_.matrix(rows, cols, rng_.range(1, cols), tensors_.start_lane());
    TensorView system = tensors_.system({rows, 1, 1, cols}, DType::b32, /*is_source=*/false);
    lanes.tensor.dtype = DType::b32;
    const MatrixView outside{system, rows, cols};
    return rng_.coin() ? CopyMatrix{lanes, outside} : CopyMatrix{outside, lanes};
  }

 private:
  static uint8_t pack_of(DType type) { return is_16bit(type) ? 2 : 4; }
  TensorView packed_result(DType type) {
    return tensors_.any(shape_, 0, type, /*is_source=*/false, pack_of(type));
  }
  TensorView packed_source(DType type) {
    return tensors_.any(shape_, 0, type, /*is_source=*/true, pack_of(type));
  }
  DType type(bool wide) { return make_dtype(rng_.coin(), !wide); }
  uint32_t rshift() { return rng_.chance(1, 4) ? rng_.range(0, 31) : rng_.range(0, 9); }
  // Sometimes gives the result the address of an operand, or one inside it.
  void in_place(TensorView& out, const TensorView& operand) {
    if (!rng_.chance(1, 6)) return;
    out.address = operand.address + (rng_.chance(1, 3) ? 4 * rng_.below(9) : 0);
    if (rng_.coin() && out.pack == operand.pack) out.stride = operand.stride;
  }
  uint32_t constant_of(DType type) { return extended(static_cast<uint32_t>(rng_.next()), type); }
  // Adds the elements that fill the last cell.
  static TensorView whole(TensorView view) {
    view.shape = whole_cells(view.shape);
    return view;
  }
};

}  // namespace

TW_FAMILY(random_bm1684_packed, Packed, {bitwise, &Packed::bitwise},
          {fixed_point, &Packed::fixed_point}, {split_byte, &Packed::split_byte},
          {mul_16_by_8, &Packed::mul_16_by_8}, {mul_s16_by_u8, &Packed::mul_s16_by_u8},
          {copy, &Packed::copy}, {copy_matrix, &Packed::copy_matrix})

}  // namespace tputwin::testing
