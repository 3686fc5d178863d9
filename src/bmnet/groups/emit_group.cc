// Emits the commands of a planned group: loads, kernels and stores, step by step.
#include "bmnet/groups/emit_group.h"

#include <algorithm>

namespace tputwin::net {
namespace {

class Emitter {
 public:
  Emitter(Program& program, const GroupSchedule& schedule, const TensorPositions& tensors,
          const WeightOffsets& weights)
      : program_(program), schedule_(schedule), positions_(tensors), weights_(weights) {}

  void emit() {
    const int steps = static_cast<int>(schedule_.kernels.size());
    const int total = steps * static_cast<int>(schedule_.slices.size());
    if (!schedule_.cut.has_overlap) {
      for (int t = 0; t < total; ++t) loads(t), compute(t), stores(t);
      return;
    }
    loads(0);
    for (int t = 0; t < total; ++t) section(t, total);
    stores(total - 1);
  }

 private:
  int steps() const { return static_cast<int>(schedule_.kernels.size()); }
  const GroupTensor& tensor(int i) const { return schedule_.tensors[static_cast<size_t>(i)]; }
  const LocalBuffer& buffer(int i) const { return schedule_.buffers[static_cast<size_t>(i)]; }

  // Emits step t in parallel with the loads of step t+1 and the stores of step t-1. A kernel that
  // uses the DMA itself follows these transfers.
  void section(int t, int total) {
    const bool overlaps = schedule_.kernels[static_cast<size_t>(t % steps())]->is_compute_only();
    program_.begin_parallel();
    if (t + 1 < total) loads(t + 1);
    if (overlaps) compute(t);
    if (t > 0) stores(t - 1);
    program_.end_parallel();
    if (!overlaps) compute(t);
  }

  void begin_layer(int k) {
    program_.begin_layer(schedule_.kernels[static_cast<size_t>(k)]->layer);
  }

  // ---- Loads ----

  // Loads the operands of step t that local memory does not hold yet: tensors at their first step,
  // weights.
  void loads(int t) {
    const int k = t % steps(), slice = t / steps();
    const KernelOperands& step = schedule_.steps[static_cast<size_t>(k)];
    begin_layer(k);
    for (size_t i = 0; i < step.weights.size(); ++i)
      if (is_new(buffer(step.weights[i]), slice)) load_weight(k, i, slice);
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      const GroupTensor& in = tensor(step.inputs[i]);
      const bool is_first_use =
          first_use(step.inputs[i]) == k &&
          std::find(step.inputs.begin(), step.inputs.begin() + static_cast<ptrdiff_t>(i),
                    step.inputs[i]) == step.inputs.begin() + static_cast<ptrdiff_t>(i);
      if (in.producer < 0 && is_first_use && is_new(buffer(in.buffer), slice))
        load_tensor(in, slice);
    }
  }

  static bool is_new(const LocalBuffer& i, int slice) {
    return slice == 0 ||
           i.version[static_cast<size_t>(slice)] != i.version[static_cast<size_t>(slice) - 1];
  }

  int first_use(int index) const {
    for (int k = 0; k < steps(); ++k)
      for (int i : schedule_.steps[static_cast<size_t>(k)].inputs)
        if (i == index) return k;
    return -1;
  }

  void load_weight(int k, size_t index, int slice) {
    const Kernel* kernel = schedule_.kernels[static_cast<size_t>(k)];
    const Weight& w = kernel->weights[index];
    const Span channels = schedule_.slices[static_cast<size_t>(slice)].channels;
    const Extents e = weight_extents(w, kernel, channels);
    const uint32_t address =
        buffer(schedule_.steps[static_cast<size_t>(k)].weights[index]).address_in(slice);
    uint64_t from = weights_.at(kernel)[index];
    if (w.layout == Weight::Layout::matrix) {
      from += static_cast<uint64_t>(is_split(w, kernel, e) ? channels.begin : 0);
      const stride_t rows = stride_t2(static_cast<int>(w.e.c), 1);
      program_.load(matrix_tensor(address, e.n, e.c), {from, true}, e.c == w.e.c ? nullptr : &rows);
      return;
    }
    if (is_split(w, kernel, e)) from += static_cast<uint64_t>(channels.begin * e.h * e.w);
    const stride_t whole = stride_st4(static_cast<int>(w.e.c * w.e.h * w.e.w),
                                      static_cast<int>(w.e.h * w.e.w), static_cast<int>(w.e.w), 1);
    const tensor_lmem to = w.layout == Weight::Layout::aligned ? aligned_tensor(address, e)
                                                               : unaligned_tensor(address, e);
    program_.load(to, {from, true}, e.c == w.e.c || e.n == 1 ? nullptr : &whole);
  }

  // Only a kernel that is alone in its group has tiles of channels.
  Extents weight_extents(const Weight& w, const Kernel* kernel, Span channels) const {
    return schedule_.kernels.size() == 1 && kernel->can_split_channels() ? w.tile(channels) : w.e;
  }
  static bool is_split(const Weight& w, const Kernel*, const Extents& e) { return e.c != w.e.c; }

