// The plan of a group: slices, rows, buffers and their addresses in a lane.
#include "bmnet/groups/group_schedule.h"

#include <algorithm>

namespace tputwin::net {
namespace {

Span part_of(int64_t extent, int index, int parts) {
  return {extent * index / parts, extent * (index + 1) / parts};
}

class Planner {
 public:
  Planner(std::vector<const TiledKernel*> kernels, const std::set<std::string>& stored,
          const Cut& cut, const LocalMemory& memory)
      : memory_(memory), kernels_(kernels), steps_(static_cast<int>(kernels.size())) {
    schedule_.kernels = std::move(kernels);
    schedule_.cut = cut;
    find_tensors(stored);
  }

  std::optional<GroupSchedule> schedule() {
    if (!make_slices() || !find_rows()) return std::nullopt;
    make_buffers();
    if (!allocate_all()) return std::nullopt;
    return std::move(schedule_);
  }

 private:
  int tensor_of(const View& view) {
    for (size_t i = 0; i < schedule_.tensors.size(); ++i)
      if (schedule_.tensors[i].view == view) return static_cast<int>(i);
    schedule_.tensors.push_back({view});
    return static_cast<int>(schedule_.tensors.size()) - 1;
  }

  void find_tensors(const std::set<std::string>& stored) {
    for (int k = 0; k < steps_; ++k) {
      KernelOperands step;
      for (const View& v : kernels_[static_cast<size_t>(k)]->inputs)
        step.inputs.push_back(tensor_of(v));
      step.output = tensor_of(kernels_[static_cast<size_t>(k)]->output);
      GroupTensor& out = tensor(step.output);
      out.producer = k;
      out.is_stored = stored.count(out.view.tensor) != 0;
      schedule_.steps.push_back(std::move(step));
    }
  }

  GroupTensor& tensor(int i) { return schedule_.tensors[static_cast<size_t>(i)]; }
  const TiledKernel& kernel(int k) const { return *kernels_[static_cast<size_t>(k)]; }

  // ---- Slices ----

  bool make_slices() {
    Cut& cut = schedule_.cut;
    const int64_t samples = kernel(0).output.e.n, all = kernel(0).output.e.c;
    for (const TiledKernel* k : kernels_)
      if (k->output.e.n != samples || (cut.row_slices > 1 && !k->can_split_rows())) return false;
    for (const GroupTensor& t : schedule_.tensors)
      if (t.is_stored && t.view.e.h < cut.row_slices) return false;
    const bool by_channel = cut.channels != 0 && cut.channels < all;
    if (by_channel && (steps_ != 1 || !kernel(0).can_split_channels())) return false;
    const int64_t channels = by_channel ? cut.channels : all;
    if (channels > memory_.most_channels && !kernel(0).output.is_matrix) return false;
    for (int64_t c = 0; c < all; c += channels)
      for (int64_t n = 0; n < samples; n += cut.samples)
        for (int r = 0; r < cut.row_slices; ++r)
          schedule_.slices.push_back(
              {{n, std::min(n + cut.samples, samples)}, {c, std::min(c + channels, all)}, r});
    return true;
  }

  // Computes which rows of each tensor a row slice holds, backwards from the stored rows.
  bool find_rows() {
    for (int r = 0; r < schedule_.cut.row_slices; ++r)
      if (!find_rows_of_slice(r)) return false;
    return true;
  }

