// Element-wise work on tensors of any type, layout and start lane. Kernels see blocks of contiguous
// elements, with constants and broadcasts written out. Use in a fast kernel that is compiled per
// target (fast/unary.cc is an example):
//
//   void AddBlock(const void* operation, const RowBlock& block) {  // in HWY_NAMESPACE
//     ForEachVector(block, [&](size_t i) HWY_ATTR {                // rows-inl.h
//       hn::StoreU(hn::Add(LoadInts(block, 1, i), LoadInts(block, 2, i)), I32(),
//                  block.result<int32_t>() + i);
//     });
//   }
//   ...
//   TW_ROW_KERNEL(add_block, AddBlock)
//
//   Declined words(const IntArithmetic& op, const Memory& memory) {
//     return run_rows({row_result(op.out), row_source(op.a), row_source(op.b)}, memory,
//                     {RowForm::wide, add_block, &op});
//   }
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

#include "memory/memory.h"
#include "ops/contract/source.h"
#include "ops/fast/dispatch/fast_kernel.h"

namespace tputwin::fast {

constexpr size_t kMaxRowOperands = 10;
constexpr size_t kRowBlock = 512;  // elements of a full block
constexpr size_t kRowUnit = 64;    // elements of the longest vector

// The form in which a block holds elements.
enum class RowForm : uint8_t {
  // 32 bits. fp16 and bf16 are widened to fp32, and results rounded to nearest even (float16.h, bit
  // for bit). Integers are sign- or zero-extended, and results keep their low bits. 32-bit elements
  // are not changed.
  wide,
  // Elements without conversion. Rows of dense elements are not copied.
  elements
};

// A tensor, a vector along n, or one value for all elements.
struct RowOperand {
  Source source;
  bool written = false;
  // `valid_bytes` is the number of bytes of a 32-bit element that exist. Other bytes are read as 0
  // and not written.
  uint8_t valid_bytes = 4;
};

inline RowOperand row_result(const TensorView& view) { return {Source::tensor(view), true}; }
inline RowOperand row_source(const TensorView& view) { return {Source::tensor(view)}; }
inline RowOperand row_source(const Source& source) { return {source}; }
// Returns a source whose elements are read as another type of the same size. Constants of the
// BM1684 have no type.
inline RowOperand row_source_as(Source source, DType dtype) {
  source.view.dtype = dtype;
  if (is_16bit(dtype)) source.view.plane_stride = 1;
  return {source};
}
inline RowOperand row_result_as(const TensorView& view, DType dtype) {
  RowOperand operand = row_source_as(Source::tensor(view), dtype);
  operand.written = true;
  return operand;
}

// One source of a block, to be held by value. Element i is element (i & mask) of memory. The mask
// is 0 where one vector of equal elements stands for all.
struct RowSource {
  const uint8_t* at;
  size_t mask;

  template <class T>
  const T* element_address(size_t i) const {
    return reinterpret_cast<const T*>(at) + (i & mask);
  }
  // Loads element i of a row that may begin at any byte.
  template <class T>
  T element(size_t i) const {
    return Memory::load<T>(at + (i & mask) * sizeof(T));
  }
};

// The operands of a kernel: `count` elements of each operand, in the order of the operands. Buffers
// hold whole vectors. From `count` on, sources are 0, constants repeat, and results are not stored.
struct RowBlock {
  std::array<void*, kMaxRowOperands> at;
  size_t count;
  uint32_t lane = 0;  // lane of local memory, if work is by lane
  // `repeats[k]` is true if operand k is a source with one vector for all elements.
  std::array<bool, kMaxRowOperands> repeats{};

  template <class T>
  const T* source(size_t operand) const {
    return static_cast<const T*>(at[operand]);
  }
  RowSource row_source(size_t operand) const {
    return {source<uint8_t>(operand), repeats[operand] ? 0 : ~size_t{0}};
  }
  template <class T>
  T* result(size_t operand = 0) const {
    return static_cast<T*>(at[operand]);
  }

  // load() and store() access elements of rows that may begin at any byte.
  template <class T>
  T load(size_t operand, size_t i) const {
    return Memory::load<T>(source<uint8_t>(operand) + i * sizeof(T));
  }
  template <class T>
  void store(size_t i, T value) const {
    Memory::store(result<uint8_t>() + i * sizeof(T), value);
  }
};
using RowKernel = void (*)(const void* operation, const RowBlock& block);

// Defines a kernel of HWY_NAMESPACE as a function of the instruction set in force.
#define TW_ROW_KERNEL(name, Kernel)                         \
  HWY_EXPORT(Kernel);                                       \
  void name(const void* operation, const RowBlock& block) { \
    HWY_DYNAMIC_DISPATCH(Kernel)(operation, block);         \
  }

struct RowWork {
  RowForm form;
  RowKernel kernel;
  const void* operation;
  // `weight` is the cost of computing one element, in units of the cost of moving it.
  uint64_t weight = 1;
  // True if a block must have elements of one lane of local memory only, the lane of the result.
  bool by_lane = false;
  // True if the kernel reads its sources as RowSource, and repeated ones as one vector.
  bool repeats = false;
  // Copies `operation`, if it does not exist for as long as the operation of the program.
  std::shared_ptr<const void> (*keep)(const void* operation) = nullptr;
};

template <class T>
std::shared_ptr<const void> keep_copy(const void* operation) {
  return std::make_shared<const T>(*static_cast<const T*>(operation));
}

// Runs a kernel over all elements, on several threads, each in the floating-point mode of fp32. The
// first operand must be a result; others may be results, too. The old value of a result is a source
// with its view. Declines if an operand is no tensor in local memory, or if a result overlaps
// itself or a source in part.
Declined run_rows(std::initializer_list<RowOperand> operands, const Memory& memory,
                  const RowWork& work);
// Returns why run_rows() would decline, or nullptr.
Declined rows_decline(std::initializer_list<RowOperand> operands, const Memory& memory);
// Runs like run_rows(), for callers that know that elements can be computed in any order. Tensors
// may be in global memory, too.
void run_free_rows(std::span<const RowOperand> operands, const Memory& memory, const RowWork& work);

}  // namespace tputwin::fast
