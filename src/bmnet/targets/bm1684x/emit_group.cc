// Emits the commands of a planned group: loads, kernels and stores, step by step.
#include "bmnet/targets/bm1684x/emit_group.h"

#include <algorithm>

#include "bmnet/groups/group_walk.h"
#include "bmnet/targets/bm1684x/kernel.h"

namespace tputwin::net::bm1684x {
namespace {

class Emitter : public GroupWalk {
 public:
  Emitter(StreamProgram& program, const GroupSchedule& schedule, const TensorPositions& tensors,
          const WeightOffsets& weights, const Memories& memories)
      : GroupWalk(schedule),
        program_(program),
        positions_(tensors),
        weights_(weights),
        memories_(memories) {}

 private:
  void begin_kernel(int k) override { program_.begin_layer(kernel(k).layer); }

  void load_weight(int k, size_t index, int slice) override {
    const Weight& w = kernel(k).weights[index];
    const Extents e = weight_extents(k, index, slice);
    const int64_t plane = e.h * e.w;
    const int64_t first = e.c != w.e.c ? slice_of(slice).channels.begin : 0;
    const uint64_t from = memories_.weights + weights_.at(&kernel(k))[index] +
                          static_cast<uint64_t>(first * plane * element_bytes(w.type));
    const auto steps = [](int64_t n, int64_t c, int64_t h) {
      return ElementSteps{static_cast<uint64_t>(n), static_cast<uint64_t>(c),
                          static_cast<uint64_t>(h), 1};
    };
    const uint32_t to = weight_address(k, index, slice);
    copy(w.layout == Weight::Layout::aligned ? aligned(to, e, w.type) : compact(to, e, w.type),
         global(from, e, w.type, steps(w.e.c * plane, plane, e.w)));
  }

  // Returns `rows` of the samples and channels of `e` in global memory.
  TensorView in_memory(const GroupTensor& t, int slice, Span rows, int64_t first_channel,
                       Extents e) const {
    const TensorPosition& place = positions_.find(t.view.tensor)->second;
    const uint32_t bytes = element_bytes(t.view.type);
    const ViewSteps steps = steps_of(t.view, place);
    const int64_t sample = t.view.e.n == 1 ? 0 : slice_of(slice).samples.begin;
    const uint64_t memory = t.view.is_constant ? memories_.weights : memories_.neurons;
    const uint64_t begin =
        memory + place.offset +
        static_cast<uint64_t>(t.view.offset +
                              (sample * steps.n + first_channel * steps.c + rows.begin * steps.h) *
                                  bytes);
    e.h = rows.count();
    return global(begin, e, t.view.type,
                  {static_cast<uint64_t>(steps.n), static_cast<uint64_t>(steps.c),
                   static_cast<uint64_t>(steps.h), static_cast<uint64_t>(steps.w)});
  }

  // Returns the distances of elements. A view without its own has the samples of its tensor.
  static ViewSteps steps_of(const View& view, const TensorPosition& place) {
    if (view.steps) return *view.steps;
    return {static_cast<int64_t>(place.sample_bytes) / element_bytes(view.type),
            view.e.h * view.e.w, view.e.w, 1};
  }

  void load_tensor(const GroupTensor& t, int slice) override {
    const Local to = local(t, slice);
    copy(view_of(to, t.view.type), in_memory(t, slice, held_rows(t, slice), 0, to.e));
  }

  void compute(int k, int slice) override {
    static_cast<const StreamKernel&>(kernel(k)).emit(program_, local_operands(k, slice));
  }

  void store(const GroupTensor& t, int slice) override {
    const Local from = local(t, slice);
    const Span rows = stored_rows(t, slice), held = held_rows(t, slice);
    TensorView view = view_of(from, t.view.type);
    // Other slices store the rest of the held rows.
    view.address +=
        static_cast<uint64_t>((rows.begin - held.begin) * from.e.w * element_bytes(t.view.type));
    view.shape.h = static_cast<uint32_t>(rows.count());
    copy(in_memory(t, slice, rows, first_channel(slice), from.e), view);
  }

  void copy(const TensorView& to, const TensorView& from) {
    program_.add(Copy{.engine = Engine::dma, .dst = to, .src = Source::tensor(from)});
  }

  StreamProgram& program_;
  const TensorPositions& positions_;
  const WeightOffsets& weights_;
  Memories memories_;
};

// Emits into a program that is only priced, and gives up once it takes too long.
class PricedEmitter final : public Emitter {
 public:
  PricedEmitter(StreamProgram& program, const GroupSchedule& schedule,
                const TensorPositions& tensors, const WeightOffsets& weights, uint64_t limit)
      : Emitter(program, schedule, tensors, weights, {}), price_(program.price()), limit_(limit) {}

  bool is_too_slow() const { return is_too_slow_; }

 private:
  bool ends_after(int slice) override {
    if (limit_ == Pricer::kTooMany) return false;
    const uint64_t now = price_.cycles.all();
    is_too_slow_ = now >= limit_ || prolonged(slice, now) >= limit_;
    return is_too_slow_;
  }

  // Returns cycles that the group takes at least; 0 if not known. Slices of rows take almost
  // equally long: an eighth of them tells the others' time within a tenth.
  uint64_t prolonged(int slice, uint64_t now) {
    constexpr int kWarmUp = 2, kLeast = 16;
    const int slices = static_cast<int>(schedule().slices.size());
    if (schedule().cut.row_slices != slices || slices < kLeast) return 0;
    if (slice == kWarmUp) begin_ = now;
    if (slice < std::max(slices / 8, 2 * kWarmUp)) return 0;
    const uint64_t rest = (now - begin_) * static_cast<uint64_t>(slices - 1 - slice) /
                          static_cast<uint64_t>(slice - kWarmUp);
    return (now + rest) / 10 * 9;
  }

  const RunningPrice& price_;
  uint64_t limit_;
  uint64_t begin_ = 0;  // end of the slices in which the pipeline fills
  bool is_too_slow_ = false;
};

}  // namespace

void emit_group(StreamProgram& program, const GroupSchedule& schedule,
                const TensorPositions& tensors, const WeightOffsets& weights,
                const Memories& memories) {
  Emitter(program, schedule, tensors, weights, memories).run();
}

Result<PricedGroup> StreamPricer::price(GroupSchedule schedule, uint64_t limit) {
  TensorPositions positions;
  for (const GroupTensor& t : schedule.tensors)
    positions[t.view.tensor] = {0, static_cast<uint64_t>(t.view.e.c * t.view.e.h * t.view.e.w *
                                                         element_bytes(t.view.type))};
  WeightOffsets weights;
  for (const TiledKernel* k : schedule.kernels)
    weights[k] = std::vector<uint64_t>(k->weights.size(), 0);
  StreamProgram program;
  program.begin_price();
  PricedEmitter emitter(program, schedule, positions, weights, limit);
  emitter.run();
  if (!program.status().ok()) return program.status().error();
  const uint64_t cycles = emitter.is_too_slow() ? kTooMany : program.price().cycles.all();
  return PricedGroup{std::move(schedule), cycles, program.price().global_bytes, {}};
}

}  // namespace tputwin::net::bm1684x
