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
#include "ops/fast/vec/elements-inl.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/by_width.h"
#include "ops/fast/walk/nest.h"
#include "ops/fast/walk/rows.h"

#ifndef TPUTWIN_FAST_ROWS_ONCE
#define TPUTWIN_FAST_ROWS_ONCE
namespace tputwin::fast {

constexpr size_t K = kMaxRowOperands;
using RowPointers = std::array<uint8_t*, K>;
using RowSteps = std::array<size_t, K>;

// One operand as the loops see it.
struct RowStream {
  TensorView view;
  bool is_constant, written;  // writes to a constant are dropped
  uint32_t constant;
  size_t bytes;  // bytes of an element
  size_t valid;  // bytes of an element that exist
};

// The rows of one operation.
struct RowJob {
  std::array<RowStream, K> streams;
  size_t count = 0;
  RowWork work;

  const Shape& shape() const { return streams[0].view.shape; }
};

}  // namespace tputwin::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

using Element = int32_t;

void Gather(size_t bytes, const uint8_t* p, size_t step, size_t count, uint8_t* to) {
  by_width(bytes, [&]<class T>(T) {
    for (size_t i = 0; i < count; ++i) std::memcpy(to + i * sizeof(T), p + i * step, sizeof(T));
  });
}
void Scatter(size_t bytes, const uint8_t* from, size_t count, uint8_t* p, size_t step) {
  by_width(bytes, [&]<class T>(T) {
    for (size_t i = 0; i < count; ++i) std::memcpy(p + i * step, from + i * sizeof(T), sizeof(T));
  });
}

// The blocks of one thread.
class Blocks {
 public:
  explicit Blocks(const RowJob& job) : job_(job) {
    for (size_t k = 0; k < job.count; ++k)
      if (job.streams[k].is_constant)
        Fill(k, reinterpret_cast<const uint8_t*>(&job.streams[k].constant), 0, kRowBlock);
  }

  void SetLane(uint32_t lane) { lane_ = lane; }

  // Processes elements at p[k], p[k] + step[k], ...
  void Run(RowPointers p, const RowSteps& step, size_t count) {
    while (count > 0) {
      // runs without copies are processed at any length, even if elements wait in the block
      const bool in_place = count >= kRowUnit && NeedsNoBuffer(step);
      size_t taken = in_place ? block_of(count, kRowUnit) : std::min(count, size_ - used_);
      if (in_place || (used_ == 0 && taken >= kRowUnit)) {
        taken -= taken % kRowUnit;
        InPlace(p, step, taken);
      } else {
        Append(p, step, taken);
      }
      for (size_t k = 0; k < job_.count; ++k) p[k] += taken * step[k];
      count -= taken;
    }
  }

  void Flush() {
    if (used_ == 0) return;
    RowBlock block{.at = {}, .count = used_, .lane = lane_};
    const size_t rest = align_up(used_, kRowUnit) - used_;
    for (size_t k = 0; k < job_.count; ++k) {
      block.at[k] = elements_[k];
      if (rest == 0 || job_.streams[k].written || job_.streams[k].is_constant) continue;
      const size_t width = Raw(k) ? job_.streams[k].bytes : sizeof(Element);
      std::memset(reinterpret_cast<uint8_t*>(elements_[k]) + used_ * width, 0, rest * width);
    }
    job_.work.kernel(job_.work.operation, block);
    for (size_t i = 0; i < pieces_; ++i) Store(piece_[i]);
    used_ = pieces_ = 0;
  }

 private:
  // Part of a block: elements of one run.
  struct Piece {
    RowPointers p;
    RowSteps step;
    uint32_t first, count;
  };

  bool Stored(size_t k) const { return job_.streams[k].written && !job_.streams[k].is_constant; }
  bool Loaded(size_t k) const { return !job_.streams[k].written && !job_.streams[k].is_constant; }
  bool Dense(size_t k, size_t step) const {
    return step == job_.streams[k].bytes && job_.streams[k].valid == step;
  }
  // Returns true if blocks hold the elements without conversion.
  bool Raw(size_t k) const {
    return job_.work.form == RowForm::elements || job_.streams[k].bytes == 4;
  }
  // Stays(): the operand is used in place. Repeats(): one vector stands for all elements.
  bool Stays(size_t k, size_t step) const {
    return !job_.streams[k].is_constant && Raw(k) && Dense(k, step);
  }
  bool Repeats(size_t k, size_t step) const {
    const RowStream& stream = job_.streams[k];
    return job_.work.repeats && !stream.written && (stream.is_constant || step == 0) && Raw(k);
  }
  bool NeedsNoBuffer(const RowSteps& step) const {
    for (size_t k = 0; k < job_.count; ++k)
      if (!Stays(k, step[k]) && !Repeats(k, step[k])) return false;
    return true;
  }
  uint8_t* ElementAt(size_t k, size_t i) {
    return reinterpret_cast<uint8_t*>(elements_[k]) + i * job_.streams[k].bytes;
  }

