// Marks of tensors, and moves of marks.
#include "ops/dependence/mark_flow.h"

#include <cstring>

namespace tputwin {
namespace {

// The bytes of a row of a tensor's elements (n,c,h,.).
struct Row {
  Space space;
  uint32_t lane;  // 0 in system memory
  uint64_t begin;
};

Row row_of(const TensorView& v, const Chip& chip, uint32_t n, uint32_t c, uint32_t h) {
  const uint64_t inner = uint64_t{n / v.pack} * v.stride.n +
                         uint64_t{n % v.pack} * element_bytes(v.dtype) + uint64_t{h} * v.stride.h;
  if (v.space != Space::local) return {v.space, 0, v.address + inner + uint64_t{c} * v.stride.c};
  const uint64_t lane = v.address / chip.lane_bytes + c;
  return {v.space, static_cast<uint32_t>(lane % chip.lanes),
          v.address % chip.lane_bytes + lane / chip.lanes * v.stride.c + inner};
}

// Returns true if the elements of a row follow each other without gaps.
bool is_dense(const TensorView& v) {
  return v.pack == 1 && is_run(v) && (v.stride.w == element_bytes(v.dtype) || v.shape.w == 1);
}

uint64_t row_bytes(const TensorView& v) {
  return uint64_t{v.shape.w - 1} * v.stride.w +
         (is_run(v) ? element_bytes(v.dtype) : v.plane_stride + uint64_t{1});
}

void load_row(const TensorView& v, const MarkedMemory& marked, size_t place, uint64_t begin,
              Mark* marks) {
  const uint32_t bytes = element_bytes(v.dtype);
  if (is_dense(v)) {
    const uint64_t end = begin + uint64_t{v.shape.w} * bytes;
    return marked.for_each(place, begin, end, [&](uint64_t from, uint64_t to, Mark mark) {
      for (uint64_t w = (from - begin) / bytes; w <= (to - 1 - begin) / bytes; ++w)
        marks[w] = std::max(marks[w], mark);
    });
  }
  for (uint32_t w = 0; w < v.shape.w; ++w) {
    const uint64_t at = begin + uint64_t{w} * v.stride.w;
    marks[w] = marked.largest(place, at, at + (is_run(v) ? bytes : 1));
    if (!is_run(v))
      marks[w] =
          std::max(marks[w], marked.largest(place, at + v.plane_stride, at + v.plane_stride + 1));
  }
}

void store_row(const TensorView& v, const Row& row, const Mark* marks,
               std::vector<MarkedBytes>& results) {
  const uint32_t bytes = is_run(v) ? element_bytes(v.dtype) : 1;
  const auto add = [&](uint64_t begin, uint64_t end, Mark mark) {
    results.push_back({{row.space, row.lane, begin, end}, mark});
  };
  for (uint32_t w = 0, next = 1; w < v.shape.w; w = next, next = w + 1) {
    if (marks[w] == 0) continue;
    if (is_dense(v))
      while (next < v.shape.w && marks[next] == marks[w]) ++next;
    const uint64_t at = row.begin + uint64_t{w} * v.stride.w;
    add(at, at + uint64_t{next - w} * bytes, marks[w]);
    if (!is_run(v)) add(at + v.plane_stride, at + v.plane_stride + 1, marks[w]);
  }
}

uint8_t* bytes_at(const Memory& memory, const ByteRange& range) {
  return range.space == Space::local ? memory.local.lane(range.lane) + range.begin
                                     : memory.system(range.space).data() + range.begin;
}

std::unique_ptr<GlobalMemory> reserve(const GlobalMemory* like) {
  if (like == nullptr) return nullptr;
  auto memory = GlobalMemory::reserve(like->size());
  if (!memory.ok()) throw std::bad_alloc();
  return std::move(memory.value());
}

}  // namespace

MarkScratch::MarkScratch(const Chip& chip, const Memory& like)
    : local_(chip),
      global_(reserve(&like.global)),
      l2_(reserve(like.l2)),
      dtcm_(reserve(like.dtcm)),
      memory_{local_, *global_, l2_.get(), dtcm_.get()} {}

ElementMarks load_marks(const TensorView& view, const Chip& chip, const MarkedMemory& marked) {
  ElementMarks marks(view.shape);
  if (view.shape.count() == 0) return marks;
  const uint64_t length = row_bytes(view);
  for (uint32_t n = 0; n < view.shape.n; ++n)
    for (uint32_t c = 0; c < view.shape.c; ++c) {
      const Row plane = row_of(view, chip, n, c, 0);
      const size_t place = marked.place(plane.space, plane.lane);
      const uint64_t end = plane.begin + uint64_t{view.shape.h - 1} * view.stride.h + length;
      if (!marked.any(place, plane.begin, end)) continue;
      for (uint32_t h = 0; h < view.shape.h; ++h) {
        const uint64_t begin = plane.begin + uint64_t{h} * view.stride.h;
        if (marked.any(place, begin, begin + length))
          load_row(view, marked, place, begin, marks.row(n, c, h));
      }
    }
  return marks;
}

void store_marks(const TensorView& view, const Chip& chip, const ElementMarks& marks,
                 std::vector<MarkedBytes>& bytes) {
  if (marks.largest() == 0) return;
  for (uint32_t n = 0; n < view.shape.n; ++n)
    for (uint32_t c = 0; c < view.shape.c; ++c)
      for (uint32_t h = 0; h < view.shape.h; ++h)
        store_row(view, row_of(view, chip, n, c, h), marks.row(n, c, h), bytes);
}

void MarkFlow::choose(std::string_view operand, const TensorView& view) {
  if (const Mark mark = load(view).largest(); mark != 0) choices_.push_back({operand, mark});
}

// Writes marks, and the values of `kept` ranges, to the scratch memories.
void MarkFlow::fill(const std::vector<ByteRange>& kept) {
  for (const auto& [bytes, mark] : reads_)
    std::memset(bytes_at(scratch_.memory(), bytes), mark, bytes.end - bytes.begin);
  for (const ByteRange& range : kept)
    std::memcpy(bytes_at(scratch_.memory(), range), bytes_at(values_, range),
                range.end - range.begin);
}

// Records the marks that were moved to `writes`. Bytes of a choice that were not overwritten are no
// marks.
void MarkFlow::collect(const std::vector<ByteRange>& writes) {
  Mark most = 0;
  for (const MarkedBytes& read : reads_) most = std::max(most, read.mark);
  for (const ByteRange& range : writes) {
    const uint8_t* const marks = bytes_at(scratch_.memory(), range);
    const uint64_t count = range.end - range.begin;
    for (uint64_t i = 0, next = 0; i < count; i = next) {
      for (next = i + 1; next < count && marks[next] == marks[i];) ++next;
      if (marks[i] == 0 || marks[i] > most) continue;
      results_.push_back(
          {{range.space, range.lane, range.begin + i, range.begin + next}, marks[i]});
    }
  }
}

void MarkFlow::clear(const std::vector<ByteRange>& ranges) {
  for (const ByteRange& range : ranges)
    std::memset(bytes_at(scratch_.memory(), range), 0, range.end - range.begin);
}

void MarkFlow::move(const Operation& op, const Footprint& touched, const TensorView* choice,
                    const TensorView* numbers) {
  std::vector<ByteRange> kept, computed;
  if (choice != nullptr) add_ranges(*choice, chip_, kept);
  if (numbers != nullptr) add_ranges(*numbers, chip_, computed);
  fill(kept);
  execute(op, scratch_.memory());
  clear(computed);
  collect(touched.writes);
  for (const auto& [bytes, mark] : reads_) clear({bytes});
  clear(kept);
  clear(touched.writes);
}

}  // namespace tputwin
