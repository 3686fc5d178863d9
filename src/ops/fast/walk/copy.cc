#include "ops/fast/walk/copy.h"

#include <algorithm>

#include "base/parallel.h"

namespace tputwin::fast {
namespace {

// The runs of one view in index order, by number.
class IndexOrder {
 public:
  IndexOrder(const TensorView& view, const Memory& memory) : view_(view), memory_(memory) {
    const Shape& s = view.shape;
    const Stride& stride = view.stride;
    // channels of local tensors lie in different lanes
    local_ = view.space == Space::local;
    runs_ = merge_runs<1>({{{s.w, {1}},
                            {s.h, {stride.h}},
                            {local_ ? 1 : s.c, {stride.c}},
                            {local_ ? 1 : s.n, {stride.n}}}});
  }
  size_t length() const { return runs_.length; }
  uint8_t* run(uint64_t index) const {
    uint64_t k = index % runs_.count[2];
    index /= runs_.count[2];
    uint64_t j = index % runs_.count[1];
    index /= runs_.count[1];
    uint64_t i = index % runs_.count[0], plane = index / runs_.count[0];
    uint32_t n = local_ ? static_cast<uint32_t>(plane / view_.shape.c) : 0;
    uint32_t c = local_ ? static_cast<uint32_t>(plane % view_.shape.c) : 0;
    return memory_.byte(view_, n, c, 0, 0) + i * runs_.step[0][0] + j * runs_.step[1][0] +
           k * runs_.step[2][0];
  }

 private:
  const TensorView& view_;
  const Memory& memory_;
  Runs<1> runs_;
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

void copy_runs_in_parallel(const Runs<2>& runs, uint8_t* dst, const uint8_t* src) {
  if (runs.bytes() < 2 * kCopyBytesPerTask) return copy_runs(runs, dst, src);
  const size_t count = runs.count[0] * runs.count[1] * runs.count[2];
  if (count == 1)
    return parallel_for(runs.length, kCopyBytesPerTask, [&](size_t begin, size_t end) {
      std::memcpy(dst + begin, src + begin, end - begin);
    });
  parallel_for(count, std::max<size_t>(1, kCopyBytesPerTask / runs.length),
               [&](size_t begin, size_t end) {
                 for (size_t index = begin; index < end; ++index) {
                   size_t k = index % runs.count[2], rest = index / runs.count[2];
                   size_t j = rest % runs.count[1], i = rest / runs.count[1];
                   auto offset = [&](size_t operand) {
                     return i * runs.step[0][operand] + j * runs.step[1][operand] +
                            k * runs.step[2][operand];
                   };
                   copy_bytes(dst + offset(0), src + offset(1), runs.length);
                 }
               });
}

void copy_in_index_order(const TensorView& dst, const TensorView& src, const Memory& memory) {
  const IndexOrder to(dst, memory), from(src, memory);
  parallel_for(dst.shape.count(), 2 * kCopyBytesPerTask,
               [&](size_t begin, size_t end) { copy_range(to, from, begin, end); });
}

}  // namespace tputwin::fast
