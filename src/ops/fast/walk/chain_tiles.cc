// Runs chains, tile by tile.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/fast/walk/chain_tiles.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "numerics/float_mode.h"
#include "ops/fast/scratch.h"
#include "ops/fast/vec/elements-inl.h"
#include "ops/fast/walk/by_width.h"
#include "ops/fast/walk/chain_tiles.h"

HWY_BEFORE_NAMESPACE();
namespace tputwin::fast::HWY_NAMESPACE {
namespace {

// Elements of a tile. Five buffers of so many elements of 32 bits fit in the first cache.
constexpr size_t kTile = 1024;
constexpr size_t kWord = sizeof(uint32_t);

// Copies elements of a row into a buffer. A step of 0 repeats the element.
HWY_INLINE void LoadRun(size_t bytes, const uint8_t* from, size_t step, size_t count, uint8_t* to) {
  if (step == bytes) {
    std::memcpy(to, from, count * bytes);
    return;
  }
  by_width(bytes, [&]<class T>(T) {
    if (step == 0) return void(std::fill_n(reinterpret_cast<T*>(to), count, Memory::load<T>(from)));
    for (size_t i = 0; i < count; ++i) std::memcpy(to + i * sizeof(T), from + i * step, sizeof(T));
  });
}
HWY_INLINE void StoreRun(size_t bytes, const uint8_t* from, size_t count, uint8_t* to,
                         size_t step) {
  if (step == bytes) {
    std::memcpy(to, from, count * bytes);
    return;
  }
  by_width(bytes, [&]<class T>(T) {
    for (size_t i = 0; i < count; ++i) std::memcpy(to + i * step, from + i * sizeof(T), sizeof(T));
  });
}

// Calls run(address, elements, step) for the rows of elements [begin, end) of a slot.
template <class Run>
HWY_INLINE void ForEachRow(const Nest<1>& nest, uint8_t* first, size_t begin, size_t end,
                           const Run& run) {
  const size_t count = nest.inner.count, step = nest.inner.step[0];
  size_t at = begin;
  for_each_inner(nest, begin / count, ceil_div(end, count),
                 [&](const std::array<size_t, 1>& offset) HWY_ATTR {
                   const size_t from = at % count, taken = std::min(count - from, end - at);
                   run(first + offset[0] + from * step, taken, step);
                   at += taken;
                 });
}

// The state of one thread in a chain.
class Tiles {
 public:
  Tiles(const Chain& chain, const Memory& memory)
      : chain_(chain), memory_(memory), at_(chain.places.size()), layouts_(chain.places.size()) {
    static thread_local Scratch scratch;
    size_t constants = 0;
    for (const ChainStep& step : chain.steps)
      constants += static_cast<size_t>(
          std::count(step.places.begin(), step.places.begin() + step.count, ChainStep::kConstant));
    buffers_ = scratch.take<uint32_t>(chain.buffers * kBufferWords +
                                      (kMaxRowOperands + constants) * kBlockWords);
    converted_ = buffers_ + chain.buffers * kBufferWords;
    uint32_t* next = converted_ + kMaxRowOperands * kBlockWords;
    for (const ChainStep& step : chain.steps) next = AddStep(step, next);
  }

  // Selects the lane of a slot.
  void Enter(size_t slot, const Slots& slots) {
    const uint32_t rounds = slots.rounds(slot);
    const TensorView& first = chain_.steps.front().streams[0].view;
    lane_ = static_cast<uint32_t>((first.address / memory_.local.lane_bytes() + slot) %
                                  memory_.local.lanes());
    for (size_t i = 0; i < layouts_.size(); ++i) {
      const ChainPlace& place = chain_.places[i];
      if (!place.is_loaded && !place.is_stored) continue;
      Layout& layout = layouts_[i];
      layout.first = memory_.byte(place.view, 0, static_cast<uint32_t>(slot), 0, 0);
      if (rounds == rounds_) continue;
      layout.nest = slot_nest<1>({&place.view}, slots, rounds);
      layout.is_dense = layout.nest.runs() == 1 && layout.nest.dense({place.bytes});
    }
    rounds_ = rounds;
  }

