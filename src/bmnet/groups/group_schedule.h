// GroupSchedule: the schedule and the buffers of a layer group. The kernels of a group work on one
// slice of its tensors after the other. Tensors between kernels stay in local memory.
//
// Slices are ranges of samples and of output rows (with the halos that windows need). A group of
// one kernel may also have ranges of output channels. Step t = slice * K + k is kernel k on that
// slice. With overlap, section t of the program runs step t in parallel with the loads of step t+1
// and the stores of step t-1. Without overlap, loads, step and stores follow each other.
//
// Each item in local memory is a LocalBuffer. It is live from one step to another, modulo K,
// because every slice repeats the pattern. Buffers with disjoint steps share addresses. A buffer
// that is live for more than K steps has several copies, used in a round-robin.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bmnet/lowering/tiled_kernel.h"

namespace tputwin::net {

struct Slice {
  Span samples, channels;
  int row_slice = 0;
};

// Parameters of how a group is cut.
struct Cut {
  int64_t samples = 1;  // per slice
  int row_slices = 1;
  int64_t channels = 0;  // output channels per slice; 0 for all
  // True if weights stay for all slices. If false, each slice loads them.
  bool is_resident = true;
  bool has_overlap = true;
  // Steps from the load of weights to their use, with overlap. Other operands are loaded one step
  // ahead.
  int weights_ahead = 1;
};

struct LocalBuffer {
  enum class Kind { input, value, weight, scratch };
  Kind kind = Kind::value;
  std::string name;
  int64_t bytes = 0;  // per lane and copy; maximum of all slices
  // First and last step of use, relative to the slice. They may be outside [0, K).
  int first = 0, last = 0;
  // Version of the contents by slice. Contents change where the version does.
  std::vector<int> version;
  std::vector<uint32_t> address;  // one per copy
  // Buffer that must be below this one; -1 for none.
  int base = -1;

  bool is_constant() const { return version.empty() || version.back() == version.front(); }
  // True if a slice uses contents of the slice before it, which are not loaded again.
  bool outlives_a_slice() const {
    return std::adjacent_find(version.begin(), version.end()) != version.end();
  }
  uint32_t address_in(int slice) const {
    return address[static_cast<size_t>(version[static_cast<size_t>(slice)]) % address.size()];
  }
};

// A tensor of the group.
struct GroupTensor {
  View view;
  int producer = -1;  // kernel; -1 for a loaded tensor
  bool is_stored = false;
  int buffer = -1;
  std::vector<Span> held;    // rows in local memory, by row slice
  std::vector<Span> stored;  // rows to store, by row slice
};

struct KernelOperands {
  std::vector<int> inputs;   // indices of tensors
  int output = -1;           // index of the tensor
  std::vector<int> weights;  // indices of buffers
  int scratch = -1;          // index of the buffer; -1 for none
};

struct GroupSchedule {
  std::vector<const TiledKernel*> kernels;
  Cut cut;
  std::vector<Slice> slices;
  std::vector<GroupTensor> tensors;
  std::vector<KernelOperands> steps;
  std::vector<LocalBuffer> buffers;
  int64_t peak_bytes = 0;  // highest end address in a lane

  // Returns the extents of a tensor in local memory during a slice.
  Extents extents_in(const GroupTensor& t, int slice) const;
};

// Plans a group with this cut. `stored` has the tensors that are needed after the group. Returns
// nullopt if the buffers do not fit in `memory`.
std::optional<GroupSchedule> schedule_group(std::vector<const TiledKernel*> kernels,
                                            const std::set<std::string>& stored, const Cut& cut,
                                            const LocalMemory& memory);

}  // namespace tputwin::net
