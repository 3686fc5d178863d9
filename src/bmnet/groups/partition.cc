// Search for the groups of kernels, and for the cut of each group, with the fewest predicted cycles
// of a run. All groups of few kernels are compared. Longer ones are joined from these.
#include "bmnet/groups/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "base/errors/bmnet.h"

namespace tputwin::net {
namespace {

// Returns the numbers of row slices to try, from coarse to fine.
std::vector<int> row_slices(int64_t rows) {
  std::vector<int> counts;
  for (int64_t n :
       {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512})
    if (n <= rows) counts.push_back(static_cast<int>(n));
  if (rows > 1) counts.push_back(static_cast<int>(rows));
  return counts;
}

// Granularity of a cut. grains() lists ever smaller ranges of samples, then of rows.
struct Grain {
  int64_t samples;
  int rows;
};

std::vector<Grain> grains(int64_t samples, int64_t rows) {
  std::vector<Grain> list;
  for (int64_t n = samples;; n = ceil_div(n, 2)) {
    list.push_back({n, 1});
    if (n == 1) break;
  }
  for (int r : row_slices(rows))
    if (r > 1) list.push_back({1, r});
  return list;
}

class Search {
 public:
  Search(std::vector<const TiledKernel*> kernels, std::set<std::string> stored,
         const PartitionOptions& options, Pricer& pricer, uint64_t limit)
      : kernels_(std::move(kernels)),
        stored_(std::move(stored)),
        options_(options),
        has_overlap_(options.has_overlap),
        pricer_(pricer),
        limit_(limit) {}

  // Error of a cut that fits but whose commands were refused; nullopt if there is none.
  const std::optional<Error>& refused() const { return refused_; }

  // True if a cut fits that takes as many cycles as the limit, or more.
  bool is_too_slow() const { return is_too_slow_; }

  // Returns the cheapest cut; nullopt if none fits within the limit. Weights that fill local memory
  // leave no space for those of the successor. Such a layer is computed without overlap.
  std::optional<PricedGroup> run() {
    search();
    if (!best_ && has_overlap_ && kernels_.size() == 1) {
      has_overlap_ = false;
      search();
    }
    return std::move(best_);
  }

 private:
  void search() {
    constexpr int64_t kAny = 1 << 20;
    int64_t rows = kAny;
    for (const TiledKernel* k : kernels_)
      if (stored_.count(k->output.tensor) != 0) rows = std::min(rows, k->output.e.h);
    if (rows == kAny) rows = 1;  // nothing reads the results
    const TiledKernel& first = *kernels_.front();
    const int64_t channels = first.output.e.c;
    const bool by_channel = kernels_.size() == 1 && first.can_split_channels();
    for (int64_t c = channels;;) {
      try_channels(c == channels ? 0 : c, first.output.e.n, rows);
      if (!by_channel || c <= memory().lanes || (best_ && c * 4 < channels)) break;
      c = align_up_to(ceil_div(c, 2), memory().lanes);
      if (c >= channels) c = memory().lanes;
    }
  }

  // Tries the coarsest grain that fits. With overlap, also tries the next two, which overlap
  // better.
  void try_channels(int64_t channels, int64_t samples, int64_t rows) {
    for (bool resident : {true, false}) {
      int fitting = 0;
      for (const Grain& g : grains(samples, rows)) {
        bool fits = false;
        for (const int ahead : leads()) {
          const Cut cut{g.samples, g.rows, channels, resident, has_overlap_, ahead};
          auto schedule = schedule_group(kernels_, stored_, cut, memory());
          if (!schedule) continue;
          consider(std::move(*schedule));
          fits = true;
        }
        if (fits && ++fitting == (has_overlap_ ? options_.cuts : 1)) break;
      }
      // Resident weights fit. Loading them for every slice is never better.
      if (fitting > 0) break;
    }
  }

  // Without weights to load, all leads are the same.
  std::span<const int> leads() const {
    const bool loads = std::ranges::any_of(kernels_, [](const TiledKernel* k) {
      return std::ranges::any_of(k->weights, [](const Weight& w) { return !w.resident; }) ||
             std::ranges::any_of(k->inputs, &View::is_constant);
    });
    return std::span(options_.weights_ahead).first(loads ? options_.weights_ahead.size() : 1);
  }

