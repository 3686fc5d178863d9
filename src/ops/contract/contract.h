// What every operation says about itself besides its result: operands, footprint, cost.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "chip/chip.h"
#include "memory/memory.h"
#include "memory/tensor_view.h"

namespace tputwin {

class AttributeSink;

enum class Engine : uint8_t { compute, cpu, dma };  // BD, CPU, GDMA in BM1880 terms
std::string_view to_string(Engine engine);

enum class Access : uint8_t { read, write, read_write };

struct Operand {
  std::string_view name;  // as the vendor's parameter struct calls it
  const TensorView* view = nullptr;
  // read_write: the old value is read as old_value() says.
  Access access = Access::read;
};

// What is read where a read_write operand is written: values of its own type; 8-bit results of the
// BM1880, whose view names a high plane, are added to 16-bit old values.
constexpr TensorView old_value(TensorView view) {
  if (element_bytes(view.dtype) == 1 && view.plane_stride != 0)
    view.dtype = make_dtype(is_signed(view.dtype), /*is_8bit=*/false);
  return view;
}

// The operands of one operation, at most ten; made for every instruction, hence no allocation.
class OperandList {
 public:
  OperandList() = default;
  OperandList(std::initializer_list<Operand> list) {
    for (const Operand& operand : list) push_back(operand);
  }
  // Throws std::out_of_range when all places are taken: no operation of the chips has more
  // operands.
  void push_back(const Operand& operand) {
    items_.at(size_) = operand;
    ++size_;
  }
  const Operand* begin() const { return items_.data(); }
  const Operand* end() const { return items_.data() + size_; }
  size_t size() const { return size_; }
  const Operand& operator[](size_t index) const { return items_[index]; }

 private:
  std::array<Operand, 10> items_{};
  size_t size_ = 0;
};

// Half-open byte range: offsets inside a lane, or offsets of global memory (lane = 0).
struct ByteRange {
  Space space;
  uint32_t lane;
  uint64_t begin, end;
  bool operator==(const ByteRange&) const = default;
};

// Bytes an instruction may read and may write. A superset of what it touches, disjoint from
// everything it does not; ranges are sorted and merged.
struct Footprint {
  std::vector<ByteRange> reads, writes;
};

// The ranges of all elements of a view (both planes of 16-bit values), appended to `ranges`.
void add_ranges(const TensorView& view, const Chip& chip, std::vector<ByteRange>& ranges);
// The same for a matrix, without its padding columns.
void add_ranges(const MatrixView& matrix, const Chip& chip, std::vector<ByteRange>& ranges);
void sort_and_merge(std::vector<ByteRange>& ranges);
// Views that have bytes in common without being the same.
bool overlap_in_part(const TensorView& a, const TensorView& b, const Chip& chip);
// What most operations touch: every element of every operand.
Footprint footprint_of(const OperandList& operands, const Chip& chip);

// Unless an operation says more exactly what it touches.
template <class Op>
Footprint footprint(const Op& op, const Chip& chip) {
  return footprint_of(operands(op), chip);
}

// Predicted price of one instruction; docs/timing.md derives every number.
struct Cost {
  uint64_t compute_cycles = 0;   // arithmetic at full rate
  uint64_t conflict_cycles = 0;  // operands that share a bank
  uint64_t setup_cycles = 0;     // fixed price of a command
  uint64_t macs = 0;             // multiply-accumulates (or element operations)
  uint64_t local_bytes = 0;      // bytes read and written in local memory
  uint64_t global_bytes = 0;     // bytes that cross the global memory bus
  uint64_t cycles() const { return compute_cycles + conflict_cycles + setup_cycles; }
};

// What the file of an operation defines; footprint() only where footprint_of() is not exact.
// attributes() tells what the operation is besides its operands (ops/contract/attributes.h).
#define TW_OPERATION(Type)                      \
  std::string_view name(const Type&);           \
  void attributes(const Type&, AttributeSink&); \
  OperandList operands(const Type&);            \
  Status check(const Type&, const Chip&);       \
  Cost cost(const Type&, const Chip&);          \
  void execute(const Type&, const Memory&)

// check(op, chip) of every operation, and of the Operation that holds it, looks at every documented
// rule that concerns the operation itself. It returns the first violation of level error, else the
// first of level warning; the caller books it with Diagnostics::report, which fails the call or
// counts the warning. After check() and check_bounds() without an error no body can leave memory.

// Checks that all bytes of a view lie inside its lanes, or inside `global_bytes` of global memory.
// The error says how far the view reaches and where its memory ends.
Status check_bounds(const TensorView& view, std::string_view name, const Chip& chip,
                    uint64_t global_bytes);

// The argument that holds the strides of the operand that an address argument begins: "src_stride"
// for "src_addr". Other names are returned as they are.
std::string stride_argument(std::string_view address_argument);

}  // namespace tputwin
