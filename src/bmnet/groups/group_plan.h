// GroupPlan: how a layer group runs. The kernels of a group work on slices of its tensors, one
// after the other; what passes between them stays in local memory.
//
// Slices are ranges of samples and of output rows (with the halos that windows need), and for a
// group of one kernel also ranges of output channels. Step t = slice * K + k is kernel k on that
// slice. With overlap, section t of the program runs step t beside the loads of step t+1 and the
// stores of step t-1; without, loads, step and stores follow each other.
//
// Everything that lies in local memory is a LocalBuffer: it lives from one step to another, modulo
// K, because every slice repeats the pattern. Buffers whose steps are apart share addresses; a
// buffer that lives longer than K steps has several copies, taken in turn.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bmnet/kernels/kernel.h"

namespace tputwin::net {

struct Slice {
  Span samples, channels;
  int row_slice = 0;
};

// How to cut a group.
struct Cut {
  int64_t samples = 1;  // per slice
  int row_slices = 1;
  int64_t channels = 0;     // output channels per slice; 0: all
  bool is_resident = true;  // weights stay for all slices; else they are loaded for each
  bool has_overlap = true;
};

struct LocalBuffer {
  enum class Kind { input, value, weight, scratch };
  Kind kind = Kind::value;
  std::string name;
  int64_t bytes = 0;              // per lane and copy, the largest over all slices
  int first = 0, last = 0;        // steps, relative to the slice; may leave [0, K)
  std::vector<int> version;       // by slice: contents change where the number does
  std::vector<uint32_t> address;  // of the copies
  int base = -1;                  // buffer that must lie below it; -1: none

  bool is_constant() const { return version.empty() || version.back() == version.front(); }
  uint32_t address_in(int slice) const {
    return address[static_cast<size_t>(version[static_cast<size_t>(slice)]) % address.size()];
  }
};

// A tensor of the group.
struct GroupTensor {
  View view;
  int producer = -1;  // kernel; -1: loaded
  bool is_stored = false;
  int buffer = -1;
  std::vector<Span> held;    // by row slice: rows in local memory
  std::vector<Span> stored;  // by row slice: rows to store
};

struct KernelPlan {
  std::vector<int> inputs;   // tensors
  int output = -1;           // tensor
  std::vector<int> weights;  // buffers
  int scratch = -1;          // buffer
};

struct GroupPlan {
  std::vector<const Kernel*> kernels;
  Cut cut;
  std::vector<Slice> slices;
  std::vector<GroupTensor> tensors;
  std::vector<KernelPlan> steps;
  std::vector<LocalBuffer> buffers;
  int64_t peak_bytes = 0;  // of a lane

  // Extents of a tensor in local memory during a slice.
  Extents extents_in(const GroupTensor& t, int slice) const;
};

// `stored`: tensors that are needed after the group. nullopt: does not fit this way.
std::optional<GroupPlan> plan_group(std::vector<const Kernel*> kernels,
                                    const std::set<std::string>& stored, const Cut& cut);

}  // namespace tputwin::net