  bool find_rows_of_slice(int r) {
    const int parts = schedule_.cut.row_slices;
    for (GroupTensor& t : schedule_.tensors) {
      t.stored.push_back(t.is_stored ? part_of(t.view.e.h, r, parts) : Span{});
      t.held.push_back(parts == 1 ? Span{0, t.view.e.h} : t.stored.back());
    }
    for (int k = steps_ - 1; k >= 0; --k) {
      const KernelOperands& step = schedule_.steps[static_cast<size_t>(k)];
      for (size_t i = 0; i < step.inputs.size(); ++i) {
        Span& held = tensor(step.inputs[i]).held.back();
        held = join(held, kernel(k).input_rows(i, tensor(step.output).held.back()));
      }
    }
    for (int k = 0; k < steps_; ++k) {
      const KernelOperands& step = schedule_.steps[static_cast<size_t>(k)];
      const Span out = tensor(step.output).held.back();
      for (size_t i = 0; i < step.inputs.size(); ++i)
        if (!kernel(k).accepts_rows(i, out, tensor(step.inputs[i]).held.back())) return false;
    }
    return std::all_of(schedule_.tensors.begin(), schedule_.tensors.end(),
                       [this](const GroupTensor& t) {
                         return t.held.back().count() > 0 &&
                                (t.held.back().count() <= memory_.most_rows || t.view.is_matrix);
                       });
  }

  // ---- Buffers ----

  int add(LocalBuffer buffer) {
    schedule_.buffers.push_back(std::move(buffer));
    return static_cast<int>(schedule_.buffers.size()) - 1;
  }
  LocalBuffer& buffer(int i) { return schedule_.buffers[static_cast<size_t>(i)]; }
  int lead() const { return schedule_.cut.has_overlap ? 1 : 0; }
  int weights_lead() const { return schedule_.cut.has_overlap ? schedule_.cut.weights_ahead : 0; }

  // Returns a version for each slice. It grows by one where `key` differs from that of the slice
  // before.
  template <class Key>
  std::vector<int> versions(Key key) const {
    std::vector<int> v(schedule_.slices.size(), 0);
    for (size_t s = 1; s < v.size(); ++s)
      v[s] = v[s - 1] + (key(schedule_.slices[s]) == key(schedule_.slices[s - 1]) ? 0 : 1);
    return v;
  }
  std::vector<int> every_slice() const {
    std::vector<int> v(schedule_.slices.size());
    for (size_t s = 0; s < v.size(); ++s) v[s] = static_cast<int>(s);
    return v;
  }

  int64_t largest(const GroupTensor& t) const {
    int64_t bytes = 0;
    for (size_t s = 0; s < schedule_.slices.size(); ++s)
      bytes = std::max(bytes,
                       memory_.tensor_bytes(t.view, schedule_.extents_in(t, static_cast<int>(s))));
    return bytes;
  }

  void make_buffers() {
    for (int k = 0; k < steps_; ++k) {
      KernelOperands& step = schedule_.steps[static_cast<size_t>(k)];
      for (int i : step.inputs) need_input(i, k);
      make_output(step, k);
      make_weights(step, k);
      const TiledKernel& kern = kernel(k);
      int64_t scratch = 0;
      for (size_t s = 0; s < schedule_.slices.size(); ++s)
        scratch = std::max(scratch, kern.scratch_bytes(schedule_.extents_in(tensor(step.output),
                                                                            static_cast<int>(s))));
      if (scratch == 0) continue;
      step.scratch =
          add({LocalBuffer::Kind::scratch, kern.layer + " scratch", scratch, k, k, every_slice()});
      if (kern.is_scratch_above()) buffer(step.scratch).base = tensor(step.output).buffer;
    }
  }

  void need_input(int index, int k) {
    GroupTensor& t = tensor(index);
    const int begin = k - (t.view.is_constant ? weights_lead() : lead());
    if (t.buffer < 0)
      t.buffer =
          add({LocalBuffer::Kind::input, t.view.tensor, largest(t), begin, k,
               versions([&](const Slice& s) {
                 // With pads of several rows, two slices may begin at the same row and end
                 // at different rows.
                 const Span rows = t.held[static_cast<size_t>(s.row_slice)];
                 return std::tuple(t.view.e.n == 1 ? 0 : s.samples.begin, rows.begin, rows.end);
               })});
    buffer(t.buffer).last = std::max(buffer(t.buffer).last, k);
  }

  void make_output(KernelOperands& step, int k) {
    GroupTensor& out = tensor(step.output);
    const int end = out.is_stored ? k + lead() : k;
    if (int shared = in_place(step, k); shared >= 0) {
      out.buffer = shared;
      buffer(shared).last = std::max(buffer(shared).last, end);
      buffer(shared).bytes = std::max(buffer(shared).bytes, largest(out));
      return;
    }
    out.buffer =
        add({LocalBuffer::Kind::value, out.view.tensor, largest(out), k, end, every_slice()});
  }

