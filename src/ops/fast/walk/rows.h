// Element-wise work on tensors of any type, layout and start: kernels see blocks of elements side
// by side, constants and broadcasts written out. How to use it, in a fast body compiled per target
// (fast/float_arithmetic.cc is an example):
//
//   void AddBlock(const void* operation, const RowBlock& block) {  // in HWY_NAMESPACE
//     ForEachRowVector(block, [&](size_t i) HWY_ATTR {             // typed_rows-inl.h
//       hn::StoreU(hn::Add(LoadInts(block, 1, i), LoadInts(block, 2, i)), RowInts(),
//                  block.result<int32_t>() + i);
//     });
//   }
//   ...
//   HWY_EXPORT(AddBlock);
//   void add_block(const void* op, const RowBlock& b) { HWY_DYNAMIC_DISPATCH(AddBlock)(op, b); }
//
//   bool execute(const IntArithmetic& op, const Memory& memory) {
//     return vectors_enabled() && run_rows({row_result(op.out), row_source(op.a),
//     row_source(op.b)},
//                                          memory, RowLanes::words, add_block, &op);
//   }
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "memory/memory.h"
#include "ops/contract/source.h"

namespace tputwin::fast {

constexpr size_t kMaxRowOperands = 6;
constexpr size_t kRowBlock = 512;  // lanes of a full block
constexpr size_t kRowUnit = 64;    // lanes of the longest vector

// What the lanes of a block hold.
enum class RowLanes : uint8_t {
  // 32 bits: fp16 and bf16 are widened to fp32, results rounded to nearest even (float16.h, bit for
  // bit); integers are extended by their sign or by zeros, of results the low bits are kept; 32-bit
  // elements are left as they are.
  words,
  // The elements as they are; rows of dense elements are not copied.
  elements
};

// A tensor, a vector along n, or one value for all elements.
struct RowOperand {
  Source source;
  bool written = false;
};

inline RowOperand row_result(const TensorView& view) { return {Source::tensor(view), true}; }
inline RowOperand row_source(const TensorView& view) { return {Source::tensor(view)}; }
inline RowOperand row_source(const Source& source) { return {source}; }

// What a kernel works on: `count` lanes of each operand, in the order of the operands. There is
// room for whole vectors; lanes from `count` on are 0 and not stored.
struct RowBlock {
  std::array<void*, kMaxRowOperands> at;
  size_t count;

  template <class T>
  const T* source(size_t operand) const {
    return static_cast<const T*>(at[operand]);
  }
  template <class T>
  T* result(size_t operand = 0) const {
    return static_cast<T*>(at[operand]);
  }
};
using RowKernel = void (*)(const void* operation, const RowBlock& block);

// Runs a kernel over all elements, with threads, each in the number environment of fp32. The first
// operand is a result; others may be too. The old value of a result is a source with its view.
// `weight`: arithmetic steps of one element, in units of what moving it costs. False, and nothing
// done, if an operand is no tensor in lanes, or if a result overlaps itself or a source in part.
bool run_rows(std::initializer_list<RowOperand> operands, const Memory& memory, RowLanes lanes,
              RowKernel kernel, const void* operation, uint64_t weight = 1);

}  // namespace tputwin::fast