  void consider(GroupSchedule schedule) {
    auto priced =
        pricer_.price(std::move(schedule), best_ ? std::min(limit_, best_->cycles) : limit_);
    if (!priced.ok()) {
      refused_ = std::move(priced.error());
      return;
    }
    is_too_slow_ = is_too_slow_ || priced->cycles >= limit_;
    if (priced->cycles >= limit_ || (best_ && best_->cycles <= priced->cycles)) return;
    best_ = std::move(*priced);
    const Cut& cut = best_->schedule.cut;
    best_->reason = fmt::format(
        "{} slices: {} samples, 1/{} of the rows, {} channels; weights {}; {} of {} bytes of a "
        "lane",
        best_->schedule.slices.size(), cut.samples, cut.row_slices,
        cut.channels == 0 ? "all" : fmt::format("{}", cut.channels),
        cut.is_resident ? "stay" : "are loaded for each slice", best_->schedule.peak_bytes,
        memory().lane_bytes);
  }

  const LocalMemory& memory() const { return pricer_.memory; }

  std::vector<const TiledKernel*> kernels_;
  std::set<std::string> stored_;
  const PartitionOptions& options_;
  bool has_overlap_;
  Pricer& pricer_;
  const uint64_t limit_;
  bool is_too_slow_ = false;
  std::optional<PricedGroup> best_;
  std::optional<Error> refused_;
};

class Partition {
 public:
  Partition(const std::vector<const TiledKernel*>& kernels, size_t first, const TensorUses& uses,
            const PartitionOptions& options, Pricer& pricer)
      : kernels_(kernels), first_(first), uses_(uses), options_(options), pricer_(pricer) {}

  Result<std::vector<PricedGroup>> run() {
    TW_ASSIGN_OR_RETURN(groups, cheapest());
    if (options_.has_groups && options_.joins) join(groups);
    return groups;
  }

 private:
  // The cheapest way to compute the first kernels.
  struct Best {
    uint64_t cycles = ~uint64_t{0};
    size_t begin = 0;  // of its last group
    std::optional<PricedGroup> group;
  };

  // Returns the cheapest sequence of groups of at most max_kernels. best[j] covers the first j
  // kernels.
  Result<std::vector<PricedGroup>> cheapest() {
    const size_t n = kernels_.size();
    std::vector<Best> best(n + 1);
    best[0].cycles = 0;
    for (size_t i = 0; i < n; ++i) {
      if (best[i].cycles == ~uint64_t{0}) continue;
      const size_t longest = options_.has_groups ? static_cast<size_t>(options_.max_kernels) : 1;
      size_t misses = 0;
      if (single(i).refused) return *single(i).refused;
      if (!single(i).group) return too_large(*kernels_[i]);
      for (size_t j = i + 1; j <= std::min(n, i + longest); ++j) {
        std::optional<PricedGroup> group;
        if (j == i + 1) {
          group = single(i).group;
        } else if (may_group(i, j)) {
          Search search = search_of(i, j, limit_of(best, i, j));
          group = search.run();
          if (!group && search.is_too_slow()) continue;
        }
        // A longer group may fit again if its last layer shrinks the data.
        if (!group && ++misses > 2) break;
        if (!group) continue;
        const uint64_t cycles = best[i].cycles + group->cycles;
        if (cycles < best[j].cycles) best[j] = {cycles, i, std::move(group)};
      }
    }
    std::vector<PricedGroup> groups;
    for (size_t j = n; j > 0; j = best[j].begin) groups.push_back(std::move(*best[j].group));
    std::reverse(groups.begin(), groups.end());
    return groups;
  }

  // Returns the cycles from which on a group of kernels i to j - 1 is not the cheapest. Kernel
  // j - 1 may follow the others alone.
  uint64_t limit_of(const std::vector<Best>& best, size_t i, size_t j) {
    uint64_t least = best[j].cycles;
    if (best[j - 1].cycles != ~uint64_t{0} && single(j - 1).group)
      // The longer group is chosen if both take equally long.
      least = std::min(least, best[j - 1].cycles + single(j - 1).group->cycles + 1);
    if (least == ~uint64_t{0}) return least;
    return least - std::min(least, best[i].cycles);
  }

