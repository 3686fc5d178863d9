// Two devices on which the same programs run, one of them with plans.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "machine/planned_program.h"
#include "machine/programs.h"
#include "selftest/fill_operands.h"
#include "selftest/rng.h"

namespace tputwin::test {

// Two devices with the same programs and changes; one of them has plans.
class PlanPair {
 public:
  // Global memory, and the part of it that holds constants.
  struct Regions {
    uint64_t bytes, constants, constant_bytes;
    const Chip* chip = &bm1880();
  };
  PlanPair(testing::Rng& rng, const Regions& regions) : rng_(rng), regions_(regions) {
    for (Side& side : sides_) {
      side.device = make_device(
          {.chip = regions.chip, .global_bytes = regions.bytes, .plans = &side == sides_.data()});
      testing::Rng same = rng;
      // Kernels test for bytes above 127.
      const uint8_t bits = same.chance(1, 3) ? 0x7f : 0xff;
      testing::fill_random(same, {write(side, 0, regions.bytes), regions.bytes}, bits);
      side.device->set_cpu_host([this, &side](const CpuCall&, Device&) {
        change(side, host_seed_ + side.calls++);
        return Status();
      });
    }
    rng.next();
  }

  void add(std::vector<Instruction> program) {
    for (Side& side : sides_) side.plans.push_back(std::make_unique<PlannedProgram>(program));
  }
  // Returns all programs, one instruction per line.
  std::string text() const {
    std::string text;
    for (size_t i = 0; i < programs(); ++i)
      for (const Instruction& instruction : sides_[0].plans[i]->instructions())
        text += fmt::format("program {}: {}\n", i, describe(instruction.op));
    return text;
  }
  size_t programs() const { return sides_[0].plans.size(); }
  // Makes the same change on both devices.
  void change_something() {
    const uint64_t seed = rng_.next();
    for (Side& side : sides_) change(side, seed);
  }
  // Runs a program; returns "" if all bytes are equal afterwards. With Look::little it compares
  // only some global memory.
  enum class Look : uint8_t { everywhere, little };
  std::string run(size_t program, Look look = Look::everywhere) {
    host_seed_ = rng_.next();
    for (Side& side : sides_) {
      side.calls = 0;
      const Status status = side.device->run(*side.plans[program]);
      if (!status.ok()) return status.error().message();
    }
    return difference(look);
  }
  // Adds the extents of all programs' plans.
  void add_statistics(PlanStatistics& sum) const {
    for (const auto& plan : sides_[0].plans) {
      const PlanStatistics statistics = plan->statistics();
      sum.packed += statistics.packed;
      sum.elided_loads += statistics.elided_loads;
      sum.deferred_loads += statistics.deferred_loads;
      sum.fused_relus += statistics.fused_relus;
      sum.fused_residuals += statistics.fused_residuals;
      sum.fused_moves += statistics.fused_moves;
      sum.fused_products += statistics.fused_products;
      sum.prepared += statistics.prepared;
      sum.shared_inputs += statistics.shared_inputs;
      sum.chained += statistics.chained;
      sum.fused_epilogues += statistics.fused_epilogues;
      sum.released_bytes += statistics.released_bytes;
    }
  }

 private:
  struct Side {
    std::unique_ptr<Device> device;
    std::vector<std::unique_ptr<PlannedProgram>> plans;
    uint64_t calls = 0;
  };

  static uint8_t* write(Side& side, uint64_t address, uint64_t bytes) {
    return side.device->memories().prepare_write(address, bytes);
  }

  // Changes constants, inputs, local memory, or nothing.
  void change(Side& side, uint64_t seed) const {
    testing::Rng rng(seed);
    const uint64_t bytes = rng.range(1, 5000);
    switch (rng.below(4)) {
      case 0: {
        const uint64_t address = regions_.constants + rng.below(regions_.constant_bytes - bytes);
        return testing::fill_random(rng, {write(side, address, bytes), bytes});
      }
      case 1: {
        const uint64_t address = rng.below(regions_.bytes - bytes);
        return testing::fill_random(rng, {write(side, address, bytes), bytes});
      }
      case 2: {
        LocalMemory& local = side.device->memories().take_local();
        return testing::fill_random(
            rng, local.host_bytes().subspan(rng.below(local.size() - bytes), bytes));
      }
      default:
        return;
    }
  }

  std::string difference(Look look) {
    Device &a = *sides_[0].device, &b = *sides_[1].device;
    const auto differ = [](const char* name, const uint8_t* x, const uint8_t* y, uint64_t bytes) {
      if (std::memcmp(x, y, bytes) == 0) return std::string();
      return fmt::format("{} memory differs from byte {:#x} on", name,
                         std::mismatch(x, x + bytes, y).first - x);
    };
    if (look == Look::little)
      return differ("global", a.memories().prepare_read(0, kLittle),
                    b.memories().prepare_read(0, kLittle), kLittle);
    const std::string local = differ("local", a.memories().read_local().host_bytes().data(),
                                     b.memories().read_local().host_bytes().data(),
                                     a.memories().read_local().host_bytes().size());
    if (!local.empty()) return local;
    return differ("global", a.memories().read_global().data(), b.memories().read_global().data(),
                  regions_.bytes);
  }

  static constexpr uint64_t kLittle = 4096;

  testing::Rng& rng_;
  const Regions regions_;
  uint64_t host_seed_ = 0;
  std::array<Side, 2> sides_;
};

}  // namespace tputwin::test
