// Deferred sums: consecutive accumulating fp32 convolutions and products with few terms, onto the
// same results, become one pass over these results.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "memory/memory.h"
#include "ops/fast/gemm/kernels/add_sums.h"
#include "ops/fast/scratch.h"

namespace tputwin {

struct Operation;
struct Conv2dBm1684;
struct MatmulBm1684;

namespace fast {

// The largest number of terms of one sum, and of all deferred sums of a result.
constexpr uint32_t kMaxSumTerms = 16, kMaxDeferredTerms = 64;

// Results as rows that share their left factors, in segments of contiguous fp32 values.
struct SumResults {
  TensorView out;
  // If true, rows are channels, and segments are rows (n, h) of the output. Else rows are n, and
  // segments are channels.
  bool of_convolution = false;
  bool operator==(const SumResults&) const = default;

  uint32_t rows() const { return of_convolution ? out.shape.c : out.shape.n; }
  uint32_t segments() const { return of_convolution ? out.shape.n * out.shape.h : out.shape.c; }
  float* at(const Memory& memory, uint32_t row, uint32_t segment) const {
    return reinterpret_cast<float*>(
        of_convolution ? memory.byte(out, segment / out.shape.h, row, segment % out.shape.h, 0)
                       : memory.byte(out, row, segment, 0, 0));
  }
};

// An accumulating operation, as the sum that it adds to every result.
class SumSource {
 public:
  virtual ~SumSource() = default;
  SumResults results;
  ShortSum sum;
  // Reads the left factors of a term, row by row.
  virtual void read_left(uint32_t term, float* to) const = 0;
  // Returns the right factors of a term for a segment, which are contiguous.
  virtual const uint8_t* right(uint32_t term, uint32_t segment) const = 0;
};
// Returns nullptr for many terms, a bias, or operands with another layout. `op` and `memory` must
// outlive the result.
std::unique_ptr<SumSource> sum_source(const Conv2dBm1684& op, const Memory& memory);
std::unique_ptr<SumSource> sum_source(const MatmulBm1684& op, const Memory& memory);

class DeferredSums {
 public:
  // Returns true if the operation was deferred: its operands are copied, and its results are
  // computed by finish(). That requires that its predecessor here had the same results. If false,
  // sums deferred before may have been finished.
  bool take(const Operation& op, const Memory& memory);
  // Returns true if an operation may touch results whose sums are deferred.
  bool concern(const Operation& op, const LocalMemory& local) const;
  void finish(const Memory& memory);
  bool empty() const { return sums_.empty(); }

 private:
  void begin(const SumResults& results);
  void add(const SumSource& source);
  void finish_rows(const Memory& memory, uint32_t segment, uint32_t column, uint32_t first,
                   uint32_t last) const;
  float sum(uint32_t row, size_t column, float old) const;

  SumResults results_;          // results of the last candidate
  std::vector<ShortSum> sums_;  // with the numbers of their terms here
  // `terms_` counts the deferred terms. `terms_that_fit_` is the largest number that the buffers
  // hold.
  uint32_t terms_ = 0, terms_that_fit_ = 0;
  size_t left_pitch_ = 0, right_pitch_ = 0;
  Scratch left_, right_;
  float *lefts_ = nullptr, *rights_ = nullptr;
};

}  // namespace fast
}  // namespace tputwin
