// Search for the layers that a net leaves to the host in floats.
#include "bmnet/calibrate/leave_to_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bmnet/calibrate/compare_tensors.h"
#include "bmnet/calibrate/shared_thresholds.h"
#include "bmnet/reference/execute.h"

namespace tputwin::net {
namespace {

using Blobs = std::map<std::string, Blob>;

// Trials that try to put single layers back.
constexpr int kMostPutBack = 12;

// A layer on the host interrupts the TPU and converts its tensors. That counts as so many
// operations, about a millisecond.
constexpr int64_t kCallOperations = 1'000'000;

int64_t cost_of(const LeftLayer& layer) { return layer.operations + kCallOperations; }

// Returns the products, sums and comparisons of a layer; its values if it has none.
int64_t operations_of(const TensorOp& op) {
  const int64_t values = count(op.output_shape(0));
  if (is(op, Op::inner_product)) return count(op.input_shape(0)) * op.output_shape(0).dim(1);
  if (is(op, Op::convolution)) {
    const Window2d w = convolution_window(op);
    return values * w.kernel_h * w.kernel_w * extents(op.input_shape(0)).c /
           op.tg_convolution_param().group();
  }
  if (!is(op, Op::pooling)) return values;
  const Window2d w = pooling_window(op);
  return values * w.kernel_h * w.kernel_w;
}

class Search {
 public:
  explicit Search(const HostSearchTask& task) : task_(task) {}

  Result<HostSearch> run() {
    result_.wanted = task_.wanted;
    TW_ASSIGN_OR_RETURN(executor, FloatExecutor::create(task_.network));
    executor_ = std::move(executor);
    TW_ASSIGN_OR_RETURN(int8, task_.make({}));
    TW_RETURN_IF_ERROR(find_layers(int8));
    TW_RETURN_IF_ERROR(measure_harm(int8));
    sort_layers();
    TW_ASSIGN_OR_RETURN(plain, trial(0));
    if (plain >= task_.wanted || layers_.empty()) return std::move(result_);
    TW_ASSIGN_OR_RETURN(found, bisect());
    std::vector<LeftLayer> left(layers_.begin(), layers_.begin() + static_cast<ptrdiff_t>(found));
    if (reached_) TW_RETURN_IF_ERROR(put_back(left));
    result_.left = std::move(left);
    return std::move(result_);
  }

 private:
  // ---- Layers and their harm ----

  // A plain ReLU loses nothing that the layer before it has not lost. It goes where that goes.
  static bool is_candidate(const TensorOp& op, const LayerIntegers& integers) {
    if (!can_leave_to_host(op) || is_plain_relu(op) || holds_floats(op, 0)) return false;
    return !has_trait(op, trait::moves_elements) || !integers.multiplier.empty();
  }

  Status find_layers(const Int8Net& int8) {
    TW_ASSIGN_OR_RETURN(integers, resolve(int8.network, int8.table));
    integers_ = std::move(integers);
    std::map<std::string, size_t> index;
    for (size_t i = 0; i < int8.network.ops.size(); ++i) {
      const TensorOp& op = int8.network.ops[i];
      if (!is_candidate(op, integers_[i])) continue;
      const std::string name = task_.layer_of(op);
      if (index.try_emplace(name, layers_.size()).second)
        layers_.push_back({name, op.type(), 0, 1});
      layers_[index.at(name)].operations += operations_of(op);
      result_.all_operations += operations_of(op);
      candidates_.push_back(i);
    }
    for (const size_t i : candidates_)
      rows_.push_back(index.at(task_.layer_of(int8.network.ops[i])));
    return {};
  }

  // Adds the outputs of the float net with one layer in int8 to the layer's fit.
  Status measure_harm(const Int8Net& int8) {
    std::vector<std::map<std::string, Fit>> fits(candidates_.size());
    for (const Blobs& sample : task_.samples) {
      Blobs known;
      TW_ASSIGN_OR_RETURN(outputs, executor_->run(sample, [&](const std::string& name,
                                                              const Blob& b) { known[name] = b; }));
      for (size_t c = 0; c < candidates_.size(); ++c) {
        Blobs changed;
        TW_RETURN_IF_ERROR(run_in_int8(int8, candidates_[c], known, changed));
        TW_ASSIGN_OR_RETURN(results, executor_->rerun(known, std::move(changed)));
        for (const auto& [name, blob] : results)
          fits[c][name].add(outputs.at(name).data, blob.data);
      }
      references_.push_back(std::move(outputs));
    }
    for (size_t c = 0; c < candidates_.size(); ++c)
      for (const auto& [name, fit] : fits[c])
        layers_[rows_[c]].cosine = std::min(layers_[rows_[c]].cosine, fit.cosine());
    return {};
  }

  Status run_in_int8(const Int8Net& int8, size_t index, const Blobs& known, Blobs& changed) const {
    const TensorOp& op = int8.network.ops[index];
    std::map<std::string, TensorBytes> bytes;
    for (int i = 0; i < op.bottom_size(); ++i)
      bytes[op.bottom(i)] =
          to_bytes(known.at(op.bottom(i)), integers_[index].threshold_x[static_cast<size_t>(i)],
                   op.input_shape(i).data_type_size() == sizeof(float));
    TW_RETURN_IF_ERROR(run_int8_layer(int8.network, index, integers_[index], bytes));
    for (int t = 0; t < op.top_size(); ++t) {
      Blob& blob = changed[op.top(t)];
      blob = {dims(op.output_shape(t)), {}};
      for (size_t i = 0; i < bytes.at(op.top(t)).size(); ++i)
        blob.data.push_back(value_at(bytes.at(op.top(t)), i,
                                     integers_[index].threshold_y[static_cast<size_t>(t)], false));
    }
    return {};
  }

