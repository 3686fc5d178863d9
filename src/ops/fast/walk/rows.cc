// typed_rows: the loops over blocks, and the conversions between elements and 32-bit lanes.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/walk/rows.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "base/bits.h"
#include "ops/fast/select/isa.h"
#include "ops/fast/vec/narrow-inl.h"
#include "ops/fast/views/views.h"
#include "ops/fast/walk/nest.h"
#include "ops/fast/walk/rows-inl.h"
#include "ops/fast/walk/rows.h"
#include "ops/fast/walk/streams.h"

#ifndef TPUTWIN_FAST_TYPED_ROWS_ONCE
#define TPUTWIN_FAST_TYPED_ROWS_ONCE
namespace tputwin::fast {

using RowNest = Nest<kMaxRowOperands>;
using RowPointers = std::array<uint8_t*, kMaxRowOperands>;

// One operand as the loops see it.
struct RowStream {
  TensorView view;
  bool is_constant, written;
  uint32_t constant;
  size_t bytes;  // of an element
};

// The rows of one operation.
struct RowJob {
  std::array<RowStream, kMaxRowOperands> streams;
  size_t count = 0;
  RowLanes lanes;
  RowKernel kernel;
  const void* operation;

  const Shape& shape() const { return streams[0].view.shape; }
};

}  // namespace tputwin::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

// Lanes of the type T, in buffers of kRowBlock lanes.
using Lane = int32_t;

template <class T>
void LoadIntegers(const T* p, size_t count, Lane* to) {
  const RowInts d;
  const hn::Rebind<T, RowInts> dt;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(dt, p + i)), d, to + i);
  for (; i < count; ++i) to[i] = p[i];
}

template <class Convert>
void LoadHalves(const uint16_t* p, size_t count, Lane* to, const Convert& convert) {
  const RowInts d;
  const hn::Rebind<uint16_t, RowInts> dt;
  const size_t lanes = hn::Lanes(d), whole = count / lanes * lanes;
  for (size_t i = 0; i < whole; i += lanes)
    hn::StoreU(convert(hn::PromoteTo(d, hn::LoadU(dt, p + i))), d, to + i);
  if (whole == count) return;
  HWY_ALIGN uint16_t rest[hn::MaxLanes(d)] = {};
  HWY_ALIGN Lane converted[hn::MaxLanes(d)];
  std::memcpy(rest, p + whole, (count - whole) * sizeof *p);
  hn::Store(convert(hn::PromoteTo(d, hn::Load(dt, rest))), d, converted);
  std::memcpy(to + whole, converted, (count - whole) * sizeof *to);
}

// Elements side by side.
void LoadDense(DType dtype, const uint8_t* p, size_t count, Lane* to) {
  switch (dtype) {
    case DType::u8:
      return LoadIntegers(p, count, to);
    case DType::i8:
      return LoadIntegers(reinterpret_cast<const int8_t*>(p), count, to);
    case DType::u16:
      return LoadIntegers(reinterpret_cast<const uint16_t*>(p), count, to);
    case DType::i16:
      return LoadIntegers(reinterpret_cast<const int16_t*>(p), count, to);
    case DType::f16:
      return LoadHalves(reinterpret_cast<const uint16_t*>(p), count, to,
                        [](RowIntVector v) HWY_ATTR { return F16Lanes(v); });
    case DType::bf16:
      return LoadHalves(reinterpret_cast<const uint16_t*>(p), count, to,
                        [](RowIntVector v) HWY_ATTR { return hn::ShiftLeft<16>(v); });
    default:
      std::memcpy(to, p, count * sizeof *to);
  }
}

// Whole vectors: `to` has room for them, beyond `count` anything is left.
template <class T, class Convert>
void StoreNarrow(const Lane* from, size_t count, T* p, const Convert& convert) {
  const RowInts d;
  const hn::Rebind<T, RowInts> dt;
  const size_t lanes = hn::Lanes(d), whole = count / lanes * lanes;
  const auto narrow = [&](size_t i)
                          HWY_ATTR { return LowBits<T>(d, convert(hn::LoadU(d, from + i))); };
  for (size_t i = 0; i < whole; i += lanes) hn::StoreU(narrow(i), dt, p + i);
  if (whole == count) return;
  HWY_ALIGN T rest[hn::MaxLanes(d)];
  hn::Store(narrow(whole), dt, rest);
  std::memcpy(p + whole, rest, (count - whole) * sizeof *p);
}

void StoreDense(DType dtype, const Lane* from, size_t count, uint8_t* p) {
  const auto same = [](RowIntVector v) HWY_ATTR { return v; };
  const auto halves = reinterpret_cast<uint16_t*>(p);
  switch (dtype) {
    case DType::u8:
    case DType::i8:
      return StoreNarrow(from, count, p, same);
    case DType::u16:
    case DType::i16:
      return StoreNarrow(from, count, halves, same);
    case DType::f16:
      return StoreNarrow(from, count, halves, [](RowIntVector v) HWY_ATTR { return F16Bits(v); });
    case DType::bf16:
      return StoreNarrow(from, count, halves, [](RowIntVector v) HWY_ATTR { return Bf16Bits(v); });
    default:
      std::memcpy(p, from, count * sizeof *from);
  }
}

