// tpu_bdc_int_add ... tpu_bdc_logical_shift_C: arithmetic of integers; tpu_bdc_min, tpu_bdc_max of
// every type.
#include "base/errors/tpukernel.h"
#include "sdk/tpukernel/elementwise.h"

namespace tputwin::tpu {
namespace {

// The API's plain char is signed, as on the device. Arm's plain char is unsigned.
int signed_char(char value) { return static_cast<signed char>(value); }

Source amount(int shift) { return Source::value(static_cast<uint32_t>(shift), DType::i8); }

// Steps from the exact number to the result.
struct Finish {
  int shift = 0;
  rounding_mode_t rounding_mode = RM_HALF_UP;
  bool saturation = true;
};

IntArithmetic operation(IntArithmetic::Kind kind, const Binary& operands, bool saturation) {
  return {
      .kind = kind, .out = operands.out, .a = operands.a, .b = operands.b, .saturates = saturation};
}

void arithmetic(Call& call, IntArithmetic::Kind kind, const Binary& operands,
                const Finish& finish) {
  IntArithmetic op = operation(kind, operands, finish.saturation);
  call.in_range(finish.shift, -31, 31, errors::tpu_shift, "shift");
  op.shift = amount(finish.shift);
  op.rounding = call.rounding(finish.rounding_mode);
  call.issue(op);
}

// Arithmetic with one shift per channel.
void arithmetic(Call& call, IntArithmetic::Kind kind, const Binary& operands,
                local_addr_t shift_addr, rounding_mode_t rounding_mode, bool saturation) {
  IntArithmetic op = operation(kind, operands, saturation);
  op.shift = Source::tensor(call.per_channel("shift_addr", shift_addr, op.out.shape, DType::i8));
  op.rounding = call.rounding(rounding_mode);
  call.issue(op);
}

BinaryTypes types(Call& call, data_type_t out, std::string_view a_name, data_type_t a,
                  std::string_view b_name, data_type_t b) {
  return {call.type("dst_dtype", out, kInts), call.type(a_name, a, kInts),
          call.type(b_name, b, kInts)};
}

// The smaller or larger element, of any type. If only src1 has a stride, the chip exchanges the
// operands of the minimum, as recorded. NaN and equal values show it.
void extreme(Call& call, IntArithmetic::Kind kind, Binary operands,
             bool only_b_has_stride = false) {
  if (!is_float(operands.out.dtype)) return arithmetic(call, kind, operands, Finish{});
  if (kind == IntArithmetic::Kind::min && only_b_has_stride) std::swap(operands.a, operands.b);
  call.issue(FloatArithmetic{.kind = kind == IntArithmetic::Kind::min
                                         ? FloatArithmetic::Kind::lesser
                                         : FloatArithmetic::Kind::max,
                             .out = operands.out,
                             .a = operands.a,
                             .b = operands.b});
}

// Minimum or maximum with a shift, which the chip's model does not apply (quirk ignored).
void shifted_extreme(Call& call, IntArithmetic::Kind kind, const Binary& operands, int shift,
                     rounding_mode_t rounding_mode) {
  IntArithmetic op = operation(kind, operands, /*saturation=*/true);
  call.in_range(shift, -31, 31, errors::tpu_shift, "shift");
  op.rounding = call.rounding(rounding_mode);
  if (!call.quirks().ignored) op.shift = amount(shift);
  call.issue(op);
}

void mac(Call& call, const Binary& operands, unsigned char lshift, unsigned char rshift,
         rounding_mode_t rounding_mode) {
  IntArithmetic op = operation(IntArithmetic::Kind::mac, operands, /*saturation=*/true);
  call.in_range(lshift, 0, 31, errors::tpu_rshift, "lshift");
  call.in_range(rshift, 0, 31, errors::tpu_rshift, "rshift");
  op.lshift = lshift;
  op.shift = amount(-int{rshift});
  op.rounding = call.rounding(rounding_mode);
  call.issue(op);
}

BinaryTypes mac_types(Call& call, std::string_view a_name, data_type_t a, std::string_view b_name,
                      data_type_t b) {
  const DType first = call.type(a_name, a, k8Bit), second = call.type(b_name, b, k8Bit);
  return {make_dtype(is_signed(first) || is_signed(second), /*is_8bit=*/false), first, second};
}

// Types of a shift of the tensor itself.
struct ShiftTypes {
  DType out, src;
  ShiftTypes(Call& call, data_type_t out, data_type_t src, bool logical)
      : out(call.type("dst_dtype", out, logical ? kUnsignedInts : kInts)),
        src(call.type("src_dtype", src, logical ? kUnsignedInts : kInts)) {}
};

void shift_by(Call& call, const Place& dst, const Place& src, const Shape& shape,
              const ShiftTypes& types, const Source& by, rounding_mode_t rounding_mode) {
  call.issue(IntArithmetic{
      .kind = IntArithmetic::Kind::shift,
      .out = call.lanes("dst_addr", dst.address, shape, dst.stride, types.out),
      .a = Source::tensor(call.lanes("src_addr", src.address, shape, src.stride, types.src)),
      .shift = by,
      .rounding = call.rounding(rounding_mode),
      .saturates = false});
}

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

#define TPU_INT_OF_TENSORS(name, kind)                                                             \
  void tpu_bdc_int_##name(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,   \
                          const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,      \
                          const dim4* src1_stride, data_type_t dst_dtype, data_type_t src0_dtype,  \
                          data_type_t src1_dtype, char shift, rounding_mode_t rounding_mode,       \
                          bool saturation) {                                                       \
    Call call(__func__);                                                                           \
    arithmetic(                                                                                    \
        call, IntArithmetic::Kind::kind,                                                           \
        tensors(call, shape, {dst_addr, dst_stride}, {src0_addr, src0_stride},                     \
                {src1_addr, src1_stride},                                                          \
                types(call, dst_dtype, "src0_dtype", src0_dtype, "src1_dtype", src1_dtype)),       \
        Finish{signed_char(shift), rounding_mode, saturation});                                    \
  }                                                                                                \
  void tpu_bdc_int_pcs_##name(                                                                     \
      local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,                       \
      local_addr_t shift_addr, const dim4* shape, const dim4* dst_stride, const dim4* src0_stride, \
      const dim4* src1_stride, data_type_t dst_dtype, data_type_t src0_dtype,                      \
      data_type_t src1_dtype, rounding_mode_t rounding_mode, bool saturation) {                    \
    Call call(__func__);                                                                           \
    arithmetic(                                                                                    \
        call, IntArithmetic::Kind::kind,                                                           \
        tensors(call, shape, {dst_addr, dst_stride}, {src0_addr, src0_stride},                     \
                {src1_addr, src1_stride},                                                          \
                types(call, dst_dtype, "src0_dtype", src0_dtype, "src1_dtype", src1_dtype)),       \
        shift_addr, rounding_mode, saturation);                                                    \
  }                                                                                                \
  void tpu_bdc_int_vc_##name(                                                                      \
      local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, int src0_len,         \
      int src1_len, int src0_len_per_channel, int src1_len_per_channel, data_type_t dst_dtype,     \
      data_type_t src0_dtype, data_type_t src1_dtype, bool saturation) {                           \
    Call call(__func__);                                                                           \
    arithmetic(                                                                                    \
        call, IntArithmetic::Kind::kind,                                                           \
        vectors(call,                                                                              \
                {dst_addr, src0_addr, src1_addr, src0_len, src1_len, src0_len_per_channel,         \
                 src1_len_per_channel},                                                            \
                types(call, dst_dtype, "src0_dtype", src0_dtype, "src1_dtype", src1_dtype)),       \
        Finish{.saturation = saturation});                                                         \
  }

