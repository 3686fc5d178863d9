// Device memory seen by the host. Device memory is host memory, so there is no mapping and no
// cache.
#include <optional>

#include "base/errors/bmlib.h"
#include "sdk/bmlib/range.h"

namespace tputwin::bmlib {
namespace {

// Returns the range of a descriptor that a pointer names, or a part of it.
template <class Memory>
Result<Range> checked(std::string_view call, Card& card, const Memory* dmem,
                      std::optional<Range> part = {}) {
  TW_RETURN_IF_ERROR(check_pointer(dmem, "dmem"));
  if (!part) part = Range{0, dmem->size};
  return card.exclusively(
      [&] { return range(call, card, "dmem", *dmem, part->offset, part->bytes); });
}

template <class Memory>
Status map(std::string_view call, bm_handle_t handle, const Memory* dmem,
           unsigned long long* vmem) {
  TW_ASSIGN_OR_RETURN(card, find_card(handle));
  TW_RETURN_IF_ERROR(check_pointer(vmem, "vmem"));
  TW_ASSIGN_OR_RETURN(mapped, checked(call, *card, dmem));
  card->exclusively([&] { card->expose(mapped.offset, mapped.bytes); });
  *vmem = reinterpret_cast<uint64_t>(mapped.host(*card));
  return {};
}

// Checks the arguments; there is nothing to flush.
template <class Memory>
Status touch(std::string_view call, bm_handle_t handle, const Memory* dmem,
             std::optional<Range> part) {
  TW_ASSIGN_OR_RETURN(card, find_card(handle));
  return checked(call, *card, dmem, part).status();
}

// Returns the offset of a host address in device memory.
Result<uint64_t> offset_of(Card& card, uint64_t address, uint64_t bytes) {
  const auto base = reinterpret_cast<uint64_t>(card.memory());
  if (address >= base && address - base <= card.memory_bytes() &&
      bytes <= card.memory_bytes() - (address - base))
    return address - base;
  return Error(errors::bml_mapping).argument("vmem", fmt::format("{:#x}", address));
}

Status unmap(bm_handle_t handle, const void* vmem, uint64_t bytes) {
  TW_ASSIGN_OR_RETURN(card, find_card(handle));
  TW_ASSIGN_OR_RETURN(offset, offset_of(*card, reinterpret_cast<uint64_t>(vmem), bytes));
  card->exclusively([&] { card->cover(offset, bytes); });
  return {};
}

}  // namespace
}  // namespace tputwin::bmlib

using namespace tputwin;
using namespace tputwin::bmlib;

bm_status_t bm_mem_mmap_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                   unsigned long long* vmem) {
  return run(__func__, map<bm_device_mem_t>, handle, dmem, vmem);
}

bm_status_t bm_mem_mmap_device_mem_no_cache(bm_handle_t handle, bm_device_mem_t* dmem,
                                            unsigned long long* vmem) {
  return run(__func__, map<bm_device_mem_t>, handle, dmem, vmem);
}

bm_status_t bm_mem_unmap_device_mem(bm_handle_t handle, void* vmem, int size) {
  return with_code(__func__, [&] { return unmap(handle, vmem, static_cast<uint64_t>(size)); });
}

bm_status_t bm_mem_vir_to_phy(bm_handle_t handle, unsigned long long vmem,
                              unsigned long long* device_mem) {
  return with_code(__func__, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(card, find_card(handle));
    TW_RETURN_IF_ERROR(check_pointer(device_mem, "device_mem"));
    TW_ASSIGN_OR_RETURN(offset, offset_of(*card, vmem, 1));
    *device_mem = card->chip().global_base + offset;
    return {};
  });
}

bm_status_t bm_mem_flush_device_mem(bm_handle_t handle, bm_device_mem_t* dmem) {
  return run(__func__, touch<bm_device_mem_t>, handle, dmem, std::nullopt);
}

bm_status_t bm_mem_flush_partial_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                            unsigned int offset, unsigned int len) {
  return run(__func__, touch<bm_device_mem_t>, handle, dmem, Range{offset, len});
}

bm_status_t bm_mem_invalidate_device_mem(bm_handle_t handle, bm_device_mem_t* dmem) {
  return run(__func__, touch<bm_device_mem_t>, handle, dmem, std::nullopt);
}

bm_status_t bm_mem_invalidate_partial_device_mem(bm_handle_t handle, bm_device_mem_t* dmem,
                                                 unsigned int offset, unsigned int len) {
  return run(__func__, touch<bm_device_mem_t>, handle, dmem, Range{offset, len});
}

// ---- Sizes of 64 bits ----

bm_status_t bm_mem_mmap_device_mem_u64(bm_handle_t handle, bm_device_mem_u64_t* dmem,
                                       unsigned long long* vmem) {
  return run(__func__, map<bm_device_mem_u64_t>, handle, dmem, vmem);
}

bm_status_t bm_mem_mmap_device_mem_no_cache_u64(bm_handle_t handle, bm_device_mem_u64_t* dmem,
                                                unsigned long long* vmem) {
  return run(__func__, map<bm_device_mem_u64_t>, handle, dmem, vmem);
}

bm_status_t bm_mem_unmap_device_mem_u64(bm_handle_t handle, void* vmem, unsigned long long size) {
  return with_code(__func__, [&] { return unmap(handle, vmem, size); });
}

bm_status_t bm_mem_flush_device_mem_u64(bm_handle_t handle, bm_device_mem_u64_t* dmem) {
  return run(__func__, touch<bm_device_mem_u64_t>, handle, dmem, std::nullopt);
}

bm_status_t bm_mem_flush_partial_device_mem_u64(bm_handle_t handle, bm_device_mem_u64_t* dmem,
                                                unsigned long long offset, unsigned long long len) {
  return run(__func__, touch<bm_device_mem_u64_t>, handle, dmem, Range{offset, len});
}

bm_status_t bm_mem_invalidate_device_mem_u64(bm_handle_t handle, bm_device_mem_u64_t* dmem) {
  return run(__func__, touch<bm_device_mem_u64_t>, handle, dmem, std::nullopt);
}

bm_status_t bm_mem_invalidate_partial_device_mem_u64(bm_handle_t handle, bm_device_mem_u64_t* dmem,
                                                     unsigned long long offset,
                                                     unsigned long long len) {
  return run(__func__, touch<bm_device_mem_u64_t>, handle, dmem, Range{offset, len});
}
