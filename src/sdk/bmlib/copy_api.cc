// Copies and fills.
#include <cstring>

#include "base/copy_run.h"
#include "base/errors/bmlib.h"
#include "sdk/bmlib/range.h"

namespace tputwin::bmlib {

Status copy_in(std::string_view call, bm_handle_t handle, const Descriptor& mem, const void* source,
               uint64_t offset, uint64_t bytes) {
  TW_ASSIGN_OR_RETURN(card, find_card(handle));
  TW_RETURN_IF_ERROR(check_pointer(source, "src"));
  return card->exclusively([&]() -> Status {
    TW_ASSIGN_OR_RETURN(to, range(call, *card, "dst", mem, offset, bytes));
    copy_run(to.for_writing(*card), source, bytes);
    card->count_copies(1, 0);
    return {};
  });
}

Status copy_out(std::string_view call, bm_handle_t handle, const Descriptor& mem, void* target,
                uint64_t offset, uint64_t bytes) {
  TW_ASSIGN_OR_RETURN(card, find_card(handle));
  TW_RETURN_IF_ERROR(check_pointer(target, "dst"));
  return card->exclusively([&]() -> Status {
    TW_ASSIGN_OR_RETURN(from, range(call, *card, "src", mem, offset, bytes));
    copy_run(target, from.for_reading(*card), bytes);
    card->count_copies(0, 1);
    return {};
  });
}

namespace {

// Negative offsets and sizes are large unsigned numbers here, which no descriptor's range contains.
Status copy_inside(std::string_view call, bm_handle_t handle, const Descriptor& dst,
                   uint64_t dst_offset, const Descriptor& src, uint64_t src_offset,
                   uint64_t bytes) {
  TW_ASSIGN_OR_RETURN(card, find_card(handle));
  return card->exclusively([&]() -> Status {
    TW_ASSIGN_OR_RETURN(to, range(call, *card, "dst", dst, dst_offset, bytes));
    TW_ASSIGN_OR_RETURN(from, range(call, *card, "src", src, src_offset, bytes));
    const uint8_t* const source = from.for_reading(*card);
    std::memmove(to.for_writing(*card), source, bytes);
    return {};
  });
}

// Returns the bytes from the first element to the end of the last.
uint64_t extent(int count, int stride, int bytes) {
  return (uint64_t(count - 1) * uint64_t(stride) + 1) * uint64_t(bytes);
}

Status copy_strided(std::string_view call, bm_handle_t handle, const Descriptor& dst,
                    int dst_stride, const Descriptor& src, int src_stride, int count,
                    int format_size) {
  TW_ASSIGN_OR_RETURN(card, find_card(handle));
  const bool element = format_size == 1 || format_size == 2 || format_size == 4;
  const bool dense = dst_stride == 1 && src_stride >= 1 && element;
  const bool spread = dst_stride == 4 && src_stride == 1 && format_size == 1;
  if (!dense && !spread)
    return Error(errors::bml_stride)
        .argument("strides", fmt::format("dst {}, src {}, format_size {}", dst_stride, src_stride,
                                         format_size));
  if (count < 1) return Error(errors::bml_size).argument("count", fmt::format("{}", count));
  return card->exclusively([&]() -> Status {
    TW_ASSIGN_OR_RETURN(to,
                        range(call, *card, "dst", dst, 0, extent(count, dst_stride, format_size)));
    TW_ASSIGN_OR_RETURN(from,
                        range(call, *card, "src", src, 0, extent(count, src_stride, format_size)));
    const uint8_t* const in = from.for_reading(*card);
    uint8_t* const out = to.for_writing(*card);
    const auto step = [&](int64_t i, int stride) { return i * stride * format_size; };
    for (int64_t i = 0; i < count; ++i)
      std::memmove(out + step(i, dst_stride), in + step(i, src_stride),
                   static_cast<size_t>(format_size));
    return {};
  });
}

// Copies through the host, so that no thread waits for two devices at a time.
Status copy_between(std::string_view call, bm_handle_t src_handle, bm_handle_t dst_handle,
                    const Descriptor& src, const Descriptor& dst) {
  TW_RETURN_IF_ERROR(find_card(dst_handle).status());
  if (src.size != dst.size)
    return Error(errors::bml_sizes_differ)
        .argument("dst", fmt::format("{} bytes, src {} bytes", dst.size, src.size));
  std::vector<uint8_t> bytes(src.size);
  TW_RETURN_IF_ERROR(copy_out(call, src_handle, src, bytes.data(), 0, src.size));
  return copy_in(call, dst_handle, dst, bytes.data(), 0, dst.size);
}

Status fill(std::string_view call, bm_handle_t handle, const void* value, int mode,
            const Descriptor& mem) {
  TW_ASSIGN_OR_RETURN(card, find_card(handle));
  TW_RETURN_IF_ERROR(check_pointer(value, "value"));
  if (mode < 1 || mode > 4 || mem.size % static_cast<unsigned>(mode) != 0)
    return Error(errors::bml_fill)
        .argument("mode", fmt::format("{}, memory of {} bytes", mode, mem.size));
  const auto unit = static_cast<unsigned>(mode);
  return card->exclusively([&]() -> Status {
    TW_ASSIGN_OR_RETURN(to, range(call, *card, "mem", mem));
    uint8_t* const out = to.for_writing(*card);
    for (uint64_t at = 0; at < to.bytes; at += unit) std::memcpy(out + at, value, unit);
    return {};
  });
}

}  // namespace
}  // namespace tputwin::bmlib

