// Search for the layers that a net computes in wider numbers.
#include "bmnet/targets/bm1684x/search/mixed_types.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bmnet/calibrate/compare_tensors.h"
#include "bmnet/float/execute.h"
#include "bmnet/integers/thresholds.h"
#include "bmnet/targets/bm1684x/choose_types.h"
#include "bmnet/targets/bm1684x/lower.h"
#include "bmnet/targets/bm1684x/search/single_layer.h"
#include "bmnet/targets/bm1684x/target.h"

namespace tputwin::net::bm1684x {
namespace {

using Blobs = std::map<std::string, Blob>;

// Samples that the harm of a layer is measured with, and trials that try to put single layers back.
constexpr size_t kSamplesOfHarm = 2;
constexpr int kMostPutBack = 12;
// No layer costs less, so that small differences do not decide.
constexpr double kLeastCost = 1e-3;

constexpr float kLargestHalf = 65504;

double milliseconds(uint64_t cycles) { return static_cast<double>(cycles) / chip().clock_hz * 1e3; }

// Results of the host may have other extents than those of the float net: missing ones count as 0.
void add_result(Fit& fit, std::vector<float> expected, std::vector<float> actual) {
  const size_t length = std::max(expected.size(), actual.size());
  expected.resize(length);
  actual.resize(length);
  fit.add(expected, actual);
}

class Search {
 public:
  Search(const MixedTask& task, const NetCalibrationParameter& table)
      : task_(task), table_(table) {}

  Result<MixedSearch> run() {
    result_.wanted = task_.wanted;
    result_.type = task_.type;
    if (task_.type == DType::i8 && has_halves()) table_.set_floats("fp16");
    TW_ASSIGN_OR_RETURN(executor, FloatExecutor::create(task_.network));
    executor_ = std::move(executor);
    TW_RETURN_IF_ERROR(find_references());
    if (task_.type == DType::i8 && has_halves()) price_halves();
    widen_large_weights();
    TW_ASSIGN_OR_RETURN(plain, trial({}));
    if (plain < task_.wanted) TW_RETURN_IF_ERROR(search());
    return std::move(result_);
  }

  // Returns the table with the types of these layers.
  NetCalibrationParameter table_with(const std::vector<MixedLayer>& layers) const {
    std::map<std::string, DType> types;
    for (const MixedLayer& layer : layers) types[layer.name] = layer.type;
    NetCalibrationParameter table = table_;
    std::set<std::string> known;
    for (LayerCalibrationParameter& entry : *table.mutable_layer()) {
      known.insert(entry.name());
      const auto own = types.find(entry.name());
      if (own != types.end()) entry.set_type(name_of(own->second));
    }
    return table;
  }

 private:
  Status search() {
    TW_RETURN_IF_ERROR(find_layers());
    TW_ASSIGN_OR_RETURN(count, bisect());
    std::vector<MixedLayer> wide(layers_.begin(), layers_.begin() + static_cast<ptrdiff_t>(count));
    if (is_reached_) TW_RETURN_IF_ERROR(put_back(wide));
    result_.layers = std::move(wide);
    // The last trial that was kept is the result.
    TW_ASSIGN_OR_RETURN(cosine, trial(result_.layers));
    (void)cosine;
    return {};
  }

  // Layers of fp16 whose weights it does not hold are fp32.
  void widen_large_weights() {
    for (const TensorOp& op : task_.network.ops) {
      const LayerCalibrationParameter* known = find_entry(table_, op);
      if (narrow(op) != DType::f16 || !weight_beyond_fp16(task_.network, op) ||
          (known != nullptr && known->has_type()))
        continue;
      const std::string name = known != nullptr ? known->name() : name_in_table(op);
      LayerCalibrationParameter* entry = nullptr;
      for (LayerCalibrationParameter& one : *table_.mutable_layer())
        if (one.name() == name) entry = &one;
      if (entry == nullptr) entry = table_.add_layer();
      entry->set_name(name);
      entry->set_type(name_of(DType::f32));
      result_.beyond_fp16.push_back(name);
    }
  }
  static const std::string& name_in_table(const TensorOp& op) {
    return op.calib_id().empty() ? op.name() : op.calib_id();
  }

  // Bytes are not always faster: layers without commands for bytes need conversions.
  void price_halves() {
    for (const TensorOp& op : task_.network.ops)
      if (!fits_halves(op)) return;
    const auto compiled = compile(task_.network, {.type = DType::f16});
    if (compiled.ok()) result_.half_milliseconds = milliseconds(compiled->predicted_cycles);
  }

