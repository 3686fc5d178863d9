// Tiles of a layer: parts of tensors and constants, and the bytes that they take in local memory.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "bmnet/ir/network.h"
#include "chip/dtype.h"

namespace tputwin::net {

constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t align_up_to(int64_t a, int64_t unit) { return ceil_div(a, unit) * unit; }

struct Span {
  int64_t begin = 0, end = 0;
  int64_t count() const { return end - begin; }
  bool operator==(const Span&) const = default;
};

inline Span join(Span a, Span b) {
  if (a.count() <= 0) return b;
  if (b.count() <= 0) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

// Distances of elements along the axes of a view, in elements.
struct ViewSteps {
  int64_t n = 0, c = 0, h = 0, w = 0;
  bool operator==(const ViewSteps&) const = default;
};

// A tensor as a kernel sees it. `e` may regroup the axes after n, and may be a range of channels.
struct View {
  std::string tensor;
  Extents e;
  int64_t offset = 0;      // bytes from the start of a sample
  bool is_matrix = false;  // (n rows, c columns) in matrix layout
  DType type = DType::i8;
  // Set if elements are not at the distances of `e`: the samples of the tensor must be contiguous.
  // A step of 0 repeats elements.
  std::optional<ViewSteps> steps = std::nullopt;
  // True if `tensor` names constants of a kernel, which are stored with the weights.
  bool is_constant = false;
  bool operator==(const View&) const = default;
};

// Constants of a kernel. Order and layout are those of weight memory.
struct Weight {
  enum class Layout { aligned, unaligned, matrix };  // in local memory
  std::vector<uint8_t> bytes;
  Extents e;  // matrix: n rows, c columns
  Layout layout = Layout::unaligned;
  // True if a tile of output channels needs only the weights of its channels (columns).
  bool by_channel = true;
  DType type = DType::i8;
  // Set if the constants stay at this address of local memory, and no group loads them.
  std::optional<uint32_t> resident = std::nullopt;

  Extents tile(Span channels) const {
    Extents part = e;
    if (by_channel) part.c = channels.count();
    return part;
  }
};

// The lanes of a chip: their sizes, and the limits of operands in them.
class LocalMemory {
 public:
  uint32_t lanes, unit_bytes, lane_bytes;
  int64_t most_rows, most_channels;

  constexpr LocalMemory(uint32_t lanes, uint32_t unit_bytes, uint32_t lane_bytes, int64_t most_rows,
                        int64_t most_channels)
      : lanes(lanes),
        unit_bytes(unit_bytes),
        lane_bytes(lane_bytes),
        most_rows(most_rows),
        most_channels(most_channels) {}
  virtual ~LocalMemory() = default;
  // Return the bytes per lane of a tensor's tile, and of the weights for output channels.
  virtual int64_t tensor_bytes(const View& view, const Extents& tile) const = 0;
  virtual int64_t weight_bytes(const Weight& weight, Span channels) const = 0;
};

// An operand in local memory.
struct Local {
  uint32_t address = 0;
  Extents e;
  bool is_matrix = false;
};

struct Operands {
  std::vector<Local> inputs;
  std::vector<Span> input_rows;  // rows that `inputs` hold
  Local output;
  std::vector<Local> weights;
  uint32_t scratch = 0;
  Span rows;  // output rows
};

}  // namespace tputwin::net