  void Fill(size_t k, const uint8_t* p, size_t first, size_t count) {
    const RowStream& stream = job_.streams[k];
    if (Raw(k))
      return by_width(stream.bytes, [&]<class T>(T) {
        T value{};
        std::memcpy(&value, p, std::min(sizeof value, stream.valid));
        std::fill_n(reinterpret_cast<T*>(elements_[k]) + first, count, value);
      });
    Element value;
    WidenElements(stream.view.dtype, p, 1, &value);
    std::fill_n(elements_[k] + first, count, value);
  }

  // Fills one vector with an element that needs no conversion.
  void Repeat(size_t k, const uint8_t* p) {
    by_width(job_.streams[k].bytes, [&]<class T>(T) {
      std::fill_n(reinterpret_cast<T*>(single_[k]), kRowUnit, Memory::load<T>(p));
    });
  }

  void Load(size_t k, const uint8_t* p, size_t step, size_t first, size_t count) {
    const RowStream& stream = job_.streams[k];
    if (step == 0) return Fill(k, p, first, count);
    if (stream.valid != stream.bytes) {
      std::memset(ElementAt(k, first), 0, count * stream.bytes);
      for (size_t i = 0; i < count; ++i)
        std::memcpy(ElementAt(k, first + i), p + i * step, stream.valid);
      return;
    }
    if (Raw(k)) {
      if (Dense(k, step))
        std::memcpy(ElementAt(k, first), p, count * stream.bytes);
      else
        Gather(stream.bytes, p, step, count, ElementAt(k, first));
      return;
    }
    if (!Dense(k, step)) {
      Gather(stream.bytes, p, step, count, converted_);
      p = converted_;
    }
    WidenElements(stream.view.dtype, p, count, elements_[k] + first);
  }

  void Store(size_t k, uint8_t* p, size_t step, size_t first, size_t count) {
    const RowStream& stream = job_.streams[k];
    const uint8_t* elements = ElementAt(k, first);
    if (stream.valid != stream.bytes) {
      for (size_t i = 0; i < count; ++i)
        std::memcpy(p + i * step, elements + i * stream.bytes, stream.valid);
      return;
    }
    if (!Raw(k)) {
      uint8_t* const to = Dense(k, step) ? p : converted_;
      NarrowElements(stream.view.dtype, elements_[k] + first, count, to);
      if (to == p) return;
      elements = converted_;
    }
    if (Dense(k, step))
      std::memcpy(p, elements, count * stream.bytes);
    else
      Scatter(stream.bytes, elements, count, p, step);
  }
  void Store(const Piece& piece) {
    for (size_t k = 0; k < job_.count; ++k)
      if (Stored(k)) Store(k, piece.p[k], piece.step[k], piece.first, piece.count);
  }

  void Append(const RowPointers& p, const RowSteps& step, size_t count) {
    for (size_t k = 0; k < job_.count; ++k)
      if (Loaded(k)) Load(k, p[k], step[k], used_, count);
    piece_[pieces_++] = {p, step, static_cast<uint32_t>(used_), static_cast<uint32_t>(count)};
    used_ += count;
    if (used_ == size_) Flush();
  }

  // Runs a block of whole vectors. Operands of dense elements that need no conversion are used in
  // place.
  void InPlace(const RowPointers& p, const RowSteps& step, size_t count) {
    RowBlock block{.at = {}, .count = count, .lane = lane_};
    for (size_t k = 0; k < job_.count; ++k) {
      block.at[k] = Stays(k, step[k]) ? static_cast<void*>(p[k]) : elements_[k];
      block.repeats[k] = Repeats(k, step[k]);
      if (block.repeats[k] && Loaded(k)) {
        block.at[k] = single_[k];
        Repeat(k, p[k]);
      } else if (!Stays(k, step[k]) && Loaded(k)) {
        Load(k, p[k], step[k], 0, count);
      }
    }
    job_.work.kernel(job_.work.operation, block);
    for (size_t k = 0; k < job_.count; ++k)
      if (Stored(k) && !Stays(k, step[k])) Store(k, p[k], step[k], 0, count);
  }

