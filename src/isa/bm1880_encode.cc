// Encodes tensor-engine (BD) and CPU descriptors; bm1880_encode_dma.cc encodes DMA descriptors.
// Fields not named here keep the reset values, as in the vendor's kernel library.
#include <algorithm>

#include <fmt/format.h>

#include <stdexcept>

#include "base/bits.h"
#include "isa/bm1880_codec.h"
#include "isa/bm1880_codes.h"
#include "isa/fields.h"

namespace tputwin::isa {
namespace {

// Sets the fields of one operand, by its prefix in the register layout.
#define TW_SET_SHAPE(d, operand, shape)                                                   \
  ((d).operand##_n = (shape).n, (d).operand##_c = (shape).c, (d).operand##_h = (shape).h, \
   (d).operand##_w = (shape).w)
#define TW_SET_STRIDE(d, operand, stride)                              \
  ((d).operand##_n_str = (stride).n, (d).operand##_c_str = (stride).c, \
   (d).operand##_h_str = (stride).h, (d).operand##_w_str = (stride).w)

constexpr uint32_t kResetPlaneStride = BdDescriptor{}.res0_b_str;

uint32_t sign_bit(const TensorView& view) { return is_signed(view.dtype); }
uint32_t int8_bit(const TensorView& view) { return !is_16bit(view.dtype); }
uint32_t plane_or_reset(const TensorView& view) {
  return is_16bit(view.dtype) ? view.plane_stride : kResetPlaneStride;
}

BdDescriptor start(TaskType task, uint32_t function, uint32_t operands) {
  return {.cmd_en = 1,
          .cmd_id_en = 1,
          .tsk_typ = task,
          .tsk_eu_typ = function,
          .tsk_opd_num = operands,
          .opt_right_shift = 0,
          .opt_relu = 0};
}

void set_maps(BdDescriptor& d, const TensorView& out, const TensorView& in) {
  d.res0_addr = static_cast<uint32_t>(out.address);
  d.opd0_addr = static_cast<uint32_t>(in.address);
  TW_SET_SHAPE(d, res0, out.shape);
  TW_SET_SHAPE(d, opd0, in.shape);
  d.opt_opd0_sign = sign_bit(in);
}

void set_window(BdDescriptor& d, const Window& window) {
  d.conv_opd0_up_pad = window.h.pad_before;
  d.conv_opd0_dn_pad = window.h.pad_after;
  d.conv_opd0_lf_pad = window.w.pad_before;
  d.conv_opd0_rt_pad = window.w.pad_after;
  d.conv_op_y_str = window.h.stride;
  d.conv_op_x_str = window.w.stride;
  d.conv_opd0_y_ins0 = window.h.insert;
  d.conv_opd0_y_ins0_last = window.h.insert_last;
  d.conv_opd0_x_ins0 = window.w.insert;
  d.conv_opd0_x_ins0_last = window.w.insert_last;
}

void set_bias(BdDescriptor& d, const std::optional<TensorView>& bias) {
  d.tsk_opd_num = bias ? 3 : 2;
  if (!bias) return;
  d.opd2_addr = static_cast<uint32_t>(bias->address);
  TW_SET_SHAPE(d, opd2, bias->shape);
  d.short_opd2_str = kStrideBias;
  d.opd2_b_str = bias->plane_stride;
}

BdDescriptor encode_bd(const Conv2dBm1880& op, const Chip&) {
  BdDescriptor d = start(kTaskConv, 0, 2);
  set_maps(d, op.out, op.in);
  set_window(d, op.window);
  set_bias(d, op.bias);
  d.opd1_addr = static_cast<uint32_t>(op.weight.address);
  TW_SET_SHAPE(d, opd1, op.weight.shape);
  d.short_opd1_str = kStridePacked;
  d.conv_opd1_y_ins0 = op.window.h.dilation - 1;
  d.conv_opd1_x_ins0 = op.window.w.dilation - 1;
  d.opt_right_shift = op.rshift;
  d.opt_relu = op.relu;
  d.opt_res0_sign = !op.relu;
  d.opt_opd1_sign = sign_bit(op.weight);
  d.opt_opd2_sign = op.bias ? sign_bit(*op.bias) : 1;
  d.opt_shift_typ = d.opt_opd0_sign | d.opt_opd1_sign | d.opt_opd2_sign;
  return d;
}

// A transformed kernel is written as a row of 16 bytes.
BdDescriptor encode_bd(const Winograd2d& op, const Chip&) {
  BdDescriptor d = start(kTaskConv, 0, 2);
  set_maps(d, op.out, op.in);
  set_window(d, op.window);
  set_bias(d, op.bias);
  d.opt_winograd = 1;
  d.opd1_addr = static_cast<uint32_t>(op.weight.address);
  d.opd1_n = op.weight.shape.n;
  d.opd1_c = op.weight.shape.c;
  d.opt_right_shift = op.rshift;
  d.opt_relu = op.relu;
  d.opt_res0_sign = !op.relu;
  d.opt_opd1_sign = sign_bit(op.weight);
  d.opt_opd2_sign = op.bias ? sign_bit(*op.bias) : 1;
  return d;
}

BdDescriptor encode_bd(const Depthwise2dBm1880& op, const Chip&) {
  BdDescriptor d = start(kTaskPool, kPoolDepthwise, 2);
  set_maps(d, op.out, op.in);
  set_window(d, op.window);
  set_bias(d, op.bias);
  d.opd1_addr = static_cast<uint32_t>(op.weight.address);
  TW_SET_SHAPE(d, opd1, op.weight.shape);
  d.opt_right_shift = op.rshift;
  d.opt_res0_sign = 1;
  return d;
}

BdDescriptor encode_bd(const Pool2dBm1880& op, const Chip&) {
  bool average = op.kind == Pool2dBm1880::Kind::average;
  BdDescriptor d = start(kTaskPool, average ? kPoolAverage : kPoolMax, average ? 2 : 1);
  set_maps(d, op.out, op.in);
  set_window(d, op.window);
  d.opd1_h = op.window.h.kernel;
  d.opd1_w = op.window.w.kernel;
  d.opt_res0_sign = d.opt_shift_typ = d.opt_opd0_sign;
  if (average) {
    d.opt_right_shift = op.rshift;
    d.opt_opd1_sign = 0;
    d.opt_opd1_const = 1;
    d.opd1_addr = op.multiplier;
  } else {
    d.opd0_ins_val = lowest_byte(op.in.dtype);
  }
  return d;
}

// The blocks of `right` have the shape of those of `res`. opd1_w holds the columns of left's last
// block.
BdDescriptor encode_bd(const MatrixMac& op, const Chip&) {
  BdDescriptor d = start(kTaskMatrix, 0, op.bias ? 3 : 2);
  const Shape& left = op.left.tensor.shape;
  uint32_t last_columns = op.left.cols - (left.c - 1) * left.w;
  d.res0_addr = static_cast<uint32_t>(op.res.tensor.address);
  d.opd0_addr = static_cast<uint32_t>(op.left.tensor.address);
  d.opd1_addr = static_cast<uint32_t>(op.right.tensor.address);
  d.res0_n = op.res.rows;
  d.res0_c = op.res.tensor.shape.c;
  d.res0_w = op.res.tensor.shape.w;
  d.opd0_n = op.left.rows;
  d.opd0_c = left.c;
  d.opd0_w = left.c > 1 ? left.w : last_columns;
  d.opd1_n = op.right.rows;
  d.opd1_c = op.right.tensor.shape.c;
  d.opd1_w = last_columns;
  d.opt_opd0_sign = sign_bit(op.left.tensor);
  d.opt_opd1_sign = sign_bit(op.right.tensor);
  if (op.bias) {
    d.opd2_addr = static_cast<uint32_t>(op.bias->tensor.address);
    d.opd2_c = op.bias->tensor.shape.c;
    d.opd2_w = op.bias->tensor.shape.w;
    d.opt_opd2_sign = sign_bit(op.bias->tensor);
  }
  d.opt_res0_int8 = int8_bit(op.res.tensor);
  d.opt_res0_sign = !op.relu;
  d.opt_relu = op.relu;
  d.opt_res_add = op.accumulate;
  d.opt_left_shift = op.lshift;
  d.opt_right_shift = op.rshift;
  return d;
}

BdDescriptor encode_bd(const MatrixMac2& op, const Chip&) {
  BdDescriptor d = start(kTaskMatrix2, 0, 2);
  set_maps(d, op.res, op.left);
  d.opd1_addr = static_cast<uint32_t>(op.right.address);
  TW_SET_SHAPE(d, opd1, op.right.shape);
  d.opt_opd1_sign = sign_bit(op.right);
  d.opt_res0_sign = d.opt_opd0_sign | d.opt_opd1_sign;
  d.opt_shift_typ = 0;
  return d;
}

// An 8-bit constant is sign-extended for any type.
uint32_t constant_bits(const Elementwise& op) {
  bool wide = op.kind == Elementwise::Kind::add || op.kind == Elementwise::Kind::sub;
  return static_cast<uint16_t>(wide ? op.constant : static_cast<int8_t>(op.constant));
}

uint32_t result_plane_stride(const Elementwise& op) {
  switch (op.kind) {
    case Elementwise::Kind::mac:  // the old value is always 16-bit
      return op.out.plane_stride;
    case Elementwise::Kind::mul:
    case Elementwise::Kind::add:
    case Elementwise::Kind::sub:
      return is_16bit(op.out.dtype) ? op.out.plane_stride : 0;
    default:
      return plane_or_reset(op.out);
  }
}

void set_elementwise_options(BdDescriptor& d, const Elementwise& op) {
  using Kind = Elementwise::Kind;
  bool b_signed = op.b_is_constant ? op.b_signed : is_signed(op.b.dtype);
  d.opt_res0_sign = sign_bit(op.out);
  d.opt_opd0_sign = sign_bit(op.a);
  d.opt_opd1_sign = b_signed;
  switch (op.kind) {
    case Kind::mul:
      d.opt_right_shift = op.rshift;
      break;
    case Kind::mac:
      d.opt_right_shift = op.rshift;
      d.opt_left_shift = op.lshift;
      d.opt_res_add = 1;
      d.opt_shift_typ = d.opt_res0_sign;
      break;
    case Kind::shift:
      d.opt_rshift_typ = 0;
      break;
    case Kind::bit_and:
    case Kind::bit_or:
    case Kind::bit_xor:
      d.opt_res0_sign = d.opt_opd0_sign = d.opt_opd1_sign = d.opt_shift_typ = 0;
      break;
    case Kind::copy:
      d.opt_res0_sign = d.opt_opd0_sign = d.opt_shift_typ = 0;
      d.opt_opd1_sign = 1;
      break;
    default:
      break;
  }
}

static_assert(static_cast<uint32_t>(Elementwise::Kind::copy) == 10, "kinds are function codes");

// All four operands hold the common shape and their full strides. A constant or absent operand has
// those of the result.
BdDescriptor encode_bd(const Elementwise& op, const Chip&) {
  bool copy = op.kind == Elementwise::Kind::copy;
  bool b_is_tensor = !copy && !op.b_is_constant;
  BdDescriptor d = start(kTaskElementwise, static_cast<uint32_t>(op.kind), copy ? 1 : 2);
  set_maps(d, op.out, op.a);
  TW_SET_SHAPE(d, opd1, b_is_tensor ? op.b.shape : op.out.shape);
  TW_SET_SHAPE(d, opd2, op.out.shape);
  TW_SET_STRIDE(d, res0, op.out.stride);
  TW_SET_STRIDE(d, opd0, op.a.stride);
  TW_SET_STRIDE(d, opd1, b_is_tensor ? op.b.stride : op.out.stride);
  TW_SET_STRIDE(d, opd2, op.out.stride);
  d.short_res0_str = d.short_opd0_str = d.short_opd1_str = d.short_opd2_str = kStrideExplicit;
  d.opt_res0_int8 = int8_bit(op.out);
  d.opt_opd0_int8 = int8_bit(op.a);
  d.res0_b_str = result_plane_stride(op);
  d.opd0_b_str = plane_or_reset(op.a);
  if (b_is_tensor) {
    d.opd1_addr = static_cast<uint32_t>(op.b.address);
    d.opd1_b_str = plane_or_reset(op.b);
    d.opt_opd1_int8 = int8_bit(op.b);
  } else if (!copy) {
    d.opd1_addr = constant_bits(op);
    d.opt_opd1_const = 1;
    d.opt_opd1_int8 = op.kind != Elementwise::Kind::add && op.kind != Elementwise::Kind::sub;
  }
  set_elementwise_options(d, op);
  return d;
}

// The strides of `a` are written although the engine computes them from the shape.
BdDescriptor encode_bd(const Mdsum& op, const Chip&) {
  BdDescriptor d = start(kTaskElementwise, 0, 1);
  set_maps(d, op.out, op.a);
  TW_SET_STRIDE(d, opd0, op.a.stride);
  d.tens_mdsum = 1;
  d.short_res0_str = kStridePacked;
  d.opt_res0_sign = d.opt_opd0_sign;
  d.opt_res0_int8 = int8_bit(op.out);
  d.res0_b_str = is_16bit(op.out.dtype) ? op.out.plane_stride : 0;
  return d;
}

BdDescriptor encode_bd(const Lut& op, const Chip&) {
  BdDescriptor d = start(kTaskElementwise, 0, 2);
  constexpr Stride ones{1, 1, 1, 1};
  set_maps(d, op.out, op.in);
  d.opd1_addr = static_cast<uint32_t>(op.table.address);
  TW_SET_SHAPE(d, opd1, op.table.shape);
  TW_SET_STRIDE(d, res0, ones);
  TW_SET_STRIDE(d, opd0, ones);
  TW_SET_STRIDE(d, opd1, ones);
  TW_SET_STRIDE(d, opd2, ones);
  d.short_opd2_str = kStrideExplicit;
  d.tens_lookup = 1;
  d.opt_opd0_sign = d.opt_opd1_sign = d.opt_shift_typ = 0;
  return d;
}

#undef TW_SET_SHAPE
#undef TW_SET_STRIDE

void copy_text(const std::string& text, size_t limit, uint8_t* out) {
  std::copy_n(text.begin(), std::min(text.size(), limit), out);
}

CpuDescriptor encode_cpu(const CpuCall& op) {
  CpuDescriptor d;
  if (op.sync) {
    d.op_type = kCpuSync;
    copy_text(op.name, kCpuPayloadBytes - 1, d.payload.data());
    return d;
  }
  // A body that exceeds the fixed record is as long as needed, in whole words.
  size_t needed = align_up(kCpuParamOffset + op.params.size(), 4);
  d.payload.resize(std::max(kCpuPayloadBytes, needed));
  copy_text(op.name, kCpuNameBytes - 1, d.payload.data());
  store_word(d.payload.data() + kCpuSizeOffset, 0, static_cast<uint32_t>(op.params.size()));
  std::copy(op.params.begin(), op.params.end(), d.payload.begin() + kCpuParamOffset);
  return d;
}

}  // namespace

Descriptor encode(const Operation& operation, const Chip& chip) {
  return std::visit(
      [&](const auto& op) -> Descriptor {
        using Op = std::decay_t<decltype(op)>;
        if constexpr (std::is_same_v<Op, CpuCall>)
          return encode_cpu(op);
        else if constexpr (requires { encode_bd(op, chip); })
          return encode_bd(op, chip);
        else if constexpr (requires { encode_dma(op, chip); })
          return encode_dma(op, chip);
        else
          throw std::invalid_argument(fmt::format("BM1880 has no descriptor for {}", name(op)));
      },
      operation);
}

}  // namespace tputwin::isa
