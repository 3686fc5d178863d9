// okk_bdc_fixed_point_packed_*: integer arithmetic on packed 8 and 16-bit elements.
#include <okk.h>

#include <initializer_list>

#include "base/errors/okkernel.h"
#include "sdk/okkernel/call.h"

namespace tputwin::okk {
namespace {

// ---- Types ----

// The types that an op_type_t consists of.
struct Types {
  DType a, b, out;
};

constexpr Types types_of(op_type_t op_type) {
  const unsigned bits = op_type;
  auto bit = [bits](int place) { return (bits >> place & 1) != 0; };
  return {make_dtype(bit(1), bit(0)), make_dtype(bit(2), bit(0)), make_dtype(bit(4), bit(3))};
}
constexpr int kOpTypes = 32, kMulTypes = 8;

// Sets of op_type_t, one bit for each value.
using TypeSet = uint32_t;
constexpr TypeSet set_of(std::initializer_list<op_type_t> types) {
  TypeSet set = 0;
  for (const op_type_t type : types) set |= TypeSet{1} << type;
  return set;
}

constexpr TypeSet kSigned8 = set_of({S8_OP_S8_TO_S8, S8_OP_S8_TO_S16, S8_OP_U8_TO_S8,
                                     S8_OP_U8_TO_S16, U8_OP_S8_TO_S8, U8_OP_S8_TO_S16});
constexpr TypeSet kSigned16 = set_of({S16_OP_S16_TO_S8, S16_OP_S16_TO_S16, S16_OP_U16_TO_S8,
                                      S16_OP_U16_TO_S16, U16_OP_S16_TO_S8, U16_OP_S16_TO_S16});
constexpr TypeSet kUnsigned8 = set_of({U8_OP_U8_TO_U8, U8_OP_U8_TO_U16});

// The types that the guide allows for each function.
constexpr TypeSet kMulTypes8 = kSigned8 | kUnsigned8;
constexpr TypeSet kAddTypes =
    kMulTypes8 | kSigned16 | set_of({U16_OP_U16_TO_U8, U16_OP_U16_TO_U16});
constexpr TypeSet kSubTypes =
    kSigned8 | kSigned16 |
    set_of({U8_OP_U8_TO_S8, U8_OP_U8_TO_S16, U16_OP_U16_TO_S8, U16_OP_U16_TO_S16});
constexpr TypeSet kMacSignedTypes = set_of({S8_OP_S8_TO_S16, S8_OP_U8_TO_S16, U8_OP_S8_TO_S16});
constexpr TypeSet kMacTypes = kMacSignedTypes | set_of({U8_OP_U8_TO_U16});
constexpr TypeSet kMaxTypes =
    set_of({S8_OP_S8_TO_S8, U8_OP_U8_TO_U8, S16_OP_S16_TO_S16, U16_OP_U16_TO_U16});

std::string text(const Types& types) {
  auto name = [](DType type) {
    return fmt::format("{}{}", is_signed(type) ? 'S' : 'U', 8 * element_bytes(type));
  };
  return fmt::format("{}_OP_{}_TO_{}", name(types.a), name(types.b), name(types.out));
}

// Returns the types of a call whose op_type must be one of `valid`. Others are executed as their
// bits encode, with two exceptions: the multiplier has 8-bit inputs, and old values of mac have 16
// bits.
Types op_types(Call& call, FixedPoint::Kind kind, op_type_t op_type, TypeSet valid) {
  if (!call.in_range(op_type, 0, kOpTypes - 1, errors::okk_op_type, "op_type")) return {};
  const Types types = types_of(op_type);
  const bool multiplies = kind == FixedPoint::Kind::mul || kind == FixedPoint::Kind::mac;
  call.require(
      !(multiplies && is_16bit(types.a)) && (kind != FixedPoint::Kind::mac || is_16bit(types.out)),
      errors::okk_op_type_width, "op_type", text(types));
  call.require((valid >> op_type & 1) != 0, errors::okk_op_type_valid, "op_type", text(types));
  return types;
}

// ---- Operands ----

struct Argument {
  std::string_view name;
  local_addr_t address;
  const dim4* stride;
};

TensorView packed(Call& call, const Argument& argument, const Shape& shape, DType dtype) {
  return call.lanes(argument.name, argument.address, shape, argument.stride, dtype,
                    is_16bit(dtype) ? 2 : 4);
}

constexpr int32_t truncate(int32_t value, DType dtype) {
  return dtype == DType::i8    ? static_cast<int8_t>(value)
         : dtype == DType::u8  ? static_cast<uint8_t>(value)
         : dtype == DType::i16 ? static_cast<int16_t>(value)
                               : static_cast<uint16_t>(value);
}

// A constant has as many bits as the elements of the other operand; higher bits are dropped.
Source constant(Call& call, int32_t value, DType dtype) {
  const int32_t kept = truncate(value, dtype);
  call.require(value == kept, errors::okk_constant, "C", value);
  return Source::value(static_cast<uint32_t>(kept));
}

struct Shifts {
  int left = 0, right = 0;
};

// ---- The three forms: two tensors, tensor and constant, constant and tensor ----

void issue(Call& call, FixedPoint::Kind kind, const Types& types, const TensorView& out,
           const Source& a, const Source& b, Shifts shifts, DType old_type = DType::i16) {
  call.issue(FixedPoint{.kind = kind,
                        .out = out,
                        .a = a,
                        .b = b,
                        .a_type = types.a,
                        .b_type = types.b,
                        .old_type = old_type,
                        .lshift = static_cast<uint32_t>(shifts.left),
                        .rshift = static_cast<uint32_t>(shifts.right)});
}

struct Function {
  FixedPoint::Kind kind;
  TypeSet valid;
};

// Returns the type of the old value, for mac. As documented, is_origin_dst_signed gives it. The
// reference model reads it with the sign of the result if that is signed.
DType old_type(const Call& call, const Types& types, bool is_origin_dst_signed) {
  const bool by_result = call.quirks().mac_sign && is_signed(types.out);
  return by_result || is_origin_dst_signed ? DType::i16 : DType::u16;
}

void two_tensors(std::string_view name, Function f, op_type_t op_type, const dim4* shape,
                 const Argument& dst, const Argument& src0, const Argument& src1,
                 Shifts shifts = {}, bool is_origin_dst_signed = true) {
  Call call(name);
  const Shape s = call.shape(shape);
  const Types types = op_types(call, f.kind, op_type, f.valid);
  const TensorView out = packed(call, dst, s, types.out);
  const Source a = Source::tensor(packed(call, src0, s, types.a));
  const Source b = Source::tensor(packed(call, src1, s, types.b));
  issue(call, f.kind, types, out, a, b, shifts, old_type(call, types, is_origin_dst_signed));
}

void tensor_and_constant(std::string_view name, Function f, op_type_t op_type, const dim4* shape,
                         const Argument& dst, const Argument& src, int32_t C, Shifts shifts = {},
                         bool is_origin_dst_signed = true) {
  Call call(name);
  const Shape s = call.shape(shape);
  const Types types = op_types(call, f.kind, op_type, f.valid);
  const TensorView out = packed(call, dst, s, types.out);
  const Source a = Source::tensor(packed(call, src, s, types.a));
  const Source b = constant(call, C, types.b);
  issue(call, f.kind, types, out, a, b, shifts, old_type(call, types, is_origin_dst_signed));
}

void constant_and_tensor(std::string_view name, Function f, op_type_t op_type, const dim4* shape,
                         const Argument& dst, int32_t C, const Argument& src, Shifts shifts) {
  Call call(name);
  const Shape s = call.shape(shape);
  const Types types = op_types(call, f.kind, op_type, f.valid);
  const TensorView out = packed(call, dst, s, types.out);
  const Source a = constant(call, C, types.a);
  const Source b = Source::tensor(packed(call, src, s, types.b));
  issue(call, f.kind, types, out, a, b, shifts);
}

// Arithmetic: all int16. Logical: result and value uint16, amount int16.
struct ShiftFunction {
  FixedPoint::Kind kind;
  Types types() const {
    const DType value = kind == FixedPoint::Kind::arithmetic_shift ? DType::i16 : DType::u16;
    return {.a = value, .b = DType::i16, .out = value};
  }
};

void shift_tensors(std::string_view name, ShiftFunction f, const dim4* shape, const Argument& dst,
                   const Argument& src0, const Argument& src1) {
  Call call(name);
  const Shape s = call.shape(shape);
  const Types types = f.types();
  const TensorView out = packed(call, dst, s, types.out);
  const Source a = Source::tensor(packed(call, src0, s, types.a));
  const Source b = Source::tensor(packed(call, src1, s, types.b));
  issue(call, f.kind, types, out, a, b, {});
}

void shift_by_constant(std::string_view name, ShiftFunction f, const dim4* shape,
                       const Argument& dst, const Argument& src, short C) {
  Call call(name);
  const Shape s = call.shape(shape);
  const Types types = f.types();
  const TensorView out = packed(call, dst, s, types.out);
  const Source a = Source::tensor(packed(call, src, s, types.a));
  call.in_range(C, -16, 16, errors::okk_shift_16, "C");
  issue(call, f.kind, types, out, a, Source::value(static_cast<uint32_t>(int32_t{C})), {});
}

void shift_constant(std::string_view name, ShiftFunction f, const dim4* shape, const Argument& dst,
                    int32_t C, const Argument& src) {
  Call call(name);
  const Shape s = call.shape(shape);
  const Types types = f.types();
  const TensorView out = packed(call, dst, s, types.out);
  const Source b = Source::tensor(packed(call, src, s, types.b));
  issue(call, f.kind, types, out, Source::value(static_cast<uint32_t>(C)), b, {});
}

// Returns the types of the product of 16 by 8 bits that a mul_type_t encodes.
Types mul_types(Call& call, mul_type_t mul_type) {
  if (!call.in_range(mul_type, 0, kMulTypes - 1, errors::okk_mul_type, "mul_type")) return {};
  const unsigned bits = mul_type;
  const bool valid = mul_type == S16_MUL_S8_TO_S16 || mul_type == U16_MUL_S8_TO_S16 ||
                     mul_type == U16_MUL_U8_TO_U16;
  call.require(valid, errors::okk_mul_type_valid, "mul_type", static_cast<int>(mul_type));
  return {.a = make_dtype((bits & 1) != 0, /*is_8bit=*/false),
          .b = make_dtype((bits & 2) != 0, /*is_8bit=*/true),
          .out = make_dtype((bits & 4) != 0, /*is_8bit=*/false)};
}

}  // namespace
}  // namespace tputwin::okk

