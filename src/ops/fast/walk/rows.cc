// The loops over blocks of rows, and the conversion between blocks and tensors.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/walk/rows.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "base/bits.h"
#include "numerics/float_mode.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/nest.h"
#include "ops/fast/walk/row_blocks-inl.h"
#include "ops/fast/walk/row_capture.h"
#include "ops/fast/walk/rows.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

// Runs elements [begin, end) of a slot, whose operands begin at `first`.
void RunPart(const Nest<kMaxRowOperands>& nest, const RowPointers& first, size_t begin, size_t end,
             Blocks& blocks) {
  const size_t count = nest.inner.count;
  size_t at = begin;
  for_each_inner(nest, begin / count, ceil_div(end, count), [&](const RowSteps& offsets) HWY_ATTR {
    const size_t from = at % count, taken = std::min(count - from, end - at);
    RowPointers p = first;
    for (size_t k = 0; k < kMaxRowOperands; ++k) p[k] += offsets[k] + from * nest.inner.step[k];
    blocks.Run(p, nest.inner.step, taken);
    at += taken;
  });
}

// Runs items [begin, end). An item is one of `parts` parts of a slot.
void RunItems(const RowJob& job, const Memory& memory, size_t parts, size_t begin, size_t end) {
  const LocalMemory& local = memory.local;
  const Slots slots = job.slots(local);
  const uint64_t start = job.streams[0].view.address / local.lane_bytes();
  Blocks blocks(job);
  std::array<const TensorView*, kMaxRowOperands> views{};
  for (size_t k = 0; k < job.count; ++k)
    if (!job.streams[k].is_constant) views[k] = &job.streams[k].view;
  for (size_t item = begin; item < end; ++item) {
    const size_t slot = item / parts, part = item % parts;
    RowPointers first{};
    for (size_t k = 0; k < job.count; ++k)
      if (views[k] != nullptr)
        first[k] = memory.byte(*views[k], 0, static_cast<uint32_t>(slot), 0, 0);
    if (job.work.by_lane) {
      blocks.Flush();
      blocks.SetLane(static_cast<uint32_t>((start + slot) % local.lanes()));
    }
    const Nest<kMaxRowOperands> nest =
        make_nest(slot_loops(job.shape(), job.shape().n, views, slots, slots.rounds(slot)));
    const size_t elements = nest.runs() * nest.inner.count;
    const auto cut = [&](size_t i) {
      return i == parts ? elements : elements * i / parts / kRowUnit * kRowUnit;
    };
    RunPart(nest, first, cut(part), cut(part + 1), blocks);
  }
  blocks.Flush();
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(RunItems);

// Returns true if `out` narrows `in` in place: in the order of the loops, every result is written
// to bytes of the source that are not read later.
bool trails(const TensorView& out, const TensorView& in, const LocalMemory& local) {
  if (out.address != in.address || element_bytes(out.dtype) > element_bytes(in.dtype)) return false;
  const Shape& s = in.shape;
  const uint64_t rounds = ceil_div(s.c, local.lanes());
  const std::array<std::array<uint64_t, 3>, 4> axes{{{s.w, in.stride.w, out.stride.w},
                                                     {s.h, in.stride.h, out.stride.h},
                                                     {rounds, in.stride.c, out.stride.c},
                                                     {s.n, in.stride.n, out.stride.n}}};
  uint64_t reach = element_bytes(in.dtype);  // bytes that inner axes span
  for (const auto& [extent, from, to] : axes) {
    if (extent == 1) continue;
    if (from < reach || to > from) return false;
    reach += (extent - 1) * from;
  }
  return true;
}

// Returns why elements cannot be computed slot by slot in their order, or nullptr if they can. Sets
// `needs_order` if the elements of a slot must be computed in their order.
const char* irregular(std::span<const RowOperand> operands, const LocalMemory& local,
                      bool may_trail, bool& needs_order) {
  needs_order = false;
  const Shape& shape = operands[0].source.view.shape;
  if (is_empty(shape)) return "no elements";
  may_trail &= std::ranges::count(operands, true, &RowOperand::written) == 1;
  std::array<ViewUse, kMaxRowOperands> uses;
  size_t count = 0;
  for (const RowOperand& operand : operands) {
    const Source& source = operand.source;
    if (source.is_constant) continue;
    if (!source.along_n && (!has_elements(source.view) || source.view.shape != shape))
      return "an operand is no tensor of the result's shape in lanes";
    const TensorView& result = operands[0].source.view;
    if (may_trail && !operand.written && !source.along_n && trails(result, source.view, local)) {
      needs_order |= !same_bytes(result, source.view);
      continue;
    }
    uses[count++] = {&source.view, operand.written};
  }
  return overlap_in_part({uses.data(), count}, local);
}

void run_job(const RowJob& job, const Memory& memory) {
  const uint64_t per_task = task_of(2 << 10, 32 << 10);
  const uint64_t work = job.shape().count() * job.work.weight;
  const size_t slots = job.slots(memory.local).count;
  const size_t parts = job.is_free ? parts_of_slot(slots, work / task_work(per_task)) : 1;
  share_out(slots * parts, work, per_task, [&](size_t begin, size_t end) {
    const ScopedFloatMode mode;
    HWY_DYNAMIC_DISPATCH(RunItems)(job, memory, parts, begin, end);
  });
}

// Runs operations with vectors along n, one n at a time. The element of a vector is then a
// constant.
void run_by_rows(RowJob job, std::span<const RowOperand> operands, const Memory& memory) {
  const uint32_t rows = job.shape().n;
  for (uint32_t n = 0; n < rows; ++n) {
    for (size_t k = 0; k < job.count; ++k) {
      const Source& source = operands[k].source;
      RowStream& stream = job.streams[k];
      if (source.along_n) {
        stream.is_constant = true;
        stream.constant = static_cast<uint32_t>(source.read(memory, n, 0, 0, 0));
      } else if (!source.is_constant) {
        stream.view.shape.n = 1;
        stream.view.address = source.view.address + uint64_t{n} * source.view.stride.n;
      }
    }
    run_job(job, memory);
  }
}

void run_in_slots(std::span<const RowOperand> operands, const Memory& memory, const RowWork& work,
                  bool is_free) {
  RowJob job{.streams = {}, .count = operands.size(), .work = work, .is_free = is_free};
  bool has_vector = false;
  for (size_t k = 0; k < job.count; ++k) {
    job.streams[k] = stream_of(operands[k], work.form);
    has_vector |= operands[k].source.along_n;
  }
  if (has_vector)
    run_by_rows(job, operands, memory);
  else
    run_job(job, memory);
}

}  // namespace

