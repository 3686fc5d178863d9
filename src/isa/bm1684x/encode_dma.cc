// Encodes the operations of the BM1684X's GDMA.
#include "isa/bm1684x/encode_dma.h"

namespace tputwin::isa::bm1684x_streams {
namespace {

// The fields of a side.
struct Side {
  std::string_view name;
  uint64_t GdmaCommand::*low;
  uint64_t GdmaCommand::*high;
  uint64_t GdmaCommand::*sizes[4];    // n, c, h, w
  uint64_t GdmaCommand::*strides[4];  // n, c, h, w
};
#define TW_SIDE(side)                                                                        \
  {                                                                                          \
#side, &GdmaCommand::side##_start_addr_l32, &GdmaCommand::side##_start_addr_h8,          \
        {&GdmaCommand::side##_nsize, &GdmaCommand::side##_csize, &GdmaCommand::side##_hsize, \
         &GdmaCommand::side##_wsize },                                                       \
         {&GdmaCommand::side##_nstride, &GdmaCommand::side##_cstride,                        \
          &GdmaCommand::side##_hstride, &GdmaCommand::side##_wstride },                      \
  }
constexpr Side kSrc = TW_SIDE(src), kDst = TW_SIDE(dst);

// Returns the engine's address of the first byte of a view.
uint64_t engine_address(const TensorView& view, const Chip& chip) {
  const uint64_t base = view.space == Space::local ? chip.local_base
                        : view.space == Space::l2  ? chip.l2.base
                                                   : chip.global_base;
  return base + view.address;
}

void split(uint64_t address, uint64_t& low, uint64_t& high) {
  low = address & UINT32_MAX;
  high = address >> 32;
}

void sizes(const Side& side, const Shape& s, GdmaWriter& w) {
  const uint32_t extents[] = {s.n, s.c, s.h, s.w};
  for (size_t i = 0; i < 4; ++i) w.command.*side.sizes[i] = extents[i];
}

// Writes address and strides. Sizes are written separately, as they are not always read.
void place(const Side& side, const TensorView& view, GdmaWriter& w) {
  GdmaCommand& c = w.command;
  split(engine_address(view, w.chip), c.*side.low, c.*side.high);
  const uint32_t bytes = element_bytes(view.dtype);
  const uint32_t strides[] = {view.stride.n, view.stride.c, view.stride.h, view.stride.w};
  c.stride_enable = 1;
  for (size_t i = 0; i < 4; ++i) {
    w.require(strides[i] % bytes == 0, side.name, describe(view));
    c.*side.strides[i] = strides[i] / bytes;
  }
}

void operation(GdmaWriter& w, uint8_t type, uint8_t variant, DType dtype) {
  w.command.cmd_type = type;
  w.command.cmd_special_function = variant;
  w.command.src_data_format = type_code(dtype);
}

// Writes the address of an operand in the standard layout of its memory.
void standard(std::string_view name, const TensorView& view, uint64_t& low, uint64_t& high,
              GdmaWriter& w) {
  const uint64_t address = engine_address(view, w.chip);
  CommandReader reader(w.chip);
  const TensorView expected = reader.side({name, address}, view.shape, view.dtype, nullptr);
  w.require(expected == view, name, describe(view));
  split(address, low, high);
}

bool is_row(const TensorView& v) {
  return v.shape.n == 1 && v.shape.c == 1 && v.shape.h == 1 && is_system(v.space) &&
         v.stride.w == element_bytes(v.dtype);
}

// Encodes a row that may be longer than an extent field allows.
void long_row(const Copy& op, GdmaWriter& w) {
  GdmaCommand& c = w.command;
  operation(w, kGeneral, 0, op.dst.dtype);
  c.src_cstride = op.dst.shape.w;
  split(engine_address(op.dst, w.chip), c.dst_start_addr_l32, c.dst_start_addr_h8);
  if (op.src.is_constant) {
    c.fill_constant_en = 1;
    c.constant_value = op.src.constant;
    return;
  }
  split(engine_address(op.src.view, w.chip), c.src_start_addr_l32, c.src_start_addr_h8);
}

}  // namespace

void encode(const Copy& op, GdmaWriter& w) {
  GdmaCommand& c = w.command;
  const bool rows = is_row(op.dst) && (op.src.is_constant || is_row(op.src.view));
  if (op.reads_first || (rows && op.dst.shape.w > w.chip.limits.dma_extent)) return long_row(op, w);
  operation(w, kTensor, 0, op.dst.dtype);
  place(kDst, op.dst, w);
  if (op.src.is_constant) {
    c.fill_constant_en = 1;
    c.constant_value = op.src.constant;
    return sizes(kDst, op.dst.shape, w);
  }
  place(kSrc, op.src.view, w);
  sizes(kSrc, op.src.view.shape, w);
  c.nchw_copy = 1;
}

// The source may repeat its first channel.
void encode(const CopyToBanks& op, GdmaWriter& w) {
  const bool first_channel = op.src.stride.c == 0 && op.src.shape.c > 1;
  constexpr uint64_t kFirst = 0x20000, kStep = 0x8000;
  for (size_t i = 0; i < op.dst.size(); ++i) {
    TensorView expected = op.dst[0];
    expected.address += i * kStep;
    w.require(expected == op.dst[i], "dst", describe(op.dst[i]));
  }
  w.require(op.dst[0].address % w.chip.lane_bytes - kFirst < kStep, "dst", describe(op.dst[0]));
  operation(w, kTensor, first_channel ? 6 : 5, op.src.dtype);
  place(kDst, op.dst[0], w);
  sizes(kDst, op.dst[0].shape, w);
  place(kSrc, op.src, w);
  sizes(kSrc, op.src.shape, w);
}

void encode(const Rearrange& op, GdmaWriter& w) {
  using Kind = Rearrange::Kind;
  w.require(op.kind != Kind::other_lanes, "operation", std::string(name(op)));
  operation(w, op.kind == Kind::swap_cw ? kCwTranspose : kTensor,
            op.kind == Kind::swap_nc          ? 1
            : op.kind == Kind::repeat_channel ? 3
                                              : 0,
            op.out.dtype);
  place(kDst, op.out, w);
  place(kSrc, op.in, w);
  sizes(kSrc, op.in.shape, w);
  sizes(kDst, op.out.shape, w);
}

void encode(const CopyMatrix& op, GdmaWriter& w) {
  GdmaCommand& c = w.command;
  const bool to_lanes = op.dst.tensor.space == Space::local;
  const MatrixView &lanes = to_lanes ? op.dst : op.src, &system = to_lanes ? op.src : op.dst;
  const Side &lane_side = to_lanes ? kDst : kSrc, &system_side = to_lanes ? kSrc : kDst;
  const TensorView& rows = system.tensor;
  const uint32_t bytes = element_bytes(rows.dtype);
  const bool transposed = rows.shape.w > 1 && rows.stride.w != bytes;
  operation(w, kMatrix, transposed, rows.dtype);
  place(lane_side, lanes.tensor, w);
  sizes(lane_side, lanes.tensor.shape, w);
  c.*lane_side.sizes[2] = 0;
  w.require(lanes.tensor.shape.w == 1 || lanes.tensor.stride.w == bytes, lane_side.name,
            describe(lanes.tensor));
  split(engine_address(rows, w.chip), c.*system_side.low, c.*system_side.high);
  const uint32_t row_stride = transposed ? rows.stride.w : rows.stride.n;
  w.require(row_stride % bytes == 0, system_side.name, describe(rows));
  c.*system_side.strides[2] = row_stride / bytes;
  c.*system_side.sizes[2] = transposed ? system.cols : system.rows;
  c.*system_side.sizes[3] = transposed ? system.rows : system.cols;
}

void encode(const MaskSelect& op, GdmaWriter& w) {
  GdmaCommand& c = w.command;
  const bool positions = op.kind == MaskSelect::Kind::positions;
  operation(w, positions ? kNonzero : kMaskedSelect, 0, op.in.dtype);
  sizes(kSrc, op.in.shape, w);
  standard("src", op.in, c.src_start_addr_l32, c.src_start_addr_h8, w);
  standard("dst", op.out, c.dst_start_addr_l32, c.dst_start_addr_h8, w);
  if (positions) {
    c.index_data_format = type_code(op.out.dtype);
    c.dst_nstride = op.base;
    return;
  }
  standard("mask", op.mask, c.mask_start_addr_l32, c.mask_start_addr_h8, w);
  c.mask_data_format = type_code(op.mask.dtype);
}

namespace {

// Writes channels, rows and columns of both sides and the index.
template <class Op>
void rows_of(const Op& op, uint8_t type, GdmaWriter& w) {
  GdmaCommand& c = w.command;
  operation(w, type, 0, op.out.dtype);
  place(kSrc, op.param, w);
  place(kDst, op.out, w);
  const uint32_t bytes = element_bytes(op.index.dtype);
  split(engine_address(op.index, w.chip), c.index_start_addr_l32, c.index_start_addr_h8);
  c.index_cstride = op.index.stride.c / bytes;
  c.index_hstride = op.index.stride.h / bytes;
  c.src_csize = op.param.shape.c;
  c.src_hsize = op.param.shape.h;
  c.src_wsize = op.param.shape.w;
  c.dst_hsize = op.out.shape.h;
  c.index_csize = op.index.shape.c;
  c.index_hsize = op.index.shape.h;
  // Batches and column strides have no fields.
  c.src_nstride = c.src_wstride = c.dst_nstride = c.dst_wstride = 0;
}

}  // namespace

void encode(const Gather& op, GdmaWriter& w) {
  rows_of(op, kGather, w);
  w.require(op.outside == Gather::Outside::fill && op.first_row == 0 && op.last_row == UINT32_MAX,
            "outside", "");
  w.command.constant_value = op.fill;
}

void encode(const Scatter& op, GdmaWriter& w) {
  rows_of(op, kScatter, w);
  w.require(op.leaves_out, "outside", "");
}

}  // namespace tputwin::isa::bm1684x_streams
