// MemoryState: the memories of a device and what it knows about their bytes. Its parts share it;
// users of a device go through DeviceMemories.
#pragma once

#include <memory>

#include "chip/chip.h"
#include "machine/optimizer/deferred_loads.h"
#include "machine/optimizer/released_pages.h"
#include "memory/memory.h"
#include "memory/write_clock.h"
#include "ops/fast/gemm/run/deferred_sums.h"

namespace tputwin {

struct SystemMemories {
  std::unique_ptr<GlobalMemory> global, l2, dtcm;  // nullptr if the chip has no such memory
};

struct MemoryState {
  MemoryState(const Chip& chip, SystemMemories memories)
      : local(chip),
        system(std::move(memories)),
        clock(system.global->size()),
        pages(std::make_shared<ReleasedPages>()),
        deferred_loads(chip, view(), *pages) {}
  MemoryState(const MemoryState&) = delete;

  // Returns the memories without making deferred bytes current.
  Memory view() { return {local, *system.global, system.l2.get(), system.dtcm.get()}; }

  // Adds the deferred sums of issued instructions to their results.
  void finish_sums() {
    if (!sums.empty()) sums.finish(view());
  }
  // Makes all bytes current: deferred sums and loads execute, and released pages come back.
  void settle() {
    finish_sums();
    deferred_loads.execute();
    pages->restore_all();
  }

  LocalMemory local;
  SystemMemories system;
  WriteClock clock;                      // of global memory
  std::shared_ptr<ReleasedPages> pages;  // of global memory
  DeferredLoads deferred_loads;          // by the last plan
  fast::DeferredSums sums;               // of issued instructions
  // True if the host may read local memory at any time. No run defers loads then.
  bool is_local_taken = false;
  // True if the host may also write local memory at any time. Each issued operation finishes at
  // once then.
  bool is_local_exposed = false;
};

}  // namespace tputwin
