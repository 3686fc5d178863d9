// Byte copies: run by run on several threads, and in index order between different shapes.
#include "ops/fast/walk/copy.h"

#include <algorithm>

#include "base/copy_run.h"
#include "base/parallel.h"

namespace tputwin::fast {
namespace {

// The runs of one view in index order, by number.
class IndexOrder {
 public:
  IndexOrder(const TensorView& view, const Memory& memory) : view_(view), memory_(memory) {
    const Shape& s = view.shape;
    const Stride& stride = view.stride;
    // channels of local tensors are in different lanes
    local_ = view.space == Space::local;
    runs_ = make_byte_nest<1>({{{s.w, {1}},
                                {s.h, {stride.h}},
                                {local_ ? 1 : s.c, {stride.c}},
                                {local_ ? 1 : s.n, {stride.n}}}});
  }
  size_t length() const { return runs_.inner.count; }
  uint8_t* run(uint64_t index) const {
    const uint64_t plane = index / runs_.runs();
    const uint32_t n = local_ ? static_cast<uint32_t>(plane / view_.shape.c) : 0;
    const uint32_t c = local_ ? static_cast<uint32_t>(plane % view_.shape.c) : 0;
    return memory_.byte(view_, n, c, 0, 0) + runs_.offsets(index % runs_.runs())[0];
  }

 private:
  const TensorView& view_;
  const Memory& memory_;
  Nest<1> runs_;
  bool local_;
};

void copy_range(const IndexOrder& dst, const IndexOrder& src, uint64_t begin, uint64_t end) {
  while (begin < end) {
    uint64_t in_dst = begin % dst.length(), in_src = begin % src.length();
    uint64_t n = std::min({end - begin, dst.length() - in_dst, src.length() - in_src});
    copy_bytes(dst.run(begin / dst.length()) + in_dst, src.run(begin / src.length()) + in_src, n);
    begin += n;
  }
}

}  // namespace

void copy_runs_in_parallel(const Nest<2>& runs, uint8_t* dst, const uint8_t* src) {
  const size_t length = runs.inner.count;
  if (runs.runs() == 1)
    return share_out(length, length, bytes_per_task(), [&](size_t begin, size_t end) {
      copy_run(dst + begin, src + begin, end - begin);
    });
  constexpr size_t kRunCost = 32;  // bytes whose copy takes as long as a short run
  share_out(runs.runs(), runs.runs() * std::max(length, kRunCost), bytes_per_task(),
            [&](size_t begin, size_t end) {
              for_each_inner(runs, begin, end, [&](const std::array<size_t, 2>& offset) {
                copy_bytes(dst + offset[0], src + offset[1], length);
              });
            });
}

void copy_in_index_order(const TensorView& dst, const TensorView& src, const Memory& memory) {
  const IndexOrder to(dst, memory), from(src, memory);
  parallel_for(dst.shape.count(), grain_of(1, 2 * bytes_per_task()),
               [&](size_t begin, size_t end) { copy_range(to, from, begin, end); });
}

}  // namespace tputwin::fast
