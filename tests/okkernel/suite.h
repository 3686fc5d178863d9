// A description of an OKKernel function: its operands, its call and its formula. The suite runs
// every description in all layouts, at several starts and channel counts, and compares every byte
// under test with the model's.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "okkernel/machine.h"
#include "selftest/rng.h"

namespace tputwin::okktest {

using testing::Rng;

// A tensor in local memory, or in the global memory under test.
struct Tensor {
  bool system = false;
  int npu = 0;          // start NPU
  uint32_t offset = 0;  // bytes, inside each NPU or the memory under test
  int bytes = 4;        // of an element
  bool is_signed = false;
  int pack = 1;             // elements of different n in one cell
  dim4 shape{1, 1, 1, 1};   // of elements
  dim4 stride{0, 0, 0, 0};  // in cells
  bool passed = false;      // otherwise the strides are NULL

  unsigned long long address() const;
  const dim4* strides() const { return passed ? &stride : nullptr; }
  // Returns the offset of an element's first byte in the image.
  size_t at(int n, int c, int h, int w) const;
  // Bytes from offset on, in an NPU or in system memory.
  uint32_t extent() const;
  int64_t read(const Image& image, int n, int c, int h, int w) const;
  void write(Image& image, int n, int c, int h, int w, int64_t value) const;
};

// Arguments that are no tensors.
struct Constants {
  x32 c{}, select{};
  op_type_t op_type{};
  mul_type_t mul_type{};
  int rshift = 0, lshift = 0, series = 0;
  bool flag = false;
  unsigned constant_operands = 0;  // of the full selects: bit i means operand i is a constant
};

struct Case {
  dim4 shape;
  std::vector<Tensor> t;  // the destination first
  Constants k;

  unsigned long long address(int i) const { return t[i].address(); }
  const dim4* strides(int i) const { return t[i].strides(); }
};

// Draws the raw bits of an element.
using Draw = uint32_t (*)(Rng&);
uint32_t any_bits(Rng& rng);
uint32_t any_f32(Rng& rng);       // ordinary numbers, mixed with special ones
uint32_t ordinary_f32(Rng& rng);  // of moderate size
uint32_t exp_f32(Rng& rng);       // in [-80, 80]

struct Operand {
  bool system = false;
  int bytes = 4;
  bool is_signed = false;
  int pack = 1;
  Draw draw = any_bits;
  // The layout: the row's variants; always 128-byte aligned; always compact, channels at 4-byte
  // boundaries; (1, C, 1, 1), compact.
  enum class Layout { any, aligned, compact, per_channel } layout = Layout::any;
  bool work = false;
};

// Values of one element: the destination's before the call, and the sources'.
struct Element {
  int64_t old;
  std::vector<int64_t> src;
  const Constants& k;
};
using Formula = std::function<int64_t(const Element&)>;
// Executes the call on an image.
using Model = std::function<void(const Case&, Image&)>;

struct Row {
  std::string function;
  std::vector<Operand> operands;
  std::function<void(const Case&)> call;
  Model model;
  std::vector<Constants> constants{Constants{}};
  bool any_start = true;  // or NPU 0 only
  bool w_strides = true;  // or 1 only
  bool in_place = true;   // the destination may be a source of its type
};

// Returns a model that computes the destination by the formula; operands 1 to `sources` are its
// arguments. Later operands are work tensors, whose final values `work` defines.
Model element_wise(size_t sources, Formula result, std::vector<Formula> work = {});

// Visits every (n, c, h, w).
template <class Visit>
void for_each(const dim4& s, Visit visit) {
  for (int n = 0; n < s.n; n++)
    for (int c = 0; c < s.c; c++)
      for (int h = 0; h < s.h; h++)
        for (int w = 0; w < s.w; w++) visit(n, c, h, w);
}

// All descriptions.
const std::vector<Row>& rows();
void add_gdma_rows(std::vector<Row>& rows);
void add_fp32_rows(std::vector<Row>& rows);
void add_bitwise_rows(std::vector<Row>& rows);
void add_fixed_point_rows(std::vector<Row>& rows);

// Runs `call` on noise that contains the operands' data, and compares with the model.
void check(const std::string& function, const Case& c, const std::vector<Draw>& draws,
           const std::function<void()>& call, const std::function<void(Image&)>& model);

// Layout helpers of the tests that build their cases by hand.
dim4 aligned_stride(const Tensor& tensor);
dim4 dense_stride(const Tensor& tensor);
// Assigns addresses to tensors one after another, with gaps between them.
class Allocator {
 public:
  explicit Allocator(uint32_t first = 256) : local_(first), system_(first) {}
  void put(Tensor& tensor);

 private:
  uint32_t local_, system_;
};

}  // namespace tputwin::okktest
