// Data types, layouts and banks. These functions issue no command and also work outside kernels.
#include "base/errors/tpukernel.h"
#include "base/last_error.h"
#include "sdk/tpukernel/call.h"

namespace tputwin::tpu {
namespace {

// Reports a broken rule to the running kernel, or to the thread.
void book(std::string_view name, Error error) {
  if (Session* session = okk::current_session())
    session->report(std::move(error), name);
  else
    static_cast<void>(report(std::move(error).in(name)));
}

bool present(std::string_view name, std::string_view argument, const void* pointer) {
  if (pointer != nullptr) return true;
  book(name, Error(errors::tpu_null).argument(argument, "NULL"));
  return false;
}

constexpr int64_t round_up(int64_t value, int64_t quantum) {
  return quantum == 0 ? value : (value + quantum - 1) / quantum * quantum;
}
// Returns the number of elements in a unit of 64 bytes.
int64_t unit(data_type_t dtype) { return tpu_eu_num(dtype); }

void set_stride(dim4* stride, int64_t n, int64_t c, int64_t h) {
  *stride = {static_cast<int>(n), static_cast<int>(c), static_cast<int>(h), 1};
}

// Strides of a local tensor whose channels are `c` elements apart and whose rows are `h` apart.
void lane_stride(dim4* stride, int start_idx, const dim4* shape, int64_t c, int64_t h) {
  set_stride(stride, c * tpu_channle_num_per_npu(start_idx, shape->c), c, h);
}

// Type codes are (precision << 1) | signed.
enum Precision { INT8, FP16, FP32, INT16, INT32, BFP16, INT4 };
Precision precision(data_type_t dtype) { return static_cast<Precision>(dtype >> 1); }

}  // namespace
}  // namespace tputwin::tpu

using namespace tputwin;
using namespace tputwin::tpu;

bool tpu_is_data_type_signed(data_type_t dtype) { return (dtype & 1) != 0; }
bool tpu_is_data_type_fp(data_type_t dtype) {
  const Precision p = precision(dtype);
  return p == FP16 || p == FP32 || p == BFP16;
}
bool tpu_is_data_type_int(data_type_t dtype) { return !tpu_is_data_type_fp(dtype); }
bool tpu_is_data_type_int4(data_type_t dtype) { return precision(dtype) == INT4; }
bool tpu_is_data_type_int8(data_type_t dtype) { return precision(dtype) == INT8; }
bool tpu_is_data_type_int16(data_type_t dtype) { return precision(dtype) == INT16; }
bool tpu_is_data_type_int32(data_type_t dtype) { return precision(dtype) == INT32; }
bool tpu_is_data_type_signed_int(data_type_t dtype) {
  return tpu_is_data_type_int(dtype) && tpu_is_data_type_signed(dtype);
}
bool tpu_is_data_type_unsigned_int(data_type_t dtype) {
  return tpu_is_data_type_int(dtype) && !tpu_is_data_type_signed(dtype);
}

int tpu_data_type_bits(data_type_t dtype) {
  switch (precision(dtype)) {
    case INT4:
      return 4;
    case INT8:
      return 8;
    case FP16:
    case BFP16:
    case INT16:
      return 16;
    default:
      return 32;
  }
}

int tpu_data_type_size(data_type_t dtype) {
  if (precision(dtype) != INT4) return tpu_data_type_bits(dtype) / 8;
  book(__func__, Error(errors::tpu_dtype_width).argument("dtype", fmt::format("{}", int{dtype})));
  return 0;
}

int tpu_npu_index(local_addr_t addr) { return static_cast<int>(addr / chip_in_use().lane_bytes); }
int tpu_bank_index(local_addr_t addr) {
  return static_cast<int>(addr % chip_in_use().lane_bytes / chip_in_use().bank_bytes());
}
int tpu_channle_num_per_npu(int start_idx, int num_channels) {
  const int64_t lanes = chip_in_use().lanes;
  return static_cast<int>((int64_t{start_idx} + num_channels + lanes - 1) / lanes);
}

