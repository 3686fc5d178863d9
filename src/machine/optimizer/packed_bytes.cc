// Restores packed bytes: unpacks them to lanes, then stores them by reversed loads.
#include "machine/optimizer/packed_bytes.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/bits.h"
#include "base/copy_run.h"
#include "memory/global_range.h"
#include "ops/operation.h"

namespace tputwin {
namespace {

// kLargestGap is the largest gap between sources, in bytes, that is bridged by copying. Gaps come
// from alignment.
constexpr uint64_t kLargestGap = 256;
// kMostCopied is the largest number of bytes of a page that may be copied. If more bytes of a page
// need copying, the page stays in memory.
constexpr uint64_t kMostCopied = 1024;

// Zeros the destination of a load.
void clear(const TensorView& to, const Memory& memory) {
  for (uint32_t n = 0; n < to.shape.n; ++n)
    for (uint32_t c = 0; c < to.shape.c; ++c)
      for (uint32_t h = 0; h < to.shape.h; ++h)
        std::memset(memory.byte(to, n, c, h, 0), 0, to.shape.w);
}

}  // namespace

const DmaTensor* PackedBytes::reversible_load(const Operation& operation) {
  const auto* load = std::get_if<DmaTensor>(&operation);
  if (load == nullptr || load->src.space != Space::global || load->dst.space != Space::local)
    return nullptr;
  const bool has_byte_rows = element_bytes(load->dst.dtype) == 1 && load->dst.pack == 1 &&
                             (load->dst.stride.w == 1 || load->dst.shape.w == 1);
  return has_byte_rows ? load : nullptr;
}

// Reverses a load: returns the bytes from the first byte of its source on, with zeros in gaps.
// Returns nullptr if memory is exhausted.
const uint8_t* PackedBytes::LoadReverser::reverse(const Load& load) {
  if (reversed == nullptr || reversed->size() < load.source.bytes) {
    auto reserved = GlobalMemory::reserve(load.source.bytes);
    if (!reserved.ok()) return nullptr;
    reversed = std::move(*reserved);
  }
  std::memset(reversed->data(), 0, load.source.bytes);
  const DmaTensor& original = *load.operation;
  DmaTensor back{.dst = original.src,
                 .src = original.dst,
                 .transpose_nc = original.transpose_nc,
                 .explicit_strides = true};
  back.dst.address -= load.source.begin;
  const Memory memory{lanes, *reversed};
  execute(Operation(back), memory);
  return reversed->data();
}

void PackedBytes::unpack(const Unpacked& unpacked, LocalMemory& lanes) const {
  const Memory memory{lanes, global_};
  for (const Load& load : unpacked.loads) clear(load.operation->dst, memory);
  unpacked.kernel->unpack(memory);
}

void PackedBytes::add(const fast::PreparedKernel& kernel, std::span<const DmaTensor* const> loads) {
  Unpacked unpacked;
  for (const DmaTensor* load : loads) unpacked.loads.push_back({load, extent_in_global(load->src)});
  for (const Load& load : unpacked.loads) all_.push_back(load.source);
  unpacked.kernel = dynamic_cast<const fast::Unpacking*>(&kernel);
  if (loads.empty() || unpacked.kernel == nullptr) return;
  if (trial_ == nullptr) trial_ = std::make_unique<LoadReverser>(chip_);
  unpack(unpacked, trial_->lanes);
  for (Load& load : unpacked.loads) {
    const uint8_t* reversed = trial_->reverse(load);
    const uint8_t* there = global_.data() + load.source.begin;
    load.is_restorable =
        reversed != nullptr && std::memcmp(reversed, there, load.source.bytes) == 0;
    if (load.is_restorable) restorable_.push_back(load.source);
  }
  unpacked_.push_back(std::move(unpacked));
}

// Returns the ranges of a page that unpacking does not restore.
std::vector<GlobalRange> PackedBytes::unrestored_parts(const GlobalRange& page) const {
  std::vector<GlobalRange> parts;
  uint64_t at = page.begin;
  auto next = std::ranges::upper_bound(restorable_, at, {}, &GlobalRange::end);
  for (; at < page.end(); ++next) {
    const uint64_t until =
        next == restorable_.end() ? page.end() : std::clamp(next->begin, at, page.end());
    if (until != at) parts.push_back({at, until - at});
    if (next == restorable_.end()) break;
    at = next->end();
  }
  return parts;
}

std::vector<GlobalRange> PackedBytes::pages(std::span<const GlobalRange> others) {
  trial_.reset();
  if (restorable_.empty()) return {};
  merge(all_, kLargestGap);
  merge(restorable_, 0);
  std::vector<GlobalRange> chosen;
  const uint64_t size = page_bytes();
  for (const GlobalRange& range : all_)
    for (uint64_t begin = align_up(range.begin, size); begin + size <= range.end(); begin += size) {
      const GlobalRange page{begin, size};
      const auto touches = [&](const GlobalRange& other) { return intersect(other, page); };
      if (std::ranges::any_of(others, touches)) continue;
      const auto parts = unrestored_parts(page);
      uint64_t bytes = 0;
      for (const GlobalRange& part : parts) bytes += part.bytes;
      if (bytes > kMostCopied) continue;
      for (const GlobalRange& part : parts) {
        const uint8_t* first = global_.data() + part.begin;
        copies_.push_back({part.begin, {first, first + part.bytes}});
      }
      chosen.push_back(page);
    }
  merge(chosen, 0);
  chosen.shrink_to_fit();
  pages_ = chosen;
  return chosen;
}

void PackedBytes::restore(const Load& load, LoadReverser& reverser) const {
  const auto touches = [&](const GlobalRange& pages) { return intersect(pages, load.source); };
  if (!load.is_restorable || std::ranges::none_of(pages_, touches)) return;
  const uint8_t* reversed = reverser.reverse(load);
  if (reversed == nullptr) throw std::bad_alloc();
  for (const GlobalRange& pages : pages_) {
    if (!touches(pages)) continue;
    const uint64_t begin = std::max(pages.begin, load.source.begin);
    const uint64_t end = std::min(pages.end(), load.source.end());
    copy_run(global_.data() + begin, reversed + (begin - load.source.begin), end - begin);
  }
}

void PackedBytes::restore() const {
  LoadReverser reverser(chip_);
  for (const Unpacked& unpacked : unpacked_) {
    unpack(unpacked, reverser.lanes);
    for (const Load& load : unpacked.loads) restore(load, reverser);
  }
  for (const Copied& part : copies_)
    copy_run(global_.data() + part.begin, part.bytes.data(), part.bytes.size());
}

}  // namespace tputwin