using namespace tputwin;
using namespace tputwin::bmlib;

bm_status_t bm_memcpy_s2d(bm_handle_t handle, bm_device_mem_t dst, void* src) {
  return run(__func__, copy_in, handle, dst, src, 0, dst.size);
}

bm_status_t bm_memcpy_s2d_partial(bm_handle_t handle, bm_device_mem_t dst, void* src,
                                  unsigned int size) {
  return run(__func__, copy_in, handle, dst, src, 0, size);
}

bm_status_t bm_memcpy_s2d_partial_offset(bm_handle_t handle, bm_device_mem_t dst, void* src,
                                         unsigned int size, unsigned int offset) {
  return run(__func__, copy_in, handle, dst, src, offset, size);
}

bm_status_t bm_memcpy_d2s(bm_handle_t handle, void* dst, bm_device_mem_t src) {
  return run(__func__, copy_out, handle, src, dst, 0, src.size);
}

bm_status_t bm_memcpy_d2s_partial(bm_handle_t handle, void* dst, bm_device_mem_t src,
                                  unsigned int size) {
  return run(__func__, copy_out, handle, src, dst, 0, size);
}

bm_status_t bm_memcpy_d2s_partial_offset(bm_handle_t handle, void* dst, bm_device_mem_t src,
                                         unsigned int size, unsigned int offset) {
  return run(__func__, copy_out, handle, src, dst, offset, size);
}

bm_status_t bm_memcpy_s2d_u64(bm_handle_t handle, bm_device_mem_u64_t dst, void* src) {
  return run(__func__, copy_in, handle, dst, src, 0, dst.size);
}

bm_status_t bm_memcpy_s2d_partial_u64(bm_handle_t handle, bm_device_mem_u64_t dst, void* src,
                                      unsigned long long size) {
  return run(__func__, copy_in, handle, dst, src, 0, size);
}

bm_status_t bm_memcpy_s2d_partial_offset_u64(bm_handle_t handle, bm_device_mem_u64_t dst, void* src,
                                             unsigned long long size, unsigned long long offset) {
  return run(__func__, copy_in, handle, dst, src, offset, size);
}

bm_status_t bm_memcpy_d2s_u64(bm_handle_t handle, void* dst, bm_device_mem_u64_t src) {
  return run(__func__, copy_out, handle, src, dst, 0, src.size);
}

bm_status_t bm_memcpy_d2s_partial_u64(bm_handle_t handle, void* dst, bm_device_mem_u64_t src,
                                      unsigned long long size) {
  return run(__func__, copy_out, handle, src, dst, 0, size);
}

bm_status_t bm_memcpy_d2s_partial_offset_u64(bm_handle_t handle, void* dst, bm_device_mem_u64_t src,
                                             unsigned long long size, unsigned long long offset) {
  return run(__func__, copy_out, handle, src, dst, offset, size);
}

bm_status_t bm_memcpy_d2d(bm_handle_t handle, bm_device_mem_t dst, int dst_offset,
                          bm_device_mem_t src, int src_offset, int len) {
  return run(__func__, copy_inside, handle, dst, static_cast<uint64_t>(dst_offset), src,
             static_cast<uint64_t>(src_offset), static_cast<uint64_t>(len) * 4);
}

bm_status_t bm_memcpy_d2d_byte(bm_handle_t handle, bm_device_mem_t dst, size_t dst_offset,
                               bm_device_mem_t src, size_t src_offset, size_t size) {
  return run(__func__, copy_inside, handle, dst, dst_offset, src, src_offset, size);
}

bm_status_t bm_memcpy_d2d_stride(bm_handle_t handle, bm_device_mem_t dst, int dst_stride,
                                 bm_device_mem_t src, int src_stride, int count, int format_size) {
  return run(__func__, copy_strided, handle, dst, dst_stride, src, src_stride, count, format_size);
}

bm_status_t bm_memcpy_c2c(bm_handle_t src_handle, bm_handle_t dst_handle, bm_device_mem_t src,
                          bm_device_mem_t dst, bool) {
  return run(__func__, copy_between, src_handle, dst_handle, src, dst);
}

bm_status_t bm_memset_device(bm_handle_t handle, const int value, bm_device_mem_t mem) {
  return run(__func__, fill, handle, &value, 4, mem);
}

bm_status_t bm_memset_device_ext(bm_handle_t handle, void* value, int mode, bm_device_mem_t mem) {
  return run(__func__, fill, handle, value, mode, mem);
}
