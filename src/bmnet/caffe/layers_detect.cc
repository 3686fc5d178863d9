// Heads of detectors: operators of the CPU. Boxes and regions of interest are tensors of floats.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/errors/bmnet.h"
#include "bmnet/caffe/layer.h"

namespace tputwin::net {
namespace {

constexpr int64_t kYoloPostDetections = 200;
constexpr int kAll = -1;  // no limit in top_k and keep_top_k

// Computes the number of regions in a tensor of (index, x1, y1, x2, y2). Records a problem if the
// size does not fit.
bool regions(Importer& layer, int bottom, int64_t& count) {
  const int64_t values = volume(layer.dims(bottom));
  count = values / 5;
  if (values % 5 == 0 && layer.dims(bottom)[0] == count) return true;
  layer.problem(errors::net_operand_shapes, layer.op.bottom(bottom), describe(layer.dims(bottom)),
                "regions are (R,5): index, x1, y1, x2, y2");
  return false;
}

// Returns 1, then each new ratio, followed by its inverse if `flip`.
std::vector<float> aspect_ratios(const caffe::PriorBoxParameter& p) {
  std::vector<float> ratios = {1.0F};
  for (float ratio : p.aspect_ratio()) {
    const bool known = std::any_of(ratios.begin(), ratios.end(),
                                   [&](float r) { return std::abs(ratio - r) < 1e-6F; });
    if (known) continue;
    ratios.push_back(ratio);
    if (p.flip()) ratios.push_back(1.0F / ratio);
  }
  return ratios;
}

void check_prior_box(Importer& layer, const caffe::PriorBoxParameter& p) {
  if (p.min_size().empty()) layer.parameter("min_size", "none", "one at least");
  for (float v : p.min_size()) layer.positive("min_size", v);
  for (float v : p.max_size()) layer.positive("max_size", v);
  for (float v : p.aspect_ratio()) layer.positive("aspect_ratio", v);
  if (!p.max_size().empty() && p.max_size_size() != p.min_size_size())
    layer.parameter("max_size", std::to_string(p.max_size_size()) + " values", "one per min_size");
  for (int i = 0; i < std::min(p.max_size_size(), p.min_size_size()); ++i)
    if (p.max_size(i) <= p.min_size(i))
      layer.parameter("max_size", std::to_string(p.max_size(i)), "above min_size");
  if (p.variance_size() != 0 && p.variance_size() != 1 && p.variance_size() != 4)
    layer.parameter("variance", std::to_string(p.variance_size()) + " values", "one, or four");
  for (float v : p.variance()) layer.positive("variance", v);
  if (p.has_img_size() && (p.has_img_h() || p.has_img_w()))
    layer.parameter("img_size", std::to_string(p.img_size()), "img_h and img_w are given, too");
  if (p.has_step() && (p.has_step_h() || p.has_step_w()))
    layer.parameter("step", std::to_string(p.step()), "step_h and step_w are given, too");
  if (p.has_img_h() != p.has_img_w())
    layer.parameter(p.has_img_h() ? "img_w" : "img_h", "none", "img_h and img_w, or neither");
  if (p.has_step_h() != p.has_step_w())
    layer.parameter(p.has_step_h() ? "step_w" : "step_h", "none", "step_h and step_w, or neither");
  for (float v : {p.step(), p.step_h(), p.step_w()})
    if (!(std::isfinite(v) && v >= 0)) layer.parameter("step", std::to_string(v), "not negative");
  layer.finite("offset", p.offset());
  if (p.reduce_boxes()) layer.parameter("reduce_boxes", "true", "false");
}

// Sets the defaults of a layer of type DetectionOutput, which are SSD's. The defaults of the
// message are those of the type DetectOutput.
void take_ssd_defaults(const caffe::DetectOutputParameter& p,
                       ::bmnet::TGDetectOutputParameter& param) {
  if (!p.has_code_type()) param.set_code_type(caffe::DetectOutputParameter::CORNER);
  if (!p.nms_param().has_nms_threshold()) param.set_nms_threshold(0.3F);
  if (!p.nms_param().has_top_k()) param.set_top_k(kAll);
  if (!p.has_keep_top_k()) param.set_keep_top_k(kAll);
  if (!p.has_confidence_threshold())
    param.set_confidence_threshold(std::numeric_limits<float>::lowest());
}

void check_detection_output(Importer& layer, const ::bmnet::TGDetectOutputParameter& param) {
  layer.range("num_classes", param.num_classes(), 1, kMaxExtent);
  layer.range("background_label_id", param.background_label_id(), -1, kMaxExtent);
  if (param.keep_top_k() == 0)
    layer.parameter("keep_top_k", "0", "-1, which keeps all, or at least 1");
  layer.range("keep_top_k", param.keep_top_k(), kAll, kMaxOutputs);
  layer.range("top_k", param.top_k(), kAll, kMaxOutputs);
  if (!(std::isfinite(param.nms_threshold()) && param.nms_threshold() >= 0))
    layer.parameter("nms_threshold", std::to_string(param.nms_threshold()), "not negative");
  layer.finite("confidence_threshold", param.confidence_threshold());
  if (!(param.eta() > 0 && param.eta() <= 1))
    layer.parameter("eta", std::to_string(param.eta()), "above 0, at most 1");
}

// Returns the maximum number of rows of an image: keep_top_k, or every prior in every class except
// the background. Non-maximum suppression considers top_k of them.
int64_t detection_rows(const ::bmnet::TGDetectOutputParameter& param, int64_t priors) {
  if (param.keep_top_k() != kAll) return param.keep_top_k();
  const int64_t background = param.background_label_id(), classes = param.num_classes();
  const int64_t of_class =
      param.top_k() == kAll ? priors : std::min<int64_t>(priors, param.top_k());
  const bool has_background = background >= 0 && background < classes;
  return std::max<int64_t>(1, of_class * (classes - (has_background ? 1 : 0)));
}

void check_detection_bottoms(Importer& layer, const ::bmnet::TGDetectOutputParameter& param) {
  const int64_t n = layer.dims()[0], classes = param.num_classes();
  const Dims prior = layer.dims(2);
  const int64_t priors = prior.back() / 4;
  const int64_t boxes = priors * 4 * (param.share_location() ? 1 : classes);
  auto expect = [&](int bottom, bool right, const std::string& wanted) {
    if (right) return;
    layer.problem(errors::net_operand_shapes, layer.op.bottom(bottom), describe(layer.dims(bottom)),
                  wanted);
  };
  expect(2, prior.size() == 3 && prior[1] == 2 && prior[2] % 4 == 0, "priors are (1,2,4*P)");
  expect(0, volume(layer.dims(0)) == n * boxes,
         "locations are " + std::to_string(boxes) + " numbers per image");
  expect(1, volume(layer.dims(1)) == n * priors * classes,
         "confidences are " + std::to_string(priors * classes) + " numbers per image");
}

// Bottoms: the feature map, the image. Resolves sizes of the image and steps, and expands ratios,
// so that the operator needs no rules of its own.
void import_prior_box(Importer& layer) {
  const auto& p = layer.caffe.prior_box_param();
  set_type(layer.op, Op::prior_box);
  auto& param = *layer.op.mutable_tg_prior_box_param();
  check_prior_box(layer, p);
  if (!layer.ready() || !layer.axes_at_least(4) || !layer.axes_at_least(4, 1)) return;
  param.mutable_min_size()->CopyFrom(p.min_size());
  param.mutable_max_size()->CopyFrom(p.max_size());
  for (float ratio : aspect_ratios(p)) param.add_aspect_ratio(ratio);
  const int priors = param.aspect_ratio_size() * p.min_size_size() + p.max_size_size();
  param.set_num_priors(priors);
  param.set_clip(p.clip());
  param.mutable_variance()->CopyFrom(p.variance());
  if (p.variance().empty()) param.add_variance(0.1F);
  param.set_offset(p.offset());
  const Extents map = layer.extents(0), image = layer.extents(1);
  auto size = [&](uint32_t one, int64_t other) {
    return static_cast<uint32_t>(one != 0 ? one : p.img_size() != 0 ? p.img_size() : other);
  };
  param.set_img_h(size(p.img_h(), image.h));
  param.set_img_w(size(p.img_w(), image.w));
  const float step_h = p.has_step() ? p.step() : p.step_h();
  const float step_w = p.has_step() ? p.step() : p.step_w();
  const bool given = step_h != 0 && step_w != 0;
  param.set_step_h(given ? step_h : static_cast<float>(param.img_h()) / static_cast<float>(map.h));
  param.set_step_w(given ? step_w : static_cast<float>(param.img_w()) / static_cast<float>(map.w));
  layer.output({1, 2, map.h * map.w * priors * 4}, true);
}

// Bottoms: locations, confidences, priors. Top: rows of index, label, score, x1, y1, x2, y2, with
// the maximum number of rows for each image.
void import_detection_output(Importer& layer) {
  const auto& p = layer.caffe.detectoutput_param();
  set_type(layer.op, Op::detectoutput);
  auto& param = *layer.op.mutable_tg_detectoutput_param();
  param.set_num_classes(p.num_classes());
  param.set_share_location(p.share_location());
  param.set_background_label_id(p.background_label_id());
  param.set_nms_threshold(p.nms_param().nms_threshold());
  param.set_top_k(p.nms_param().top_k());
  // SSD's default is 1, which does not change the threshold.
  param.set_eta(p.nms_param().has_eta() ? p.nms_param().eta() : 1.0F);
  param.set_code_type(p.code_type());
  param.set_keep_top_k(p.keep_top_k());
  param.set_confidence_threshold(p.confidence_threshold());
  param.set_variance_encoded_in_target(p.variance_encoded_in_target());
  if (layer.caffe.type() == "DetectionOutput") {
    if (!p.has_num_classes()) layer.parameter("num_classes", "none", "at least 1");
    take_ssd_defaults(p, param);
  }
  check_detection_output(layer, param);
  if (!layer.ready()) return;
  check_detection_bottoms(layer, param);
  const int64_t rows = detection_rows(param, layer.dims(2).back() / 4);
  layer.output({1, 1, layer.dims()[0] * rows, 7}, true);
}

// Bottoms: scores (n,2A,h,w), deltas (n,4A,h,w), image info. Tops: regions (n * post_nms_topN, 5),
// scores.
void import_proposal(Importer& layer) {
  const auto& p = layer.caffe.proposal_param();
  set_type(layer.op, Op::proposal);
  auto& param = *layer.op.mutable_tg_proposal_param();
  param.set_feat_stride(static_cast<int32_t>(p.feat_stride()));
  param.set_pre_nms_topn(p.pre_nms_topn());
  param.set_post_nms_topn(p.post_nms_topn());
  param.set_nms_thresh(p.nms_thresh());
  param.set_min_size(p.min_size());
  param.set_base_size(p.base_size());
  param.set_version(p.version());
  param.mutable_scale()->CopyFrom(p.scale());
  param.mutable_ratio()->CopyFrom(p.ratio());
  if (p.scale().empty())
    for (float scale : {8.0F, 16.0F, 32.0F}) param.add_scale(scale);
  if (p.ratio().empty())
    for (float ratio : {0.5F, 1.0F, 2.0F}) param.add_ratio(ratio);
  for (float v : p.scale()) layer.positive("scale", v);
  for (float v : p.ratio()) layer.positive("ratio", v);
  layer.range("feat_stride", p.feat_stride(), 1, kMaxExtent);
  layer.range("pre_nms_topN", p.pre_nms_topn(), 1, kMaxOutputs);
  layer.range("post_nms_topN", p.post_nms_topn(), 1, kMaxOutputs);
  layer.range("base_size", p.base_size(), 1, kMaxExtent);
  layer.positive("nms_thresh", p.nms_thresh());
  if (!layer.ready() || !layer.axes_at_least(4) || !layer.axes_at_least(4, 1)) return;
  const int64_t anchors = int64_t{param.scale_size()} * param.ratio_size();
  const Extents scores = layer.extents(0);
  auto expect = [&](int bottom, int64_t channels) {
    const Dims wanted = {scores.n, channels, scores.h, scores.w};
    if (layer.dims(bottom) != wanted)
      layer.problem(errors::net_operand_shapes, layer.op.bottom(bottom),
                    describe(layer.dims(bottom)),
                    describe(wanted) + " for " + std::to_string(anchors) + " anchors");
  };
  expect(0, 2 * anchors);
  expect(1, 4 * anchors);
  if (!layer.ready()) return;
  const int64_t count = scores.n * p.post_nms_topn();
  layer.output({count, 5}, true);
  if (layer.tops() > 1) layer.output({count, 1}, true);
}

void import_roi_pooling(Importer& layer) {
  const auto& p = layer.caffe.roi_pooling_param();
  set_type(layer.op, Op::roi_pooling);
  auto& param = *layer.op.mutable_tg_roi_pooling_param();
  param.set_pooled_h(p.pooled_h());
  param.set_pooled_w(p.pooled_w());
  param.set_spatial_scale(p.spatial_scale());
  layer.range("pooled_h", p.pooled_h(), 1, kMaxExtent);
  layer.range("pooled_w", p.pooled_w(), 1, kMaxExtent);
  layer.positive("spatial_scale", p.spatial_scale());
  int64_t count = 0;
  if (!layer.ready() || !layer.axes_at_least(4) || !regions(layer, 1, count)) return;
  layer.output({count, layer.extents().c, p.pooled_h(), p.pooled_w()}, false);
}

void import_psroi_pooling(Importer& layer) {
  const auto& p = layer.caffe.psroi_pooling_param();
  set_type(layer.op, Op::psroi_pooling);
  auto& param = *layer.op.mutable_tg_psroi_pooling_param();
  param.set_spatial_scale(p.spatial_scale());
  param.set_output_dim(p.output_dim());
  param.set_group_size(p.group_size());
  layer.positive("spatial_scale", p.spatial_scale());
  layer.range("output_dim", p.output_dim(), 1, kMaxExtent);
  layer.range("group_size", p.group_size(), 1, 1024);
  int64_t count = 0;
  if (!layer.ready() || !layer.axes_at_least(4) || !regions(layer, 1, count)) return;
  const int64_t group = p.group_size();
  if (layer.extents().c != p.output_dim() * group * group)
    layer.problem(errors::net_operand_shapes, layer.op.bottom(0), describe(layer.dims()),
                  "output_dim * group_size^2 channels");
  else
    layer.output({count, p.output_dim(), group, group}, false);
}

void import_region(Importer& layer) {
  const auto& p = layer.caffe.region_param();
  set_type(layer.op, Op::region);
  auto& param = *layer.op.mutable_tg_region_param();
  param.set_classes(p.classes());
  param.set_softmax(p.softmax());
  param.set_coords(p.coords());
  param.set_num(p.num());
  param.set_background(p.background());
  layer.range("classes", p.classes(), 1, kMaxExtent);
  layer.range("coords", p.coords(), 2, kMaxExtent);
  layer.range("num", p.num(), 1, kMaxExtent);
  if (!layer.ready() || !layer.axes_at_least(4)) return;
  const int64_t channels = int64_t{p.num()} * (p.coords() + 1 + p.classes());
  if (layer.extents().c != channels)
    layer.problem(errors::net_operand_shapes, layer.op.bottom(0), describe(layer.dims()),
                  "num * (coords + 1 + classes) = " + std::to_string(channels) + " channels");
  else
    layer.output(layer.dims(), true);
}

void import_yolo(Importer& layer) {
  const auto& p = layer.caffe.yolo_param();
  set_type(layer.op, Op::yolo);
  layer.op.mutable_tg_yolo_param()->set_classes(p.classes());
  layer.range("classes", p.classes(), 1, kMaxExtent);
  if (!layer.ready() || !layer.axes_at_least(4)) return;
  if (layer.extents().c % (p.classes() + 5) != 0)
    layer.problem(errors::net_operand_shapes, layer.op.bottom(0), describe(layer.dims()),
                  "a multiple of classes + 5 channels");
  else
    layer.output(layer.dims(), true);
}

// Bottoms: Yolo layers. Top: rows of index, label, score, x1, y1, x2, y2.
void import_yolo_post(Importer& layer) {
  const auto& p = layer.caffe.yolopost_param();
  set_type(layer.op, Op::yolopost);
  auto& param = *layer.op.mutable_tg_yolopost_param();
  param.set_classes(p.classes());
  param.set_netw(p.netw());
  param.set_neth(p.neth());
  param.set_num(p.num());
  param.mutable_mask()->CopyFrom(p.yolomask().mask());
  param.mutable_anchor()->CopyFrom(p.anchors().anchor());
  layer.range("classes", p.classes(), 1, kMaxExtent);
  layer.range("netw", p.netw(), 1, kMaxExtent);
  layer.range("neth", p.neth(), 1, kMaxExtent);
  layer.range("num", p.num(), 1, kMaxExtent);
  if (param.anchor_size() != 2 * p.num())
    layer.parameter("anchors", std::to_string(param.anchor_size()) + " values", "2 * num");
  for (int32_t mask : param.mask()) layer.range("yolomask", mask, 0, p.num() - 1);
  if (param.mask_size() % layer.bottoms() != 0 || param.mask().empty())
    layer.parameter("yolomask", std::to_string(param.mask_size()) + " values",
                    "equally many per bottom");
  if (!layer.ready()) return;
  const int64_t boxes = param.mask_size() / layer.bottoms();
  for (int i = 0; i < layer.bottoms(); ++i)
    if (layer.axes_at_least(4, i) && layer.extents(i).c != boxes * (p.classes() + 5))
      layer.problem(errors::net_operand_shapes, layer.op.bottom(i), describe(layer.dims(i)),
                    std::to_string(boxes * (p.classes() + 5)) + " channels");
  layer.output({1, 1, layer.dims()[0] * kYoloPostDetections, 7}, true);
}

// The types of these layers.
constexpr LayerKind kDetectLayers[] = {
    {.type = "PriorBox", .import = import_prior_box, .min_bottoms = 2, .max_bottoms = 2},
    {.type = "DetectionOutput",
     .import = import_detection_output,
     .min_bottoms = 3,
     .max_bottoms = 3},
    {.type = "DetectOutput", .import = import_detection_output, .min_bottoms = 3, .max_bottoms = 3},
    {.type = "Proposal",
     .import = import_proposal,
     .min_bottoms = 3,
     .max_bottoms = 3,
     .max_tops = 2},
    {.type = "ROIPooling", .import = import_roi_pooling, .min_bottoms = 2, .max_bottoms = 2},
    {.type = "PSROIPooling", .import = import_psroi_pooling, .min_bottoms = 2, .max_bottoms = 2},
    {.type = "Region", .import = import_region},
    {.type = "Yolo", .import = import_yolo},
    {.type = "YoloPost", .import = import_yolo_post, .max_bottoms = kMany},
};

}  // namespace

std::span<const LayerKind> detect_layers() { return kDetectLayers; }

}  // namespace tputwin::net
