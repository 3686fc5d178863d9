// Checks of a memory descriptor before its bytes are accessed.
#include "sdk/bmlib/range.h"

#include "base/errors/bmlib.h"

namespace tputwin::bmlib {

Status check_device_type(const Descriptor& mem, std::string_view argument) {
  const bm_mem_type_t type = mem.flags.u.mem_type;
  if (type == BM_MEM_TYPE_DEVICE || type == BM_MEM_TYPE_INT8_DEVICE) return {};
  return Error(errors::bml_memory_type)
      .argument(argument, fmt::format("type {}", static_cast<int>(type)));
}

Result<Range> range(std::string_view call, Card& card, std::string_view argument,
                    const Descriptor& mem, uint64_t offset, uint64_t bytes) {
  TW_RETURN_IF_ERROR(check_device_type(mem, argument));
  if (bytes == 0) return Error(errors::bml_size).argument(argument, "0 bytes");
  if (offset > mem.size || bytes > mem.size - offset)
    return Error(errors::bml_range)
        .argument(argument, fmt::format("[{}, +{}) of {} bytes", offset, bytes, mem.size));
  const uint64_t base = card.chip().global_base, begin = mem.address + offset;
  auto text = [&] { return fmt::format("[{:#x}, +{:#x})", begin, bytes); };
  if (begin < base || begin - base > card.memory_bytes() ||
      bytes > card.memory_bytes() - (begin - base))
    return Error(errors::bml_address).argument(argument, text());
  if (!card.allocated(begin, bytes))
    TW_RETURN_IF_ERROR(
        report(Error(errors::bml_not_allocated).in(call).argument(argument, text())));
  return Range{begin - base, bytes};
}

Status allocate(bm_handle_t handle, bm_device_mem_t* pmem, int64_t bytes, uint32_t heap) {
  TW_ASSIGN_OR_RETURN(card, find_card(handle));
  TW_RETURN_IF_ERROR(check_pointer(pmem, "pmem"));
  if (bytes < 1 || bytes > UINT32_MAX)
    return Error(errors::bml_size).argument("size", fmt::format("{}", bytes));
  TW_ASSIGN_OR_RETURN(address, card->exclusively([&] {
    return card->allocate(static_cast<uint64_t>(bytes), heap);
  }));
  *pmem = bm_mem_from_device(address, static_cast<unsigned>(bytes));
  pmem->flags.u.gmem_heapid = heap & 7;
  return {};
}

Status allocate_u64(bm_handle_t handle, bm_device_mem_u64_t* pmem, std::optional<uint64_t> bytes,
                    uint32_t heap) {
  TW_ASSIGN_OR_RETURN(card, find_card(handle));
  TW_RETURN_IF_ERROR(check_pointer(pmem, "pmem"));
  if (bytes.value_or(0) == 0)
    return Error(errors::bml_size_u64).argument("size", bytes ? "0" : "no size of 64 bits");
  TW_ASSIGN_OR_RETURN(address, card->exclusively([&] { return card->allocate(*bytes, heap); }));
  *pmem = bm_mem_from_device_u64(address, *bytes);
  pmem->flags.u.gmem_heapid = heap & 7;
  return {};
}

std::optional<uint64_t> block_bytes_u64(std::initializer_list<uint64_t> extents, uint64_t element) {
  uint64_t bytes = element;
  for (const uint64_t extent : extents)
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return {};
  return bytes;
}

int64_t block_bytes(std::initializer_list<int> extents, int64_t element) {
  int64_t bytes = element;
  for (int extent : extents)
    if (extent < 1 || (bytes *= extent) > UINT32_MAX) return -1;
  return bytes;
}

}  // namespace tputwin::bmlib