// `order` maps the types of the tensor and of C to those of a and b.
#define TPU_TENSOR_FIRST(dst, src, C) types(call, dst, "src_dtype", src, "C_dtype", C)
#define TPU_CONSTANT_FIRST(dst, src, C) types(call, dst, "C_dtype", C, "src_dtype", src)
#define TPU_INT_WITH_CONSTANT(name, kind, operands, order)                                       \
  void tpu_bdc_int_##name(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,              \
                          const dim4* shape, const dim4* dst_stride, const dim4* src_stride,     \
                          data_type_t dst_dtype, data_type_t src_dtype, data_type_t C_dtype,     \
                          char shift, rounding_mode_t rounding_mode, bool saturation) {          \
    Call call(__func__);                                                                         \
    arithmetic(call, IntArithmetic::Kind::kind,                                                  \
               operands(call, shape, {dst_addr, dst_stride}, {src_addr, src_stride}, C,          \
                        order(dst_dtype, src_dtype, C_dtype)),                                   \
               Finish{signed_char(shift), rounding_mode, saturation});                           \
  }                                                                                              \
  void tpu_bdc_int_pcs_##name(local_addr_t dst_addr, local_addr_t src_addr,                      \
                              local_addr_t shift_addr, scalar_t C, const dim4* shape,            \
                              const dim4* dst_stride, const dim4* src_stride,                    \
                              data_type_t dst_dtype, data_type_t src_dtype, data_type_t C_dtype, \
                              rounding_mode_t rounding_mode, bool saturation) {                  \
    Call call(__func__);                                                                         \
    arithmetic(call, IntArithmetic::Kind::kind,                                                  \
               operands(call, shape, {dst_addr, dst_stride}, {src_addr, src_stride}, C,          \
                        order(dst_dtype, src_dtype, C_dtype)),                                   \
               shift_addr, rounding_mode, saturation);                                           \
  }

