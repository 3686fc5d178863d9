// Small Caffe nets with a layer of every type, and a calibration table.
#include "bmnet/caffe/import.h"
#include "bmnet/integers/table.h"
#include "fuzz/targets.h"

namespace tputwin::fuzz {
namespace {

using net::TensorOp;

constexpr const char* kNets[] = {
    R"(name: "plain"
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 4 dim: 8 dim: 8 } } }
layer { name: "conv" type: "Convolution" bottom: "data" top: "conv"
  convolution_param { num_output: 4 kernel_size: 3 pad: 1 stride: 2 group: 2 bias_term: false } }
layer { name: "bn" type: "BatchNorm" bottom: "conv" top: "conv" }
layer { name: "sc" type: "Scale" bottom: "conv" top: "conv" scale_param { bias_term: true } }
layer { name: "r" type: "ReLU" bottom: "conv" top: "conv" relu_param { negative_slope: 0.1 } }
layer { name: "pool" type: "Pooling" bottom: "conv" top: "pool"
  pooling_param { pool: AVE kernel_size: 3 stride: 2 pad: 1 } }
layer { name: "up" type: "Deconvolution" bottom: "pool" top: "up"
  convolution_param { num_output: 4 kernel_size: 4 stride: 2 pad: 1 } }
layer { name: "b" type: "Bias" bottom: "up" top: "up" }
layer { name: "p" type: "PReLU" bottom: "up" top: "p" }
layer { name: "e" type: "Eltwise" bottom: "p" bottom: "up" top: "e" eltwise_param { coeff: 1 coeff: -1 } }
layer { name: "ip" type: "InnerProduct" bottom: "e" top: "ip" inner_product_param { num_output: 6 } }
layer { name: "bn2" type: "BatchNorm" bottom: "ip" top: "bn2" }
layer { name: "prob" type: "Softmax" bottom: "bn2" top: "prob" }
)",
    R"(input: "data" input_dim: 1 input_dim: 6 input_dim: 4 input_dim: 4
layer { name: "s" type: "Slice" bottom: "data" top: "s0" top: "s1" slice_param { slice_point: 2 } }
layer { name: "t" type: "Tile" bottom: "s0" top: "t" tile_param { tiles: 2 } }
layer { name: "c" type: "Concat" bottom: "t" bottom: "s1" top: "c" }
layer { name: "sh" type: "ShuffleChannel" bottom: "c" top: "sh" shuffle_channel_param { group: 2 } }
layer { name: "re" type: "Reorg" bottom: "sh" top: "re" reorg_param { stride: 2 } }
layer { name: "u" type: "Upsample" bottom: "re" top: "u" upsample_param { size: 2 } }
layer { name: "cr" type: "Crop" bottom: "u" bottom: "c" top: "cr" crop_param { axis: 2 offset: 0 } }
layer { name: "pe" type: "Permute" bottom: "cr" top: "pe" permute_param { order: 0 order: 2 } }
layer { name: "rs" type: "Reshape" bottom: "pe" top: "rs" reshape_param { shape { dim: 0 dim: -1 } } }
layer { name: "rv" type: "Reverse" bottom: "rs" top: "rv" reverse_param { axis: 1 } }
layer { name: "po" type: "Power" bottom: "rv" top: "po" power_param { power: 2 } }
layer { name: "lrn" type: "LRN" bottom: "u" top: "lrn" }
layer { name: "no" type: "Normalize" bottom: "lrn" top: "no" norm_param { channel_shared: false } }
layer { name: "i" type: "Interp" bottom: "no" top: "i" interp_param { zoom_factor: 2 } }
layer { name: "red" type: "Reduction" bottom: "i" top: "red" reduction_param { axis: 1 } }
layer { name: "d" type: "Dropout" bottom: "red" top: "d" }
layer { name: "acc" type: "Accuracy" bottom: "d" bottom: "data" top: "acc" include { phase: TRAIN } }
)",
    R"(layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 3 dim: 32 dim: 32 } } }
layer { name: "map" type: "Pooling" bottom: "data" top: "map" pooling_param { kernel_size: 8 stride: 8 } }
layer { name: "loc" type: "Convolution" bottom: "map" top: "loc" convolution_param { num_output: 8 kernel_size: 1 } }
layer { name: "conf" type: "Convolution" bottom: "map" top: "conf" convolution_param { num_output: 4 kernel_size: 1 } }
layer { name: "prior" type: "PriorBox" bottom: "map" bottom: "data" top: "prior"
  prior_box_param { min_size: 4 max_size: 8 variance: 0.1 } }