  // Runs elements [begin, end) of the slot.
  void Run(size_t begin, size_t end) {
    const size_t tile = block_of(kTile, kRowUnit);
    const size_t whole = begin + (end - begin) / kRowUnit * kRowUnit;
    for (size_t at = begin; at < whole; at += tile) RunTile(at, std::min(tile, whole - at));
    if (whole < end) RunTile(whole, end - whole);
  }

 private:
  static constexpr size_t kBufferWords = kTile + kRowUnit, kBlockWords = kRowBlock + kRowUnit;
  enum class Form : uint8_t { constant, raw, converted };
  struct Step {
    RowBlock block;
    size_t most = kTile;  // elements of a block
    std::array<Form, kMaxRowOperands> forms;
  };
  struct Layout {
    Nest<1> nest;
    uint8_t* first = nullptr;
    bool is_dense = false;
  };

  // Writes constants to `next` and returns the end of them.
  uint32_t* AddStep(const ChainStep& step, uint32_t* next) {
    Step& state = steps_.emplace_back();
    state.block = {.at = {}, .count = 0};
    for (size_t k = 0; k < step.count; ++k) {
      const RowStream& stream = step.streams[k];
      const bool is_raw = step.work.form == RowForm::elements || stream.bytes == kWord;
      const bool is_constant = step.places[k] == ChainStep::kConstant;
      state.forms[k] = is_constant ? Form::constant : is_raw ? Form::raw : Form::converted;
      state.block.repeats[k] = is_constant && is_raw && step.work.repeats;
      if (!is_raw || (is_constant && !state.block.repeats[k]))
        state.most = block_of(kRowBlock, kRowUnit);
      if (!is_constant) continue;
      state.block.at[k] = next;
      FillConstant(stream, is_raw, next);
      next += kBlockWords;
    }
    return next;
  }

  static void FillConstant(const RowStream& stream, bool is_raw, uint32_t* to) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&stream.constant);
    if (is_raw)
      return by_width(stream.bytes, [&]<class T>(T) {
        std::fill_n(reinterpret_cast<T*>(to), kBlockWords, Memory::load<T>(bytes));
      });
    int32_t value;
    WidenElements(stream.view.dtype, bytes, 1, &value);
    std::fill_n(reinterpret_cast<int32_t*>(to), kBlockWords, value);
  }

  void RunTile(size_t begin, size_t count) {
    // A kernel accesses whole vectors, which may be longer than the rest of a tensor.
    const bool is_whole = count % kRowUnit == 0;
    for (size_t i = 0; i < at_.size(); ++i) {
      const ChainPlace& place = chain_.places[i];
      const bool is_direct =
          is_whole && (place.is_loaded || place.is_stored) && layouts_[i].is_dense;
      at_[i] = is_direct ? layouts_[i].first + begin * place.bytes
                         : reinterpret_cast<uint8_t*>(buffers_ + place.buffer * kBufferWords);
    }
    for (uint32_t s = 0; s < steps_.size(); ++s) {
      for (size_t k = 0; k < chain_.steps[s].count; ++k) Load(chain_.steps[s], s, k, begin, count);
      RunStep(s, count);
      for (size_t k = 0; k < chain_.steps[s].count; ++k) Store(chain_.steps[s], k, begin, count);
    }
  }

  bool IsBuffered(size_t place) const {
    return at_[place] ==
           reinterpret_cast<uint8_t*>(buffers_ + chain_.places[place].buffer * kBufferWords);
  }

  void Load(const ChainStep& step, uint32_t s, size_t k, size_t begin, size_t count) {
    const uint32_t i = step.places[k];
    if (i == ChainStep::kConstant) return;
    const ChainPlace& place = chain_.places[i];
    if (!place.is_loaded || place.first != s || !IsBuffered(i)) return;
    uint8_t* to = at_[i];
    ForEachRow(layouts_[i].nest, layouts_[i].first, begin, begin + count,
               [&](const uint8_t* from, size_t elements, size_t distance) HWY_ATTR {
                 LoadRun(place.bytes, from, distance, elements, to);
                 to += elements * place.bytes;
               });
    std::memset(to, 0, (align_up(count, kRowUnit) - count) * place.bytes);
  }