TPU_INT_OF_TENSORS(add, add)
TPU_INT_OF_TENSORS(sub, sub)
TPU_INT_OF_TENSORS(mul, mul)
TPU_INT_WITH_CONSTANT(add_C, add, tensor_and_constant, TPU_TENSOR_FIRST)
TPU_INT_WITH_CONSTANT(sub_C, sub, tensor_and_constant, TPU_TENSOR_FIRST)
TPU_INT_WITH_CONSTANT(C_sub, sub, constant_and_tensor, TPU_CONSTANT_FIRST)
TPU_INT_WITH_CONSTANT(mul_C, mul, tensor_and_constant, TPU_TENSOR_FIRST)

void tpu_bdc_int_square(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride, data_type_t dst_dtype,
                        data_type_t src_dtype, char shift, rounding_mode_t rounding_mode,
                        bool saturation) {
  Call call(__func__);
  Binary operands =
      tensor_and_constant(call, shape, {dst_addr, dst_stride}, {src_addr, src_stride}, scalar_t{},
                          types(call, dst_dtype, "src_dtype", src_dtype, "src_dtype", src_dtype));
  operands.b = operands.a;
  arithmetic(call, IntArithmetic::Kind::mul, operands,
             Finish{signed_char(shift), rounding_mode, saturation});
}

#define TPU_EXTREME(kind)                                                                          \
  void tpu_bdc_##kind(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,       \
                      const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,          \
                      const dim4* src1_stride, data_type_t dtype) {                                \
    Call call(__func__);                                                                           \
    extreme(call, IntArithmetic::Kind::kind,                                                       \
            tensors(call, shape, {dst_addr, dst_stride}, {src0_addr, src0_stride},                 \
                    {src1_addr, src1_stride}, call.type("dtype", dtype, kAll)),                    \
            src0_stride == nullptr && src1_stride != nullptr);                                     \
  }                                                                                                \
  void tpu_bdc_##kind##_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,                \
                          const dim4* shape, const dim4* dst_stride, const dim4* src_stride,       \
                          data_type_t dtype) {                                                     \
    Call call(__func__);                                                                           \
    extreme(call, IntArithmetic::Kind::kind,                                                       \
            tensor_and_constant(call, shape, {dst_addr, dst_stride}, {src_addr, src_stride}, C,    \
                                call.type("dtype", dtype, kAll)));                                 \
  }                                                                                                \
  void tpu_bdc_vc_##kind(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,    \
                         int src0_len, int src1_len, int src0_len_per_channel,                     \
                         int src1_len_per_channel, data_type_t dtype) {                            \
    Call call(__func__);                                                                           \
    extreme(call, IntArithmetic::Kind::kind,                                                       \
            vectors(call,                                                                          \
                    {dst_addr, src0_addr, src1_addr, src0_len, src1_len, src0_len_per_channel,     \
                     src1_len_per_channel},                                                        \
                    call.type("dtype", dtype, kAll)));                                             \
  }                                                                                                \
  void tpu_bdc_int_##kind##_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C,            \
                              const dim4* shape, const dim4* dst_stride, const dim4* src_stride,   \
                              data_type_t dtype, char shift, rounding_mode_t rounding_mode) {      \
    Call call(__func__);                                                                           \
    const Binary operands =                                                                        \
        tensor_and_constant(call, shape, {dst_addr, dst_stride}, {src_addr, src_stride}, C,        \
                            call.type("dtype", dtype, kInts));                                     \
    shifted_extreme(call, IntArithmetic::Kind::kind, operands, signed_char(shift), rounding_mode); \
  }

