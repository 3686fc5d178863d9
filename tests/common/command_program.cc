// Views in lanes, copies to and from them, and the streams of a program.
#include "common/command_program.h"

#include "base/bits.h"
#include "isa/streams/encode.h"
#include "isa/streams/reader.h"
#include "isa/streams/stream.h"
#include "memory/layout.h"
#include "memory/normal_stride.h"

namespace tputwin::testing {
namespace {

constexpr uint64_t kAlignment = 128;

// Returns the view as int32 elements: one for each 4 bytes of a cell.
TensorView as_int32(TensorView view) {
  const uint32_t words = run_bytes(view) / 4;
  view.shape.n = cells(view);
  view.shape.w *= words;
  if (words > 1) view.stride.w = 4;
  view.pack = 1;
  view.plane_stride = 0;
  view.dtype = DType::b32;
  return view;
}

}  // namespace

TensorView CommandProgram::lanes(const Shape& shape, DType dtype, bool aligned, uint8_t pack) {
  isa::CommandReader reader(chip_);
  const TensorView view = reader.dense({"", lane_bytes_}, shape, dtype, aligned, pack);
  const Shape cell_shape{cells(view), shape.c, shape.h, shape.w};
  const Stride stride = lane_stride(chip_, cell_shape, 0, run_bytes(view), aligned);
  lane_bytes_ = align_up(lane_bytes_ + uint64_t{cell_shape.n} * stride.n, kAlignment);
  return view;
}

TensorView CommandProgram::global(uint64_t address, const Shape& shape, DType dtype) const {
  TensorView view{.space = Space::global, .dtype = dtype, .address = address, .shape = shape};
  view.plane_stride = is_16bit(dtype) ? 1 : 0;
  view.stride = system_stride(shape, element_bytes(dtype));
  drop_meaningless(view.stride, shape, shape.c);
  return view;
}

void CommandProgram::add(Operation op) {
  const Engine engine = tputwin::engine(op);
  const bool dma = engine == Engine::dma;
  program_.push_back({std::move(op), engine, ++issued_[dma], issued_[!dma]});
}

void CommandProgram::move(const TensorView& lanes, uint64_t address, bool loads) {
  const TensorView local = lanes.pack != 1 ? as_int32(lanes) : lanes;
  const TensorView there = global(address, local.shape, local.dtype);
  add(Copy{.dst = loads ? local : there, .src = Source::tensor(loads ? there : local)});
}

Result<std::unique_ptr<bmodel::bm168x::CmdGroupT>> CommandProgram::group(
    std::vector<uint8_t>& binary) const {
  constexpr size_t kPage = 4096;
  const auto part = [&](const std::vector<uint8_t>& bytes) {
    binary.resize(align_up(binary.size(), kPage));
    auto place = std::make_unique<bmodel::bm168x::Binary>(binary.size(), bytes.size());
    binary.insert(binary.end(), bytes.begin(), bytes.end());
    return place;
  };
  TW_ASSIGN_OR_RETURN(streams, isa::encode_streams(program_, chip_));
  TW_ASSIGN_OR_RETURN(tiu, isa::count_commands(Engine::compute, streams.tiu, chip_));
  TW_ASSIGN_OR_RETURN(gdma, isa::count_commands(Engine::dma, streams.gdma, chip_));
  auto group = std::make_unique<bmodel::bm168x::CmdGroupT>();
  group->bdc_num = tiu, group->gdma_num = gdma;
  group->binary_bdc = part(streams.tiu);
  group->binary_gdma = part(streams.gdma);
  return group;
}

}  // namespace tputwin::testing