  Status find_references() {
    for (const Blobs& sample : task_.samples) {
      Blobs all;
      const bool measures_harm = known_.size() < kSamplesOfHarm;
      TW_ASSIGN_OR_RETURN(outputs, executor_->run(sample, [&](const std::string& t, const Blob& b) {
        if (measures_harm) all[t] = b;
      }));
      if (measures_harm) known_.push_back(std::move(all));
      references_.push_back(std::move(outputs));
    }
    return {};
  }

  // ---- Layers, their harm and cost ----

  static bool has_halves() { return target().has_type(DType::f16); }
  static bool has_bytes(const TensorOp& op) {
    const BytePacking* packing = target().packing();
    return packing != nullptr ? packing->computes_bytes(op) : computes_bytes(op);
  }
  // Returns true if fp16 holds the weights, and operands and results of the first samples.
  bool fits_halves(const TensorOp& op) const {
    const auto fits = [&](const std::string& tensor) {
      return std::ranges::all_of(known_, [&](const Blobs& all) {
        const auto found = all.find(tensor);
        return found == all.end() || std::ranges::all_of(found->second.data, [](float x) {
                 return !(std::fabs(x) > kLargestHalf) || std::isinf(x);
               });
      });
    };
    return !weight_beyond_fp16(task_.network, op) && std::ranges::all_of(op.bottom(), fits) &&
           std::ranges::all_of(op.top(), fits);
  }
  DType wider(const TensorOp& op) const {
    const bool is_half = task_.type == DType::i8 && has_bytes(op) && has_halves();
    return is_half && fits_halves(op) ? DType::f16 : DType::f32;
  }
  DType narrow(const TensorOp& op) const {
    if (task_.type != DType::i8 || has_bytes(op)) return task_.type;
    return has_halves() ? DType::f16 : DType::f32;
  }
  // Operators of the host are fp32. A plain ReLU is part of the layer before it.
  // Layers whose type the table gives keep it. Those of masks are fp32.
  bool is_candidate(const TensorOp& op) const {
    const LayerCalibrationParameter* entry = find_entry(table_, op);
    if (entry != nullptr && (entry->has_type() || entry->on_host())) return false;
    const bool is_layer = !is(op, Op::start) && !is(op, Op::end) && !is(op, Op::host) &&
                          !is(op, Op::top_values) && !is(op, Op::top_positions) &&
                          !is(op, Op::detectoutput) && !is(op, Op::prior_box);
    return is_layer && !has_trait(op, trait::moves_elements) && !is_plain_relu(op) &&
           narrow(op) != wider(op);
  }

  Status find_layers() {
    for (const TensorOp& op : task_.network.ops) {
      if (!is_candidate(op)) continue;
      TW_ASSIGN_OR_RETURN(layer, measured(op));
      layers_.push_back(std::move(layer));
    }
    std::ranges::stable_sort(layers_, std::greater(), [](const MixedLayer& layer) {
      return (1 - layer.cosine) / std::max(layer.cost, kLeastCost);
    });
    return {};
  }

  Result<MixedLayer> measured(const TensorOp& op) {
    MixedLayer layer{.name = name_in_table(op), .kind = op.type(), .type = wider(op)};
    TW_ASSIGN_OR_RETURN(single, SingleLayer::make(task_.network, op, table_, narrow(op)));
    TW_ASSIGN_OR_RETURN(wide, SingleLayer::make(task_.network, op, table_, wider(op)));
    layer.cost = milliseconds(wide->cycles()) - milliseconds(single->cycles());
    std::map<std::string, Fit> fits;
    for (size_t s = 0; s < known_.size(); ++s) {
      TW_ASSIGN_OR_RETURN(changed, single->run(known_[s]));
      TW_ASSIGN_OR_RETURN(results, executor_->rerun(known_[s], std::move(changed)));
      for (const auto& [name, blob] : results)
        add_result(fits[name], references_[s].at(name).data, blob.data);
    }
    for (const auto& [name, fit] : fits) layer.cosine = std::min(layer.cosine, fit.cosine());
    return layer;
  }

  // ---- Trials ----

