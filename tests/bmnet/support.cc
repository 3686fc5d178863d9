// Random nets, their integers, and runs of the compiled nets.
#include "bmnet/support.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <libbmruntime/bmruntime.h>
#include <libbmruntime/bmruntime_bmnet.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/errors/tools.h"
#include "base/last_error.h"
#include "bmnet/caffe/import.h"
#include "bmnet/integers/choice.h"

namespace tputwin::testing {
namespace {

using net::LayerIntegers;
using net::TensorOp;

Error runtime_error(std::string_view call) {
  auto last = thread_diagnostics().last_error();
  return last ? *last : Error(errors::cli_runtime).in(call);
}

// A registered net on a device of its own.
class Session {
 public:
  ~Session() {
    if (net_ != nullptr) bmnet_cleanup(net_);
    if (ctx_ != nullptr) bm_exit(ctx_);
  }
  Status open(const bmodel::Model& model) {
    setenv("TPUTWIN_PLUGIN_PATH", TPUTWIN_BIN_DIR "/../plugins", 1);
    auto bytes = bmodel::write(model, bmodel::Container::v2_1);
    if (!bytes.ok()) return Status(bytes.error());
    if (bm_init(0, &ctx_) != BM_SUCCESS) return runtime_error("bm_init");
    if (bmnet_register_bmodel_data(ctx_, bytes->data(), bytes->size(), &net_) != BM_SUCCESS)
      return runtime_error("bmnet_register_bmodel_data");
    return Status();
  }
  Status load(uint64_t offset, const TensorBytes& bytes) {
    auto* data = const_cast<uint8_t*>(bytes.data());
    if (bmnet_load_neuron(net_, offset, static_cast<int>(bytes.size()), data) != BM_SUCCESS)
      return runtime_error("bmnet_load_neuron");
    return Status();
  }
  Status run() {
    return bmnet_run(net_) == BM_SUCCESS ? Status() : Status(runtime_error("bmnet_run"));
  }
  Result<TensorBytes> store(uint64_t offset, uint64_t bytes) {
    TensorBytes out(bytes);
    if (bmnet_store_neuron(net_, offset, static_cast<int>(bytes), out.data()) != BM_SUCCESS)
      return runtime_error("bmnet_store_neuron");
    return out;
  }

