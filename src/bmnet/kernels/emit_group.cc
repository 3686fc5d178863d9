// Emits the commands of a planned group on the BM1880.
#include "bmnet/kernels/emit_group.h"

#include "bmnet/groups/group_walk.h"
#include "bmnet/kernels/kernel.h"

namespace tputwin::net {
namespace {

stride_t strides_of(const View& view, const TensorPosition& place) {
  return stride_st4(static_cast<int>(place.sample_bytes), static_cast<int>(view.e.h * view.e.w),
                    static_cast<int>(view.e.w), 1);
}

class Emitter final : public GroupWalk {
 public:
  Emitter(Program& program, const GroupSchedule& schedule, const TensorPositions& tensors,
          const WeightOffsets& weights)
      : GroupWalk(schedule), program_(program), positions_(tensors), weights_(weights) {}

 private:
  void begin_parallel() override { program_.begin_parallel(); }
  void end_parallel() override { program_.end_parallel(); }
  void begin_kernel(int k) override { program_.begin_layer(kernel(k).layer); }

  void load_weight(int k, size_t index, int slice) override {
    const Weight& w = kernel(k).weights[index];
    const Extents e = weight_extents(k, index, slice);
    const bool is_split = e.c != w.e.c;
    const int64_t first = is_split ? slice_of(slice).channels.begin : 0;
    const uint32_t address = weight_address(k, index, slice);
    uint64_t from = weights_.at(&kernel(k))[index];
    if (w.layout == Weight::Layout::matrix) {
      from += static_cast<uint64_t>(first);
      const stride_t rows = stride_t2(static_cast<int>(w.e.c), 1);
      program_.load(matrix_tensor(address, e.n, e.c), {from, true}, is_split ? &rows : nullptr);
      return;
    }
    from += static_cast<uint64_t>(first * e.h * e.w);
    const stride_t whole = stride_st4(static_cast<int>(w.e.c * w.e.h * w.e.w),
                                      static_cast<int>(w.e.h * w.e.w), static_cast<int>(w.e.w), 1);
    const tensor_lmem to = w.layout == Weight::Layout::aligned ? aligned_tensor(address, e)
                                                               : unaligned_tensor(address, e);
    program_.load(to, {from, true}, is_split && e.n > 1 ? &whole : nullptr);
  }

  // Calls move(place, strides) to transfer `rows` of the samples and channels of `e`. `place` is
  // their position in global memory.
  template <class Move>
  void transfer(const View& view, int slice, Span rows, int64_t first_channel, const Extents& e,
                Move move) {
    const TensorPosition& place = positions_.find(view.tensor)->second;
    const uint64_t sample =
        static_cast<uint64_t>(slice_of(slice).samples.begin) * place.sample_bytes;
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

  void load_tensor(const GroupTensor& t, int slice) override {
    const Local to = local(t, slice);
    transfer(t.view, slice, held_rows(t, slice), 0, to.e,
             [&](GlobalPlace from, const stride_t* strides) {
               program_.load(tensor_of(to), from, strides);
             });
  }

  void compute(int k, int slice) override {
    static_cast<const Kernel&>(kernel(k)).emit(program_, local_operands(k, slice));
  }

  void store(const GroupTensor& out, int slice) override {
    const Span rows = stored_rows(out, slice), held = held_rows(out, slice);
    Local from = local(out, slice);
    stride_t lanes{};
    tensor_lmem t_local = tensor_of(from);
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
        out.view, slice, rows, first_channel(slice), from.e,
        [&](GlobalPlace to, const stride_t* strides) { program_.store(t_local, to, strides); });
  }

  Program& program_;
  const TensorPositions& positions_;
  const WeightOffsets& weights_;
};

}  // namespace

void emit_group(Program& program, const GroupSchedule& schedule, const TensorPositions& tensors,
                const WeightOffsets& weights) {
  Emitter(program, schedule, tensors, weights).run();
}

}  // namespace tputwin::net