  Result<double> trial(const std::vector<MixedLayer>& wide) {
    const NetCalibrationParameter table = table_with(wide);
    TW_ASSIGN_OR_RETURN(compiled, compile(task_.network, {.type = task_.type, .table = &table}));
    TW_ASSIGN_OR_RETURN(simulated, SimulatedNet::load(compiled));
    MixedTrial row{.layers = wide.size(),
                   .milliseconds = milliseconds(compiled.predicted_cycles),
                   .cosine = 1};
    std::map<std::string, Fit> fits;
    const std::vector<std::string> inputs = task_.network.inputs();
    const std::vector<std::string> outputs = task_.network.outputs();
    for (size_t s = 0; s < task_.samples.size(); ++s) {
      std::vector<std::span<const float>> values;
      for (const std::string& name : inputs) values.push_back(task_.samples[s].at(name).data);
      TW_ASSIGN_OR_RETURN(results, simulated->run(values));
      for (size_t i = 0; i < outputs.size(); ++i)
        add_result(fits[outputs[i]], references_[s].at(outputs[i]).data, results[i]);
    }
    for (const auto& [name, fit] : fits) {
      result_.outputs[name] = fit.cosine();
      row.cosine = std::min(row.cosine, fit.cosine());
    }
    is_reached_ = is_reached_ || row.cosine >= task_.wanted;
    result_.cosine = row.cosine;
    result_.milliseconds = row.milliseconds;
    result_.trials.push_back(row);
    return row.cosine;
  }
  Result<double> trial(size_t count) {
    return trial(
        std::vector<MixedLayer>(layers_.begin(), layers_.begin() + static_cast<ptrdiff_t>(count)));
  }

  // Returns the least number of layers that reaches the cosine, or all.
  Result<size_t> bisect() {
    size_t below = 0, enough = layers_.size(), next = std::max<size_t>(layers_.size() / 8, 1);
    while (below < layers_.size()) {
      TW_ASSIGN_OR_RETURN(cosine, trial(next));
      if (cosine >= task_.wanted) {
        enough = next;
        break;
      }
      below = next;
      next = std::min(layers_.size(), 2 * next);
    }
    while (below + 1 < enough) {
      const size_t middle = (below + enough) / 2;
      TW_ASSIGN_OR_RETURN(cosine, trial(middle));
      (cosine >= task_.wanted ? enough : below) = middle;
    }
    return enough;
  }

  Status put_back(std::vector<MixedLayer>& wide) {
    std::vector<MixedLayer> by_cost = wide;
    std::ranges::stable_sort(by_cost, std::greater(), &MixedLayer::cost);
    int tried = 0;
    for (const MixedLayer& layer : by_cost) {
      if (wide.size() == 1 || tried++ == kMostPutBack) break;
      std::vector<MixedLayer> fewer = wide;
      std::erase_if(fewer, [&](const MixedLayer& l) { return l.name == layer.name; });
      TW_ASSIGN_OR_RETURN(cosine, trial(fewer));
      if (cosine >= task_.wanted) wide = std::move(fewer);
    }
    return {};
  }

  const MixedTask& task_;
  NetCalibrationParameter table_;  // without the types that the search gives
  MixedSearch result_;
  std::unique_ptr<FloatExecutor> executor_;
  std::vector<Blobs> known_;        // all tensors of the first samples
  std::vector<Blobs> references_;   // outputs of the float net, by sample
  std::vector<MixedLayer> layers_;  // the most harm for its cost first
  bool is_reached_ = false;
};

}  // namespace

Result<MixedSearch> find_mixed_types(const MixedTask& task, NetCalibrationParameter& table) {
  Search search(task, table);
  TW_ASSIGN_OR_RETURN(found, search.run());
  table = search.table_with(found.layers);
  return found;
}

const char* name_of(DType type) {
  return type == DType::f32    ? "fp32"
         : type == DType::f16  ? "fp16"
         : type == DType::bf16 ? "bf16"
                               : "int8";
}

std::string mixed_search_text(const MixedSearch& search) {
  std::string text = fmt::format("\nruns of the compiled net\n{:>12} {:>12} {:>9}\n",
                                 "wider layers", "predicted ms", "cosine");
  for (const MixedTrial& t : search.trials)
    text += fmt::format("{:>12} {:>12.3f} {:>12.9f}\n", t.layers, t.milliseconds, t.cosine);
  if (search.half_milliseconds > 0)
    text += fmt::format("the net in fp16 takes {:.3f} ms\n", search.half_milliseconds);
  if (!search.beyond_fp16.empty())
    text += fmt::format("fp32, because fp16 does not hold their weights: {}\n",
                        fmt::join(search.beyond_fp16, ", "));
  if (search.wanted < 0) return text;
  text += fmt::format("\nlayers in wider numbers: {}\n", search.layers.size());
  if (search.layers.empty()) return text;
  text += fmt::format("{:<40} {:<16} {:>5} {:>9} {:>17}\n", "layer", "type", "", "cost ms",
                      "cosine without it");
  for (const MixedLayer& l : search.layers)
    text += fmt::format("{:<40} {:<16} {:>5} {:>9.4f} {:>17.6f}\n", l.name, l.kind.substr(3),
                        name_of(l.type), l.cost, l.cosine);
  return text;
}

}  // namespace tputwin::net::bm1684x
