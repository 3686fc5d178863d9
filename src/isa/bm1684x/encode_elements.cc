// Encodes the BM1684X's element-wise operations: classes AR, VC, LIN, SFU and CMP.
#include "isa/bm1684x/codes.h"
#include "isa/bm1684x/writer.h"

namespace tputwin::isa::bm1684x_streams {
namespace {

using Real = FloatArithmetic::Kind;
using Integer = IntArithmetic::Kind;

// Writes result and operands of AR, or of VC if the first operand is a vector along n.
template <class Op>
uint8_t binary(const Op& op, TiuWriter& w);

// Sets the type of constant operands, which may lack one, and calls binary().
template <class Op>
uint8_t binary_of(DType dtype, Op op, TiuWriter& w) {
  for (Source* source : {&op.a, &op.b})
    if (source->is_constant) source->view.dtype = dtype;
  return binary(op, w);
}

template <class Op>
uint8_t binary(const Op& op, TiuWriter& w) {
  TiuCommand& c = w.command;
  c.tsk_opd_num = 2;
  if (!op.a.along_n) {
    w.shape(op.out.shape);
    w.place(kRes0, op.out);
    w.source(kOpd0, op.a);
    w.source(kOpd1, op.b);
    return kAr;
  }
  const Shape &rows = op.a.view.shape, &out = op.out.shape;
  w.aligned(kRes0, op.out);
  w.aligned(kOpd0, op.a.view);
  TensorView row = op.b.view;
  row.shape.n = 1;
  w.require(!op.b.is_constant && op.b.view.stride.n == 0, "opd1", describe(op.b.view));
  w.aligned(kOpd1, row);
  c.res0_c = out.c;
  c.res0_w = out.w;
  c.opd0_c = rows.c;
  c.opd0_w = rows.w;
  c.opd1_w = out.n - (rows.c - 1) * rows.w;
  return kVc;
}

// Writes a single operand like the first of binary().
void single(const TensorView& out, const TensorView& in, TiuWriter& w) {
  w.command.tsk_opd_num = 1;
  w.shape(out.shape);
  w.place(kRes0, out);
  w.place(kOpd0, in);
}

void channel_source(const OperandFields& fields, const Source& source, TiuWriter& w) {
  if (source.is_constant)
    w.constant(fields, source.constant);
  else
    w.per_channel(fields, source.view);
}

void linear(const FloatArithmetic& op, TiuWriter& w) {
  w.shape(op.out.shape);
  w.aligned(kRes0, op.out);
  w.aligned(kOpd0, op.a.view);
  channel_source(kOpd1, op.b, w);
  if (op.kind == Real::mul_add) {
    w.operation(kLin, scale_bias);
    return channel_source(kOpd2, op.c, w);
  }
  w.operation(kLin, bias_square, [&](const TiuVariant& v) { return v.real == op.kind; });
}

bool is_linear(Real kind) {
  return kind == Real::mul_add || kind == Real::add_square || kind == Real::sub_square;
}

}  // namespace

void encode(const FloatArithmetic& op, TiuWriter& w) {
  w.require(!op.b_first, "b_first", "true");
  if (is_linear(op.kind)) return linear(op, w);
  const uint8_t type = binary_of(op.out.dtype, op, w);
  if (op.kind == Real::mac) return w.operation(type, mac);
  const bool chooses = is_choice(op.kind);
  w.operation(type, chooses ? extreme : arithmetic,
              [&](const TiuVariant& v) { return v.real == op.kind; });
}

void encode(const IntArithmetic& op, TiuWriter& w) {
  TiuCommand& c = w.command;
  if (op.kind == Integer::shift) {
    IntArithmetic with_amount = op;
    with_amount.b = op.shift;
    const uint8_t type = binary(with_amount, w);
    c.opd2_n_str = static_cast<uint64_t>(op.rounding);
    return w.operation(type, shift, [&](const TiuVariant& v) {
      return v.is_logical == !is_signed(op.a.view.dtype);
    });
  }
  const uint8_t type = binary(op, w);
  if (op.kind == Integer::mac) {
    const uint32_t right = 0u - op.shift.constant;
    w.require(op.shift.is_constant && right < 256, "shift", "");
    w.constant(kOpd2, right << 8 | op.lshift);
    c.tsk_opd_num = 3;
    c.opd2_n_str = static_cast<uint64_t>(op.rounding);
    return w.operation(type, mac);
  }
  const bool chooses = op.kind == Integer::min || op.kind == Integer::max;
  w.operation(type, chooses ? extreme : arithmetic, [&](const TiuVariant& v) {
    return v.integer == op.kind && (chooses || v.saturates == op.saturates);
  });
  if (op.shift.is_constant && op.shift.constant == 0 && op.rounding == Rounding::half_up) return;
  // The code of the doubling product implies its shift.
  if (chooses || type == kVc) {
    const bool doubles = op.kind == Integer::mul && op.saturates && op.shift.is_constant &&
                         op.shift.constant == 1 - 8 * element_bytes(op.out.dtype);
    w.require(doubles, "shift", "");
    c.opd2_n_str = static_cast<uint64_t>(op.rounding);
    return w.operation(type, doubling_high);
  }
  c.tsk_opd_num = 3;
  c.opd2_n_str = static_cast<uint64_t>(op.rounding);
  w.type(kOpd2, DType::i8);
  channel_source(kOpd2, op.shift, w);
}

void encode(const Bitwise& op, TiuWriter& w) {
  const bool rotates = op.kind == Bitwise::Kind::rotate;  // the amount has its own type
  const uint8_t type = rotates ? binary(op, w) : binary_of(op.out.dtype, op, w);
  if (rotates) return w.operation(type, rotate);
  w.operation(type, bitwise, [&](const TiuVariant& v) { return v.bits == op.kind; });
}

namespace {

// Returns true for one element per lane that all channels of the lane share.
bool is_lane_vector(const Source& source) {
  const Stride& s = source.view.stride;
  return !source.is_constant && (s.n | s.c | s.h | s.w) == 0 && source.view.shape.count() > 1;
}

void compared(const OperandFields& fields, const Source& source, TiuWriter& w) {
  w.type(fields, source.view.dtype);
  if (source.is_constant) return w.constant(fields, source.constant);
  CommandReader reader(w.chip());
  if (reader.aligned({fields.name, source.view.address}, source.view.shape, source.view.dtype) ==
      source.view)
    return w.aligned(fields, source.view);
  w.require(is_lane_vector(source), fields.name, describe(source.view));
  w.command.*fields.address = source.view.address;
  w.command.*fields.layout = kStrided;
}

void chosen(const OperandFields& fields, const Source& source, TiuWriter& w) {
  if (source.is_constant)
    w.constant(fields, source.constant);
  else
    w.fixed(fields, source.view, source.view.shape, &CommandReader::aligned);
}

// Returns true for a comparison (AR, VC), which results in C or 0. Otherwise it is a choice between
// two values (CMP). C is a constant or one value per channel. A tensor of one value per channel in
// the aligned layout is no such C.
bool is_comparison(const Select& op, const TiuWriter& w) {
  const bool zero = op.if_false.is_constant && op.if_false.constant == 0;
  const TensorView& c = op.if_true.view;
  CommandReader reader(w.chip());
  TensorView compact = reader.per_channel({"opd2", c.address}, c.shape, c.dtype);
  compact.shape = c.shape;
  const bool one = op.if_true.is_constant || compact == c;
  return !op.extreme && zero && one;
}

}  // namespace

void encode(const Select& op, TiuWriter& w) {
  TiuCommand& c = w.command;
  auto same = [&](const TiuVariant& v) {
    return v.compare == op.compare && v.has_extreme == op.extreme.has_value();
  };
  if (is_comparison(op, w)) {
    const uint8_t type = binary_of(op.type, op, w);
    w.operation(type, compare, same);
    c.tsk_opd_num = 3;
    w.type(kOpd2, op.out.dtype);
    return channel_source(kOpd2, op.if_true, w);
  }
  w.require(!op.a.along_n, "src0", describe(op.a.view));
  w.shape(op.out.shape);
  w.operation(kCmp, select, same);
  const OperandFields result{"res1", &TiuCommand::res1_addr};
  w.aligned(op.extreme ? result : OperandFields{"res0", &TiuCommand::res0_addr}, op.out);
  if (op.extreme) w.aligned(OperandFields{"res0", &TiuCommand::res0_addr}, *op.extreme);
  compared(kOpd0, op.a, w);
  compared(kOpd1, op.b, w);
  w.type(kOpd2, op.out.dtype);
  chosen(kOpd2, op.if_true, w);
  chosen(kOpd3, op.if_false, w);
}

void encode(const Convert& op, TiuWriter& w) {
  single(op.out, op.in, w);
  if (is_signed(op.out.dtype)) w.command.opd2_sign = 1;
  const bool whole = is_float(op.in.dtype) && op.in.dtype == op.out.dtype;
  w.require(whole == (op.kind == Convert::Kind::whole), "kind", std::string(name(op)));
  w.command.opd2_n_str = static_cast<uint64_t>(op.rounding);
  w.operation(kAr, cast);
}

void encode(const Unary& op, TiuWriter& w) {
  using Kind = Unary::Kind;
  if (op.kind == Kind::exponent || op.kind == Kind::inverse_root) {
    w.shape(op.out.shape);
    w.aligned(kRes0, op.out);
    w.aligned(kOpd0, op.in);
    w.operation(kSfu, op.kind == Kind::exponent ? exponent : inverse_root);
    if (op.kind == Kind::inverse_root) w.command.opd2_n_str = op.steps - 1;
    return;
  }
  single(op.out, op.in, w);
  w.operation(kAr, unary, [&](const TiuVariant& v) { return v.unary == op.kind; });
}

void encode(const FloatFunction& op, TiuWriter& w) {
  if (op.kind == FloatFunction::Kind::div) {
    const uint8_t type = binary_of(op.out.dtype, op, w);
    const uint32_t steps = op.parameters.iterations;
    w.require(type == kAr && 1 <= steps && steps <= 4, "num_iter", std::to_string(steps));
    w.command.opd2_n_str = steps - 1;
    return w.operation(kAr, divide);
  }
  if (!w.require(op.kind == FloatFunction::Kind::taylor && op.coeff, "operation",
                 std::string(name(op))))
    return;
  w.shape(op.out.shape);
  w.aligned(kRes0, op.out);
  w.aligned(kOpd0, op.a.view);
  w.fixed(kOpd1, *op.coeff, op.coeff->shape, &CommandReader::aligned);
  w.command.opd1_addr += op.a.view.address / w.chip().lane_bytes * w.chip().lane_bytes;
  w.command.opd1_n = op.coeff->shape.w;
  w.operation(kSfu, taylor);
}

void encode(const Sequence& op, TiuWriter& w) {
  const bool along_w = op.step_w == 1 && op.step_c == 0, along_c = op.step_w == 0 && op.step_c == 1;
  w.require(op.start == 0 && (along_w || along_c) && !op.by_lane, "operation", "sequence");
  w.shape(op.out.shape);
  w.place(kRes0, op.out);
  w.operation(kAr, sequence, [&](const TiuVariant& v) { return v.along_w == along_w; });
}

void encode(const Copy& op, TiuWriter& w) {
  w.command.tsk_opd_num = 1;
  w.shape(op.dst.shape);
  w.place(kRes0, op.dst);
  w.source(kOpd0, op.src);
  w.operation(kAr, copy);
}

}  // namespace tputwin::isa::bm1684x_streams
