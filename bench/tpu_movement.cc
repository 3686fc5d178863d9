// Data movement of the BM1684X compared with memcpy of the same bytes: 64 lanes, each operand in a
// bank of its own.
#include "memory/layout.h"
#include "next_to_memcpy.h"

namespace {

using namespace tputwin;
using Kind = Rearrange::Kind;

constexpr uint64_t kGlobalBytes = 64 << 20;
constexpr uint32_t kIndexed = 1024;  // elements or rows that indices select

TensorView local(const Shape& shape, uint64_t bank, DType dtype = DType::f32) {
  const Chip& chip = bm1684x();
  return {.dtype = dtype,
          .plane_stride = dtype == DType::u16 ? 1u : 0u,
          .address = bank * chip.bank_bytes(),
          .shape = shape,
          .stride = lane_stride(chip, shape, 0, element_bytes(dtype), /*aligned=*/true)};
}

TensorView system(const Shape& shape, uint64_t address, DType dtype = DType::f32) {
  return {.space = Space::global,
          .dtype = dtype,
          .plane_stride = dtype == DType::u16 ? 1u : 0u,
          .address = address,
          .shape = shape,
          .stride = system_stride(shape, element_bytes(dtype))};
}

Operation copy(const TensorView& dst, const TensorView& src, Engine engine = Engine::dma) {
  return Copy{.engine = engine, .dst = dst, .src = Source::tensor(src)};
}
Operation rearrange(Kind kind, const TensorView& out, const TensorView& in,
                    Engine engine = Engine::dma) {
  return Rearrange{.kind = kind, .engine = engine, .out = out, .in = in};
}

constexpr Shape kPlanes{1, 256, 56, 56}, kSquare{1, 512, 1, 512}, kBatches{64, 64, 14, 14},
    kRows{1, 64, 512, 64}, kParamRows{1, 64, kIndexed, 64}, kWide{1, 512, 1, 512},
    kParamWide{1, 512, 1, kIndexed}, kRowIndex{1, 64, 512, 1};

MatrixView matrix(const TensorView& tensor, uint32_t rows, uint32_t cols) {
  return {tensor, rows, cols};
}
Operation transposed_matrix() {
  TensorView src = system({512, 1, 1, 512}, 0);
  std::swap(src.stride.n, src.stride.w);
  return CopyMatrix{.dst = matrix(local({512, 8, 1, 64}, 0), 512, 512),
                    .src = matrix(src, 512, 512)};
}
Operation gather_rows() {
  return Gather{.by = IndexedBy::h,
                .outside = Gather::Outside::fill,
                .engine = Engine::dma,
                .out = system(kRows, 16 << 20),
                .param = system(kParamRows, 0),
                .index = system(kRowIndex, 32 << 20, DType::u32)};
}
Operation gather_elements() {
  return Gather{.by = IndexedBy::w,
                .out = local(kWide, 0),
                .param = local(kParamWide, 4),
                .index = local(kWide, 8, DType::u16)};
}
Operation look_up() {
  const Shape s{1, 64, 64, 128};
  return TableLookup{
      .out = local(s, 0), .in = local(s, 4, DType::u16), .table = local({1, 64, 1, kIndexed}, 8)};
}

struct Case {
  const char* name;
  Operation op;
  uint64_t bytes;  // read and written
};

const Case kCases[] = {
    {"copy_S2L", copy(local(kPlanes, 0), system(kPlanes, 0)), 8 * kPlanes.count()},
    {"copy_S2L_u8", copy(local(kPlanes, 0, DType::u8), system(kPlanes, 0, DType::u8)),
     2 * kPlanes.count()},
    {"copy_in_lanes", copy(local(kPlanes, 0), local(kPlanes, 8), Engine::compute),
     8 * kPlanes.count()},
    {"nc_trans_S2L", rearrange(Kind::swap_nc, local(kBatches, 0), system(kBatches, 0)),
     8 * kBatches.count()},
    {"nc_trans_L2L", rearrange(Kind::swap_nc, local(kBatches, 0), local(kBatches, 8)),
     8 * kBatches.count()},
    {"cw_trans_S2L", rearrange(Kind::swap_cw, local(kSquare, 0), system(kSquare, 0)),
     8 * kSquare.count()},
    {"cw_trans_S2S", rearrange(Kind::swap_cw, system(kSquare, 32 << 20), system(kSquare, 0)),
     8 * kSquare.count()},
    {"cw_trans_in_lanes",
     rearrange(Kind::swap_cw, local(kSquare, 0), local(kSquare, 8), Engine::compute),
     8 * kSquare.count()},
    {"cw_trans_in_lanes_u8",
     rearrange(Kind::swap_cw, local(kSquare, 0, DType::u8), local(kSquare, 8, DType::u8),
               Engine::compute),
     2 * kSquare.count()},
    {"matrix_trans_S2L", transposed_matrix(), 8 * 512 * 512},
    {"npu_bcast",
     rearrange(Kind::repeat_channel, local({1, 64, 64, 64}, 0), local({1, 1, 64, 64}, 8),
               Engine::compute),
     8 * 64 * 64 * 64},
    {"h_gather_S2S", gather_rows(), 8 * kRows.count()},
    {"w_gather", gather_elements(), 10 * kWide.count()},
    {"table_lookup", look_up(), 6 * 64 * 64 * 128},
};

// Writes indices below kIndexed to all memory that may be read as an index.
void fill_indices(Device& device) {
  std::mt19937 random(1);
  const auto index = [&] { return static_cast<uint32_t>(random() % kIndexed); };
  for (uint32_t i = 0; i < kRowIndex.count(); ++i)
    Memory::store(device.memories().take_global().data() + (32 << 20) + i * 4, index());
  for (uint32_t lane = 0; lane < bm1684x().lanes; ++lane)
    for (uint64_t bank : {4, 8})
      for (uint32_t i = 0; i < bm1684x().bank_bytes() / 2; ++i)
        Memory::store(
            device.memories().take_local().lane(lane) + bank * bm1684x().bank_bytes() + i * 2,
            static_cast<uint16_t>(index()));
}

void movement(benchmark::State& state) {
  const Case& c = kCases[state.range(0)];
  state.SetLabel(c.name);
  auto device = Device::create({.chip = &bm1684x()});
  if (!device.ok()) return state.SkipWithError(device.error().message().c_str());
  bench::fill_random((*device)->memories().take_local().host_bytes(), 1);
  bench::fill_random({(*device)->memories().take_global().data(), kGlobalBytes}, 2);
  fill_indices(**device);
  bench::next_to_memcpy(state, **device, c.op, c.bytes);
}
BENCHMARK(movement)->DenseRange(0, std::size(kCases) - 1)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
