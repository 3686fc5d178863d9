// copy_matrix: channels of the local side as copies, or columns that are runs as transposes.
#include <vector>

#include "ops/fast/dispatch/fast_kernel.h"
#include "ops/fast/fast.h"
#include "ops/fast/walk/copy_views.h"
#include "ops/fast/walk/nest.h"
#include "ops/fast/walk/transpose.h"
#include "ops/move/copy.h"

namespace tputwin::fast {
namespace {

// Returns `shape.c` channels of a matrix from channel `first` on as a view. A channel of the local
// side has `width` columns.
TensorView channels_of(const MatrixView& m, uint32_t width, uint32_t first, const Shape& shape,
                       const LocalMemory& local) {
  TensorView view = m.tensor;
  view.shape = shape;
  if (view.space != Space::local) {
    view.stride.c = width * view.stride.w;
    view.address += uint64_t{first} * view.stride.c;
    return view;
  }
  const uint64_t lane = view.address / local.lane_bytes() + first;
  view.address = lane % local.lanes() * local.lane_bytes() + view.address % local.lane_bytes() +
                 lane / local.lanes() * view.stride.c;
  return view;
}

bool is_system_matrix(const MatrixView& m) {
  return is_system(m.tensor.space) && m.tensor.shape.w == m.cols;
}

// Returns true for a matrix in system memory whose columns are the runs.
bool has_column_runs(const MatrixView& system) {
  const TensorView& t = system.tensor;
  return system.cols > 1 && t.stride.w != run_bytes(t) &&
         (system.rows == 1 || t.stride.n == run_bytes(t));
}

// Transposes channel by channel.
void transpose_matrix(const MatrixView& lanes, const MatrixView& system, bool to_lanes,
                      const Memory& memory) {
  const uint32_t width = lanes.tensor.shape.w, bytes = run_bytes(lanes.tensor);
  const uint64_t moved = uint64_t{2} * lanes.rows * lanes.cols * bytes;
  share_out(ceil_div(lanes.cols, width), moved, bytes_per_task(), [&](size_t begin, size_t end) {
    std::vector<uint8_t*> rows(lanes.rows), columns;
    for (size_t channel = begin; channel < end; ++channel) {
      const auto c = static_cast<uint32_t>(channel);
      uint8_t* const first = memory.byte(lanes.tensor, 0, c, 0, 0);
      for (size_t r = 0; r < rows.size(); ++r) rows[r] = first + r * lanes.tensor.stride.n;
      columns.resize(std::min(width, lanes.cols - c * width));
      uint8_t* const column = memory.byte(system.tensor, 0, 0, 0, c * width);
      for (size_t i = 0; i < columns.size(); ++i) columns[i] = column + i * system.tensor.stride.w;
      if (to_lanes)
        transpose_rows(bytes, rows, columns, 0, rows.size());
      else
        transpose_rows(bytes, columns, rows, 0, columns.size());
    }
  });
}

// The side in local memory, and the one in system memory.
struct MatrixSides {
  const MatrixView &lanes, &system;
  bool to_lanes;

  explicit MatrixSides(const CopyMatrix& op)
      : lanes(op.dst.tensor.space == Space::local ? op.dst : op.src),
        system(op.dst.tensor.space == Space::local ? op.src : op.dst),
        to_lanes(op.dst.tensor.space == Space::local) {}

  Declined decline(const CopyMatrix& op, const Memory& memory) const {
    if (lanes.rows == 0 || lanes.cols == 0) return "no elements";
    if (lanes.rows != system.rows || lanes.cols != system.cols ||
        lanes.tensor.space != Space::local || !is_system_matrix(system) ||
        lanes.tensor.shape.h != 1)
      return "not between a matrix in lanes and one in system memory";
    return is_writable(op.dst.tensor, memory) && has_plain_elements(op.src.tensor) ? kRan
                                                                                   : kNotFree;
  }
};

Declined transposed(const CopyMatrix& op, const Memory& memory) {
  const MatrixSides sides(op);
  if (const Declined why = sides.decline(op, memory)) return why;
  const TensorView& lanes = sides.lanes.tensor;
  if (!has_column_runs(sides.system)) return "the rows are the runs";
  if (lanes.shape.w > 1 && lanes.stride.w != run_bytes(lanes)) return "rows have gaps";
  transpose_matrix(sides.lanes, sides.system, sides.to_lanes, memory);
  return kRan;
}

// Copies whole channels of the local side, then the columns of the last one.
Declined channels(const CopyMatrix& op, const Memory& memory) {
  const MatrixSides sides(op);
  if (const Declined why = sides.decline(op, memory)) return why;
  if (has_column_runs(sides.system)) return "the columns are the runs";
  const MatrixView& lanes = sides.lanes;
  const uint32_t width = lanes.tensor.shape.w;
  const uint32_t whole = lanes.cols / width, rest = lanes.cols % width;
  const Shape shapes[] = {{lanes.rows, whole, 1, width}, {lanes.rows, 1, 1, rest}};
  const uint32_t firsts[] = {0, whole};
  for (int part = 0; part < 2; ++part) {
    if (shapes[part].count() == 0) continue;
    const TensorView dst = channels_of(op.dst, width, firsts[part], shapes[part], memory.local);
    const TensorView src = channels_of(op.src, width, firsts[part], shapes[part], memory.local);
    copy_view(dst, src, memory);
  }
  return kRan;
}

}  // namespace

TW_FAST_KERNELS(CopyMatrix, {"transpose", transposed}, {"channels", channels})

}  // namespace tputwin::fast
