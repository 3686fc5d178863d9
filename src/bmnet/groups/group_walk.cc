// The steps of a planned group: loads, kernels and stores.
#include "bmnet/groups/group_walk.h"

#include <algorithm>

namespace tputwin::net {
namespace {

// Returns true if a slice needs other contents of the buffer than the slice before.
bool is_new(const LocalBuffer& i, int slice) {
  return slice == 0 ||
         i.version[static_cast<size_t>(slice)] != i.version[static_cast<size_t>(slice) - 1];
}

}  // namespace

void GroupWalk::run() {
  const int ahead = schedule_.cut.weights_ahead;
  if (!schedule_.cut.has_overlap) {
    for (int t = 0; t < total(); ++t) {
      load_weights(t);
      load_inputs(t);
      computes(t);
      stores(t);
      if (is_last_step(t) && ends_after(t / steps())) return;
    }
    return;
  }
  load_weights(0);
  load_inputs(0);
  for (int t = 1; t < ahead; ++t) load_weights(t);
  for (int t = 0; t < total(); ++t) {
    section(t);
    if (is_last_step(t) && ends_after(t / steps())) return;
  }
  stores(total() - 1);
}

// Emits step t in parallel with the loads of later steps and the stores of step t-1. A kernel that
// uses the DMA itself follows these transfers.
void GroupWalk::section(int t) {
  const bool overlaps = kernel(t % steps()).is_compute_only();
  begin_parallel();
  load_weights(t + schedule_.cut.weights_ahead);
  load_inputs(t + 1);
  if (overlaps) computes(t);
  if (t > 0) stores(t - 1);
  end_parallel();
  if (!overlaps) computes(t);
}

// Loads the weights of step t that local memory does not hold yet, and inputs that are constants.
void GroupWalk::load_weights(int t) {
  if (t >= total()) return;
  const int k = t % steps(), slice = t / steps();
  const KernelOperands& step = operands(k);
  begin_kernel(k);
  for (size_t i = 0; i < step.weights.size(); ++i)
    if (!kernel(k).weights[i].resident && is_new(buffer(step.weights[i]), slice))
      load_weight(k, i, slice);
  load_first_used(t, true);
}

void GroupWalk::load_inputs(int t) {
  if (t < total()) load_first_used(t, false);
}

// Loads the tensors, or the constants, that step t is the first to use.
void GroupWalk::load_first_used(int t, bool constants) {
  const int k = t % steps(), slice = t / steps();
  const KernelOperands& step = operands(k);
  begin_kernel(k);
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    const GroupTensor& in = tensor(step.inputs[i]);
    const auto at = step.inputs.begin() + static_cast<ptrdiff_t>(i);
    const bool is_first_use =
        first_use(step.inputs[i]) == k && std::find(step.inputs.begin(), at, step.inputs[i]) == at;
    if (in.producer < 0 && in.view.is_constant == constants && is_first_use &&
        is_new(buffer(in.buffer), slice))
      load_tensor(in, slice);
  }
}

void GroupWalk::computes(int t) {
  begin_kernel(t % steps());
  compute(t % steps(), t / steps());
}

void GroupWalk::stores(int t) {
  const GroupTensor& out = tensor(operands(t % steps()).output);
  if (!out.is_stored) return;
  begin_kernel(t % steps());
  store(out, t / steps());
}

int GroupWalk::first_use(int index) const {
  for (int k = 0; k < steps(); ++k)
    for (int i : operands(k).inputs)
      if (i == index) return k;
  return -1;
}

Operands GroupWalk::local_operands(int k, int slice) const {
  const KernelOperands& step = operands(k);
  Operands o;
  for (int i : step.inputs) {
    o.inputs.push_back(local(tensor(i), slice));
    o.input_rows.push_back(held_rows(tensor(i), slice));
  }
  o.output = local(tensor(step.output), slice);
  o.rows = held_rows(tensor(step.output), slice);
  for (size_t i = 0; i < step.weights.size(); ++i)
    o.weights.push_back({weight_address(k, i, slice), kernel(k).weights[i].e,
                         kernel(k).weights[i].layout == Weight::Layout::matrix});
  if (step.scratch >= 0) o.scratch = buffer(step.scratch).address_in(slice);
  return o;
}

Extents GroupWalk::weight_extents(int k, size_t index, int slice) const {
  const Weight& w = kernel(k).weights[index];
  return steps() == 1 && kernel(k).can_split_channels() ? w.tile(slice_of(slice).channels) : w.e;
}

}  // namespace tputwin::net
