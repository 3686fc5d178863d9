// Encodes the BM1684's transfers.
#include "isa/bm1684/codes.h"
#include "isa/bm1684/writer.h"

namespace tputwin::isa::bm1684_streams {
namespace {

// The fields of one side.
struct SideFields {
  uint64_t GdmaCommand::*low;
  uint64_t GdmaCommand::*high;
  uint64_t GdmaCommand::*strides[4];
  uint64_t GdmaCommand::*sizes[4];
};
#define TW_SIDE(side)                                                                              \
  {                                                                                                \
    &GdmaCommand::side##_start_addr_l32, &GdmaCommand::side##_start_addr_h8,                       \
        {&GdmaCommand::side##_nstride, &GdmaCommand::side##_cstride, &GdmaCommand::side##_hstride, \
         &GdmaCommand::side##_wstride},                                                            \
        {&GdmaCommand::side##_nsize, &GdmaCommand::side##_csize, &GdmaCommand::side##_hsize,       \
         &GdmaCommand::side##_wsize},                                                              \
  }
constexpr SideFields kSource TW_SIDE(src);
constexpr SideFields kTarget TW_SIDE(dst);
#undef TW_SIDE

void extents(const SideFields& fields, const Shape& s, GdmaWriter& w) {
  const uint32_t sizes[] = {s.n, s.c, s.h, s.w};
  for (size_t i = 0; i < 4; ++i) {
    w.command.*fields.sizes[i] = sizes[i];
    w.require(sizes[i] <= UINT16_MAX, "shape", describe(s));
  }
}

void place(const SideFields& fields, const TensorView& view, GdmaWriter& w) {
  GdmaCommand& c = w.command;
  const Chip& chip = w.chip;
  w.require(view.space != Space::dtcm, "addr", describe(view));
  const uint64_t base = view.space == Space::local ? chip.local_base
                        : view.space == Space::l2  ? chip.l2.base
                                                   : chip.global_base;
  c.*fields.low = (base + view.address) & UINT32_MAX;
  c.*fields.high = (base + view.address) >> 32;
}

void side(const SideFields& fields, const TensorView& view, GdmaWriter& w) {
  place(fields, view, w);
  GdmaCommand& c = w.command;
  const uint32_t bytes = element_bytes(view.dtype);
  const uint32_t strides[] = {view.stride.n, view.stride.c, view.stride.h, view.stride.w};
  for (size_t i = 0; i < 4; ++i) {
    c.*fields.strides[i] = strides[i] / bytes;
    w.require(strides[i] % bytes == 0, "stride", describe(view));
  }
  extents(fields, view.shape, w);
}

void format(DType dtype, GdmaWriter& w) {
  const uint32_t bytes = element_bytes(dtype);
  w.command.src_data_format = w.command.dst_data_format = bytes == 4   ? k32Bits
                                                          : bytes == 2 ? k16Bits
                                                                       : kSecondBytes;
}

void direction(const TensorView& dst, const TensorView& src, GdmaWriter& w) {
  const bool from_local = src.space == Space::local, to_local = dst.space == Space::local;
  w.command.direction = from_local ? (to_local ? kLocalToLocal : kLocalToSystem)
                                   : (to_local ? kSystemToLocal : kSystemToSystem);
}

void sides(const TensorView& dst, const TensorView& src, GdmaWriter& w) {
  format(src.dtype, w);
  direction(dst, src, w);
  side(kSource, src, w);
  side(kTarget, dst, w);
}

DataFormat number_format(DType dtype) {
  if (is_float(dtype)) return DataFormat::k32Bits;
  return is_signed(dtype) ? DataFormat::kSecondBytes : DataFormat::kBytes;
}

// Returns true for a run with more elements than extent fields hold. A local run is inside one
// lane.
bool is_long_run(const Copy& op) {
  const Shape& s = op.dst.shape;
  const auto is_run_of_elements = [](const TensorView& view) {
    return view.stride.w == element_bytes(view.dtype);
  };
  return s.n == 1 && s.c == 1 && s.h == 1 && s.w > UINT16_MAX && is_run_of_elements(op.dst) &&
         is_run_of_elements(op.src.view);
}

}  // namespace

void encode(const Copy& op, GdmaWriter& w) {
  if (!op.src.is_constant && is_long_run(op)) {
    format(op.dst.dtype, w);
    direction(op.dst, op.src.view, w);
    place(kSource, op.src.view, w);
    place(kTarget, op.dst, w);
    w.command.common_mode = 1;
    w.command.src_nstride = op.dst.shape.w;
    return;
  }
  if (!op.src.is_constant) return sides(op.dst, op.src.view, w);
  w.command.special_func = kFill;
  w.command.constant_value = op.src.constant;
  format(op.dst.dtype, w);
  direction(op.dst, op.dst, w);
  side(kTarget, op.dst, w);
}

void encode(const CopyAdd& op, GdmaWriter& w) {
  sides(op.out, op.in, w);
  w.command.special_func = kShifted;
  w.command.acc_write_enable = 1;
}

void encode(const Convert& op, GdmaWriter& w) {
  sides(op.out, op.in, w);
  w.command.special_func = kConvert;
  w.command.src_data_format = number_format(op.in.dtype);
  w.command.dst_data_format = number_format(op.out.dtype);
}

void encode(const Rearrange& op, GdmaWriter& w) {
  using Kind = Rearrange::Kind;
  w.require(op.kind == Kind::swap_nc || op.kind == Kind::swap_cw || op.kind == Kind::refold,
            "operation", std::string(name(op)));
  sides(op.out, op.in, w);
  if (op.kind == Kind::refold) return;
  if (op.kind == Kind::swap_cw) {
    w.require(op.in.space == Space::local && op.out.space == Space::local && op.in.shape.n == 1 &&
                  op.in.shape.h == 1,
              "shape", describe(op.in.shape));
    w.command.special_func = kTransposeMatrix;
    return;
  }
  extents(kTarget, {}, w);
  w.command.special_func = kTranspose;
  w.command.chw_copy = 1;
}

// A system matrix whose rows are not contiguous is transposed.
void encode(const CopyMatrix& op, GdmaWriter& w) {
  const bool to_local = op.dst.tensor.space == Space::local;
  const MatrixView& rows = to_local ? op.src : op.dst;
  const TensorView& system = rows.tensor;
  const uint32_t bytes = element_bytes(system.dtype);
  const bool is_transposed = rows.cols > 1 && system.stride.w != bytes;
  sides(op.dst.tensor, op.src.tensor, w);
  GdmaCommand& c = w.command;
  c.special_func = is_transposed ? kTranspose : kTensor;
  c.sys_mem_type = 1;
  const SideFields& fields = to_local ? kSource : kTarget;
  const auto [h, width] =
      is_transposed ? std::pair{rows.cols, rows.rows} : std::pair{rows.rows, rows.cols};
  const uint32_t row_stride = is_transposed ? system.stride.w : system.stride.n;
  w.require(system.shape.c == 1 && system.shape.h == 1 && row_stride % bytes == 0 &&
                (!is_transposed || rows.rows == 1 || system.stride.n == bytes),
            "row_stride", describe(system));
  const uint32_t sizes[] = {1, 1, h, width};
  const uint32_t strides[] = {1, 1, row_stride / bytes, 1};
  for (size_t i = 0; i < 4; ++i) {
    c.*fields.sizes[i] = sizes[i];
    c.*fields.strides[i] = strides[i];
  }
}

}  // namespace tputwin::isa::bm1684_streams