  stride_t strides_of(const View& view, const TensorPosition& place) const {
    return stride_st4(static_cast<int>(place.sample_bytes), static_cast<int>(view.e.h * view.e.w),
                      static_cast<int>(view.e.w), 1);
  }

  // Calls move(place, strides) to transfer `rows` of the samples and channels of `e`. `place` is
  // their position in global memory.
  template <class Move>
  void transfer(const View& view, int slice, Span rows, int64_t first_channel, const Extents& e,
                Move move) {
    const TensorPosition& place = positions_.find(view.tensor)->second;
    const Slice& s = schedule_.slices[static_cast<size_t>(slice)];
    const uint64_t sample = static_cast<uint64_t>(s.samples.begin) * place.sample_bytes;
    if (view.is_matrix) {
      const stride_t strides = stride_t2(static_cast<int>(place.sample_bytes), 1);
      const bool is_whole = place.sample_bytes == static_cast<uint64_t>(e.c) || e.n == 1;
      move({place.offset + sample + static_cast<uint64_t>(first_channel + view.offset), false},
           is_whole ? nullptr : &strides);
      return;
    }
    const int64_t plane = view.e.h * view.e.w;
    const uint64_t offset =
        place.offset + sample +
        static_cast<uint64_t>(view.offset + first_channel * plane + rows.begin * view.e.w);
    const stride_t strides = strides_of(view, place);
    const bool is_whole =
        e.h == view.e.h && (e.n == 1 || place.sample_bytes == static_cast<uint64_t>(e.c * plane));
    move({offset, false}, is_whole ? nullptr : &strides);
  }

  Local local(const GroupTensor& t, int slice) const {
    return {buffer(t.buffer).address_in(slice), schedule_.extents_in(t, slice), t.view.is_matrix};
  }

  void load_tensor(const GroupTensor& t, int slice) {
    const Local to = local(t, slice);
    const Span rows =
        t.held[static_cast<size_t>(schedule_.slices[static_cast<size_t>(slice)].row_slice)];
    transfer(t.view, slice, rows, 0, to.e, [&](GlobalPlace from, const stride_t* strides) {
      program_.load(to.tensor(), from, strides);
    });
  }

  // ---- Compute ----

  void compute(int t) {
    const int k = t % steps(), slice = t / steps();
    const KernelOperands& step = schedule_.steps[static_cast<size_t>(k)];
    const size_t row_slice =
        static_cast<size_t>(schedule_.slices[static_cast<size_t>(slice)].row_slice);
    begin_layer(k);
    Operands o;
    for (int i : step.inputs) {
      o.inputs.push_back(local(tensor(i), slice));
      o.input_rows.push_back(tensor(i).held[row_slice]);
    }
    o.output = local(tensor(step.output), slice);
    o.rows = tensor(step.output).held[row_slice];
    const Kernel& kernel = *schedule_.kernels[static_cast<size_t>(k)];
    for (size_t i = 0; i < step.weights.size(); ++i)
      o.weights.push_back({buffer(step.weights[i]).address_in(slice), kernel.weights[i].e,
                           kernel.weights[i].layout == Weight::Layout::matrix});
    if (step.scratch >= 0) o.scratch = buffer(step.scratch).address_in(slice);
    kernel.emit(program_, o);
  }

  // ---- Stores ----

  void stores(int t) {
    const int k = t % steps(), slice = t / steps();
    const GroupTensor& out = tensor(schedule_.steps[static_cast<size_t>(k)].output);
    if (!out.is_stored) return;
    begin_layer(k);
    const Slice& s = schedule_.slices[static_cast<size_t>(slice)];
    const Span rows = out.stored[static_cast<size_t>(s.row_slice)];
    const Span held = out.held[static_cast<size_t>(s.row_slice)];
    Local from = local(out, slice);
    const int64_t first_channel = schedule_.kernels.size() == 1 ? s.channels.begin : 0;
    stride_t lanes{};
    tensor_lmem t_local = from.tensor();
    if (rows != held && !out.view.is_matrix) {
      // Stores only `rows`; other slices store the rest of the held rows.
      const int plane = static_cast<int>(align_up_to(from.e.h * from.e.w, kUnits));
      lanes = stride_st4(static_cast<int>(ceil_div(from.e.c, kLanes)) * plane, plane,
                         static_cast<int>(from.e.w), 1);
      from.e.h = rows.count();
      t_local = aligned_tensor(
          from.address + static_cast<uint32_t>((rows.begin - held.begin) * from.e.w), from.e);
      t_local.stride = &lanes;
    }
    transfer(
        out.view, slice, rows, first_channel, from.e,
        [&](GlobalPlace to, const stride_t* strides) { program_.store(t_local, to, strides); });
  }

  Program& program_;
  const GroupSchedule& schedule_;
  const TensorPositions& positions_;
  const WeightOffsets& weights_;
};

}  // namespace

void emit_group(Program& program, const GroupSchedule& schedule, const TensorPositions& tensors,
                const WeightOffsets& weights) {
  Emitter(program, schedule, tensors, weights).emit();
}

}  // namespace tputwin::net
