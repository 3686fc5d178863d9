// Restores packed bytes: unpacks them to lanes, then stores them by reversed loads.
#include "machine/optimizer/packed_bytes.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/bits.h"
#include "base/copy_run.h"
#include "machine/optimizer/executable_plan.h"
#include "ops/operation.h"

namespace tputwin {
namespace {

// Largest gap between sources, in bytes, that is bridged by copying. Gaps come from alignment.
constexpr uint64_t kLargestGap = 256;
// Most bytes of a page that may need copying. Pages that need more stay in memory.
constexpr uint64_t kMostRest = 1024;

// Zeros the destination of a load.
void clear(const TensorView& to, const Memory& memory) {
  for (uint32_t n = 0; n < to.shape.n; ++n)
    for (uint32_t c = 0; c < to.shape.c; ++c)
      for (uint32_t h = 0; h < to.shape.h; ++h)
        std::memset(memory.byte(to, n, c, h, 0), 0, to.shape.w);
}

}  // namespace

const DmaTensor* PackedBytes::covered(const Operation& operation) {
  const auto* load = std::get_if<DmaTensor>(&operation);
  if (load == nullptr || load->src.space != Space::global || load->dst.space != Space::local)
    return nullptr;
  const bool has_byte_rows = element_bytes(load->dst.dtype) == 1 && load->dst.pack == 1 &&
                             (load->dst.stride.w == 1 || load->dst.shape.w == 1);
  return has_byte_rows ? load : nullptr;
}

// Reverses a load: returns the bytes from the first byte of its source on, with zeros in gaps.
// Returns nullptr if memory is exhausted.
const uint8_t* PackedBytes::Workshop::take_back(const Load& load) {
  if (taken == nullptr || taken->size() < load.source.bytes) {
    auto reserved = GlobalMemory::reserve(load.source.bytes);
    if (!reserved.ok()) return nullptr;
    taken = std::move(*reserved);
  }
  std::memset(taken->data(), 0, load.source.bytes);
  const DmaTensor& there = *load.operation;
  DmaTensor back{.dst = there.src,
                 .src = there.dst,
                 .transpose_nc = there.transpose_nc,
                 .explicit_strides = true};
  back.dst.address -= load.source.begin;
  const Memory memory{lanes, *taken};
  execute(Operation(back), memory);
  return taken->data();
}

void PackedBytes::unpack(const Unpacked& unpacked, LocalMemory& lanes) const {
  const Memory memory{lanes, global_};
  for (const Load& load : unpacked.loads) clear(load.operation->dst, memory);
  unpacked.body->unpack(memory);
}

void PackedBytes::add(const fast::PreparedBody& body, std::span<const DmaTensor* const> loads) {
  Unpacked unpacked;
  for (const DmaTensor* load : loads) unpacked.loads.push_back({load, extent_in_global(load->src)});
  for (const Load& load : unpacked.loads) all_.push_back(load.source);
  unpacked.body = dynamic_cast<const fast::Unpacking*>(&body);
  if (loads.empty() || unpacked.body == nullptr) return;
  if (trials_ == nullptr) trials_ = std::make_unique<Workshop>(chip_);
  unpack(unpacked, trials_->lanes);
  for (Load& load : unpacked.loads) {
    const uint8_t* taken = trials_->take_back(load);
    const uint8_t* there = global_.data() + load.source.begin;
    load.comes_back = taken != nullptr && std::memcmp(taken, there, load.source.bytes) == 0;
    if (load.comes_back) certain_.push_back(load.source);
  }
  unpacked_.push_back(std::move(unpacked));
}

// Returns the ranges of a page that unpacking does not restore.
std::vector<GlobalRange> PackedBytes::rests_of(const GlobalRange& page) const {
  std::vector<GlobalRange> rests;
  uint64_t at = page.begin;
  auto next = std::ranges::upper_bound(certain_, at, {}, &GlobalRange::end);
  for (; at < page.end(); ++next) {
    const uint64_t until =
        next == certain_.end() ? page.end() : std::clamp(next->begin, at, page.end());
    if (until != at) rests.push_back({at, until - at});
    if (next == certain_.end()) break;
    at = next->end();
  }
  return rests;
}

std::vector<GlobalRange> PackedBytes::pages(std::span<const GlobalRange> others) {
  trials_.reset();
  if (certain_.empty()) return {};
  merge(all_, kLargestGap);
  merge(certain_, 0);
  std::vector<GlobalRange> chosen;
  const uint64_t size = page_bytes();
  for (const GlobalRange& range : all_)
    for (uint64_t begin = align_up(range.begin, size); begin + size <= range.end(); begin += size) {
      const GlobalRange page{begin, size};
      const auto touches = [&](const GlobalRange& other) { return intersect(other, page); };
      if (std::ranges::any_of(others, touches)) continue;
      const auto rests = rests_of(page);
      uint64_t bytes = 0;
      for (const GlobalRange& rest : rests) bytes += rest.bytes;
      if (bytes > kMostRest) continue;
      for (const GlobalRange& rest : rests) {
        const uint8_t* first = global_.data() + rest.begin;
        rests_.push_back({rest.begin, {first, first + rest.bytes}});
      }
      chosen.push_back(page);
    }
  merge(chosen, 0);
  chosen.shrink_to_fit();
  pages_ = chosen;
  return chosen;
}

void PackedBytes::fill(const Load& load, Workshop& workshop) const {
  const auto touches = [&](const GlobalRange& pages) { return intersect(pages, load.source); };
  if (!load.comes_back || std::ranges::none_of(pages_, touches)) return;
  const uint8_t* taken = workshop.take_back(load);
  if (taken == nullptr) throw std::bad_alloc();
  for (const GlobalRange& pages : pages_) {
    if (!touches(pages)) continue;
    const uint64_t begin = std::max(pages.begin, load.source.begin);
    const uint64_t end = std::min(pages.end(), load.source.end());
    copy_run(global_.data() + begin, taken + (begin - load.source.begin), end - begin);
  }
}

void PackedBytes::fill() const {
  Workshop workshop(chip_);
  for (const Unpacked& unpacked : unpacked_) {
    unpack(unpacked, workshop.lanes);
    for (const Load& load : unpacked.loads) fill(load, workshop);
  }
  for (const Rest& rest : rests_)
    copy_run(global_.data() + rest.begin, rest.bytes.data(), rest.bytes.size());
}

}  // namespace tputwin
