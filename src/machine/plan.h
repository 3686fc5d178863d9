// Plan: a program that runs again and again on one device, with what its runs have in common done
// once: rules checked, bodies chosen and bound, constants packed. Constants are operands that the
// program loads from global memory and that stay the same while nobody writes there; loads that
// only they need are left out of later runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "machine/pending_loads.h"
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

// From the first to behind the last byte of a view.
GlobalRange extent_in_global(const TensorView& view);

inline const TensorView& result_of(const Operation& op) { return *operands(op)[0].view; }

class Plan {
 public:
  explicit Plan(std::vector<Instruction> program) : program_(std::move(program)) {}
  Plan(const Plan&) = delete;
  ~Plan();

  std::span<const Instruction> program() const { return program_; }

  // How the next run would go: instructions with bodies of their own, loads that may be left out,
  // those of them that are owed to lanes then, and what bodies absorbed. For tests and reports.
  struct Extent {
    size_t instructions = 0, prepared = 0, packed = 0, spare_loads = 0, owed_loads = 0;
    // Absorbed by bodies: ReLU, residuals, moves of maps; what works on sums of 32 bits.
    size_t floors = 0, sums = 0, moves = 0, endings = 0;
    size_t found_copies = 0;  // bodies that find their input packed by one before them
    // Of global memory, that the system has back.
    uint64_t spare_bytes = 0;
  };
  Extent extent() const;

 private:
  friend class Device;

  // Constants that several instructions use: slices of one layer, for instance.
  struct Constants {
    std::vector<uint32_t> loads;       // instructions that bring them to where they are packed
    std::vector<GlobalRange> sources;  // of each
    uint32_t section = 0;
    bool stale = true;  // in the run under way: has to be packed before it is used
    bool packed = false;
    uint64_t packed_at = 0, looked_at = 0;  // times of the device's clock
  };
  static constexpr uint32_t kNone = UINT32_MAX;
  struct Step {
    std::unique_ptr<fast::PreparedBody> body;  // none: it runs as in any program
    uint32_t constants = kNone;                // that body uses; none: it has none
    bool warns = false;                        // its rules are looked at, and booked, at every run
    bool begins_section = false;
    uint32_t absorbed_by = kNone;     // the step whose body does its work
    bool spare = false;               // a load that only `needed_by` need
    bool outlives = false;            // a spare one whose bytes lie in lanes at the end
    std::vector<uint32_t> needed_by;  // constants
    uint32_t kept_by = kNone;         // absorbed: the constants that hold what it reads
    bool finds_copy = false;          // of its input, which the body of a step before made
    bool absorbed() const { return absorbed_by != kNone; }
  };

  bool is_ready(Device& device);
  bool fits(const Device& device) const;
  // Makes the steps. False: the program can only run instruction by instruction, say because it
  // breaks a rule.
  bool build(Device& device);
  bool check(Device& device);
  void prepare_bodies(Device& device, const Dataflow& flow);
  void share_constants();
  void spare_loads(const Dataflow& flow, const Memory& memory);
  bool can_be_owed(uint32_t load, const Dataflow& flow) const;
  void absorb_sums(const Dataflow& flow, const LocalMemory& local);
  bool is_sum(uint32_t mul, uint32_t body, uint32_t mac, const LocalMemory& local) const;
  void absorb_floors(const Dataflow& flow);
  // The step whose body leaves what a step is said to write; none: it is no body's.
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
  std::vector<Step> steps_;  // of each instruction
  std::vector<Constants> constants_;
  std::vector<GlobalRange> written_;  // by its instructions
  // Spare loads that outlive it. A run leaves out all or none of them.
  std::shared_ptr<PendingLoads::Loads> owed_ = std::make_shared<PendingLoads::Loads>();
  bool may_owe_ = false, owes_ = false;  // in the run under way
  bool warns_ = false;                   // a step does

  // Pages of constants (plan_pages.cc).
  std::weak_ptr<SparePages> pages_;
  std::vector<GlobalRange> used_, used_by_spare_;
  bool was_stale_ = false, tried_pages_ = false;
};

}  // namespace tputwin
