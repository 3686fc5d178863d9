// Results that are owed their sums: accumulating convolutions and products of fp32 with few terms,
// one after another onto the same results, become one pass over these.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "memory/memory.h"
#include "ops/fast/gemm/add_sums.h"
#include "ops/fast/scratch.h"

namespace tputwin {

struct Operation;
struct Conv2dBm1684;
struct MatmulBm1684;

namespace fast {

// Terms of a sum, at most, and of all sums that are owed to a result.
constexpr uint32_t kMaxSumTerms = 16, kMaxOwedTerms = 64;

// Results as rows that have the same left factors, in segments of words that lie side by side.
struct SumResults {
  TensorView out;
  bool of_convolution = false;  // rows are channels and segments (n, h); else n, and channels
  bool operator==(const SumResults&) const = default;

  uint32_t rows() const { return of_convolution ? out.shape.c : out.shape.n; }
  uint32_t segments() const { return of_convolution ? out.shape.n * out.shape.h : out.shape.c; }
  float* at(const Memory& memory, uint32_t row, uint32_t segment) const {
    return reinterpret_cast<float*>(
        of_convolution ? memory.byte(out, segment / out.shape.h, row, segment % out.shape.h, 0)
                       : memory.byte(out, row, segment, 0, 0));
  }
};

// An accumulating operation: what it adds to every result.
class SumSource {
 public:
  virtual ~SumSource() = default;
  SumResults results;
  ShortSum sum;
  // The left factors of a term, row by row.
  virtual void read_left(uint32_t term, float* to) const = 0;
  // The right factors of a term for a segment, side by side.
  virtual const uint8_t* right(uint32_t term, uint32_t segment) const = 0;
};
// nullptr: many terms, a bias, or operands that do not lie like that. For as long as both live.
std::unique_ptr<SumSource> sum_source(const Conv2dBm1684& op, const Memory& memory);
std::unique_ptr<SumSource> sum_source(const MatmulBm1684& op, const Memory& memory);

class PendingSums {
 public:
  // Whether the operation was taken: its operands are copied, and its results are owed. Only if
  // its predecessor here had the same results. If false, what is owed may have been finished.
  bool take(const Operation& op, const Memory& memory);
  // Whether an operation may touch what is owed.
  bool concern(const Operation& op, const LocalMemory& local) const;
  void finish(const Memory& memory);
  bool empty() const { return sums_.empty(); }

 private:
  void begin(const SumResults& results);
  void add(const SumSource& source);
  void finish_rows(const Memory& memory, uint32_t segment, uint32_t column, uint32_t first,
                   uint32_t last) const;
  float sum(uint32_t row, size_t column, float old) const;

  SumResults results_;             // of the last operation that could have been taken
  std::vector<ShortSum> sums_;     // with the numbers of their terms here
  uint32_t terms_ = 0, room_ = 0;  // owed, and there is room for
  size_t left_pitch_ = 0, right_pitch_ = 0;
  Scratch left_, right_;
  float *lefts_ = nullptr, *rights_ = nullptr;
};

}  // namespace fast
}  // namespace tputwin