 private:
  bmctx_t ctx_ = nullptr;
  bmnet_t net_ = nullptr;
};

// ---- Random weights ----

int shift_for(double terms) {
  return std::clamp(static_cast<int>(std::lround(std::log2(40.0 * std::sqrt(terms)))), 0, 20);
}

net::Blob random_blob(std::vector<int64_t> shape, int limit, Rng& rng) {
  net::Blob blob{std::move(shape), {}};
  int64_t n = 1;
  for (int64_t d : blob.shape) n *= d;
  for (int64_t i = 0; i < n; ++i)
    blob.data.push_back(static_cast<float>(
        static_cast<int>(rng.below(2 * static_cast<uint64_t>(limit) + 1)) - limit));
  return blob;
}

std::array<int8_t, 256> random_table(Rng& rng, bool positive) {
  std::array<int8_t, 256> table{};
  for (int8_t& v : table) v = static_cast<int8_t>(positive ? rng.below(128) : rng.below(256));
  return table;
}

void add_weights(Network& network, const TensorOp& op, std::vector<int64_t> shape, bool has_bias,
                 LayerIntegers& n, Rng& rng) {
  int64_t terms = 1;
  for (size_t i = 1; i < shape.size(); ++i) terms *= shape[i];
  const int64_t outputs = op.type() == "tg_inner_product" ? op.tg_inner_product_param().num_output()
                                                          : net::extents(op.output_shape(0)).c;
  if (net::is_deconvolution(op)) terms = terms * shape[0] / std::max<int64_t>(shape[1], 1);
  n.right_shift = shift_for(static_cast<double>(terms));
  auto& blobs = network.blobs[op.name()];
  blobs = {random_blob(std::move(shape), 127, rng)};
  if (has_bias) blobs.push_back(random_blob({outputs}, 32767, rng));
}

// Fills layers that multiply with weights; returns false for other layers.
bool fill_weighted(Network& network, const TensorOp& op, LayerIntegers& n, Rng& rng) {
  const std::string& type = op.type();
  if (type == "tg_convolution") {
    const auto& p = op.tg_convolution_param();
    const int64_t ic = net::extents(op.input_shape(0)).c, oc = net::extents(op.output_shape(0)).c;
    const int64_t kh = p.kernel_size(0), kw = p.kernel_size(1), g = p.group();
    if (net::is_deconvolution(op))
      add_weights(network, op, {ic, oc / g, kh, kw}, p.bias_term(), n, rng);
    else
      add_weights(network, op, {oc, ic / g, kh, kw}, p.bias_term(), n, rng);
  } else if (type == "tg_inner_product") {
    const auto& p = op.tg_inner_product_param();
    const net::Extents e = net::extents(op.input_shape(0));
    const int64_t k = e.c * e.h * e.w, outputs = p.num_output();
    add_weights(
        network, op,
        p.weight_transpose() ? std::vector<int64_t>{outputs, k} : std::vector<int64_t>{k, outputs},
        p.bias_term(), n, rng);
    n.right_shift = shift_for(static_cast<double>(k));
  } else if (type == "tg_scale") {
    const int64_t c = net::extents(op.input_shape(0)).c;
    add_weights(network, op, {c}, op.tg_scale_param().bias_term(), n, rng);
    n.right_shift = 6;
  } else if (type == "tg_prelu") {
    const int64_t c = op.tg_prelu_param().channel_shared() ? 1 : net::extents(op.input_shape(0)).c;
    network.blobs[op.name()] = {random_blob({c}, 127, rng)};
    n.gt_scale = static_cast<int>(rng.range(64, 127));
    n.gt_shift = static_cast<int>(rng.range(5, 7));
    n.le_shift = static_cast<int>(rng.range(6, 9));
  } else {
    return false;
  }
  return true;
}

void fill_pooling(const TensorOp& op, LayerIntegers& n, Rng& rng) {
  const bool is_max = op.tg_pooling_param().pool() == ::bmnet::TGPoolingParameter::MAX;
  const double window = op.tg_pooling_param().kernel_size(0) * op.tg_pooling_param().kernel_size(1);
  if (!is_max || rng.coin()) n.multiplier = {static_cast<int>(rng.range(128, 255))};
  n.right_shift = is_max ? 7 : 7 + static_cast<int>(std::log2(window));
  if (net::average_overhang(op).any())
    for (int part = 0; part < 3; ++part)
      n.overhanging.push_back(
          {static_cast<int>(rng.range(128, 255)), static_cast<int>(rng.range(7, 10))});
}

void fill_lrn(LayerIntegers& n, Rng& rng) {
  n.lrn.emplace();
  n.lrn->square = random_table(rng, true);
  n.lrn->power = random_table(rng, true);
  n.lrn->sum_multiplier = static_cast<int>(rng.range(20, 127));
  n.lrn->sum_shift = static_cast<int>(rng.range(5, 8));
  n.lrn->right_shift = 7;
}

void fill_activation(const TensorOp& op, LayerIntegers& n, Rng& rng) {
  if (op.tg_activation_param().activation() != ::bmnet::RELU) {
    n.table = random_table(rng, false);
  } else if (op.tg_activation_param().activation_arg_size() != 0) {
    n.gt_scale = static_cast<int>(rng.range(64, 127));
    n.gt_shift = 6;
    n.le_scale = static_cast<int>(rng.range(64, 127));
    n.le_shift = static_cast<int>(rng.range(7, 11));
  }
}

// Sets the integers that follow from random thresholds.
void fill_by_thresholds(const TensorOp& op, LayerIntegers& n, Rng& rng) {
  for (auto* thresholds : {&n.threshold_x, &n.threshold_y})
    for (float& threshold : *thresholds) threshold = static_cast<float>(rng.range(16, 32)) / 16;
  LayerCalibrationParameter entry;
  const net::LayerThresholds thresholds{n.threshold_x, n.threshold_y};
  EXPECT_TRUE(net::choose_integers({op, thresholds, nullptr, entry, nullptr, nullptr}).ok());
  net::EntryReader reader(op, entry);
  net::read_integers(reader, n);
  EXPECT_TRUE(std::move(reader).status().ok());
}

// Fills layers with random integers if any integers are valid; for other layers the integers follow
// from random thresholds.
void fill(Network& network, const TensorOp& op, LayerIntegers& n, Rng& rng) {
  const std::string& type = op.type();
  const size_t inputs = static_cast<size_t>(op.bottom_size());
  n.threshold_x.assign(inputs, 1.0f);
  n.threshold_y.assign(static_cast<size_t>(op.top_size()), 1.0f);
  if (fill_weighted(network, op, n, rng)) return;
  if (type == "tg_pooling") return fill_pooling(op, n, rng);
  if (type == "tg_lrn") return fill_lrn(n, rng);
  if (type == "tg_activation") return fill_activation(op, n, rng);
  if (type == "tg_power" || type == "tg_clip") {
    n.table = random_table(rng, false);
  } else if (type == "tg_eltwise") {
    for (size_t i = 0; i < inputs; ++i)
      n.multiplier.push_back(static_cast<int>(rng.range(0, 254)) - 127);
    n.right_shift = static_cast<int>(rng.range(6, 8));
    if (op.tg_eltwise_param().operation() == ::bmnet::TGEltwiseParameter::PROD)
      n.right_shift = static_cast<int>(rng.range(11, 14));
  } else if (type == "tg_concat") {
    if (rng.coin()) return;
    for (size_t i = 0; i < inputs; ++i) {
      n.multiplier.push_back(static_cast<int>(rng.range(128, 255)));
      n.shift.push_back(static_cast<int>(rng.range(6, 8)));
    }
  } else if (net::needs_entry(op)) {
    fill_by_thresholds(op, n, rng);
  }
}

std::string difference(const TensorBytes& got, const TensorBytes& expected) {
  if (got.size() != expected.size())
    return fmt::format("{} bytes, expected {}", got.size(), expected.size());
  size_t first = 0, count = 0;
  for (size_t i = got.size(); i-- > 0;)
    if (got[i] != expected[i]) first = i, ++count;
  if (count == 0) return "";
  return fmt::format("{} of {} bytes differ, first at {}: {} instead of {}", count, got.size(),
                     first, static_cast<int8_t>(got[first]), static_cast<int8_t>(expected[first]));
}

Result<std::vector<TensorBytes>> infer(Session& session, const net::Compiled& compiled,
                                       const Network& network,
                                       const std::map<std::string, TensorBytes>& inputs) {
  const std::vector<std::string> names = network.inputs();
  for (size_t i = 0; i < names.size(); ++i)
    TW_RETURN_IF_ERROR(session.load(compiled.inputs[i].offset, inputs.at(names[i])));
  TW_RETURN_IF_ERROR(session.run());
  std::vector<TensorBytes> outputs;
  for (const bmodel::Output& o : compiled.outputs) {
    auto bytes = session.store(o.offset, o.bytes());
    if (!bytes.ok()) return Status(bytes.error());
    outputs.push_back(std::move(*bytes));
  }
  return outputs;
}

}  // namespace

// The second and third runs use a plan; the third must equal the first.
Result<std::vector<TensorBytes>> run_compiled(const net::Compiled& compiled, const Network& network,
                                              const std::map<std::string, TensorBytes>& inputs) {
  Session session;
  TW_RETURN_IF_ERROR(session.open(net::to_model(compiled, "test")));
  auto outputs = infer(session, compiled, network, inputs);
  auto others = inputs;
  for (auto& [name, bytes] : others)
    for (uint8_t& byte : bytes) byte ^= 0x5a;
  if (auto other = infer(session, compiled, network, others); !other.ok()) return other;
  auto again = infer(session, compiled, network, inputs);
  if (outputs.ok() && again.ok() && *outputs != *again)
    return Error(errors::cli_runtime).in("run_compiled").detail("the third run differs");
  return outputs;
}

std::map<std::string, TensorBytes> random_inputs(const Network& network, uint64_t seed) {
  std::map<std::string, TensorBytes> inputs;
  Rng rng(seed);
  for (const std::string& name : network.inputs()) {
    TensorBytes bytes(static_cast<size_t>(net::count(*network.shape_of(name))));
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(rng.next());
    inputs[name] = std::move(bytes);
  }
  return inputs;
}

std::string compare_levels(const Network& network, const std::vector<LayerIntegers>& integers,
                           uint64_t seed) {
  const auto inputs = random_inputs(network, seed);
  auto expected = net::run_int8(network, integers, inputs);
  if (!expected.ok()) return "interpreter: " + expected.error().message();
  for (net::Level level : {net::Level::none, net::Level::layer_group, net::Level::recycle_memory,
                           net::Level::weight_optimization}) {
    net::CompileOptions options;
    options.level = level;
    const std::string where = fmt::format("level {}: ", static_cast<int>(level));
    thread_diagnostics().clear();
    auto compiled = net::compile(network, integers, options);
    if (!compiled.ok()) return where + compiled.error().message();
    if (thread_diagnostics().error_count() != 0)
      return where + "booked " + thread_diagnostics().first_error()->message();
    auto outputs = run_compiled(*compiled, network, inputs);
    if (!outputs.ok()) return where + outputs.error().message();
    const std::vector<std::string> names = network.outputs();
    for (size_t i = 0; i < names.size(); ++i) {
      std::string text = difference((*outputs)[i], expected->at(names[i]));
      if (!text.empty()) return where + names[i] + ": " + text + "\n" + compiled->explanation;
    }
  }
  return "";
}

Result<Model> random_model(const std::string& prototxt, uint64_t seed, int64_t batch) {
  auto caffe = net::read_prototxt(prototxt);
  if (!caffe.ok()) return Status(caffe.error());
  net::ImportOptions options;
  options.batch = batch;
  options.needs_weights = false;
  auto merged = net::merge_caffe(std::move(*caffe), {});
  if (!merged.ok()) return Status(merged.error());
  auto network = net::import_caffe(*merged, options);
  if (!network.ok()) return Status(network.error());
  return random_model(std::move(*network), seed);
}

Model random_model(Network network, uint64_t seed) {
  Model model{std::move(network), {}};
  Rng rng(seed);
  for (const TensorOp& op : model.network.ops) {
    LayerIntegers n;
    fill(model.network, op, n, rng);
    model.integers.push_back(std::move(n));
  }
  return model;
}

}  // namespace tputwin::testing