int tpu_aligned_feature_size(int h, int w, data_type_t dtype) {
  return static_cast<int>(round_up(int64_t{h} * w, unit(dtype))) * tpu_data_type_size(dtype);
}

void tpu_aligned_stride(dim4* stride, int start_idx, const dim4* shape, data_type_t dtype) {
  if (!present(__func__, "stride", stride) || !present(__func__, "shape", shape)) return;
  lane_stride(stride, start_idx, shape, round_up(int64_t{shape->h} * shape->w, unit(dtype)),
              shape->w);
}

void tpu_compact_stride(dim4* stride, int start_idx, const dim4* shape) {
  if (!present(__func__, "stride", stride) || !present(__func__, "shape", shape)) return;
  lane_stride(stride, start_idx, shape, int64_t{shape->h} * shape->w, shape->w);
}

void tpu_line_aligned_stride(dim4* stride, int start_idx, const dim4* shape, data_type_t dtype) {
  if (!present(__func__, "stride", stride) || !present(__func__, "shape", shape)) return;
  const int64_t line = round_up(shape->w, unit(dtype));
  lane_stride(stride, start_idx, shape, line * shape->h, line);
}

void tpu_continuous_stride(dim4* stride, const dim4* shape) {
  if (!present(__func__, "stride", stride) || !present(__func__, "shape", shape)) return;
  const int64_t plane = int64_t{shape->h} * shape->w;
  set_stride(stride, plane * shape->c, plane, shape->w);
}

int tpu_get_local_cstride(int h, int w, bool align, data_type_t dtype) {
  return static_cast<int>(round_up(int64_t{h} * w, align ? unit(dtype) : 1));
}

int tpu_get_local_nstride(int c_stride, int c, int start_idx) {
  return c_stride * tpu_channle_num_per_npu(start_idx, c);
}

int tpu_get_local_size(const dim4* shape, data_type_t dtype, int start_idx, bool align) {
  if (!present(__func__, "shape", shape)) return 0;
  const int c_stride = tpu_get_local_cstride(shape->h, shape->w, align, dtype);
  return shape->n * tpu_get_local_nstride(c_stride, shape->c, start_idx) *
         tpu_data_type_size(dtype);
}

void tpu_local_shape_5d_to_4d(const dim5* shape_5d, dim4* shape_4d) {
  if (!present(__func__, "shape_5d", shape_5d) || !present(__func__, "shape_4d", shape_4d)) return;
  *shape_4d = {shape_5d->n * shape_5d->d, shape_5d->c, shape_5d->h, shape_5d->w};
}

range_t tpu_bank_range(local_addr_t addr, int size) {
  return {tpu_bank_index(addr), tpu_bank_index(addr + static_cast<unsigned>(size) - 1)};
}

bool tpu_range_overlapped(const range_t* r0, const range_t* r1) {
  if (!present(__func__, "r0", r0) || !present(__func__, "r1", r1)) return false;
  return r0->start <= r1->end && r1->start <= r0->end;
}

bool tpu_any_range_overlapped(const range_t* ranges, int num) {
  if (!present(__func__, "ranges", ranges)) return false;
  for (int i = 0; i < num; ++i)
    for (int j = 0; j < i; ++j)
      if (tpu_range_overlapped(&ranges[i], &ranges[j])) return true;
  return false;
}

int tpu_npu_c_offset(int c, int c_stride, data_type_t dtype) {
  return c / static_cast<int>(chip_in_use().lanes) * c_stride * tpu_data_type_size(dtype);
}

int tpu_unified_c_offset(int c, int c_stride, data_type_t dtype) {
  return c % static_cast<int>(chip_in_use().lanes) * static_cast<int>(chip_in_use().lane_bytes) +
         tpu_npu_c_offset(c, c_stride, dtype);
}
