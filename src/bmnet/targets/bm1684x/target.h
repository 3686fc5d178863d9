// The targets with command streams: the chip, its lanes, and views of operands. The BM1684X is one;
// the BM1684 shares its kernels and replaces commands (bmnet/targets/bm1684).
#pragma once

#include <memory>

#include "base/error.h"
#include "bmnet/lowering/tile.h"
#include "chip/family.h"
#include "numerics/rounding.h"
#include "ops/contract/source.h"
#include "ops/elementwise/float_function.h"
#include "ops/elementwise/select.h"
#include "ops/instruction.h"

namespace tputwin::net::bm1684x {

using tputwin::Source;  // not the files of a net

class StreamProgram;
struct FunctionNeeds;
struct ScalarStep;
class BytePacking;

// A chip as a target: kernels describe their work by operations of the BM1684X, and the target
// turns them into its commands.
class Target {
 public:
  explicit Target(const Chip& chip) : chip(chip) {}
  virtual ~Target() = default;

  virtual const LocalMemory& memory() const = 0;
  // Returns the offset of global memory from which weights are stored.
  virtual uint64_t first_weight() const = 0;
  // Returns the input channels that are next to each other in the weights of a convolution.
  virtual uint32_t weight_group(DType type) const = 0;
  // Returns the operations that one command of the chip executes each.
  virtual Result<std::vector<Operation>> commands_of(const Operation& op) const = 0;
  // Returns what a function of the kernel library needs, and emits it: see call_function().
  virtual FunctionNeeds needs_of(FloatFunction::Kind kind) const = 0;
  virtual void call(StreamProgram& program, FloatFunction function, const Extents& e,
                    uint32_t work) const = 0;
  // Returns how nets of bytes are packed; nullptr if bytes are elements.
  virtual const BytePacking* packing() const { return nullptr; }
  // Returns true if constants that all samples of a group read may stay in lanes.
  virtual bool keeps_constants() const { return true; }
  // Returns true if the tensor engine exchanges channels and columns. If not, transfers between
  // lanes do.
  virtual bool transposes() const = 0;
  // Returns the page of the compiler, which errors name.
  virtual std::string_view document() const { return "docs/compiler168x.md"; }
  // Returns true if nets can have this type.
  virtual bool has_type(DType type) const = 0;
  // Returns true if the chip has commands for a step.
  virtual bool has_step(const ScalarStep& step) const = 0;
  // Returns the work tensors that round() and choose_if_equal() need.
  virtual size_t work_of_steps() const { return 0; }
  // Emits to = from as whole numbers. The two may be the same. Work tensors begin at `work`.
  virtual void round(StreamProgram& program, const TensorView& to, const TensorView& from,
                     Rounding rounding, uint32_t work) const = 0;
  // Emits a choice that compares with a constant by `equal_value`. `if_false` may be `out`.
  virtual void choose_if_equal(StreamProgram& program, const Select& op, uint32_t work) const = 0;

  const Chip& chip;
};

const Target& bm1684x_target();
// Returns the target that this thread compiles for: the BM1684X unless a ScopedTarget exists.
const Target& target();
class ScopedTarget {
 public:
  explicit ScopedTarget(const Target& target);
  ~ScopedTarget();
  ScopedTarget(const ScopedTarget&) = delete;
  ScopedTarget& operator=(const ScopedTarget&) = delete;

 private:
  const Target* const before_;
};

inline const Chip& chip() { return target().chip; }
inline const LocalMemory& local_memory() { return target().memory(); }

// The lanes of a chip whose tensors start at multiples of the units of a lane.
class StreamLanes final : public LocalMemory {
 public:
  using LocalMemory::LocalMemory;
  int64_t tensor_bytes(const View& view, const Extents& tile) const override;
  int64_t weight_bytes(const Weight& weight, Span channels) const override;
};

// Returns lanes of the target with fewer bytes.
std::unique_ptr<LocalMemory> local_memory_of(uint32_t lane_bytes);

// Views of local memory. An address is an offset in lane 0.
TensorView aligned(uint32_t address, const Extents& e, DType type);
TensorView compact(uint32_t address, const Extents& e, DType type);
// One element per channel, in the compact layout, as a view that repeats it over `e`.
TensorView per_channel(uint32_t address, const Extents& e, DType type);
inline TensorView view_of(const Local& local, DType type) {
  return aligned(local.address, local.e, type);
}
// A tensor in global memory; strides count elements.
struct ElementSteps {
  uint64_t n, c, h, w;
};
TensorView global(uint64_t address, const Extents& e, DType type, const ElementSteps& steps);

// Returns the same bytes as elements of another type of the same size.
inline TensorView retyped(TensorView view, DType type) {
  view.dtype = type;
  return view;
}

Shape shape_of(const Extents& e);
// A number as an element of a floating-point type.
Source number(float value, DType type);

}  // namespace tputwin::net::bm1684x