  void Store(const ChainStep& step, size_t k, size_t begin, size_t count) {
    const uint32_t i = step.places[k];
    if (i == ChainStep::kConstant || !step.streams[k].written) return;
    const ChainPlace& place = chain_.places[i];
    if (!place.is_stored || !IsBuffered(i)) return;
    const uint8_t* from = at_[i];
    ForEachRow(layouts_[i].nest, layouts_[i].first, begin, begin + count,
               [&](uint8_t* to, size_t elements, size_t distance) HWY_ATTR {
                 StoreRun(place.bytes, from, elements, to, distance);
                 from += elements * place.bytes;
               });
  }

  // Sets the address of an operand's elements [at, at + count) of the tile, and widens them.
  void Place(const ChainStep& step, Step& state, size_t k, size_t at, size_t count) {
    if (state.forms[k] == Form::constant) return;
    const RowStream& stream = step.streams[k];
    uint8_t* const bytes = at_[step.places[k]] + at * stream.bytes;
    state.block.at[k] = bytes;
    if (state.forms[k] == Form::raw) return;
    auto* const words = reinterpret_cast<int32_t*>(converted_ + k * kBlockWords);
    state.block.at[k] = words;
    if (stream.written) return;
    for (size_t same = 0; same < k; ++same)
      if (step.places[same] == step.places[k] && !step.streams[same].written &&
          step.streams[same].view.dtype == stream.view.dtype) {
        state.block.at[k] = state.block.at[same];
        return;
      }
    WidenElements(stream.view.dtype, bytes, align_up(count, kRowUnit), words);
  }

  // Runs a step on a tile whose operands are in place.
  void RunStep(uint32_t s, size_t count) {
    const ChainStep& step = chain_.steps[s];
    Step& state = steps_[s];
    RowBlock& block = state.block;
    block.lane = lane_;
    for (size_t at = 0; at < count; at += state.most) {
      const size_t taken = std::min(state.most, count - at);
      for (size_t k = 0; k < step.count; ++k) Place(step, state, k, at, taken);
      block.count = taken;
      step.work.kernel(step.work.operation, block);
      for (size_t k = 0; k < step.count; ++k)
        if (state.forms[k] == Form::converted && step.streams[k].written)
          NarrowElements(step.streams[k].view.dtype, static_cast<const int32_t*>(block.at[k]),
                         taken, at_[step.places[k]] + at * step.streams[k].bytes);
    }
  }

  const Chain& chain_;
  const Memory& memory_;
  std::vector<uint8_t*> at_;  // the tile of each place
  std::vector<Layout> layouts_;
  std::vector<Step> steps_;
  uint32_t *buffers_, *converted_;
  uint32_t rounds_ = 0, lane_ = 0;
};

// Runs items [begin, end). An item is one of `parts` parts of a slot.
void RunChainItems(const Chain& chain, const Memory& memory, size_t parts, size_t begin,
                   size_t end) {
  const Slots slots = local_slots(chain.shape, memory.local);
  Tiles tiles(chain, memory);
  for (size_t item = begin; item < end; ++item) {
    const size_t slot = item / parts, part = item % parts;
    const size_t elements =
        size_t{chain.shape.n} * slots.rounds(slot) * chain.shape.h * chain.shape.w;
    const auto cut = [&](size_t i) {
      return i == parts ? elements : elements * i / parts / kRowUnit * kRowUnit;
    };
    tiles.Enter(slot, slots);
    tiles.Run(cut(part), cut(part + 1));
  }
}

}  // namespace
}  // namespace tputwin::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tputwin::fast {
namespace {

HWY_EXPORT(RunChainItems);

}  // namespace

void run_chain(const Chain& chain, const Memory& memory) {
  uint64_t weight = 0;
  for (const ChainStep& step : chain.steps) weight += step.work.weight;
  const uint64_t work = chain.shape.count() * weight, per_task = task_of(2 << 10, 32 << 10);
  const size_t slots = local_slots(chain.shape, memory.local).count;
  const size_t parts = parts_of_slot(slots, work / task_work(per_task));
  share_out(slots * parts, work, per_task, [&](size_t begin, size_t end) {
    const ScopedFloatMode mode;
    HWY_DYNAMIC_DISPATCH(RunChainItems)(chain, memory, parts, begin, end);
  });
}

}  // namespace tputwin::fast
#endif