using namespace tputwin;
using namespace tputwin::okk;

#define OKK_DST \
  { "dst_addr", dst_addr, dst_stride }
#define OKK_SRC \
  { "src_addr", src_addr, src_stride }
#define OKK_SRC0 \
  { "src0_addr", src0_addr, src0_stride }
#define OKK_SRC1 \
  { "src1_addr", src1_addr, src1_stride }
#define OKK_PACKED(function) void okk_bdc_fixed_point_packed_##function

// One row per function.
#define OKK_BINARY(function, kind, valid)                                                       \
  OKK_PACKED(function)                                                                          \
  (local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, const dim4* shape,    \
   const dim4* dst_stride, const dim4* src0_stride, const dim4* src1_stride, op_type_t op_type, \
   int rshift) {                                                                                \
    two_tensors(__func__, {FixedPoint::Kind::kind, valid}, op_type, shape, OKK_DST, OKK_SRC0,   \
                OKK_SRC1, {.right = rshift});                                                   \
  }
#define OKK_BINARY_C(function, kind, valid)                                                        \
  OKK_PACKED(function)                                                                             \
  (local_addr_t dst_addr, local_addr_t src_addr, int C, const dim4* shape, const dim4* dst_stride, \
   const dim4* src_stride, op_type_t op_type, int rshift) {                                        \
    tensor_and_constant(__func__, {FixedPoint::Kind::kind, valid}, op_type, shape, OKK_DST,        \
                        OKK_SRC, C, {.right = rshift});                                            \
  }
