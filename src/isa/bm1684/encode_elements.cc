// Encodes the BM1684's element-wise operations and functions of one operand.
#include "isa/bm1684/writer.h"
#include "numerics/l2_tables.h"

namespace tputwin::isa::bm1684_streams {
namespace {

constexpr uint8_t kElements = 3, kLookup = 6, kFunctions = 9, kAffine = 10, kCompare = 13;
constexpr uint8_t kShiftCode = 6, kOrCode = 8, kCopyCode = 19;

uint8_t code_of(FloatArithmetic::Kind kind) {
  for (const TiuRow& row : tiu_rows())
    if (row.type == kElements && row.variant.real == kind) return row.code;
  return 0;
}

}  // namespace

void encode(const FloatArithmetic& op, TiuWriter& w) {
  using Kind = FloatArithmetic::Kind;
  const uint8_t code = code_of(op.kind);
  w.require(op.kind == Kind::mul || code != 0, "operation", std::string(name(op)));
  w.require(!op.b_first, "b_first", "true");
  w.operation(kElements, code, 2);
  w.shape(op.out.shape);
  w.f32({&kRes0, &kOpd0, &kOpd1});
  w.strided(kRes0, op.out);
  w.word(kOpd0, op.a);
  w.word(kOpd1, op.b);
}

void encode(const FixedPoint& op, TiuWriter& w) {
  using Kind = FixedPoint::Kind;
  TiuCommand& c = w.command;
  const bool shifts = op.kind == Kind::arithmetic_shift || op.kind == Kind::logical_shift;
  uint8_t code = kShiftCode;
  for (const TiuRow& row : tiu_rows())
    if (row.type == kElements && row.variant.fixed == op.kind) code = row.code;
  w.operation(kElements, code, 2);
  w.shape(op.out.shape);
  w.packed(kRes0, Source::tensor(op.out), op.out.dtype);
  w.packed(kOpd0, op.a, op.a_type);
  w.packed(kOpd1, op.b, op.b_type);
  c.opt_right_shift = op.rshift;
  c.opt_left_shift = op.lshift;
  c.opt_shift_typ = op.kind == Kind::arithmetic_shift ? 1 : 0;
  // The kind and the types of the operands determine if the result is signed.
  const bool any_sign = is_signed(op.a_type) || is_signed(op.b_type);
  const bool chooses = op.kind == Kind::max || op.kind == Kind::min;
  const bool is_logic = op.kind >= Kind::bit_and;
  const bool is_signed_result = shifts     ? op.kind == Kind::arithmetic_shift
                                : is_logic ? false
                                : chooses  ? is_signed(op.a_type)
                                           : op.kind == Kind::sub || any_sign;
  w.require(is_signed(op.out.dtype) == is_signed_result, "dst_addr", describe(op.out));
  w.require(op.kind != Kind::mac || op.old_type == op.out.dtype, "old", to_string(op.old_type));
}

void encode(const Bitwise& op, TiuWriter& w) {
  using Kind = Bitwise::Kind;
  const bool shifts = op.kind == Kind::arithmetic_shift || op.kind == Kind::logical_shift;
  uint8_t code = kShiftCode;
  for (const TiuRow& row : tiu_rows())
    if (row.variant.bits == op.kind) code = row.code;
  w.require(op.kind != Kind::rotate && op.keeps_at_32 == shifts, "operation",
            std::string(name(op)));
  w.operation(kElements, code, 2);
  w.shape(op.out.shape);
  for (const OperandFields* fields : {&kRes0, &kOpd0, &kOpd1}) fields->type.set(w.command, kInt32);
  w.strided(kRes0, op.out);
  w.word(kOpd0, op.a);
  w.word(kOpd1, op.b);
  w.command.opt_shift_typ = op.kind == Kind::arithmetic_shift ? 1 : 0;
}

// Chooses a value or 0, in any layout; or one of two values, in the aligned layout.
void encode(const Select& op, TiuWriter& w) {
  constexpr uint8_t kGreater = 10, kEqual = 11, kSelect = 23, kSelectPair = 24;
  const bool greater = op.compare == Select::Compare::greater;
  const bool zero = op.if_false.is_constant && op.if_false.constant == 0;
  w.require(op.type == DType::f32, "operation", std::string(name(op)));
  w.require(op.extreme.has_value() == op.keeps_extreme_bits, "extreme", std::string(name(op)));
  w.shape(op.out.shape);
  w.f32({&kRes0, &kOpd0, &kOpd1});
  if (zero && op.if_true.is_constant && !op.extreme) {
    w.require(greater || op.compare == Select::Compare::equal_bits, "operation",
              std::string(name(op)));
    w.operation(kElements, greater ? kGreater : kEqual, 3);
    w.strided(kRes0, op.out);
    w.word(kOpd0, op.a);
    w.word(kOpd1, op.b);
    return w.constant(kOpd2, op.if_true.constant);
  }
  w.require(greater, "operation", std::string(name(op)));
  w.operation(kCompare, op.extreme ? kSelectPair : kSelect, 0);
  if (op.extreme) w.aligned(kRes0, *op.extreme);
  w.aligned(kRes1, op.out);
  w.aligned(kOpd0, op.a);
  w.aligned(kOpd1, op.b);
  w.aligned(kOpd2, op.if_true);
  w.aligned(kOpd3, op.if_false);
}

// A fill is a logical OR of two constants.
void encode(const Copy& op, TiuWriter& w) {
  w.shape(op.dst.shape);
  if (op.src.is_constant) {
    w.operation(kElements, kOrCode, 2);
    for (const OperandFields* fields : {&kRes0, &kOpd0, &kOpd1})
      fields->type.set(w.command, kInt32);
    w.constant(kOpd0, op.src.constant);
    w.constant(kOpd1, 0);
  } else {
    w.operation(kElements, kCopyCode, 1);
    w.f32({&kRes0, &kOpd0});
    w.strided(kOpd0, op.src.view);
  }
  w.require(element_bytes(op.dst.dtype) == 4, "dst_addr", describe(op.dst));
  w.strided(kRes0, op.dst);
}

void encode(const UnaryF32& op, TiuWriter& w) {
  using Kind = UnaryF32::Kind;
  constexpr uint8_t kToInt32 = 14, kInverseRoot = 17;
  w.shape(op.out.shape);
  w.f32({&kRes0, &kOpd0});
  switch (op.kind) {
    case Kind::rsqrt:
      w.operation(kFunctions, kInverseRoot, 2);
      break;
    case Kind::to_int32:
      w.operation(kFunctions, kToInt32, 2);
      kRes0.type.set(w.command, kInt32);
      break;
    case Kind::lookup_exp:
    case Kind::lookup_int8:
      w.operation(kLookup, 0, 2);
      w.command.opd1_addr = op.kind == Kind::lookup_exp ? kL2Exp : kL2Int8;
      w.command.opd1_h = 8;
      break;
    default:
      w.require(false, "operation", std::string(name(op)));
      return;
  }
  w.aligned(kRes0, op.out);
  w.aligned(kOpd0, op.in);
}

void encode(const Unary& op, TiuWriter& w) {
  constexpr uint8_t kField = 15, kPower = 16;
  const bool to_integer = !is_float(op.out.dtype);
  w.require(op.kind == Unary::Kind::exponent, "operation", std::string(name(op)));
  w.operation(kFunctions, to_integer ? kField : kPower, 2);
  w.shape(op.out.shape);
  w.f32({&kRes0, &kOpd0});
  if (to_integer) kRes0.type.set(w.command, kInt32);
  w.aligned(kRes0, op.out);
  w.aligned(kOpd0, op.in);
}

void encode(const L2Function& op, TiuWriter& w) {
  constexpr uint8_t kPolynomial = 13;
  const bool looks_up = op.kind == L2Function::Kind::lookup;
  w.operation(looks_up ? kLookup : kFunctions, looks_up ? 0 : kPolynomial, 2);
  w.shape(op.out.shape);
  w.f32({&kRes0, &kOpd0});
  if (op.in.dtype == DType::u8) kOpd0.type.set(w.command, kInt8);
  w.aligned(kRes0, op.out);
  w.aligned(kOpd0, op.in);
  const uint64_t offset = w.chip().l2.base + op.table.address - kL2Start;
  w.require(op.table.space == Space::l2 && offset >= kFirstTable, "table_addr", describe(op.table));
  w.command.opd1_addr = offset;
  if (looks_up)
    w.command.opd1_h = 8;
  else
    w.command.opd1_n = op.table.shape.w;
}

namespace {

void parameter(const OperandFields& fields, const std::optional<Source>& source, float otherwise,
               TiuWriter& w) {
  fields.layout.set(w.command, kPerChannel);
  if (!source) return w.constant(fields, f32::bits(otherwise));
  if (source->is_constant) return w.constant(fields, source->constant);
  w.compact(fields, source->view);
}

}  // namespace

void encode(const ChannelAffine& op, TiuWriter& w) {
  w.require(!op.accumulate, "accumulate", "true");
  w.require(op.bias || op.adds_zero, "adds_zero", "false");
  w.operation(kAffine, 1, 3);
  w.shape(op.out.shape);
  w.f32({&kRes0, &kOpd0, &kOpd1, &kOpd2});
  w.aligned(kRes0, op.out);
  w.aligned(kOpd0, op.in);
  parameter(kOpd2, op.scale, 1.0f, w);
  parameter(kOpd1, op.bias, 0.0f, w);
}

}  // namespace tputwin::isa::bm1684_streams
