// Decodes tensor-engine (BD) and CPU descriptors. bm1880_decode_dma.cc decodes DMA descriptors.
#include <algorithm>
#include <array>

#include "base/errors/isa.h"
#include "isa/bm1880_codec.h"
#include "isa/bm1880_codes.h"
#include "isa/decode_check.h"
#include "isa/fields.h"
#include "memory/layout.h"

namespace tputwin::isa {
namespace {

// One operand of a descriptor, for any prefix in the register layout.
struct BdOperand {
  std::string_view prefix;
  uint64_t address;
  uint32_t is_signed, is_int8, stride_kind;
  Shape shape;
  Stride stride;
  uint32_t plane_stride;
};

#define TW_OPERAND(d, p)                                                    \
  BdOperand {                                                               \
#p, d.p##_addr, d.opt_##p##_sign, d.opt_##p##_int8, d.short_##p##_str,  \
        {d.p##_n, d.p##_c, d.p##_h, d.p##_w },                              \
         {d.p##_n_str, d.p##_c_str, d.p##_h_str, d.p##_w_str }, d.p##_b_str \
  }

Error operand_error(ErrorId id, const BdOperand& o, std::string_view suffix, uint64_t value) {
  return field_error(id, fmt::format("{}_{}", o.prefix, suffix), value);
}

// Checks that extents are possible and the address is inside local memory.
Status check_operand(const BdOperand& o, const Chip& chip) {
  const Shape& s = o.shape;
  if (!s.n || !s.c || !s.h || !s.w) [[unlikely]] {
    std::string_view suffix = !s.n ? "n" : !s.c ? "c" : !s.h ? "h" : "w";
    return operand_error(errors::isa_zero_extent, o, suffix, 0);
  }
  if (s.count() > chip.local_bytes()) [[unlikely]]
    return Error(errors::isa_too_many_elements)
        .argument(o.prefix, describe(s))
        .detail(fmt::format("local memory has {} bytes", chip.local_bytes()));
  if (o.address >= chip.local_bytes()) [[unlikely]]
    return operand_error(errors::isa_address, o, "addr", o.address);
  return {};
}

Stride stride_of(const BdOperand& o, const Chip& chip) {
  if (o.stride_kind == kStrideExplicit) return o.stride;
  return local_stride(chip, o.shape, o.stride_kind == kStrideAligned);
}

Status read_view(const BdOperand& o, const Chip& chip, TensorView& view) {
  TW_RETURN_IF_ERROR(check_operand(o, chip));
  view.space = Space::local;
  view.dtype = make_dtype(o.is_signed, o.is_int8);
  view.plane_stride = o.is_int8 ? 0 : o.plane_stride;
  view.address = o.address;
  view.shape = o.shape;
  view.stride = stride_of(o, chip);
  return {};
}

// Options that only some operations use.
struct Allowed {
  bool relu = false, res_add = false, right_shift = false, opd1_const = false, wide = false;
};

Status check_options(const BdDescriptor& d, Allowed allowed) {
  TW_FIELD_RULE(d.cmd_en, isa_disabled, cmd_en);
  TW_FIELD_RULE(d.cmd_id_en, isa_disabled, cmd_id_en);
  TW_FIELD_RULE(!d.opt_left_tran, isa_unsupported_option, opt_left_tran);
  TW_FIELD_RULE(!d.opt_opd0_const, isa_unsupported_option, opt_opd0_const);
  TW_FIELD_RULE(!d.opt_opd2_const, isa_unsupported_option, opt_opd2_const);
  TW_FIELD_RULE(!d.short_nchwstr_same, isa_unsupported_option, short_nchwstr_same);
  TW_FIELD_RULE(allowed.relu || !d.opt_relu, isa_unsupported_option, opt_relu);
  TW_FIELD_RULE(allowed.res_add || !d.opt_res_add, isa_unsupported_option, opt_res_add);
  TW_FIELD_RULE(allowed.right_shift || !d.opt_right_shift, isa_unsupported_option, opt_right_shift);
  TW_FIELD_RULE(d.opt_rshift_typ || !d.opt_right_shift, isa_unsupported_option, opt_rshift_typ);
  TW_FIELD_RULE(allowed.opd1_const || !d.opt_opd1_const, isa_unsupported_option, opt_opd1_const);
  TW_FIELD_RULE(allowed.wide || d.opt_opd0_int8, isa_unsupported_option, opt_opd0_int8);
  TW_FIELD_RULE(allowed.wide || d.opt_res0_int8, isa_unsupported_option, opt_res0_int8);
  TW_FIELD_RULE(allowed.wide || d.opt_opd1_int8, isa_unsupported_option, opt_opd1_int8);
  bool elementwise = d.tsk_typ == kTaskElementwise;
  TW_FIELD_RULE(elementwise || !d.tens_mdsum, isa_unsupported_option, tens_mdsum);
  TW_FIELD_RULE(elementwise || !d.tens_lookup, isa_unsupported_option, tens_lookup);
  TW_FIELD_RULE(d.tsk_typ == kTaskConv || !d.opt_winograd, isa_unsupported_option, opt_winograd);
  return {};
}

Status read_window(const BdDescriptor& d, uint32_t kernel_h, uint32_t kernel_w, bool dilated,
                   Window& window) {
  TW_RETURN_IF_ERROR(require_nonzero({{"opd1_h", kernel_h},
                                      {"opd1_w", kernel_w},
                                      {"conv_op_y_str", d.conv_op_y_str},
                                      {"conv_op_x_str", d.conv_op_x_str}}));
  TW_FIELD_RULE(dilated || !d.conv_opd1_y_ins0, isa_unsupported_option, conv_opd1_y_ins0);
  TW_FIELD_RULE(dilated || !d.conv_opd1_x_ins0, isa_unsupported_option, conv_opd1_x_ins0);
  window.h = {.kernel = kernel_h,
              .stride = d.conv_op_y_str,
              .dilation = d.conv_opd1_y_ins0 + 1,
              .pad_before = d.conv_opd0_up_pad,
              .pad_after = d.conv_opd0_dn_pad,
              .insert = d.conv_opd0_y_ins0,
              .insert_last = d.conv_opd0_y_ins0_last};
  window.w = {.kernel = kernel_w,
              .stride = d.conv_op_x_str,
              .dilation = d.conv_opd1_x_ins0 + 1,
              .pad_before = d.conv_opd0_lf_pad,
              .pad_after = d.conv_opd0_rt_pad,
              .insert = d.conv_opd0_x_ins0,
              .insert_last = d.conv_opd0_x_ins0_last};
  return {};
}

// Checks the byte for padding and insertion. It only matters if there is padding or insertion.
Status check_padding_value(const BdDescriptor& d, const Window& w, uint32_t expected) {
  bool any = w.h.pad_before || w.h.pad_after || w.w.pad_before || w.w.pad_after || w.h.insert ||
             w.w.insert || w.h.insert_last || w.w.insert_last;
  TW_FIELD_RULE(!any || d.opd0_ins_val == expected, isa_unsupported_option, opd0_ins_val);
  return {};
}

Status read_bias(const BdDescriptor& d, const Chip& chip, std::optional<TensorView>& bias) {
  TW_FIELD_RULE(d.tsk_opd_num >= 2, isa_unsupported_option, tsk_opd_num);
  if (d.tsk_opd_num == 2) return {};
  TW_FIELD_RULE(d.short_opd2_str == kStrideBias, isa_unsupported_option, short_opd2_str);
  TW_FIELD_RULE(!d.opt_opd2_int8, isa_unsupported_option, opt_opd2_int8);
  return read_view(TW_OPERAND(d, opd2), chip, bias.emplace());
}

Status read_maps(const BdDescriptor& d, const Chip& chip, TensorView& out, TensorView& in) {
  TW_RETURN_IF_ERROR(read_view(TW_OPERAND(d, res0), chip, out));
  return read_view(TW_OPERAND(d, opd0), chip, in);
}

// With ReLU, convolutions saturate to an unsigned byte, else to a signed one.
template <class Convolution>
Status read_convolution(const BdDescriptor& d, const Chip& chip, Convolution& op) {
  TW_RETURN_IF_ERROR(check_options(d, {.relu = true, .right_shift = true}));
  TW_FIELD_RULE(d.opt_res0_sign != d.opt_relu, isa_unsupported_option, opt_res0_sign);
  TW_RETURN_IF_ERROR(read_maps(d, chip, op.out, op.in));
  TW_RETURN_IF_ERROR(read_bias(d, chip, op.bias));
  op.relu = d.opt_relu;
  op.rshift = d.opt_right_shift;
  return {};
}

Status decode_conv(const BdDescriptor& d, const Chip& chip, Conv2dBm1880& op) {
  TW_RETURN_IF_ERROR(read_convolution(d, chip, op));
  TW_FIELD_RULE(d.short_opd1_str == kStridePacked, isa_unsupported_option, short_opd1_str);
  TW_RETURN_IF_ERROR(read_window(d, d.opd1_h, d.opd1_w, /*dilated=*/true, op.window));
  TW_RETURN_IF_ERROR(check_padding_value(d, op.window, 0));
  TW_RETURN_IF_ERROR(read_view(TW_OPERAND(d, opd1), chip, op.weight));
  op.weight.stride = conv_weight_stride(op.weight.shape);
  return {};
}

Status decode_winograd(const BdDescriptor& d, const Chip& chip, Winograd2d& op) {
  TW_RETURN_IF_ERROR(read_convolution(d, chip, op));
  TW_RETURN_IF_ERROR(read_window(d, 3, 3, /*dilated=*/false, op.window));
  TW_RETURN_IF_ERROR(check_padding_value(d, op.window, 0));
  TW_FIELD_RULE(d.opd1_h * d.opd1_w == 16, isa_shape, opd1_w);
  BdOperand weight = TW_OPERAND(d, opd1);
  weight.shape.h = weight.shape.w = 4;
  weight.stride_kind = kStridePacked;
  return read_view(weight, chip, op.weight);
}

Status decode_depthwise(const BdDescriptor& d, const Chip& chip, Depthwise2dBm1880& op) {
  TW_RETURN_IF_ERROR(check_options(d, {.right_shift = true}));
  TW_RETURN_IF_ERROR(read_maps(d, chip, op.out, op.in));
  TW_RETURN_IF_ERROR(read_window(d, d.opd1_h, d.opd1_w, /*dilated=*/false, op.window));
  TW_RETURN_IF_ERROR(check_padding_value(d, op.window, 0));
  TW_RETURN_IF_ERROR(read_view(TW_OPERAND(d, opd1), chip, op.weight));
  TW_RETURN_IF_ERROR(read_bias(d, chip, op.bias));
  // Everything but the input is signed, regardless of the sign bits.
  op.out.dtype = op.weight.dtype = DType::i8;
  if (op.bias) op.bias->dtype = DType::i16;
  op.rshift = d.opt_right_shift;
  return {};
}

Status decode_pool(const BdDescriptor& d, const Chip& chip, Pool2dBm1880& op) {
  bool average = d.tsk_eu_typ == kPoolAverage;
  op.kind = average ? Pool2dBm1880::Kind::average : Pool2dBm1880::Kind::maximum;
  TW_RETURN_IF_ERROR(check_options(d, {.right_shift = average, .opd1_const = true}));
  TW_FIELD_RULE(d.opt_res0_sign == d.opt_opd0_sign, isa_unsupported_option, opt_res0_sign);
  TW_RETURN_IF_ERROR(read_maps(d, chip, op.out, op.in));
  TW_RETURN_IF_ERROR(read_window(d, d.opd1_h, d.opd1_w, /*dilated=*/false, op.window));
  TW_RETURN_IF_ERROR(check_padding_value(d, op.window, average ? 0 : lowest_byte(op.in.dtype)));
  op.multiplier = 1;
  if (average) {
    TW_FIELD_RULE(d.opt_opd1_const, isa_unsupported_option, opt_opd1_const);
    TW_FIELD_RULE(!d.opt_opd1_sign, isa_unsupported_option, opt_opd1_sign);
    TW_FIELD_RULE(d.opd1_addr <= 255, isa_unsupported_option, opd1_addr);
    op.multiplier = d.opd1_addr;
    op.rshift = d.opt_right_shift;
  }
  return {};
}

// Reads a matrix operand from its extents: rows, blocks and block width, in the aligned layout.
Status read_matrix(BdOperand o, uint32_t rows, uint32_t cols, const Chip& chip, MatrixView& m) {
  if (o.stride_kind != kStrideAligned)
    return field_error(errors::isa_unsupported_option, fmt::format("short_{}_str", o.prefix),
                       o.stride_kind);
  if (o.shape.h != 1) return operand_error(errors::isa_shape, o, "h", o.shape.h);
  TW_RETURN_IF_ERROR(read_view(o, chip, m.tensor));
  m.rows = rows;
  m.cols = cols;
  return {};
}

// With one block of left columns, opd0_w is the number of columns, else the width of a block.
// opd1_w is the number of columns in left's last block, and opd1_n the number of all columns.
Status read_left(const BdDescriptor& d, const Chip& chip, MatrixView& left) {
  BdOperand o = TW_OPERAND(d, opd0);
  TW_RETURN_IF_ERROR(check_operand(o, chip));
  if (o.shape.c == 1) {
    TW_FIELD_RULE(d.opd0_w == d.opd1_w, isa_shape, opd0_w);
    o.shape.w = align_up(o.shape.w, chip.eu_bytes);
  }
  TW_FIELD_RULE(d.opd1_w >= 1 && d.opd1_w <= o.shape.w, isa_shape, opd1_w);
  uint32_t columns = (o.shape.c - 1) * o.shape.w + d.opd1_w;
  TW_FIELD_RULE(d.opd1_n == columns, isa_shape, opd1_n);
  return read_matrix(o, o.shape.n, columns, chip, left);
}

// `right` has as many columns as `res`, and the block width of `res`.
Status read_right(const BdDescriptor& d, const Chip& chip, const MatrixView& res,
                  MatrixView& right) {
  TW_FIELD_RULE(d.opd1_c == res.tensor.shape.c, isa_shape, opd1_c);
  BdOperand o = TW_OPERAND(d, opd1);
  o.shape.w = res.tensor.shape.w;
  return read_matrix(o, o.shape.n, res.cols, chip, right);
}

Status read_matrix_bias(const BdDescriptor& d, const Chip& chip, MatrixMac& op) {
  TW_FIELD_RULE(d.tsk_opd_num >= 2, isa_unsupported_option, tsk_opd_num);
  if (d.tsk_opd_num == 2) return {};
  const Shape& res = op.res.tensor.shape;
  TW_FIELD_RULE(!d.opt_opd2_int8, isa_unsupported_option, opt_opd2_int8);
  TW_FIELD_RULE(d.opd2_n == 1, isa_shape, opd2_n);
  TW_FIELD_RULE(d.opd2_c == res.c, isa_shape, opd2_c);
  TW_FIELD_RULE(d.opd2_w == res.w, isa_shape, opd2_w);
  MatrixView& bias = op.bias.emplace();
  TW_RETURN_IF_ERROR(read_matrix(TW_OPERAND(d, opd2), 1, op.res.cols, chip, bias));
  bias.tensor.plane_stride = bias.tensor.stride.n;
  return {};
}

Status decode_matrix(const BdDescriptor& d, const Chip& chip, MatrixMac& op) {
  TW_RETURN_IF_ERROR(
      check_options(d, {.relu = true, .res_add = true, .right_shift = true, .wide = true}));
  TW_FIELD_RULE(d.opt_opd0_int8, isa_unsupported_option, opt_opd0_int8);
  TW_FIELD_RULE(d.opt_opd1_int8, isa_unsupported_option, opt_opd1_int8);
  BdOperand res = TW_OPERAND(d, res0);
  TW_RETURN_IF_ERROR(read_matrix(res, res.shape.n, res.shape.c * res.shape.w, chip, op.res));
  bool planes = !d.opt_res0_int8 || d.opt_res_add;
  op.res.tensor.plane_stride = planes ? op.res.rows * op.res.tensor.stride.n : 0;
  TW_RETURN_IF_ERROR(read_left(d, chip, op.left));
  TW_RETURN_IF_ERROR(read_right(d, chip, op.res, op.right));
  TW_RETURN_IF_ERROR(read_matrix_bias(d, chip, op));
  op.relu = d.opt_relu;
  op.accumulate = d.opt_res_add;
  op.lshift = d.opt_left_shift;
  op.rshift = d.opt_right_shift;
  return {};
}

Status decode_matrix2(const BdDescriptor& d, const Chip& chip, MatrixMac2& op) {
  TW_RETURN_IF_ERROR(check_options(d, {}));
  TW_RETURN_IF_ERROR(read_maps(d, chip, op.res, op.left));
  return read_view(TW_OPERAND(d, opd1), chip, op.right);
}

// An 8-bit constant is the low byte of the address field; a 16-bit one is the whole field.
Status read_constant(const BdDescriptor& d, Elementwise& op) {
  bool wide = op.kind == Elementwise::Kind::add || op.kind == Elementwise::Kind::sub;
  TW_FIELD_RULE(d.opt_opd1_int8 == !wide, isa_unsupported_option, opt_opd1_int8);
  op.b_is_constant = true;
  op.b_signed = d.opt_opd1_sign;
  if (wide)
    op.constant = op.b_signed ? static_cast<int16_t>(d.opd1_addr) : int32_t(d.opd1_addr);
  else
    op.constant = op.b_signed ? static_cast<int8_t>(d.opd1_addr) : uint8_t(d.opd1_addr);
  return {};
}

Status decode_elementwise(const BdDescriptor& d, const Chip& chip, Elementwise& op) {
  using Kind = Elementwise::Kind;
  TW_FIELD_RULE(d.tsk_eu_typ <= static_cast<uint32_t>(Kind::copy), isa_unknown_function,
                tsk_eu_typ);
  op.kind = static_cast<Kind>(d.tsk_eu_typ);
  bool mac = op.kind == Kind::mac, shifts = mac || op.kind == Kind::mul;
  TW_RETURN_IF_ERROR(
      check_options(d, {.res_add = mac, .right_shift = shifts, .opd1_const = true, .wide = true}));
  TW_FIELD_RULE(!mac || d.opt_res_add, isa_unsupported_option, opt_res_add);
  TW_RETURN_IF_ERROR(read_maps(d, chip, op.out, op.a));
  if (mac) op.out.plane_stride = d.res0_b_str;
  if (shifts) op.rshift = d.opt_right_shift;
  if (mac) op.lshift = d.opt_left_shift;
  if (op.kind == Kind::copy) return {};
  return d.opt_opd1_const ? read_constant(d, op) : read_view(TW_OPERAND(d, opd1), chip, op.b);
}

// The source is read as aligned. Explicit strides are not possible here.
Status decode_mdsum(const BdDescriptor& d, const Chip& chip, Mdsum& op) {
  TW_RETURN_IF_ERROR(check_options(d, {.wide = true}));
  TW_FIELD_RULE(!d.tsk_eu_typ, isa_unknown_function, tsk_eu_typ);
  TW_FIELD_RULE(d.opt_opd0_int8, isa_unsupported_option, opt_opd0_int8);
  TW_FIELD_RULE(d.opt_res0_sign == d.opt_opd0_sign, isa_unsupported_option, opt_res0_sign);
  TW_FIELD_RULE(d.short_opd0_str == kStrideAligned, isa_unsupported_option, short_opd0_str);
  TW_FIELD_RULE(d.short_res0_str == kStridePacked, isa_unsupported_option, short_res0_str);
  return read_maps(d, chip, op.out, op.a);
}

Status decode_lut(const BdDescriptor& d, const Chip& chip, Lut& op) {
  TW_RETURN_IF_ERROR(check_options(d, {}));
  TW_FIELD_RULE(!d.tsk_eu_typ, isa_unknown_function, tsk_eu_typ);
  TW_FIELD_RULE(!d.tens_mdsum, isa_unsupported_option, tens_mdsum);
  TW_RETURN_IF_ERROR(read_maps(d, chip, op.out, op.in));
  return read_view(TW_OPERAND(d, opd1), chip, op.table);
}

#undef TW_OPERAND

}  // namespace

Status decode_into(const BdDescriptor& d, const Chip& chip, Operation& out) {
  switch (d.tsk_typ) {
    case kTaskConv:
      TW_FIELD_RULE(!d.tsk_eu_typ, isa_unknown_function, tsk_eu_typ);
      if (d.opt_winograd) return decode_winograd(d, chip, out.emplace<Winograd2d>());
      return decode_conv(d, chip, out.emplace<Conv2dBm1880>());
    case kTaskPool:
      TW_FIELD_RULE(d.tsk_eu_typ <= kPoolDepthwise, isa_unknown_function, tsk_eu_typ);
      if (d.tsk_eu_typ == kPoolDepthwise)
        return decode_depthwise(d, chip, out.emplace<Depthwise2dBm1880>());
      return decode_pool(d, chip, out.emplace<Pool2dBm1880>());
    case kTaskMatrix:
      TW_FIELD_RULE(!d.tsk_eu_typ, isa_unknown_function, tsk_eu_typ);
      return decode_matrix(d, chip, out.emplace<MatrixMac>());
    case kTaskElementwise:
      if (d.tens_lookup) return decode_lut(d, chip, out.emplace<Lut>());
      if (d.tens_mdsum) return decode_mdsum(d, chip, out.emplace<Mdsum>());
      return decode_elementwise(d, chip, out.emplace<Elementwise>());
    case kTaskMatrix2:
      TW_FIELD_RULE(!d.tsk_eu_typ, isa_unknown_function, tsk_eu_typ);
      return decode_matrix2(d, chip, out.emplace<MatrixMac2>());
    default:
      return field_error(errors::isa_unknown_task, "tsk_typ", d.tsk_typ);
  }
}

Status decode_into(const CpuDescriptor& d, Operation& out) {
  TW_FIELD_RULE(d.op_type == kCpuSync || d.op_type == kCpuOperator, isa_cpu_type, op_type);
  CpuCall& op = out.emplace<CpuCall>();
  op.sync = d.op_type == kCpuSync;
  size_t name_limit = op.sync ? d.payload.size() : std::min(kCpuNameBytes, d.payload.size());
  auto name_end = d.payload.begin() + static_cast<ptrdiff_t>(name_limit);
  op.name.assign(d.payload.begin(), std::find(d.payload.begin(), name_end, 0));
  if (op.sync) return {};
  if (d.payload.size() < kCpuParamOffset)
    return field_error(errors::isa_cpu_params, "body length", d.bytes());
  uint64_t size = load_word(d.payload.data() + kCpuSizeOffset, 0);
  if (size > d.payload.size() - kCpuParamOffset)
    return field_error(errors::isa_cpu_params, "param_size", size);
  auto params = d.payload.begin() + kCpuParamOffset;
  op.params.assign(params, params + static_cast<ptrdiff_t>(size));
  return {};
}

namespace {

template <class... Args>
Result<Operation> decoded(const Args&... args) {
  Operation op;
  TW_RETURN_IF_ERROR(decode_into(args..., op));
  return op;
}

}  // namespace

Result<Operation> decode(const BdDescriptor& d, const Chip& chip) { return decoded(d, chip); }
Result<Operation> decode(const GdmaDescriptor& d, const Chip& chip) { return decoded(d, chip); }
Result<Operation> decode(const CpuDescriptor& d) { return decoded(d); }

}  // namespace tputwin::isa