#define OKK_EXTREMUM(function, kind)                                                               \
  OKK_PACKED(function)                                                                             \
  (local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, const dim4* shape,       \
   const dim4* dst_stride, const dim4* src0_stride, const dim4* src1_stride, op_type_t op_type) {  \
    two_tensors(__func__, {FixedPoint::Kind::kind, kMaxTypes}, op_type, shape, OKK_DST, OKK_SRC0,  \
                OKK_SRC1);                                                                         \
  }                                                                                                \
  OKK_PACKED(function##_C)                                                                         \
  (local_addr_t dst_addr, local_addr_t src_addr, int C, const dim4* shape, const dim4* dst_stride, \
   const dim4* src_stride, op_type_t op_type) {                                                    \
    tensor_and_constant(__func__, {FixedPoint::Kind::kind, kMaxTypes}, op_type, shape, OKK_DST,    \
                        OKK_SRC, C);                                                               \
  }
#define OKK_SHIFT(function, constant_type)                                                     \
  OKK_PACKED(16bit_##function)                                                                 \
  (local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, const dim4* shape,   \
   const dim4* dst_stride, const dim4* src0_stride, const dim4* src1_stride) {                 \
    shift_tensors(__func__, {FixedPoint::Kind::function}, shape, OKK_DST, OKK_SRC0, OKK_SRC1); \
  }                                                                                            \
  OKK_PACKED(16bit_##function##_C)                                                             \
  (local_addr_t dst_addr, local_addr_t src_addr, short C, const dim4* shape,                   \
   const dim4* dst_stride, const dim4* src_stride) {                                           \
    shift_by_constant(__func__, {FixedPoint::Kind::function}, shape, OKK_DST, OKK_SRC, C);     \
  }                                                                                            \
  OKK_PACKED(16bit_C_##function)                                                               \
  (local_addr_t dst_addr, local_addr_t src_addr, constant_type C, const dim4* shape,           \
   const dim4* dst_stride, const dim4* src_stride) {                                           \
    shift_constant(__func__, {FixedPoint::Kind::function}, shape, OKK_DST, C, OKK_SRC);        \
  }

OKK_BINARY(add, add, kAddTypes)
OKK_BINARY_C(add_C, add, kAddTypes)
OKK_BINARY(sub, sub, kSubTypes)
OKK_BINARY_C(sub_C, sub, kSubTypes)
OKK_BINARY(mul, mul, kMulTypes8)
OKK_BINARY_C(mul_C, mul, kMulTypes8)
OKK_EXTREMUM(max, max)
OKK_EXTREMUM(min, min)
OKK_SHIFT(arithmetic_shift, short)
OKK_SHIFT(logical_shift, unsigned short)

OKK_PACKED(C_sub)
(local_addr_t dst_addr, local_addr_t src_addr, int C, const dim4* shape, const dim4* dst_stride,
 const dim4* src_stride, op_type_t op_type, int rshift) {
  constant_and_tensor(__func__, {FixedPoint::Kind::sub, kSubTypes}, op_type, shape, OKK_DST, C,
                      OKK_SRC, {.right = rshift});
}

OKK_PACKED(mac)
(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, const dim4* shape,
 const dim4* dst_stride, const dim4* src0_stride, const dim4* src1_stride,
 bool is_origin_dst_signed, op_type_t op_type, int lshift, int rshift) {
  two_tensors(__func__, {FixedPoint::Kind::mac, is_origin_dst_signed ? kMacSignedTypes : kMacTypes},
              op_type, shape, OKK_DST, OKK_SRC0, OKK_SRC1, {lshift, rshift}, is_origin_dst_signed);
}

OKK_PACKED(mac_C)
(local_addr_t dst_addr, local_addr_t src_addr, int C, const dim4* shape, const dim4* dst_stride,
 const dim4* src_stride, bool is_origin_dst_signed, op_type_t op_type, int lshift, int rshift) {
  tensor_and_constant(__func__,
                      {FixedPoint::Kind::mac, is_origin_dst_signed ? kMacSignedTypes : kMacTypes},
                      op_type, shape, OKK_DST, OKK_SRC, C, {lshift, rshift}, is_origin_dst_signed);
}

OKK_PACKED(16bit_mul_8bit)
(local_addr_t dst_addr, local_addr_t src0_high_addr, local_addr_t src0_low_addr,
 local_addr_t src1_addr, const dim4* shape, const dim4* dst_stride, const dim4* src0_high_stride,
 const dim4* src0_low_stride, const dim4* src1_stride, mul_type_t mul_type, int rshift) {
  Call call(__func__);
  const Shape s = call.shape(shape);
  const Types types = mul_types(call, mul_type);
  const DType high = make_dtype(is_signed(types.a), /*is_8bit=*/true);
  const TensorView out = packed(call, OKK_DST, s, types.out);
  call.issue(
      Mul16By8{.out = out,
               .high = packed(call, {"src0_high_addr", src0_high_addr, src0_high_stride}, s, high),
               .low = packed(call, {"src0_low_addr", src0_low_addr, src0_low_stride}, s, DType::u8),
               .b = packed(call, OKK_SRC1, s, types.b),
               .rshift = static_cast<uint32_t>(rshift)});
}

OKK_PACKED(s16_mul_u8_to_s16)
(local_addr_t dst_addr, local_addr_t src0_addr, local_addr_t src1_addr, local_addr_t work_addr,
 local_addr_t work_high_addr, local_addr_t work_low_addr, const dim4* shape, const dim4* dst_stride,
 const dim4* src0_stride, const dim4* src1_stride, const dim4* work_stride,
 const dim4* work_high_stride, const dim4* work_low_stride, int rshift) {
  Call call(__func__);
  const Shape s = call.shape(shape);
  const TensorView out = packed(call, OKK_DST, whole_cells(s), DType::i16);
  call.issue(MulS16ByU8{
      .out = out,
      .a = packed(call, OKK_SRC0, s, DType::i16),
      .b = packed(call, OKK_SRC1, s, DType::u8),
      .work = packed(call, {"work_addr", work_addr, work_stride}, whole_cells(s), DType::i16),
      .work_high = packed(call, {"work_high_addr", work_high_addr, work_high_stride}, s, DType::u8),
      .work_low = packed(call, {"work_low_addr", work_low_addr, work_low_stride}, s, DType::u8),
      .rshift = static_cast<uint32_t>(rshift)});
}

OKK_PACKED(16bit_split_high_8bit)
(local_addr_t dst_addr, local_addr_t src_addr, const dim4* shape, const dim4* dst_stride,
 const dim4* src_stride) {
  Call call(__func__);
  const Shape s = call.shape(shape);
  const TensorView out = packed(call, OKK_DST, s, DType::u8);
  const TensorView in = packed(call, OKK_SRC, s, DType::u16);
  call.issue(SplitByte{.out = out, .in = in, .work = {}});
}

OKK_PACKED(16bit_split_low_8bit)
(local_addr_t dst_addr, local_addr_t src_addr, local_addr_t work_addr, const dim4* shape,
 const dim4* dst_stride, const dim4* src_stride, const dim4* work_stride) {
  Call call(__func__);
  const Shape s = call.shape(shape);
  const TensorView out = packed(call, OKK_DST, s, DType::u8);
  const TensorView in = packed(call, OKK_SRC, whole_cells(s), DType::u16);
  call.issue(SplitByte{
      .out = out,
      .in = in,
      .work = packed(call, {"work_addr", work_addr, work_stride}, whole_cells(s), DType::u16)});
}