  // The group of one kernel.
  struct Single {
    std::optional<PricedGroup> group;
    std::optional<Error> refused;  // if there is no group
  };
  const Single& single(size_t k) {
    std::optional<Single>& known = singles_[k];
    if (known) return *known;
    Search search = search_of(k, k + 1, ~uint64_t{0});
    known.emplace();
    known->group = search.run();
    if (!known->group) known->refused = search.refused();
    return *known;
  }

  // Replaces two neighbours by one group where that is cheaper, until none is.
  void join(std::vector<PricedGroup>& groups) const {
    for (size_t begin = 0, i = 0; i + 1 < groups.size();) {
      const size_t own = groups[i].schedule.kernels.size();
      const size_t end = begin + own + groups[i + 1].schedule.kernels.size();
      std::optional<PricedGroup> joined;
      // The search above has priced shorter ones.
      if (end - begin > static_cast<size_t>(options_.max_kernels) && may_group(begin, end))
        joined = search_of(begin, end, groups[i].cycles + groups[i + 1].cycles).run();
      if (joined && joined->cycles < groups[i].cycles + groups[i + 1].cycles) {
        groups[i] = std::move(*joined);
        groups.erase(groups.begin() + static_cast<ptrdiff_t>(i) + 1);
      } else {
        begin += own;
        ++i;
      }
    }
  }

  Search search_of(size_t i, size_t j, uint64_t limit) const {
    return Search(slice(i, j), stored(i, j), options_, pricer_, limit);
  }
  std::vector<const TiledKernel*> slice(size_t i, size_t j) const {
    return {kernels_.begin() + static_cast<ptrdiff_t>(i),
            kernels_.begin() + static_cast<ptrdiff_t>(j)};
  }

  std::set<std::string> stored(size_t i, size_t j) const {
    std::set<std::string> names;
    for (size_t k = i; k < j; ++k)
      if (uses_.is_needed_after(kernels_[k]->output.tensor, first_ + j - 1))
        names.insert(kernels_[k]->output.tensor);
    return names;
  }

  // Returns false if a kernel would read a result of its own group through global memory, under
  // another name or as a part.
  bool may_group(size_t i, size_t j) const {
    for (size_t reader = i + 1; reader < j; ++reader)
      for (const View& in : kernels_[reader]->inputs)
        for (size_t writer = i; writer < reader; ++writer) {
          const View& out = kernels_[writer]->output;
          if (in == out) continue;
          if (uses_.storage(in.tensor) == uses_.storage(out.tensor)) return false;
        }
    return true;
  }

  int64_t row_bytes(const View& view) const {
    return memory().tensor_bytes(view, {1, view.e.c, 1, view.e.w});
  }

  Error too_large(const TiledKernel& k) const {
    int64_t weights = 0;
    for (const Weight& w : k.weights)
      weights += memory().weight_bytes(
          w, {0, k.can_split_channels() ? std::min<int64_t>(memory().lanes, w.e.c) : w.e.c});
    const Extents &in = k.inputs[0].e, &out = k.output.e;
    return Error(errors::net_local_memory)
        .in("layer " + k.layer)
        .argument("input", fmt::format("({},{},{},{})", in.n, in.c, in.h, in.w))
        .detail(fmt::format(
            "a lane of {} bytes must hold {} of weights, {} of a row of the input, {} of a row of "
            "the output ({},{},{},{}), and what is computed between them; divide the layer in the "
            "net, or make its rows shorter",
            memory().lane_bytes, weights, row_bytes(k.inputs[0]), row_bytes(k.output), out.n, out.c,
            out.h, out.w));
  }

  const LocalMemory& memory() const { return pricer_.memory; }

  const std::vector<const TiledKernel*>& kernels_;
  size_t first_;
  const TensorUses& uses_;
  const PartitionOptions& options_;
  Pricer& pricer_;
  std::map<size_t, std::optional<Single>> singles_;
};

}  // namespace

Result<std::vector<PricedGroup>> partition(const std::vector<const TiledKernel*>& kernels,
                                           size_t first, const TensorUses& uses,
                                           const PartitionOptions& options, Pricer& pricer) {
  return Partition(kernels, first, uses, options, pricer).run();
}

}  // namespace tputwin::net
