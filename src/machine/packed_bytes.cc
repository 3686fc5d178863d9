// What was loaded and packed, unpacked and stored again.
#include "machine/packed_bytes.h"

#include <algorithm>
#include <cstring>

#include "base/bits.h"
#include "machine/plan.h"
#include "ops/operation.h"

namespace tputwin {
namespace {

// Compilers align what they place; what lies between is copied.
constexpr uint64_t kLargestGap = 256;
// Bytes of a page that are copied at most: else it stays.
constexpr uint64_t kMostRest = 1024;

// From the page where a range begins to the one where it ends.
GlobalRange pages_around(const GlobalRange& range) {
  const uint64_t begin = range.begin / page_bytes() * page_bytes();
  return {begin, align_up(range.end(), page_bytes()) - begin};
}

// Zeros where a load writes.
void clear(const TensorView& to, const Memory& memory) {
  for (uint32_t n = 0; n < to.shape.n; ++n)
    for (uint32_t c = 0; c < to.shape.c; ++c)
      for (uint32_t h = 0; h < to.shape.h; ++h)
        std::memset(memory.byte(to, n, c, h, 0), 0, to.shape.w);
}

// From lanes to where the load took it.
void store_back(const DmaTensor& load, const Memory& memory) {
  execute(Operation(DmaTensor{.dst = load.src,
                              .src = load.dst,
                              .transpose_nc = load.transpose_nc,
                              .explicit_strides = true}),
          memory);
}

}  // namespace

// Where there is no room for trials, all pages stay.
bool PackedBytes::can_try() {
  if (stored_ != nullptr) return true;
  auto stored = GlobalMemory::reserve(global_.size());
  if (!stored.ok()) return false;
  lanes_ = std::make_unique<LocalMemory>(chip_);
  stored_ = std::move(stored.value());
  return true;
}

const DmaTensor* PackedBytes::covered(const Operation& operation) {
  const auto* load = std::get_if<DmaTensor>(&operation);
  if (load == nullptr || load->src.space != Space::global || load->dst.space != Space::local)
    return nullptr;
  const bool has_byte_rows = element_bytes(load->dst.dtype) == 1 && load->dst.pack == 1 &&
                             (load->dst.stride.w == 1 || load->dst.shape.w == 1);
  return has_byte_rows ? load : nullptr;
}

void PackedBytes::unpack(const Unpacked& unpacked, const Memory& memory) {
  for (const Load& load : unpacked.loads) clear(load.operation->dst, memory);
  unpacked.body->unpack(memory);
}

void PackedBytes::add(const fast::PreparedBody& body, std::span<const DmaTensor* const> loads) {
  Unpacked unpacked;
  for (const DmaTensor* load : loads) unpacked.loads.push_back({load, extent_in_global(load->src)});
  for (const Load& load : unpacked.loads) all_.push_back(load.source);
  const auto* packed = dynamic_cast<const fast::Unpacking*>(&body);
  if (loads.empty() || packed == nullptr || !can_try()) return;
  unpacked.body = packed;
  const Memory trial{*lanes_, *stored_};
  unpack(unpacked, trial);
  for (Load& load : unpacked.loads) {
    store_back(*load.operation, trial);
    const auto [begin, bytes] = load.source;
    load.comes_back = std::memcmp(stored_->data() + begin, global_.data() + begin, bytes) == 0;
    if (load.comes_back) certain_.push_back(load.source);
    give_back(*stored_, pages_around(load.source));
  }
  unpacked_.push_back(std::move(unpacked));
}

// The bytes of a page that do not come back.
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
  lanes_.reset(), stored_.reset();
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
  return chosen;
}

void PackedBytes::fill() const {
  LocalMemory lanes(chip_);
  const Memory memory{lanes, global_};
  for (const Unpacked& unpacked : unpacked_) {
    unpack(unpacked, memory);
    for (const Load& load : unpacked.loads)
      if (load.comes_back) store_back(*load.operation, memory);
  }
  for (const Rest& rest : rests_)
    std::memcpy(global_.data() + rest.begin, rest.bytes.data(), rest.bytes.size());
}

}  // namespace tputwin
