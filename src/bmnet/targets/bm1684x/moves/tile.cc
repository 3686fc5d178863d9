// Elements that are repeated along the last axis. A transfer would write them one by one. Commands
// repeat them in local memory, and whole rows are stored.
#include "bmnet/targets/bm1684x/views.h"

namespace tputwin::net::bm1684x {
namespace {

class Repeat final : public StreamKernel {
 public:
  bool can_split_rows() const override { return false; }

  void emit(StreamProgram& program, const Operands& o) const override {
    const TensorView out = out_view(o);
    program.add(Copy{.engine = Engine::compute,
                     .dst = out,
                     .src = Source::tensor(repeated_over(in_view(o), out.shape))});
  }
};

// Fewer elements are moved one by one.
constexpr int64_t kFewRepeated = 2048;

View rows_of(View whole, int64_t first, int64_t rows, int64_t columns) {
  whole.e = {1, rows, 1, columns};
  whole.offset = first * columns * element_bytes(whole.type);
  whole.steps = packed_steps(whole.e);
  return whole;
}

}  // namespace

Kernels lower_tile(const Layer& layer) {
  std::vector<KernelPtr> kernels;
  const std::vector<int64_t> d = dims(layer.op.input_shape(0));
  const int64_t tiles = layer.op.tg_tile_param().tiles(), rows = count(layer.op.input_shape(0));
  const int axis = layer.op.tg_tile_param().axis();
  const auto from = static_cast<size_t>(axis < 0 ? axis + static_cast<int>(d.size()) : axis);
  int64_t run = 1;
  for (size_t i = from; i < d.size(); ++i) run *= d[i];
  const int64_t row_bytes = align_up_to(tiles * element_bytes(layer.type()), chip().eu_bytes);
  // A row of the result takes a quarter of a lane.
  const int64_t rounds = chip().lane_bytes / 4 / row_bytes;
  if (!target().transposes() || run != 1 || tiles < 2 || rows * tiles < kFewRepeated ||
      tiles > chip().limits.extent || rounds == 0)
    return kernels;
  const int64_t most = most_channels(rounds);
  for (int64_t first = 0; first < rows; first += most) {
    const int64_t some = std::min(most, rows - first);
    auto k = std::make_unique<Repeat>();
    k->inputs = {rows_of(layer.input(0), first, some, 1)};
    k->output = rows_of(layer.output(), first, some, tiles);
    kernels.push_back(std::move(k));
  }
  return kernels;
}

}  // namespace tputwin::net::bm1684x
