// Sizes of tensors in local and global memory, and the slicing of long ones. (BMNet guide 6)
#ifndef BMNET_TARGETS_TARGET_HPP
#define BMNET_TARGETS_TARGET_HPP

#include <bmnet/backend/BackendContext.hpp>

#include <stdint.h>

namespace bmnet {

// Returns the number of slices such that blob_num element-wise tensors of ceil(count / slices)
// elements fit local memory at once.
int get_slice_num_element_wise(const BackendContext& ctx, int blob_num, int count);

// Return the bytes of a channel's plane in a lane, rounded up to whole units; with `bits` per
// element.
int get_csize_local(const BackendContext& ctx, int h, int w);
int get_csize_local_bitwidth(const BackendContext& ctx, int h, int w, int bits);
// As get_csize_local, in elements.
int get_cstride_local(const BackendContext& ctx, int h, int w);
// Return the bytes in global memory, where nothing is rounded up.
int get_csize_global_bitwidth(const BackendContext& ctx, int h, int w, int bits);
int get_cstride_global_bitwidth(const BackendContext& ctx, int h, int w, int bits);

// Returns the address rounded up to a multiple of the number of units.
uint64_t align_addr_to_eu_num(const BackendContext& ctx, uint64_t addr);
// Returns the height of a map of width 2048 that takes a lane's share of local memory.
int get_height_with_fixed_width(const BackendContext& ctx, int w = 2048);

}  // namespace bmnet

#endif
