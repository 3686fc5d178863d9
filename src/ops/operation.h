// Operation: any one of the machine's operations, with dispatch to its contract and kernels.
#pragma once

#include <string>
#include <variant>

#include "ops/contract/arithmetic.h"
#include "ops/contract/attributes.h"
#include "ops/cpu_call.h"
#include "ops/operation_headers.h"  // made by src/ops/CMakeLists.txt of the rows of operations.def

namespace tputwin {

// The rows of operations.def, and an operator of the host.
using AnyOperation = std::variant<
#define TW_ROW(Type, ...) Type,
#include "ops/operations.def"
#undef TW_ROW
    CpuCall>;

// operation.cc defines copy, move and destruction, so they are compiled once. With this many
// alternatives each instantiation takes seconds.
struct Operation : AnyOperation {
  using AnyOperation::AnyOperation;
  Operation();
  Operation(const Operation&);
  Operation(Operation&&) noexcept;
  Operation& operator=(const Operation&);
  Operation& operator=(Operation&&) noexcept;
  ~Operation();
};

// Dispatch to the alternative held. CpuCall has no operands, no footprint and no kernel here: the
// device passes it to its CPU operator host.
std::string_view name(const Operation&);
Engine engine(const Operation&);
Arithmetic arithmetic(const Operation&);
// Returns true if chips of the family have the operation. No chip has one of the host.
bool is_of(ChipFamily family, const Operation&);
void attributes(const Operation&, AttributeSink&);
OperandList operands(const Operation&);
Status check(const Operation&, const Chip&);
Footprint footprint(const Operation&, const Chip&);
Cost cost(const Operation&, const Chip&);

// Checks that operands are inside local memory, inside `global_bytes` of global memory, or inside
// the other system memories of the chip.
Status check_bounds(const Operation&, const Chip&, uint64_t global_bytes);

// Returns name, operands and attributes in a line: "conv ofmap=i8(1,3,4,4)@... rshift 3".
std::string describe(const Operation&);

// Executes the operation. reference: the kernel that defines the result. automatic: the fastest
// kernel for the operands; each is tested bit for bit against the reference.
enum class KernelChoice : uint8_t { automatic, reference };
void execute(const Operation&, const Memory&, KernelChoice kernel_choice = KernelChoice::automatic);
// Returns true if a fast kernel executed the operation. Returns false if none covers the operands
// on the instruction set in use.
bool execute_fast(const Operation&, const Memory&);

}  // namespace tputwin