  void sort_layers() {
    const auto gain = [](const LeftLayer& layer) {
      return (1 - layer.cosine) / static_cast<double>(cost_of(layer));
    };
    std::ranges::stable_sort(layers_, std::greater(), gain);
  }

  // ---- Trials ----

  Result<double> trial(size_t count) {
    return trial({layers_.begin(), layers_.begin() + static_cast<ptrdiff_t>(count)});
  }

  Result<double> trial(const std::vector<LeftLayer>& left) {
    LayerNames names;
    HostTrial row{.layers = left.size(), .cosine = 1};
    for (const LeftLayer& layer : left) {
      names.insert(layer.name);
      row.operations += layer.operations;
    }
    TW_ASSIGN_OR_RETURN(int8, task_.make(names));
    use_floats(int8.network, int8.table, task_.outputs);
    TW_ASSIGN_OR_RETURN(integers, resolve(int8.network, int8.table));
    std::map<std::string, Fit> fits;
    for (size_t s = 0; s < task_.samples.size(); ++s)
      TW_RETURN_IF_ERROR(add_sample({int8.network, integers}, s, fits));
    for (const auto& [name, fit] : fits) row.cosine = std::min(row.cosine, fit.cosine());
    reached_ = reached_ || row.cosine >= task_.wanted;
    result_.trials.push_back(row);
    return row.cosine;
  }

  Status add_sample(const Comparison& comparison, size_t sample,
                    std::map<std::string, Fit>& fits) const {
    TW_ASSIGN_OR_RETURN(results, comparison.run(task_.samples[sample]));
    const auto outputs = task_.network.outputs();
    for (size_t i = 0; i < outputs.size(); ++i)
      fits[outputs[i]].add(references_[sample].at(outputs[i]).data, results[i]);
    return {};
  }

  // Returns the least number of layers that reaches the cosine, or all.
  Result<size_t> bisect() {
    size_t below = 0, enough = layers_.size(), next = predicted();
    bool known = false;  // that `enough` is enough
    while (below + 1 < enough || !known) {
      TW_ASSIGN_OR_RETURN(cosine, trial(next));
      const bool reaches = cosine >= task_.wanted;
      if (reaches) enough = next;
      if (!reaches) below = next;
      known = known || reaches;
      if (!reaches && next == layers_.size()) return next;
      next = known ? (below + enough) / 2 : std::min(layers_.size(), below + (below + 1) / 2 + 1);
      if (known && next == below) break;
    }
    return enough;
  }

  // Returns the number after which the harms of the others are within the limit.
  size_t predicted() const {
    double rest = 0;
    for (const LeftLayer& layer : layers_) rest += 1 - layer.cosine;
    size_t count = 0;
    while (count < layers_.size() && rest > 1 - task_.wanted) rest -= 1 - layers_[count++].cosine;
    return std::max<size_t>(1, count);
  }

  Status put_back(std::vector<LeftLayer>& left) {
    std::vector<LeftLayer> by_work = left;
    std::ranges::stable_sort(by_work, std::greater(), &LeftLayer::operations);
    int tried = 0;
    for (const LeftLayer& layer : by_work) {
      if (left.size() == 1 || tried++ == kMostPutBack) break;
      std::vector<LeftLayer> fewer = left;
      std::erase_if(fewer, [&](const LeftLayer& l) { return l.name == layer.name; });
      TW_ASSIGN_OR_RETURN(cosine, trial(fewer));
      if (cosine >= task_.wanted) left = std::move(fewer);
    }
    return {};
  }

  const HostSearchTask& task_;
  HostSearch result_;
  std::unique_ptr<FloatExecutor> executor_;
  std::vector<LayerIntegers> integers_;  // of the net without layers on the host
  std::vector<LeftLayer> layers_;        // the most harm for its work first
  std::vector<size_t> candidates_;       // ops that may be left to the host
  std::vector<size_t> rows_;             // their index in layers_, before sorting
  std::vector<Blobs> references_;        // outputs of the float net, by sample
  bool reached_ = false;
};

std::string share(int64_t part, int64_t whole) {
  return fmt::format(
      "{:.1f} %", whole == 0 ? 0.0 : 100 * static_cast<double>(part) / static_cast<double>(whole));
}

double millions(int64_t operations) { return static_cast<double>(operations) / 1e6; }

}  // namespace

Result<HostSearch> find_host_layers(const HostSearchTask& task) { return Search(task).run(); }

std::string host_search_text(const HostSearch& search) {
  std::string text =
      fmt::format("\ntrials with layers on the host in floats\n{:>8} {:>12} {:>8} {:>8}\n",
                  "layers", "10^6 op.", "share", "cosine");
  for (const HostTrial& t : search.trials)
    text += fmt::format("{:>8} {:>12.3f} {:>8} {:>8.5f}\n", t.layers, millions(t.operations),
                        share(t.operations, search.all_operations), t.cosine);
  text += fmt::format("\nlayers left to the host: {}\n", search.left.size());
  if (search.left.empty()) return text;
  text += fmt::format("{:<32} {:<16} {:>12} {:>8} {:>14}\n", "layer", "type", "10^6 op.", "share",
                      "alone in int8");
  for (const LeftLayer& l : search.left)
    text +=
        fmt::format("{:<32} {:<16} {:>12.3f} {:>8} {:>14.5f}\n", l.name, l.type.substr(3),
                    millions(l.operations), share(l.operations, search.all_operations), l.cosine);
  return text;
}

}  // namespace tputwin::net
