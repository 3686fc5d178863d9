// TW-NET: calibration tables, quantization, float execution, data sets.
#include <bmnet/calibration.pb.h>

#include <cstring>

#include "base/errors/bmnet.h"
#include "base/file.h"
#include "bmnet/calibrate/float_weights.h"
#include "bmnet/calibrate/statistics.h"
#include "bmnet/calibrate/warnings.h"
#include "bmnet/data/data_set.h"
#include "bmnet/float/execute.h"
#include "bmnet/integers/integers.h"
#include "bmnet/integers/table.h"
#include "bmnet/pipeline/prepare.h"
#include "bmnet/quantize/quantize.h"
#include "bmnet/targets/bm1684/target.h"
#include "bmnet/targets/bm1684x/compile.h"
#include "common/temporary_directory.h"
#include "errors/trigger.h"

namespace tputwin::testing {
namespace {

using namespace tputwin::net;

// Returns a net of an input "data" (1,1,1,1), one op "layer" of `type`, and an end.
Network one_op(const std::string& type) {
  Network network;
  TensorOp& start = network.ops.emplace_back();
  start.set_name("data");
  start.set_type("start");
  start.add_top("data");
  *start.add_output_shape() = make_shape({1, 1, 1, 1});
  TensorOp& op = network.ops.emplace_back();
  op.set_name("layer");
  op.set_type(type);
  op.add_bottom("data");
  op.add_top("layer");
  *op.add_input_shape() = *op.add_output_shape() = make_shape({1, 1, 1, 1});
  TensorOp& end = network.ops.emplace_back();
  end.set_name("end");
  end.set_type("end");
  end.add_bottom("layer");
  *end.add_input_shape() = make_shape({1, 1, 1, 1});
  return network;
}

Network inner_product(float weight, float bias) {
  Network network = one_op("tg_inner_product");
  network.ops[1].mutable_tg_inner_product_param()->set_num_output(1);
  network.blobs["layer"] = {{{1, 1}, {weight}}, {{1}, {bias}}};
  return network;
}

NetCalibrationParameter thresholds(float x, float y, int shift = 0) {
  NetCalibrationParameter table;
  for (const float threshold : {x, y}) {
    auto& entry = *table.add_layer();
    entry.set_name(table.layer_size() == 1 ? "data" : "layer");
    entry.add_threshold_y(threshold);
    entry.set_right_shift_width(shift);
  }
  return table;
}

Status resolved(const std::string& type, const NetCalibrationParameter& table) {
  const Network network = one_op(type);
  return resolve(network, table).status();
}

TW_TRIGGER(net_table, [] { return read_table({}).status(); });
TW_TRIGGER(net_table_entry, [] {
  NetCalibrationParameter table = thresholds(1, 1);
  table.mutable_layer()->RemoveLast();
  return resolved("tg_pooling", table);
});
TW_TRIGGER(net_table_chip, [] {
  NetCalibrationParameter table = thresholds(1, 1);
  table.set_chip("bm1684x");
  return check_chip(table, ChipFamily::bm1684);
});
TW_TRIGGER(net_table_type, [] {
  NetCalibrationParameter table = thresholds(1, 1);
  table.mutable_layer(1)->set_type("fp16");
  const bm1684x::StreamOptions options{
      .target = &bm1684::bm1684_target(), .type = DType::i8, .table = &table};
  return bm1684x::compile(inner_product(0.5f, 0), options).status();
});
TW_TRIGGER(net_threshold, [] { return resolved("tg_pooling", thresholds(1, -1)); });
TW_TRIGGER(net_shift, [] { return resolved("tg_inner_product", thresholds(1, 1, 32)); });
TW_TRIGGER(net_multiplier, [] { return resolved("tg_eltwise", thresholds(1, 1)); });
TW_TRIGGER(net_weight_range, [] {
  Network network = inner_product(200, 0);
  return quantize(network, thresholds(1, 1)).status();
});
TW_TRIGGER(net_statistics, [] { return ranges_of("", one_op("tg_pooling")).status(); });
TW_TRIGGER(net_unfolded, [] { return resolved("tg_batchnorm", thresholds(1, 1)); });
TW_TRIGGER(net_bias_saturated, [] {
  Network network = inner_product(1, 1e9f);
  std::vector<Error> warnings;
  const auto table = quantize(network, thresholds(1, 1), &warnings);
  return warnings.empty() ? table.status() : Status(warnings[0]);
});

// Two inputs "data" and "small", a concatenation "layer", an end; and calibration results for them.
Status warned(float largest, double sqnr) {
  Network network = one_op("tg_concat");
  TensorOp& op = network.ops[1];
  TensorOp small = network.ops[0];
  small.set_name("small");
  small.set_top(0, "small");
  op.add_bottom("small");
  network.ops.insert(network.ops.begin(), small);
  std::map<std::string, TensorReport, std::less<>> reports;
  for (const auto& [name, most] : {std::pair<std::string, float>("data", 1.0f),
                                   {"small", largest},
                                   {network.outputs().at(0), 1.0f}})
    reports[name] = {name, "", name, 0, most, 1, sqnr, 1};
  std::vector<Error> warnings;
  warn_of_poor_fit(network, reports, warnings);
  return warnings.empty() ? Status() : Status(warnings[0]);
}
TW_TRIGGER(net_already_int8, [] {
  caffe::NetParameter int8;
  caffe::LayerParameter& layer = *int8.add_layer();
  layer.set_type("InnerProduct");
  layer.add_blobs()->add_data(100);
  return check_float_weights(int8);
});
TW_TRIGGER(net_poor_fit, [] { return warned(1, 3); });
TW_TRIGGER(net_mixed_concat, [] { return warned(0.001f, 40); });

TW_TRIGGER(net_required, [] {
  Calibration calibration;
  calibration.network = one_op("tg_pooling");
  const std::string output = calibration.network.outputs().at(0);
  calibration.tensors.push_back({"layer", "", output, 0, 1, 1, 10, 0.9});
  return Status(missed_outputs(calibration, 0.99).at(0));
});
// An output of zeros has no cosine, and does not reach the required one.
TEST(RequiredCosine, IsMissedByZeros) {
  Calibration calibration;
  calibration.network = one_op("tg_pooling");
  const std::string output = calibration.network.outputs().at(0);
  calibration.tensors.push_back({"layer", "", output, 0, 1, 1, 0, NAN});
  EXPECT_EQ(missed_outputs(calibration, 0.99).size(), 1u);
  calibration.tensors[0].sqnr = NAN;  // the float net's output is 0, too
  EXPECT_TRUE(missed_outputs(calibration, 0.99).empty());
}
TW_TRIGGER(net_coarse_scores, [] {
  Network network = one_op("tg_softmax");
  std::vector<Error> warnings;
  const auto table = quantize(network, thresholds(10000, 1), &warnings);
  return warnings.empty() ? table.status() : Status(warnings[0]);
});

Status opened(const std::vector<uint8_t>& bytes, DataOptions options) {
  const TemporaryDirectory folder;
  const Status written = write_bytes(folder / "data", bytes);
  return written.ok() ? open_data_set(folder / "data", options).status() : Status(written.error());
}

TW_TRIGGER(net_data, [] { return open_data_set("no such file", {}).status(); });
TW_TRIGGER(net_data_shape, [] { return opened({1, 2, 3}, {}); });
TW_TRIGGER(net_data_empty, [] { return opened({}, {}); });
TW_TRIGGER(net_data_label, [] {
  const TemporaryDirectory folder;
  const std::vector<uint8_t> labels{0, 0, 8, 1, 0, 0, 0, 2, 1, 2};
  const std::vector<uint8_t> images{0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 9};
  Status written = write_bytes(folder / "labels", labels);
  if (written.ok()) written = write_bytes(folder / "images", images);
  if (!written.ok()) return written;
  return open_data_set(folder / "images", {.list = folder / "labels"}).status();
});
TW_TRIGGER(net_cli, [] { return calibrate({}, {}, {.bins = 100}).status(); });

}  // namespace
}  // namespace tputwin::testing
