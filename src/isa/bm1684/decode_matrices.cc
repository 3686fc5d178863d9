// Decodes the BM1684's matrix products: class 2.
#include "isa/bm1684/decode.h"

namespace tputwin::isa::bm1684_streams {
namespace {

// Columns are stored in channels. All columns of the result's last channel are computed.
struct Sizes {
  uint32_t rows, left_channels, left_width, depth, channels, width;
};
Sizes sizes_of(const TiuCommand& c, Reader& r) {
  const uint32_t channels = r.extent(TW_OF(c, opd0_c)), width = r.extent(TW_OF(c, opd0_w));
  // The last channel of the left matrix has `last_width` columns, all others have `width`.
  const uint32_t last_width = r.extent(TW_OF(c, opd1_w));
  r.require(last_width <= width, errors::isa_stream_extent, TW_OF(c, opd1_w));
  return {.rows = r.extent(TW_OF(c, opd0_n)),
          .left_channels = channels,
          .left_width = width,
          .depth = (channels - 1) * width + last_width,
          .channels = r.extent(TW_OF(c, res0_c)),
          .width = r.extent(TW_OF(c, res0_w))};
}

template <class Op>
void set_matrices(const TiuCommand& c, Reader& r, DType out, DType left, DType right, DType bias,
                  Op& op) {
  constexpr uint64_t kWithBias = 3;
  const Sizes s = sizes_of(c, r);
  op.out = r.matrix(kRes0, s.rows, s.channels, s.width, out);
  op.left = r.matrix(kOpd0, s.rows, s.left_channels, s.left_width, left);
  op.left.cols = s.depth;
  op.right = r.matrix(kOpd1, s.depth, s.channels, s.width, right);
  if (c.tsk_opd_num == kWithBias) op.bias = r.matrix(kOpd2, 1, s.channels, s.width, bias);
}

Operation matmul_int8(const TiuCommand& c, Reader& r) {
  r.only(TW_TIU_FIELD(opt_res_add), {0});
  r.only(kOpd1.type, {kInt8});
  const DType left = r.data_type(kOpd0), right = r.data_type(kOpd1);
  const bool with_bias = c.tsk_opd_num == 3;
  if (with_bias) r.only(kOpd2.type, {kInt16});
  const bool bias_sign = with_bias && c.opt_opd2_sign != 0;
  const bool any_sign = is_signed(left) || is_signed(right) || bias_sign;
  const DType out = r.int_type(TW_OF(c, opt_res0_prec), any_sign && c.opt_relu == 0);
  r.require(!is_32bit(out), errors::isa_stream_type, TW_OF(c, opt_res0_prec));
  MatmulBm1684Int8 op{.rshift = static_cast<uint32_t>(c.opt_right_shift)};
  set_matrices(c, r, out, left, right, bias_sign ? DType::i16 : DType::u16, op);
  return op;
}

}  // namespace

Operation matmul(const TiuCommand& c, Reader& r, const TiuVariant&) {
  r.only(TW_TIU_FIELD(res0_n), {1});
  for (const OperandFields* fields : {&kOpd0, &kOpd1, &kOpd2}) r.only(fields->is_constant, {0});
  if (c.opt_opd0_prec == kInt8) return matmul_int8(c, r);
  r.all_f32({&kRes0, &kOpd0, &kOpd1});
  MatmulBm1684 op{.accumulate = c.opt_res_add != 0};
  set_matrices(c, r, DType::f32, DType::f32, DType::f32, DType::f32, op);
  return op;
}

}  // namespace tputwin::isa::bm1684_streams
