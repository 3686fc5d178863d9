// Finds writers in the journal, and the source bytes of moves by experiment.
#include "insight/debug/provenance.h"

#include <algorithm>

#include "ops/contract/kernel_steps.h"

namespace tputwin::debug {
namespace {

// Moves the parts of `from` inside `by` to `inside`, and keeps the rest in `from`.
void cut(std::vector<ByteRange>& from, const ByteRange& by, std::vector<ByteRange>& inside) {
  std::vector<ByteRange> rest;
  for (const ByteRange& range : from) {
    if (!overlap(range, by)) {
      rest.push_back(range);
      continue;
    }
    const uint64_t begin = std::max(range.begin, by.begin), end = std::min(range.end, by.end);
    inside.push_back({range.space, range.lane, begin, end});
    if (range.begin < begin) rest.push_back({range.space, range.lane, range.begin, begin});
    if (end < range.end) rest.push_back({range.space, range.lane, end, range.end});
  }
  from = std::move(rest);
}

bool moves(const Operation& op) {
  if (const auto* e = std::get_if<Elementwise>(&op)) return e->kind == Elementwise::Kind::copy;
  return std::holds_alternative<Copy>(op) || std::holds_alternative<CopyMatrix>(op) ||
         std::holds_alternative<DmaTensor>(op) || std::holds_alternative<DmaMatrix>(op) ||
         std::holds_alternative<CopyToBanks>(op) || std::holds_alternative<Rearrange>(op);
}

// Runs an operation with changed source bytes, to find out if a result byte depends on them. Each
// run restores memory.
class Experiment {
 public:
  Experiment(const Operation& op, const Memory& memory, const Chip& chip, const ByteRange& result)
      : op_(op), memory_(memory), result_(bytes_at(memory, result)) {
    const Footprint touched = footprint(op, chip);
    reads_ = touched.reads;
    std::vector<ByteRange> all = touched.reads;
    all.insert(all.end(), touched.writes.begin(), touched.writes.end());
    sort_and_merge(all);
    before_ = Patch(memory, std::move(all));
    value_ = run(0, 0);
  }
  uint64_t bytes() const { return bytes_in(reads_); }
  bool depends_on(uint64_t begin, uint64_t end) { return run(begin, end) != value_; }
  uint8_t value() const { return value_; }
  ByteRange place(uint64_t number) const {
    for (const ByteRange& range : reads_) {
      const uint64_t size = range.end - range.begin;
      if (number < size)
        return {range.space, range.lane, range.begin + number, range.begin + number + 1};
      number -= size;
    }
    return reads_.front();
  }

 private:
  // Returns the result byte when the source bytes [begin, end) are inverted.
  uint8_t run(uint64_t begin, uint64_t end) {
    uint64_t at = 0;
    for (const ByteRange& range : reads_) {
      const uint64_t size = range.end - range.begin;
      uint8_t* bytes = bytes_at(memory_, range);
      for (uint64_t i = std::max(begin, at); i < std::min(end, at + size); ++i)
        bytes[i - at] ^= 0xff;
      at += size;
    }
    execute(op_, memory_);
    const uint8_t value = *result_;
    before_.apply(memory_);
    return value;
  }

  const Operation& op_;
  Memory memory_;
  const uint8_t* result_;
  std::vector<ByteRange> reads_;
  Patch before_;
  uint8_t value_;
};

// Returns the byte that a move copies to `result`, found by bisection.
std::optional<ByteRange> source_of(const Operation& op, const Memory& memory, const Chip& chip,
                                   const ByteRange& result) {
  Experiment experiment(op, memory, chip, result);
  uint64_t begin = 0, end = experiment.bytes();
  if (end == 0 || !experiment.depends_on(begin, end)) return {};
  while (end - begin > 1) {
    const uint64_t middle = begin + (end - begin) / 2;
    if (experiment.depends_on(begin, middle))
      end = middle;
    else
      begin = middle;
  }
  const ByteRange source = experiment.place(begin);
  if (*bytes_at(memory, source) != experiment.value()) return {};
  return source;
}

}  // namespace

Writers last_writers(const Journal& journal, std::vector<ByteRange> bytes) {
  Writers writers;
  for (Moment m = journal.now(); m > journal.first() && !bytes.empty(); --m) {
    Written written{.moment = m - 1, .bytes = {}};
    for (const ByteRange& range : journal.writes(m - 1)) cut(bytes, range, written.bytes);
    if (written.bytes.empty()) continue;
    sort_and_merge(written.bytes);
    writers.known.push_back(std::move(written));
  }
  sort_and_merge(bytes);
  writers.unknown = std::move(bytes);
  return writers;
}

std::vector<Step> way_of(Debugger& debugger, const ByteRange& byte) {
  const Moment now = debugger.now();
  std::vector<Step> way;
  ByteRange at = byte;
  while (true) {
    const Writers writers = last_writers(debugger.journal(), {at});
    if (writers.known.empty()) break;
    const Moment writer = writers.known.front().moment;
    way.push_back({writer, at});
    const Entry& entry = debugger.journal().at(writer);
    if (!entry.is_command() || !moves(entry.instruction->op)) break;
    debugger.go_to(writer);
    const auto source = source_of(entry.instruction->op, debugger.memory(), debugger.chip(), at);
    if (!source) break;
    at = *source;
  }
  debugger.go_to(now);
  return way;
}

std::optional<ElementPlace> element_of(const Operation& op, const Chip& chip,
                                       const ByteRange& byte) {
  for (const Operand& operand : operands(op)) {
    const TensorView& v = *operand.view;
    if (operand.access == Access::read || v.space != byte.space) continue;
    for (uint32_t n = 0; n < v.shape.n; ++n)
      for (uint32_t c = 0; c < v.shape.c; ++c)
        for (uint32_t h = 0; h < v.shape.h; ++h)
          for (uint32_t w = 0; w < v.shape.w; ++w) {
            TensorView one = v;
            one.shape = {1, 1, 1, 1};
            uint64_t inner = uint64_t{h} * v.stride.h + uint64_t{w} * v.stride.w;
            inner += uint64_t{n / v.pack} * v.stride.n + n % v.pack * element_bytes(v.dtype);
            const uint64_t lane = v.space == Space::local ? v.address / chip.lane_bytes + c : 0;
            if (v.space == Space::local) {
              if (lane % chip.lanes != byte.lane) continue;
              inner += v.address % chip.lane_bytes + lane / chip.lanes * v.stride.c;
            } else {
              inner += v.address + uint64_t{c} * v.stride.c;
            }
            const uint64_t high = is_16bit(v.dtype) ? inner + v.plane_stride : inner;
            const uint64_t run = is_16bit(v.dtype) ? 1 : element_bytes(v.dtype);
            if ((byte.begin >= inner && byte.begin < inner + run) || byte.begin == high)
              return ElementPlace{operand.name, v, n, c, h, w};
          }
  }
  return {};
}

}  // namespace tputwin::debug
