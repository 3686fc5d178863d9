// The contract of every operation in addition to its result: operands, footprint, cost.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "chip/chip.h"
#include "memory/memory.h"
#include "memory/tensor_view.h"
#include "ops/contract/window.h"

namespace tputwin {

class AttributeSink;

enum class Engine : uint8_t { compute, cpu, dma };  // BD, CPU, GDMA in BM1880 terms
std::string_view to_string(Engine engine);

enum class Access : uint8_t { read, write, read_write };

struct Operand {
  std::string_view name;  // name in the vendor's parameter struct
  const TensorView* view = nullptr;
  // read_write: the old value is read through old_value().
  Access access = Access::read;
};

// Returns the view that reads the old value of a read_write operand, usually with the operand's
// type. 8-bit results of the BM1880 whose view has a high plane are added to 16-bit old values.
constexpr TensorView old_value(TensorView view) {
  if (element_bytes(view.dtype) == 1 && view.plane_stride != 0)
    view.dtype = make_dtype(is_signed(view.dtype), /*is_8bit=*/false);
  return view;
}

// The operands of one operation, at most ten. Every instruction makes several lists, so a list does
// not allocate, and slots without an operand are not initialized.
class OperandList {
 public:
  OperandList() {}  // NOLINT: `= default` would initialize all slots
  // Inlined: the stores of a literal list would stall the wider loads of a call.
  [[gnu::always_inline]] OperandList(std::initializer_list<Operand> list) {
    for (const Operand& operand : list) push_back(operand);
  }
  OperandList(const OperandList& other) {
    for (const Operand& operand : other) push_back(operand);
  }
  OperandList& operator=(const OperandList& other) {
    if (this == &other) return *this;
    size_ = 0;
    for (const Operand& operand : other) push_back(operand);
    return *this;
  }
  // Throws std::out_of_range if the list is full: no operation of the chips has more operands.
  [[gnu::always_inline]] void push_back(const Operand& operand) {
    if (size_ == kMost) [[unlikely]]
      throw std::out_of_range("OperandList");
    new (&slots_[size_].operand) Operand(operand);
    ++size_;
  }
  const Operand* begin() const { return &slots_[0].operand; }
  const Operand* end() const { return begin() + size_; }
  size_t size() const { return size_; }
  const Operand& operator[](size_t index) const { return slots_[index].operand; }

 private:
  static constexpr size_t kMost = 10;
  union Place {
    Place() {}
    Operand operand;
  };
  static_assert(sizeof(Place) == sizeof(Operand));

  Place slots_[kMost];
  size_t size_ = 0;
};

// Half-open byte range: offsets inside a lane, or offsets of global memory (lane = 0).
struct ByteRange {
  Space space;
  uint32_t lane;
  uint64_t begin, end;
  bool operator==(const ByteRange&) const = default;
};

// Bytes that an instruction may read and may write. They include all bytes that it accesses. Ranges
// are sorted and merged; very fragmented views have wider ranges.
struct Footprint {
  std::vector<ByteRange> reads, writes;
};

// Appends the ranges of all elements of a view (both planes of 16-bit values) to `ranges`.
void add_ranges(const TensorView& view, const Chip& chip, std::vector<ByteRange>& ranges);
// Appends the ranges of a matrix without its padding columns.
void add_ranges(const MatrixView& matrix, const Chip& chip, std::vector<ByteRange>& ranges);
void sort_and_merge(std::vector<ByteRange>& ranges);
// Returns true if two views have bytes in common but are not equal.
bool overlap_in_part(const TensorView& a, const TensorView& b, const Chip& chip);
// Returns the footprint of most operations: every element of every operand.
Footprint footprint_of(const OperandList& operands, const Chip& chip);

// Returns the footprint of an operation with a window: of its input, only the rows and columns that
// the window touches. Inputs of which it touches very many pieces have wider ranges.
// `places_results`: place_in_window() gives the positions of the results.
Footprint footprint_of_window(const OperandList& operands, const TensorView& in,
                              const TensorView& out, const Window& window, bool places_results,
                              const Chip& chip);

// Returns true for operations whose results place_in_window() places (ops/contract/taps.h).
template <class Op>
constexpr bool places_results(const Op&) {
  return false;
}

// Default footprint; an operation with a more exact one overloads it.
template <class Op>
Footprint footprint(const Op& op, const Chip& chip) {
  if constexpr (requires {
                  footprint_of_window(operands(op), op.in, op.out, op.window, true, chip);
                })
    return footprint_of_window(operands(op), op.in, op.out, op.window, places_results(op), chip);
  else
    return footprint_of(operands(op), chip);
}

// Predicted cost of one instruction; docs/timing.md derives every number.
struct Cost {
  uint64_t compute_cycles = 0;   // arithmetic at full rate
  uint64_t conflict_cycles = 0;  // operands that share a bank
  uint64_t setup_cycles = 0;     // fixed cost of a command
  // Multiply-accumulates (or element operations).
  uint64_t macs = 0;
  uint64_t local_bytes = 0;   // bytes read and written in memories of the chip
  uint64_t global_bytes = 0;  // bytes that cross the global memory bus
  uint64_t cycles() const { return compute_cycles + conflict_cycles + setup_cycles; }
};

// Functions that the file of an operation defines. It defines footprint() only if footprint_of() is
// not exact. attributes() lists the values that describe the operation in addition to its operands
// (ops/contract/attributes.h).
#define TW_OPERATION(Type)                      \
  std::string_view name(const Type&);           \
  void attributes(const Type&, AttributeSink&); \
  OperandList operands(const Type&);            \
  Status check(const Type&, const Chip&);       \
  Cost cost(const Type&, const Chip&);          \
  void execute(const Type&, const Memory&)

// check(op, chip) of every operation, and of the Operation that holds it, checks every documented
// rule about the operation itself. It returns the first violation of level error, otherwise the
// first of level warning. The caller passes it to Diagnostics::report, which fails the call or
// counts the warning. After check() and check_bounds() without an error no kernel can leave memory.

// Checks that all bytes of a view are inside its lanes, or inside `global_bytes` of global memory.
// The error states the extent of the view and the end of its memory.
Status check_bounds(const TensorView& view, std::string_view name, const Chip& chip,
                    uint64_t global_bytes);

// Returns the name of the strides argument of an address argument: "src_stride" for "src_addr".
// Other names are returned unchanged.
std::string stride_argument(std::string_view address_argument);

}  // namespace tputwin
