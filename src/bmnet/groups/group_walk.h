// GroupWalk: the steps of a planned group, in the order of its program. A target derives a class
// that emits the commands of each.
#pragma once

#include "bmnet/groups/group_schedule.h"

namespace tputwin::net {

class GroupWalk {
 public:
  explicit GroupWalk(const GroupSchedule& schedule) : schedule_(schedule) {}
  virtual ~GroupWalk() = default;
  void run();

 protected:
  // Returns true if the slices after this one need not be emitted.
  virtual bool ends_after(int) { return false; }
  // Commands between these two are not ordered between the engines.
  virtual void begin_parallel() {}
  virtual void end_parallel() {}
  // The following commands belong to kernel `k`.
  virtual void begin_kernel(int k) = 0;
  virtual void load_weight(int k, size_t index, int slice) = 0;
  virtual void load_tensor(const GroupTensor& tensor, int slice) = 0;
  virtual void compute(int k, int slice) = 0;
  virtual void store(const GroupTensor& tensor, int slice) = 0;

  const GroupSchedule& schedule() const { return schedule_; }
  const TiledKernel& kernel(int k) const { return *schedule_.kernels[static_cast<size_t>(k)]; }
  const KernelOperands& operands(int k) const { return schedule_.steps[static_cast<size_t>(k)]; }
  const GroupTensor& tensor(int i) const { return schedule_.tensors[static_cast<size_t>(i)]; }
  const LocalBuffer& buffer(int i) const { return schedule_.buffers[static_cast<size_t>(i)]; }
  const Slice& slice_of(int slice) const { return schedule_.slices[static_cast<size_t>(slice)]; }
  Span held_rows(const GroupTensor& t, int slice) const {
    return t.held[static_cast<size_t>(slice_of(slice).row_slice)];
  }
  Span stored_rows(const GroupTensor& t, int slice) const {
    return t.stored[static_cast<size_t>(slice_of(slice).row_slice)];
  }

  Local local(const GroupTensor& t, int slice) const {
    return {buffer(t.buffer).address_in(slice), schedule_.extents_in(t, slice), t.view.is_matrix};
  }
  // Returns the operands of kernel `k` in local memory.
  Operands local_operands(int k, int slice) const;
  // Returns the extents of a weight that a slice loads. Only a kernel that is alone in its group
  // has tiles of channels.
  Extents weight_extents(int k, size_t index, int slice) const;
  uint32_t weight_address(int k, size_t index, int slice) const {
    return buffer(operands(k).weights[index]).address_in(slice);
  }
  // Returns the first channel of the result that a slice stores.
  int64_t first_channel(int slice) const {
    return steps() == 1 ? slice_of(slice).channels.begin : 0;
  }

 private:
  int steps() const { return static_cast<int>(schedule_.kernels.size()); }
  int total() const { return steps() * static_cast<int>(schedule_.slices.size()); }
  bool is_last_step(int t) const { return (t + 1) % steps() == 0; }
  void section(int t);
  void load_weights(int t);
  void load_inputs(int t);
  void load_first_used(int t, bool constants);
  void computes(int t);
  void stores(int t);
  int first_use(int index) const;

  const GroupSchedule& schedule_;
};

}  // namespace tputwin::net
