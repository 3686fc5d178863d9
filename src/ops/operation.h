// Operation: any one of the machine's operations, with dispatch to its contract and body.
#pragma once

#include <string>
#include <variant>

#include "ops/contract/attributes.h"
#include "ops/cpu_call.h"
#include "ops/operation_headers.h"  // made by src/CMakeLists.txt of the rows of operations.def

namespace tputwin {

// The rows of operations.def, and an operator of the host.
using AnyOperation = std::variant<
#define TW_ROW(Type, ...) Type,
#include "ops/operations.def"
#undef TW_ROW
    CpuCall>;

// How an operation is copied, moved and destroyed is compiled once, not wherever one is held: of so
// many alternatives that takes seconds.
struct Operation : AnyOperation {
  using AnyOperation::AnyOperation;
  Operation();
  Operation(const Operation&);
  Operation(Operation&&) noexcept;
  Operation& operator=(const Operation&);
  Operation& operator=(Operation&&) noexcept;
  ~Operation();
};

// Dispatch to the alternative held. CpuCall has no operands, no footprint and no body here: the
// device hands it to its CPU operator host.
std::string_view name(const Operation&);
Engine engine(const Operation&);
void attributes(const Operation&, AttributeSink&);
OperandList operands(const Operation&);
Status check(const Operation&, const Chip&);
Footprint footprint(const Operation&, const Chip&);
Cost cost(const Operation&, const Chip&);

// Operands inside local memory and inside `global_bytes` of global memory.
Status check_bounds(const Operation&, const Chip&, uint64_t global_bytes);

// Name, operands and attributes in a line: "conv ofmap=i8(1,3,4,4)@... rshift 3".
std::string describe(const Operation&);

// Runs the body. reference: the definition. automatic: the fastest body that is proved equal.
enum class Body : uint8_t { automatic, reference };
void execute(const Operation&, const Memory&, Body body = Body::automatic);
// Runs a fast body, if one covers the operands on the instruction set in force.
bool execute_fast(const Operation&, const Memory&);

}  // namespace tputwin
