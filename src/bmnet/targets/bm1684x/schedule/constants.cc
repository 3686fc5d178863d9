// The choice and the contents of constants that stay in local memory.
#include "bmnet/targets/bm1684x/schedule/constants.h"

#include <algorithm>
#include <map>

namespace tputwin::net::bm1684x {
namespace {

// Bytes of a lane for all constants, for one of them, and for a transfer. Tables of functions of
// bytes have 256 in every lane: those of EfficientNet-B0 need 17 KiB.
constexpr int64_t kMostBytes = 64 * 1024, kMostOfOne = 1536, kBytesOfPart = 2048;
constexpr int64_t kAlignment = 16;

// Equal constants of kernels.
struct Item {
  std::vector<Weight*> uses;
  int64_t bytes = 0;  // of a lane
  size_t first = 0;   // number of the first use
};

int64_t plane_bytes(const Weight& w) {
  const int64_t bytes = w.e.h * w.e.w * element_bytes(w.type);
  return w.layout == Weight::Layout::aligned ? align_up_to(bytes, chip().eu_bytes) : bytes;
}

// Contents that are equal, at the same positions.
auto key_of(const Weight& w) { return std::tuple(w.layout, w.type, w.e.c, w.e.h, w.e.w, w.bytes); }

std::vector<Item> items_of(const std::vector<KernelPtr>& kernels) {
  std::vector<Item> items;
  std::map<decltype(key_of(Weight{})), size_t> known;
  for (const KernelPtr& kernel : kernels)
    for (Weight& w : kernel->weights) {
      const int64_t bytes = local_memory().weight_bytes(w, {0, w.e.c});
      if (w.layout == Weight::Layout::matrix || w.e.n != 1 || bytes > kMostOfOne) continue;
      const auto [found, is_new] = known.try_emplace(key_of(w), items.size());
      if (is_new)
        items.push_back({.uses = {},
                         .bytes = align_up_to(bytes, w.layout == Weight::Layout::aligned
                                                         ? int64_t{chip().eu_bytes}
                                                         : kAlignment),
                         .first = items.size()});
      items[found->second].uses.push_back(&w);
    }
  return items;
}

// Returns those that save the most transfers for their bytes, in the order of use.
std::vector<Item> best_of(std::vector<Item> items) {
  std::ranges::stable_sort(items, {}, [](const Item& i) {
    return static_cast<double>(i.bytes) / static_cast<double>(i.uses.size());
  });
  int64_t bytes = 0;
  const auto is_beyond = [&](const Item& i) { return (bytes += i.bytes) > kMostBytes; };
  items.erase(std::ranges::find_if(items, is_beyond), items.end());
  std::ranges::sort(items, {}, &Item::first);
  return items;
}

// Writes the planes of all channels at `offset` of their lanes.
void write(const Weight& w, int64_t offset, ResidentConstants& constants) {
  const int64_t source = w.e.h * w.e.w * element_bytes(w.type);
  for (int64_t c = 0; c < w.e.c; ++c)
    std::copy_n(w.bytes.begin() + c * source, source,
                constants.image.begin() + c % chip().lanes * constants.lane_bytes + offset +
                    c / chip().lanes * plane_bytes(w));
}

}  // namespace

uint32_t ResidentConstants::begin() const {
  return chip().lane_bytes - static_cast<uint32_t>(lane_bytes);
}

std::vector<uint8_t> ResidentConstants::contents(const Part& part) const {
  std::vector<uint8_t> bytes;
  for (int64_t lane = 0; lane < chip().lanes; ++lane)
    bytes.insert(bytes.end(), image.begin() + lane * lane_bytes + part.begin,
                 image.begin() + lane * lane_bytes + part.end);
  return bytes;
}

size_t ResidentConstants::parts_of(const std::vector<const TiledKernel*>& kernels) const {
  size_t needed = 0;
  for (const TiledKernel* kernel : kernels)
    for (const Weight& w : kernel->weights)
      for (size_t p = needed; w.resident && p < parts.size(); ++p)
        if (*w.resident >= begin() + parts[p].begin) needed = p + 1;
  return needed;
}

ResidentConstants place_constants(const std::vector<KernelPtr>& kernels) {
  ResidentConstants constants;
  const std::vector<Item> items = best_of(items_of(kernels));
  // Addresses count from the end of the lane on, once all sizes are known.
  std::vector<int64_t> offsets;
  int64_t end = 0;
  for (const Item& item : items) {
    const bool is_aligned = item.uses[0]->layout == Weight::Layout::aligned;
    const int64_t at = is_aligned ? align_up_to(end, chip().eu_bytes) : end;
    if (constants.parts.empty() || at + item.bytes - constants.parts.back().begin > kBytesOfPart)
      constants.parts.push_back({.begin = constants.parts.empty() ? 0 : end, .end = 0});
    offsets.push_back(at);
    end = constants.parts.back().end = at + item.bytes;
  }
  constants.lane_bytes = align_up_to(end, chip().eu_bytes);
  constants.image.resize(static_cast<size_t>(constants.lane_bytes * chip().lanes));
  for (size_t i = 0; i < items.size(); ++i) {
    write(*items[i].uses[0], offsets[i], constants);
    for (Weight* w : items[i].uses)
      w->resident = constants.begin() + static_cast<uint32_t>(offsets[i]);
  }
  return constants;
}

void release_constants(const std::vector<KernelPtr>& kernels) {
  for (const KernelPtr& kernel : kernels)
    for (Weight& w : kernel->weights) w.resident.reset();
}

void load_part(StreamProgram& program, const ResidentConstants& constants,
               const ResidentConstants::Part& part, uint64_t weights) {
  constexpr DType type = DType::f32;
  const int64_t words = (part.end - part.begin) / element_bytes(type);
  const Extents e{1, chip().lanes, 1, words};
  const auto row = static_cast<uint64_t>(words);
  TensorView to = compact(constants.begin() + static_cast<uint32_t>(part.begin), e, type);
  program.add(Copy{.engine = Engine::dma,
                   .dst = to,
                   .src = Source::tensor(
                       global(weights + part.offset, e, type, {row * chip().lanes, row, row, 1}))});
}

}  // namespace tputwin::net::bm1684x