  // Returns the buffer of the input that the output overwrites; -1 if there is none.
  int in_place(const KernelOperands& step, int k) {
    const int which = kernel(k).in_place_input();
    if (which < 0) return -1;
    const int index = step.inputs[static_cast<size_t>(which)];
    const GroupTensor& in = tensor(index);
    const GroupTensor& out = tensor(step.output);
    if (std::count(step.inputs.begin(), step.inputs.end(), index) != 1 || in.held != out.held ||
        in.view.is_matrix != out.view.is_matrix || in.view.e != out.view.e)
      return -1;
    for (int later = k + 1; later < steps_; ++later)
      for (int i : schedule_.steps[static_cast<size_t>(later)].inputs)
        if (i == index) return -1;
    if (in.is_stored && in.producer + lead() >= k) return -1;
    // The output must not overwrite contents that several slices use, nor a result that is read
    // later.
    const LocalBuffer& i = buffer(in.buffer);
    if (schedule_.slices.size() > 1 && i.version != every_slice()) return -1;
    for (const GroupTensor& other : schedule_.tensors)
      if (&other != &in && other.buffer == in.buffer && is_read_after(other, k)) return -1;
    return in.buffer;
  }

  bool is_read_after(const GroupTensor& t, int k) const {
    for (int later = k; later < steps_; ++later)
      for (int i : schedule_.steps[static_cast<size_t>(later)].inputs)
        if (&schedule_.tensors[static_cast<size_t>(i)] == &t) return true;
    return false;
  }

  void make_weights(KernelOperands& step, int k) {
    const TiledKernel& kern = kernel(k);
    for (size_t i = 0; i < kern.weights.size(); ++i) {
      const Weight& w = kern.weights[i];
      int64_t bytes = 0;
      const bool is_split = steps_ == 1 && kern.can_split_channels() && w.by_channel;
      for (const Slice& s : schedule_.slices)
        bytes = std::max(bytes, memory_.weight_bytes(w, is_split ? s.channels : Span{0, w.e.c}));
      auto version = is_split ? versions([](const Slice& s) { return s.channels.begin; })
                     : schedule_.cut.is_resident ? std::vector<int>(schedule_.slices.size(), 0)
                                                 : every_slice();
      step.weights.push_back(
          add({LocalBuffer::Kind::weight, kern.layer + (i == 0 ? " weight" : " bias"), bytes,
               k - weights_lead(), k, std::move(version)}));
      if (w.resident) place_resident(buffer(step.weights.back()), w, is_split);
    }
  }

  // Sets the address of constants that stay in local memory; one for each range of channels.
  void place_resident(LocalBuffer& i, const Weight& w, bool is_split) const {
    if (!is_split) i.version.assign(schedule_.slices.size(), 0);
    for (size_t s = 0; s < schedule_.slices.size(); ++s) {
      if (s > 0 && i.version[s] == i.version[s - 1]) continue;
      const int64_t before =
          is_split ? memory_.weight_bytes(w, {0, schedule_.slices[s].channels.begin}) : 0;
      i.address.push_back(*w.resident + static_cast<uint32_t>(before));
    }
  }

  // ---- Addresses ----

  uint64_t all_steps() const { return steps_ >= 64 ? ~uint64_t{0} : (uint64_t{1} << steps_) - 1; }

  // Returns a mask of the steps, modulo K, in which a copy of the buffer is in use.
  uint64_t steps_of(const LocalBuffer& i, int copies) const {
    const bool stays = i.outlives_a_slice() && schedule_.slices.size() > 1;
    if (stays || copies > 1) return all_steps();
    uint64_t mask = 0;
    for (int t = i.first; t <= i.last; ++t) {
      if (schedule_.slices.size() == 1 && (t < 0 || t >= steps_)) continue;
      mask |= uint64_t{1} << ((t + steps_) % steps_);
    }
    return mask == 0 ? 1 : mask;
  }