layer { name: "l" type: "Flatten" bottom: "loc" top: "l" }
layer { name: "c" type: "Flatten" bottom: "conf" top: "c" }
layer { name: "out" type: "DetectionOutput" bottom: "l" bottom: "c" bottom: "prior" top: "out"
  detection_output_param { num_classes: 2 keep_top_k: 5 nms_param { top_k: 9 } } }
layer { name: "yc" type: "Convolution" bottom: "map" top: "yc" convolution_param { num_output: 18 kernel_size: 1 } }
layer { name: "y" type: "Yolo" bottom: "yc" top: "y" yolo_param { classes: 1 } }
layer { name: "rc" type: "Region" bottom: "yc" top: "rc" region_param { classes: 1 num: 3 } }
layer { name: "quiet" type: "Silence" bottom: "rc" }
)",
    R"(name: "v1" input: "data" input_dim: 1 input_dim: 2 input_dim: 6 input_dim: 6
layers { name: "conv" type: CONVOLUTION bottom: "data" top: "conv" blobs_lr: 1
  convolution_param { num_output: 2 kernel_size: 3 } }
layers { name: "prob" type: SOFTMAX bottom: "conv" top: "prob" }
)"};

// Adds blobs of the sizes that the network's layers have.
void add_blobs(::tputwin::caffe::NetParameter& caffe_net) {
  auto network = net::import_caffe(caffe_net, {.needs_weights = false});
  if (!network.ok()) return;
  for (auto& layer : *caffe_net.mutable_layer()) {
    auto blob = [&](std::initializer_list<int64_t> dims) {
      auto& added = *layer.add_blobs();
      int64_t count = 1;
      for (const int64_t dim : dims) {
        added.mutable_shape()->add_dim(dim);
        count *= dim;
      }
      for (int64_t i = 0; i < count; ++i) added.add_data(static_cast<float>(i % 5) * 0.25F + 0.5F);
    };
    for (const TensorOp& op : network->ops) {
      if (op.name() != layer.name() || op.input_shape().empty()) continue;
      const int64_t in = net::extents(op.input_shape(0)).c;
      if (op.type() == "tg_convolution") {
        const auto& p = op.tg_convolution_param();
        const int64_t out = net::extents(op.output_shape(0)).c;
        const bool turned = layer.type() == "Deconvolution";
        blob({turned ? in : out, (turned ? out : in) / p.group(), p.kernel_size(0),
              p.kernel_size(1)});
        if (p.bias_term()) blob({out});
      } else if (op.type() == "tg_inner_product") {
        const auto outputs = static_cast<int64_t>(op.tg_inner_product_param().num_output());
        blob({outputs, net::count(op.input_shape(0))});
        blob({outputs});
      } else if (op.type() == "tg_batchnorm") {
        for (int64_t count : {in, in, int64_t{1}}) blob({count});
      } else if (op.type() == "tg_scale") {
        blob({in});
        if (layer.type() == "Scale") blob({in});
      } else if (op.type() == "tg_prelu" || op.type() == "tg_norm") {
        blob({in});
      }
    }
  }
}

Bytes to_bytes(const std::string& text) { return {text.begin(), text.end()}; }

}  // namespace

std::vector<Bytes> prototxt_seeds() {
  std::vector<Bytes> seeds;
  for (const char* text : kNets) seeds.push_back(to_bytes(text));
  return seeds;
}

std::vector<Bytes> caffemodel_seeds() {
  std::vector<Bytes> seeds;
  for (const char* text : kNets) {
    auto caffe_net = net::read_prototxt(text);
    if (!caffe_net.ok()) continue;
    add_blobs(*caffe_net);
    seeds.push_back(to_bytes(net::to_caffemodel(*caffe_net)));
  }
  return seeds;
}

std::vector<Bytes> table_seeds() {
  NetCalibrationParameter table;
  table.set_name("net");
  auto& layer = *table.add_layer();
  layer.set_name("conv");
  layer.add_threshold_y(1.5F);
  layer.set_right_shift_width(7);
  layer.add_threshold_x_quantized(160);
  auto& blob = *layer.add_blob_param();
  blob.set_name("conv");
  blob.set_threshold_y(1.5F);
  auto& relu = *layer.mutable_relu_param();
  relu.set_gt_scale(64);
  relu.set_gt_right_shift_width(6);
  relu.set_le_scale(102);
  relu.set_le_right_shift_width(10);
  auto& concat = *table.add_layer();
  concat.set_name("concat");
  concat.mutable_concat_param()->set_need_quantize_num(2);
  concat.mutable_concat_param()->add_right_shift_width(3);
  concat.mutable_concat_param()->add_threshold_x_quantized(9);
  return {to_bytes(net::table_binary(table)), to_bytes(net::table_text(table))};
}

}  // namespace tputwin::fuzz
