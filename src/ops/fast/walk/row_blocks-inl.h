// Blocks of contiguous elements, which the kernels of element-wise work read and write. Included
// once per target (see Highway's foreach_target.h).
#if defined(TPUTWIN_FAST_ROW_BLOCKS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TPUTWIN_FAST_ROW_BLOCKS_INL_H
#undef TPUTWIN_FAST_ROW_BLOCKS_INL_H
#else
#define TPUTWIN_FAST_ROW_BLOCKS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "ops/fast/vec/elements-inl.h"
#include "ops/fast/walk/by_width.h"
#include "ops/fast/walk/row_job.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {

using Element = int32_t;

inline void Gather(size_t bytes, const uint8_t* p, size_t step, size_t count, uint8_t* to) {
  by_width(bytes, [&]<class T>(T) {
    for (size_t i = 0; i < count; ++i) std::memcpy(to + i * sizeof(T), p + i * step, sizeof(T));
  });
}
inline void Scatter(size_t bytes, const uint8_t* from, size_t count, uint8_t* p, size_t step) {
  by_width(bytes, [&]<class T>(T) {
    for (size_t i = 0; i < count; ++i) std::memcpy(p + i * step, from + i * sizeof(T), sizeof(T));
  });
}

// Collects elements in blocks, runs the kernel on each block, and stores its results.
class Blocks {
 public:
  explicit Blocks(const RowJob& job) : job_(job) {
    for (size_t k = 0; k < job.count; ++k)
      if (job.streams[k].is_constant) {
        Fill(k, reinterpret_cast<const uint8_t*>(&job.streams[k].constant), 0, kRowBlock);
        has_constant_ = true;
      }
  }

  void SetLane(uint32_t lane) { lane_ = lane; }

  // Processes elements at p[k], p[k] + step[k], ...
  void Run(RowPointers p, const RowSteps& step, size_t count) {
    while (count > 0) {
      // Runs that need no copies are processed at once, even if elements wait in the block.
      const bool in_place = count >= kRowUnit && NeedsNoBuffer(step);
      // Constants are written out for a block only.
      const size_t most = has_constant_ ? std::min(count, kRowBlock) : count;
      size_t taken = in_place ? block_of(most, kRowUnit) : std::min(count, size_ - used_);
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
  // Describes a part of a block: elements of one run.
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
  // Returns true if blocks hold the elements of operand k unconverted, as memory does.
  bool Raw(size_t k) const {
    return job_.work.form == RowForm::elements || job_.streams[k].bytes == 4;
  }
  // Stays() returns true if the operand is used in place. Repeats() returns true if one vector of
  // equal elements stands for all its elements.
  bool Stays(size_t k, size_t step) const {
    return !job_.streams[k].is_constant && Raw(k) && Dense(k, step);
  }
  bool Repeats(size_t k, size_t step) const {
    const RowStream& stream = job_.streams[k];
    return job_.work.repeats && !stream.written && (stream.is_constant || step == 0) && Raw(k);
  }
  bool NeedsNoBuffer(const RowSteps& step) const {
    for (size_t k = 0; k < job_.count; ++k)
      if (!job_.streams[k].is_constant && !Stays(k, step[k]) && !Repeats(k, step[k])) return false;
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
  bool has_constant_ = false;
  uint32_t lane_ = 0;
  HWY_ALIGN Element elements_[kMaxRowOperands][kRowBlock + kRowUnit];
  HWY_ALIGN Element single_[kMaxRowOperands][kRowUnit];
  HWY_ALIGN uint8_t converted_[kRowBlock * sizeof(Element)];
  Piece piece_[kRowBlock];
};

}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
