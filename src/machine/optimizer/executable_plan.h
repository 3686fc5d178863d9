// Plan: a program that runs repeatedly on one device. Work common to all runs is done once: rules
// are checked, kernels are chosen and bound, constants are packed. Constants are operands that the
// program loads from global memory and that stay unchanged there. Later runs skip the loads that
// only packed constants need.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "machine/optimizer/deferred_loads.h"
#include "memory/global_range.h"
#include "memory/write_clock.h"
#include "ops/fast/prepared/prepared.h"
#include "ops/instruction.h"

namespace tputwin {

class Device;
class GlobalUse;
class PackedBytes;
class SparePages;
struct Dataflow;

// Returns the range from the first byte of a view to its last byte.
GlobalRange extent_in_global(const TensorView& view);

inline const TensorView& result_of(const Operation& op) { return *operands(op)[0].view; }

class Plan {
 public:
  explicit Plan(std::vector<Instruction> program) : program_(std::move(program)) {}
  Plan(const Plan&) = delete;
  ~Plan();

  std::span<const Instruction> program() const { return program_; }

  // Statistics of the next run, for tests and reports: instructions with prepared kernels, elidable
  // loads, deferred loads among these, and fused instructions.
  struct Extent {
    size_t instructions = 0, prepared = 0, packed = 0, spare_loads = 0, owed_loads = 0;
    // Instructions fused into kernels: ReLU (`floors`), residuals (`sums`), moves of maps, and
    // epilogues on int32 accumulators (`endings`).
    size_t floors = 0, sums = 0, moves = 0, endings = 0;
    // Kernels that reuse the packed input of an earlier kernel.
    size_t found_copies = 0;
    // Bytes of global memory that were returned to the operating system.
    uint64_t spare_bytes = 0;
  };
  Extent extent() const;

 private:
  friend class Device;

  // Constants that one or more instructions use, such as slices of one layer.
  struct Constants {
    // Instructions that load the constants to where they are packed from.
    std::vector<uint32_t> loads;
    std::vector<GlobalRange> sources;  // of each load
    uint32_t section = 0;
    // In the current run: must be packed before use.
    bool stale = true;
    bool packed = false;
    uint64_t packed_at = 0, looked_at = 0;  // times of the device's WriteClock
  };
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Step {
    std::unique_ptr<fast::PreparedBody> body;  // nullptr: runs unprepared
    uint32_t constants = kNone;                // index of constants that `body` uses
    // Checks its rules, and records warnings, at every run.
    bool warns = false;
    bool begins_section = false;
    uint32_t absorbed_by = kNone;     // the step whose kernel does its work
    bool spare = false;               // a load that only `needed_by` needs
    bool outlives = false;            // a spare load whose bytes are live-out
    std::vector<uint32_t> needed_by;  // indices of constants
    // If fused: the constants that hold its operands.
    uint32_t kept_by = kNone;
    // Reuses the input that an earlier kernel packed.
    bool finds_copy = false;
    bool absorbed() const { return absorbed_by != kNone; }
  };

  bool is_ready(Device& device);
  bool fits(const Device& device) const;
  // Makes the steps. Returns false if the program can only run instruction by instruction, for
  // example because it breaks a rule.
  bool build(Device& device);
  bool check(Device& device);
  void prepare_bodies(Device& device, const Dataflow& flow);
  void share_constants();
  void spare_loads(const Dataflow& flow, const Memory& memory);
  bool can_be_owed(uint32_t load, const Dataflow& flow) const;
  void absorb_sums(const Dataflow& flow, const LocalMemory& local);
  bool is_sum(uint32_t mul, uint32_t body, uint32_t mac, const LocalMemory& local) const;
  void absorb_floors(const Dataflow& flow);
  // Returns the step whose kernel writes the result of `step`; nullopt: no prepared kernel does.
  std::optional<uint32_t> body_of(uint32_t step) const;
  void absorb_moves(const Dataflow& flow, Device& device);
  bool bodies_load(uint32_t load, const Dataflow& flow, Device& device, GlobalUse& use);
  bool body_stores(uint32_t store, const Dataflow& flow, Device& device, GlobalUse& use);
  bool is_input(uint32_t load, uint32_t reader, const Dataflow& flow,
                const LocalMemory& local) const;
  bool is_addend(uint32_t load, uint32_t reader, const Dataflow& flow,
                 const LocalMemory& local) const;
  void share_copies(const LocalMemory& local);
  void absorb_endings(const Dataflow& flow, const Chip& chip);
  std::vector<uint32_t> chain_behind(uint32_t first, const Dataflow& flow) const;
  bool stays_inside(const std::vector<uint32_t>& chain, const Dataflow& flow) const;
  bool may_run_at_once(const std::vector<uint32_t>& chain, std::span<const ByteRange> left,
                       const Chip& chip) const;
  std::optional<Constants> constants_of_endings(const std::vector<uint32_t>& chain,
                                                const Dataflow& flow) const;
  std::optional<GlobalRange> constant_source(uint32_t writer) const;
  std::optional<Constants> constants_of(uint32_t instruction, const Dataflow& flow) const;
  bool add_constant(uint32_t writer, Constants& constants) const;
  bool written_by_program(const GlobalRange& range) const;

  void note_use();
  void fill_pages();
  void need_pages(SparePages& pages, bool spare_loads) const;
  bool may_spare_pages() const;
  void spare_pages(Device& device);
  bool is_current(const Constants& constants, const WriteClock& clock) const;
  void add_packed(uint32_t constants, PackedBytes& bytes) const;

  void begin_run(bool may_owe) { was_stale_ = false, may_owe_ = may_owe; }
  void begin_section(const WriteClock& clock, SparePages& pages, uint32_t section);
  bool leaves_out(const Step& step) const;
  void run_prepared(const Step& step, const Memory& memory);

  std::vector<Instruction> program_;
  enum class State : uint8_t { unseen, seen, built, hopeless } state_ = State::unseen;
  const Device* device_ = nullptr;
  uint64_t choices_ = 0;
  std::vector<Step> steps_;  // one per instruction
  std::vector<Constants> constants_;
  std::vector<GlobalRange> written_;  // by instructions of the program
  // Spare loads whose bytes are live-out. A run defers all of them or none.
  std::shared_ptr<PendingLoads::Loads> owed_ = std::make_shared<PendingLoads::Loads>();
  bool may_owe_ = false, owes_ = false;  // in the current run
  bool warns_ = false;                   // true if a step warns

  // Pages of constants (plan_pages.cc).
  std::weak_ptr<SparePages> pages_;
  std::vector<GlobalRange> used_, used_by_spare_;
  bool was_stale_ = false, tried_pages_ = false;
};

}  // namespace tputwin