// Calls f with a value of the unsigned type of that width.
template <class F>
void ByWidth(size_t bytes, const F& f) {
  if (bytes == 4) return f(uint32_t{});
  if (bytes == 2) return f(uint16_t{});
  return f(uint8_t{});
}
void Gather(size_t bytes, const uint8_t* p, size_t step, size_t count, uint8_t* to) {
  ByWidth(bytes, [&]<class T>(T) {
    for (size_t i = 0; i < count; ++i) std::memcpy(to + i * sizeof(T), p + i * step, sizeof(T));
  });
}
void Scatter(size_t bytes, const uint8_t* from, size_t count, uint8_t* p, size_t step) {
  ByWidth(bytes, [&]<class T>(T) {
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

  // Elements at p[k], p[k] + step[k], ...
  void Run(RowPointers p, const std::array<size_t, kMaxRowOperands>& step, size_t count) {
    while (count > 0) {
      size_t taken = std::min(count, kRowBlock - used_);
      if (used_ == 0 && taken >= kRowUnit) {
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
    RowBlock block{.at = {}, .count = used_};
    const size_t rest = align_up(used_, kRowUnit) - used_;
    for (size_t k = 0; k < job_.count; ++k) {
      block.at[k] = lanes_[k];
      if (rest == 0 || job_.streams[k].written || job_.streams[k].is_constant) continue;
      const size_t width = Raw(k) ? job_.streams[k].bytes : sizeof(Lane);
      std::memset(reinterpret_cast<uint8_t*>(lanes_[k]) + used_ * width, 0, rest * width);
    }
    job_.kernel(job_.operation, block);
    for (size_t i = 0; i < pieces_; ++i) Store(piece_[i]);
    used_ = pieces_ = 0;
  }

 private:
  // Part of a block: elements of one run.
  struct Piece {
    RowPointers p;
    std::array<size_t, kMaxRowOperands> step;
    uint32_t first, count;
  };

  bool Dense(size_t k, size_t step) const { return step == job_.streams[k].bytes; }
  // Blocks hold the elements as they are.
  bool Raw(size_t k) const {
    return job_.lanes == RowLanes::elements || job_.streams[k].bytes == 4;
  }
  uint8_t* Element(size_t k, size_t i) {
    return reinterpret_cast<uint8_t*>(lanes_[k]) + i * job_.streams[k].bytes;
  }

  void Fill(size_t k, const uint8_t* p, size_t first, size_t count) {
    const RowStream& stream = job_.streams[k];
    if (Raw(k))
      return ByWidth(stream.bytes, [&]<class T>(T) {
        T value;
        std::memcpy(&value, p, sizeof value);
        std::fill_n(reinterpret_cast<T*>(lanes_[k]) + first, count, value);
      });
    Lane value;
    LoadDense(stream.view.dtype, p, 1, &value);
    std::fill_n(lanes_[k] + first, count, value);
  }

  void Load(size_t k, const uint8_t* p, size_t step, size_t first, size_t count) {
    const RowStream& stream = job_.streams[k];
    if (step == 0) return Fill(k, p, first, count);
    if (Raw(k)) {
      if (Dense(k, step))
        std::memcpy(Element(k, first), p, count * stream.bytes);
      else
        Gather(stream.bytes, p, step, count, Element(k, first));
      return;
    }
    if (!Dense(k, step)) {
      Gather(stream.bytes, p, step, count, room_);
      p = room_;
    }
    LoadDense(stream.view.dtype, p, count, lanes_[k] + first);
  }

  void Store(size_t k, uint8_t* p, size_t step, size_t first, size_t count) {
    const RowStream& stream = job_.streams[k];
    const uint8_t* elements = Element(k, first);
    if (!Raw(k)) {
      uint8_t* const to = Dense(k, step) ? p : room_;
      StoreDense(stream.view.dtype, lanes_[k] + first, count, to);
      if (to == p) return;
      elements = room_;
    }
    if (Dense(k, step))
      std::memcpy(p, elements, count * stream.bytes);
    else
      Scatter(stream.bytes, elements, count, p, step);
  }
  void Store(const Piece& piece) {
    for (size_t k = 0; k < job_.count; ++k)
      if (job_.streams[k].written) Store(k, piece.p[k], piece.step[k], piece.first, piece.count);
  }

  void Append(const RowPointers& p, const std::array<size_t, kMaxRowOperands>& step, size_t count) {
    for (size_t k = 0; k < job_.count; ++k)
      if (!job_.streams[k].written && !job_.streams[k].is_constant)
        Load(k, p[k], step[k], used_, count);
    piece_[pieces_++] = {p, step, static_cast<uint32_t>(used_), static_cast<uint32_t>(count)};
    used_ += count;
    if (used_ == kRowBlock) Flush();
  }

  // A block of whole vectors; operands of dense elements that need no conversion stay where they
  // are.
  void InPlace(const RowPointers& p, const std::array<size_t, kMaxRowOperands>& step,
               size_t count) {
    RowBlock block{.at = {}, .count = count};
    std::array<bool, kMaxRowOperands> stays;
    for (size_t k = 0; k < job_.count; ++k) {
      stays[k] = !job_.streams[k].is_constant && Raw(k) && Dense(k, step[k]);
      block.at[k] = stays[k] ? static_cast<void*>(p[k]) : lanes_[k];
      if (!stays[k] && !job_.streams[k].written && !job_.streams[k].is_constant)
        Load(k, p[k], step[k], 0, count);
    }
    job_.kernel(job_.operation, block);
    for (size_t k = 0; k < job_.count; ++k)
      if (job_.streams[k].written && !stays[k]) Store(k, p[k], step[k], 0, count);
  }

  const RowJob& job_;
  size_t used_ = 0, pieces_ = 0;
  HWY_ALIGN Lane lanes_[kMaxRowOperands][kRowBlock + kRowUnit];
  HWY_ALIGN uint8_t room_[kRowBlock * sizeof(Lane)];
  Piece piece_[kRowBlock];
};

void RunSlots(const RowJob& job, const Memory& memory, size_t begin, size_t end) {
  const Slots slots = local_slots(job.shape(), memory.local);
  Blocks blocks(job);
  for (size_t slot = begin; slot < end; ++slot) {
    const Shape& s = job.shape();
    std::array<NestLoop<kMaxRowOperands>, 4> loops{
        {{s.w, {}}, {s.h, {}}, {slots.turns(slot), {}}, {s.n, {}}}};
    RowPointers first{};
    for (size_t k = 0; k < job.count; ++k) {
      if (job.streams[k].is_constant) continue;
      const TensorView& view = job.streams[k].view;
      loops[0].step[k] = view.stride.w;
      loops[1].step[k] = view.stride.h;
      loops[2].step[k] = turn_step(view, slots);
      loops[3].step[k] = view.stride.n;
      first[k] = memory.byte(view, 0, static_cast<uint32_t>(slot), 0, 0);
    }
    const RowNest nest = make_nest(loops);
    for_each_inner(nest, 0, nest.runs(), [&](const auto& offsets) HWY_ATTR {
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

bool loadable(const TensorView& v, const Shape& shape) {
  return v.space == Space::local && v.pack == 1 && is_run(v) && v.shape == shape;
}

// Whether elements can be computed in any order.
bool regular(std::span<const RowOperand> operands, const LocalMemory& local) {
  const Shape& shape = operands[0].source.view.shape;
  for (const RowOperand& operand : operands) {
    const Source& source = operand.source;
    if (source.is_constant || source.along_n) continue;
    if (!loadable(source.view, shape)) return false;
  }
  for (const RowOperand& result : operands) {
    if (!result.written) continue;
    const Plane written{&result.source.view};
    if (!distinct_elements(result.source.view, local)) return false;
    for (const RowOperand& other : operands) {
      if (&other == &result || other.source.is_constant) continue;
      const Plane plane{&other.source.view};
      if (disjoint(plane, written, local)) continue;
      if (other.written || !same_bytes(plane, written)) return false;
    }
  }
  return shape.count() > 0;
}

void run_job(const RowJob& job, const Memory& memory, uint64_t weight) {
  for_lanes(job.shape(), memory.local, weight, [&](size_t begin, size_t end) {
    HWY_DYNAMIC_DISPATCH(RunSlots)(job, memory, begin, end);
  });
}

RowStream stream_of(const RowOperand& operand) {
  const Source& source = operand.source;
  return {.view = source.view,
          .is_constant = source.is_constant,
          .written = operand.written,
          .constant = source.constant,
          .bytes = element_bytes(source.view.dtype)};
}

// With vectors along n, row by row: in each their element is a constant.
void run_by_rows(RowJob job, std::span<const RowOperand> operands, const Memory& memory,
                 uint64_t weight) {
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
    run_job(job, memory, weight);
  }
}

}  // namespace

bool run_rows(std::initializer_list<RowOperand> list, const Memory& memory, RowLanes lanes,
              RowKernel kernel, const void* operation, uint64_t weight) {
  const std::span<const RowOperand> operands(list.begin(), list.size());
  if (!regular(operands, memory.local)) return false;
  RowJob job{.streams = {},
             .count = operands.size(),
             .lanes = lanes,
             .kernel = kernel,
             .operation = operation};
  bool has_vector = false;
  for (size_t k = 0; k < job.count; ++k) {
    job.streams[k] = stream_of(operands[k]);
    has_vector |= operands[k].source.along_n;
  }
  if (has_vector)
    run_by_rows(job, operands, memory, weight);
  else
    run_job(job, memory, weight);
  return true;
}

}  // namespace tputwin::fast
#endif
