// Random fp32 element-wise operations of the BM1684.
#include "selftest/tensor_family.h"

namespace tputwin::testing {
namespace {

class Fp32 : TensorFamily {
 public:
  Fp32(Rng& rng, const Chip& chip) : TensorFamily(rng, chip) {
    shape_ = tensors_.shape();
    lane_ = tensors_.start_lane();
  }

  Operation arithmetic() {
    FloatArithmetic op{.kind = static_cast<FloatArithmetic::Kind>(rng_.below(7))};
    op.out = result(DType::f32);
    op.a = source(DType::f32);
    op.b = source(DType::f32);
    if (rng_.chance(1, 3))
      op.b = untyped_f32();
    else if (rng_.chance(1, 4))
      op.a = untyped_f32();
    if (!op.a.is_constant && sometimes()) overlap(op.out, op.a.view);
    if (!op.b.is_constant && sometimes()) overlap(op.out, op.b.view);
    return op;
  }

  Operation unary() {
    using Kind = UnaryF32::Kind;
    UnaryF32 op{.kind = static_cast<Kind>(rng_.below(10))};
    const bool strided = op.kind == Kind::relu;
    op.in = strided ? source(DType::f32).view : aligned(DType::f32);
    op.out = strided ? result(DType::f32) : aligned(DType::f32);
    if (is_series(op.kind)) op.terms = rng_.chance(1, 4) ? 32 : rng_.range(0, 70);
    if (has_work(op.kind)) {
      op.work = aligned(DType::f32);
      if (rng_.chance(1, 9)) overlap(*op.work, rng_.coin() ? op.in : op.out, 128);
    }
    if (op.kind == Kind::lookup_exp || op.kind == Kind::lookup_int8) op.in.dtype = DType::b32;
    if (op.kind == Kind::to_int32) op.out.dtype = DType::b32;
    if (sometimes()) overlap(op.out, op.in, strided ? 4 : 128);
    return op;
  }

  Operation channel_affine() {
    ChannelAffine op{.out = result(DType::f32), .in = source(DType::f32).view};
    const Shape per_channel{1, shape_.c, 1, 1};
    const uint32_t which = rng_.range(1, 3);
    auto parameter = [&] {
      return rng_.chance(1, 4) ? untyped_f32() : Source::tensor(compact(per_channel, DType::f32));
    };
    if (which & 1) op.scale = parameter();
    if (which & 2) op.bias = parameter();
    op.accumulate = op.scale && rng_.coin();
    op.adds_zero = op.scale && !op.bias && !op.accumulate && rng_.coin();
    if (sometimes()) overlap(op.out, op.in);
    return op;
  }

  Operation int8_to_f32() {
    const bool aligned = rng_.coin(), packed = rng_.coin();
    const DType type = rng_.coin() ? DType::i8 : DType::u8;
    Int8ToF32 op;
    op.in = tensors_.dense(shape_, lane_, type, aligned, packed ? 4 : 1);
    op.words = op.in;
    op.words.dtype = DType::b32;
    op.words.pack = 1;
    if (packed) {
      op.words.shape.n = cells(op.in);
    } else {
      // Rows of bytes begin at multiples of 4 bytes.
      if (!aligned) {
        op.in.stride.c = (op.in.stride.c + 3) / 4 * 4;
        op.in.stride.n = op.in.stride.c * ((lane_ + shape_.c + 63) / 64);
      }
      op.words.shape = {shape_.n, shape_.c, 1, (shape_.h * shape_.w + 3) / 4};
      op.words.stride = {op.in.stride.n, op.in.stride.c, 0, 4};
    }
    op.work = op.words;
    op.work.address =
        tensors_.dense({shape_.n, shape_.c, shape_.h, shape_.w + 3}, lane_, DType::f32, aligned)
            .address;
    op.out = tensors_.dense(shape_, lane_, DType::f32, aligned);
    if (sometimes()) op.work.address = op.words.address;
    if (sometimes()) op.out.address = op.in.address + 4 * rng_.below(3);
    return op;
  }

  Operation select() {
    Select op{.compare = static_cast<Select::Compare>(rng_.below(3))};
    op.out = result(DType::f32);
    auto either = [&] { return rng_.chance(1, 3) ? untyped_f32() : source(DType::f32); };
    op.a = either();
    op.b = op.a.is_constant ? source(DType::f32) : either();
    op.if_true = either();
    op.if_false = either();
    if (op.compare == Select::Compare::greater && rng_.chance(1, 3)) {
      op.extreme = result(DType::f32);
      op.keeps_extreme_bits = true;
    }
    for (const Source* source : {&op.a, &op.b, &op.if_true, &op.if_false})
      if (!source->is_constant && rng_.chance(1, 9)) overlap(op.out, source->view);
    return op;
  }

 private:
  static bool writable(const TensorView& view) {
    const Stride& s = view.stride;
    return s.n != 0 && s.c != 0 && s.h != 0 && s.w != 0;
  }

  // Makes `to` start at the address of `from`, or near it, and sometimes in another lane.
  void overlap(TensorView& to, const TensorView& from, uint32_t quantum = 4) {
    if (writable(from) && rng_.coin()) {
      to.address = from.address;
      to.stride = from.stride;
    } else if (rng_.coin()) {
      to.address = from.address + quantum * rng_.below(9);
    } else {
      to.address = (to.address + chip_.lane_bytes * rng_.below(3)) % chip_.local_bytes();
    }
  }
  bool sometimes() { return rng_.chance(1, 5); }
};

}  // namespace

TW_FAMILY(random_bm1684_fp32, Fp32, {float_arithmetic, &Fp32::arithmetic},
          {unary_f32, &Fp32::unary}, {channel_affine, &Fp32::channel_affine},
          {int8_to_f32, &Fp32::int8_to_f32}, {select, &Fp32::select})

}  // namespace tputwin::testing