TPU_EXTREME(min)
TPU_EXTREME(max)

void tpu_bdc_int8_mac(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr,
                      const dim4* shape, const dim4* dst_stride, const dim4* src0_stride,
                      const dim4* src1_stride, data_type_t src0_dtype, data_type_t src1_dtype,
                      unsigned char lshift, unsigned char rshift, rounding_mode_t rounding_mode) {
  Call call(__func__);
  mac(call,
      tensors(call, shape, {dst_addr, dst_stride}, {src0_addr, src0_stride},
              {src1_addr, src1_stride},
              mac_types(call, "src0_dtype", src0_dtype, "src1_dtype", src1_dtype)),
      lshift, rshift, rounding_mode);
}

void tpu_bdc_int8_mac_C(local_addr_t dst_addr, local_addr_t src_addr, scalar_t C, const dim4* shape,
                        const dim4* dst_stride, const dim4* src_stride, data_type_t src_dtype,
                        data_type_t C_dtype, unsigned char lshift, unsigned char rshift,
                        rounding_mode_t rounding_mode) {
  Call call(__func__);
  mac(call,
      tensor_and_constant(call, shape, {dst_addr, dst_stride}, {src_addr, src_stride}, C,
                          mac_types(call, "src_dtype", src_dtype, "C_dtype", C_dtype)),
      lshift, rshift, rounding_mode);
}

#define TPU_SHIFT(function, logical)                                                              \
  void tpu_bdc_##function(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t shift_addr,  \
                          const dim4* shape, const dim4* dst_stride, const dim4* src_stride,      \
                          const dim4* shift_stride, data_type_t dst_dtype, data_type_t src_dtype, \
                          data_type_t shift_dtype, rounding_mode_t rounding_mode) {               \
    Call call(__func__);                                                                          \
    const Shape s = call.shape(shape);                                                            \
    const DType type = call.type("shift_dtype", shift_dtype, kSignedInts);                        \
    shift_by(call, {dst_addr, dst_stride}, {src_addr, src_stride}, s,                             \
             {call, dst_dtype, src_dtype, logical},                                               \
             Source::tensor(call.lanes("shift_addr", shift_addr, s, shift_stride, type)),         \
             rounding_mode);                                                                      \
  }                                                                                               \
  void tpu_bdc_##function##_C(local_addr_t dst_addr, local_addr_t src_addr, char C,               \
                              const dim4* shape, const dim4* dst_stride, const dim4* src_stride,  \
                              data_type_t dst_dtype, data_type_t src_dtype,                       \
                              rounding_mode_t rounding_mode) {                                    \
    Call call(__func__);                                                                          \
    call.in_range(signed_char(C), -32, 31, errors::tpu_shift, "C");                               \
    shift_by(call, {dst_addr, dst_stride}, {src_addr, src_stride}, call.shape(shape),             \
             {call, dst_dtype, src_dtype, logical}, amount(signed_char(C)), rounding_mode);       \
  }

TPU_SHIFT(arithmetic_shift, false)
TPU_SHIFT(logical_shift, true)
