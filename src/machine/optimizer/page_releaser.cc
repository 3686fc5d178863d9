// Releases pages of constants to the operating system, and restores them for runs.
#include "machine/optimizer/page_releaser.h"

#include "base/heap.h"

namespace tputwin {

PageReleaser::~PageReleaser() {
  if (const auto pages = pages_.lock()) pages->restore_those_of(this);
}

void PageReleaser::restore_for_run(bool with_elided_loads) const {
  const auto pages = pages_.lock();
  if (pages == nullptr || !pages->any()) return;
  for (const GlobalRange& range : used_by_others_) pages->restore(range);
  if (!with_elided_loads) return;
  for (const GlobalRange& range : used_by_elided_) pages->restore(range);
}

void PageReleaser::release(const Chip& chip, GlobalMemory& global,
                           const std::function<void(PackedBytes&)>& add_packed) {
  const auto pages = pages_.lock();
  if (pages == nullptr) return;
  pages->release(global, [&]() -> ReleasedPages::PageGroup {
    const auto bytes = std::make_shared<PackedBytes>(chip, global);
    add_packed(*bytes);
    auto chosen = bytes->pages(used_by_others_);
    return {this, std::move(chosen), [bytes] { bytes->restore(); }};
  });
  give_back_heap();  // memory that building the plan and packing used
}

uint64_t PageReleaser::released_bytes() const {
  const auto pages = pages_.lock();
  return pages == nullptr ? 0 : pages->bytes_of(this);
}

}  // namespace tputwin