size_t parts_of_slot(size_t slots, uint64_t tasks) {
  constexpr size_t kPiecesOfThread = 2;
  const size_t wanted = ceil_div(kPiecesOfThread * static_cast<size_t>(thread_count()), slots);
  return std::clamp<size_t>(tasks / slots, 1, wanted);
}

RowStream stream_of(const RowOperand& operand, RowForm form) {
  const Source& source = operand.source;
  TensorView view = source.view;
  // Constants are already extended to 32 bits.
  if (form == RowForm::wide && source.is_constant && !is_half(view.dtype)) view.dtype = DType::b32;
  const size_t bytes = element_bytes(view.dtype);
  return {.view = view,
          .is_constant = source.is_constant || operand.valid_bytes == 0,
          .written = operand.written,
          .constant = source.constant,
          .bytes = bytes,
          .valid = std::min<size_t>(bytes, operand.valid_bytes)};
}

void run_free_rows(std::span<const RowOperand> operands, const Memory& memory,
                   const RowWork& work) {
  run_in_slots(operands, memory, work, /*is_free=*/true);
}

Declined rows_decline(std::initializer_list<RowOperand> operands, const Memory& memory) {
  bool needs_order = false;
  return irregular({operands.begin(), operands.size()}, memory.local, /*may_trail=*/false,
                   needs_order);
}

Declined run_rows(std::initializer_list<RowOperand> operands, const Memory& memory,
                  const RowWork& work) {
  // Narrower results stay in a block until its sources have been read.
  const bool may_trail = work.form == RowForm::wide;
  bool needs_order = false;
  if (const Declined why =
          irregular({operands.begin(), operands.size()}, memory.local, may_trail, needs_order))
    return why;
  if (RowCapture* const capture = RowCapture::current()) [[unlikely]]
    return capture->take({operands.begin(), operands.size()}, work), kRan;
  run_in_slots({operands.begin(), operands.size()}, memory, work, !needs_order);
  return kRan;
}

}  // namespace tputwin::fast
#endif
