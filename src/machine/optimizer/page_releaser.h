// PageReleaser: releases pages of global memory that only elided loads of one plan read. While
// kernels hold the bytes of these pages packed and unchanged, no run reads them there.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "chip/chip.h"
#include "machine/optimizer/packed_bytes.h"
#include "machine/optimizer/released_pages.h"
#include "memory/global_range.h"

namespace tputwin {

class PageReleaser {
 public:
  // `used_by_elided` are the ranges of global memory that elided loads read, `used_by_others` those
  // that all other instructions touch.
  PageReleaser(const std::shared_ptr<ReleasedPages>& pages, std::vector<GlobalRange> used_by_elided,
               std::vector<GlobalRange> used_by_others)
      : pages_(pages),
        used_by_elided_(std::move(used_by_elided)),
        used_by_others_(std::move(used_by_others)) {}
  PageReleaser(const PageReleaser&) = delete;
  // Restores the pages that are still released. The kernels that hold their bytes must still exist.
  ~PageReleaser();

  // Restores the pages that a run reads or writes. The pages that elided loads read are restored
  // only if `with_elided_loads` is true.
  void restore_for_run(bool with_elided_loads) const;
  // Releases pages. `add_packed` adds the constants that are packed and unchanged.
  void release(const Chip& chip, GlobalMemory& global,
               const std::function<void(PackedBytes&)>& add_packed);
  uint64_t released_bytes() const;

 private:
  // The pointer is weak, because the device may be destroyed before the plan.
  std::weak_ptr<ReleasedPages> pages_;
  std::vector<GlobalRange> used_by_elided_, used_by_others_;
};

}  // namespace tputwin