  const RowJob& job_;
  const size_t size_ = block_of(kRowBlock, kRowUnit);
  size_t used_ = 0, pieces_ = 0;
  uint32_t lane_ = 0;
  HWY_ALIGN Element elements_[K][kRowBlock + kRowUnit];
  HWY_ALIGN Element single_[K][kRowUnit];
  HWY_ALIGN uint8_t converted_[kRowBlock * sizeof(Element)];
  Piece piece_[kRowBlock];
};

void RunSlots(const RowJob& job, const Memory& memory, size_t begin, size_t end) {
  const LocalMemory& local = memory.local;
  const Slots slots = local_slots(job.shape(), local);
  const uint64_t start = job.streams[0].view.address / local.lane_bytes();
  Blocks blocks(job);
  std::array<const TensorView*, K> views{};
  for (size_t k = 0; k < job.count; ++k)
    if (!job.streams[k].is_constant) views[k] = &job.streams[k].view;
  for (size_t slot = begin; slot < end; ++slot) {
    RowPointers first{};
    for (size_t k = 0; k < job.count; ++k)
      if (views[k] != nullptr)
        first[k] = memory.byte(*views[k], 0, static_cast<uint32_t>(slot), 0, 0);
    if (job.work.by_lane) {
      blocks.Flush();
      blocks.SetLane(static_cast<uint32_t>((start + slot) % local.lanes()));
    }
    const Nest<K> nest =
        make_nest(slot_loops(job.shape(), job.shape().n, views, slots, slots.rounds(slot)));
    for_each_inner(nest, 0, nest.runs(), [&](const RowSteps& offsets) HWY_ATTR {
      RowPointers p = first;
      for (size_t k = 0; k < job.count; ++k) p[k] += offsets[k];
      blocks.Run(p, nest.inner.step, nest.inner.count);
    });
  }
  blocks.Flush();
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(RunSlots);

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

// Returns why elements cannot be computed slot by slot in their order, or nullptr if they can.
const char* irregular(std::span<const RowOperand> operands, const LocalMemory& local,
                      bool may_trail) {
  const Shape& shape = operands[0].source.view.shape;
  if (is_empty(shape)) return "no elements";
  may_trail &= std::ranges::count(operands, true, &RowOperand::written) == 1;
  std::array<ViewUse, K> uses;
  size_t count = 0;
  for (const RowOperand& operand : operands) {
    const Source& source = operand.source;
    if (source.is_constant) continue;
    if (!source.along_n && (!has_elements(source.view) || source.view.shape != shape))
      return "an operand is no tensor of the result's shape in lanes";
    const TensorView& result = operands[0].source.view;
    if (may_trail && !operand.written && !source.along_n && trails(result, source.view, local))
      continue;
    uses[count++] = {&source.view, operand.written};
  }
  return overlap_in_part({uses.data(), count}, local);
}

RowStream stream_of(const RowOperand& operand, RowForm form) {
  const Source& source = operand.source;
  TensorView view = source.view;
  // constants are already extended to 32 bits
  if (form == RowForm::wide && source.is_constant && !is_half(view.dtype)) view.dtype = DType::b32;
  const size_t bytes = element_bytes(view.dtype);
  return {.view = view,
          .is_constant = source.is_constant || operand.valid_bytes == 0,
          .written = operand.written,
          .constant = source.constant,
          .bytes = bytes,
          .valid = std::min<size_t>(bytes, operand.valid_bytes)};
}

void run_job(const RowJob& job, const Memory& memory) {
  constexpr uint64_t kWorkPerTask = 32 << 10;
  const uint64_t work = job.shape().count() * job.work.weight;
  share_out(local_slots(job.shape(), memory.local).count, work, kWorkPerTask,
            [&](size_t begin, size_t end) {
              const ScopedFloatMode mode;
              HWY_DYNAMIC_DISPATCH(RunSlots)(job, memory, begin, end);
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

}  // namespace

void run_free_rows(std::span<const RowOperand> operands, const Memory& memory,
                   const RowWork& work) {
  RowJob job{.streams = {}, .count = operands.size(), .work = work};
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

Declined rows_decline(std::initializer_list<RowOperand> operands, const Memory& memory) {
  return irregular({operands.begin(), operands.size()}, memory.local, /*may_trail=*/false);
}

Declined run_rows(std::initializer_list<RowOperand> operands, const Memory& memory,
                  const RowWork& work) {
  // narrower results stay in a block until its sources have been read
  const bool may_trail = work.form == RowForm::wide;
  if (const Declined why = irregular({operands.begin(), operands.size()}, memory.local, may_trail))
    return why;
  run_free_rows({operands.begin(), operands.size()}, memory, work);
  return kRan;
}

}  // namespace tputwin::fast
#endif