  int copies_of(const LocalBuffer& i) const {
    if (i.is_constant()) return 1;
    return (i.last - i.first + steps_) / steps_;
  }

  struct Placed {
    uint32_t begin, end;
    uint64_t steps;
  };

  bool allocate_all() {
    if (steps_ > 64) return false;
    std::vector<int> order(schedule_.buffers.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::vector<bool> is_base(order.size(), false);
    for (const LocalBuffer& i : schedule_.buffers)
      if (i.base >= 0) is_base[static_cast<size_t>(i.base)] = true;
    // Allocates results with scratch above them first, then the other buffers; each by falling
    // size.
    auto rank = [&](int i) {
      return std::tuple(is_base[static_cast<size_t>(i)] ? 0 : 1, -buffer(i).bytes, i);
    };
    std::sort(order.begin(), order.end(), [&](int a, int b) { return rank(a) < rank(b); });
    std::vector<Placed> placed;
    for (int i : order)
      if (!allocate(buffer(i), placed)) return false;
    for (const Placed& p : placed)
      schedule_.peak_bytes = std::max<int64_t>(schedule_.peak_bytes, p.end);
    return true;
  }

  bool allocate(LocalBuffer& i, std::vector<Placed>& placed) {
    if (!i.address.empty()) return true;  // resident
    const int copies = copies_of(i);
    const uint64_t steps = steps_of(i, copies);
    uint32_t lowest = 0;
    if (i.base >= 0)
      for (uint32_t a : buffer(i.base).address)
        lowest = std::max(lowest, a + static_cast<uint32_t>(buffer(i.base).bytes));
    for (int c = 0; c < copies; ++c) {
      std::optional<uint32_t> at = first_fit(i.bytes, lowest, steps, placed);
      if (!at) return false;
      i.address.push_back(*at);
      placed.push_back(
          {*at, *at + static_cast<uint32_t>(align_up_to(i.bytes, memory_.unit_bytes)), steps});
    }
    return true;
  }

  std::optional<uint32_t> first_fit(int64_t bytes, uint32_t lowest, uint64_t steps,
                                    const std::vector<Placed>& placed) const {
    if (bytes > memory_.lane_bytes) return std::nullopt;
    std::vector<uint32_t> candidates = {
        static_cast<uint32_t>(align_up_to(lowest, memory_.unit_bytes))};
    for (const Placed& p : placed)
      if ((p.steps & steps) != 0 && p.end >= lowest) candidates.push_back(p.end);
    std::sort(candidates.begin(), candidates.end());
    for (uint32_t at : candidates) {
      const int64_t end = at + align_up_to(bytes, memory_.unit_bytes);
      if (end > memory_.lane_bytes) return std::nullopt;
      const bool is_free = std::none_of(placed.begin(), placed.end(), [&](const Placed& p) {
        return (p.steps & steps) != 0 && p.begin < end && at < p.end;
      });
      if (is_free) return at;
    }
    return std::nullopt;
  }

  const LocalMemory& memory_;
  std::vector<const TiledKernel*> kernels_;
  int steps_;
  GroupSchedule schedule_;
};

}  // namespace

Extents GroupSchedule::extents_in(const GroupTensor& t, int index) const {
  const Slice& s = slices[static_cast<size_t>(index)];
  Extents e = t.view.e;
  // One sample may serve all of the result.
  if (e.n != 1) e.n = s.samples.count();
  if (t.producer >= 0 && kernels.size() == 1) e.c = s.channels.count();
  if (!t.view.is_matrix) e.h = t.held[static_cast<size_t>(s.row_slice)].count();
  return e;
}

std::optional<GroupSchedule> schedule_group(std::vector<const TiledKernel*> kernels,
                                            const std::set<std::string>& stored, const Cut& cut,
                                            const LocalMemory& memory) {
  return Planner(std::move(kernels), stored, cut, memory).schedule();
}

}  // namespace tputwin::net
