// Layers of detectors that the host computes.
#include "bmnet/targets/bm1684x/subnets/detectors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "bmnet/float/kernels.h"
#include "bmnet/targets/bm1684x/subnets/host_layers.h"

namespace tputwin::net::bm1684x {
namespace {

// ---- Priors ----

using Values = std::map<std::string, Blob>;

Status compute(const TensorOp& op, const std::vector<const Blob*>& inputs, Blob& result) {
  const std::vector<Blob> none;  // the kernel refers to it
  TW_ASSIGN_OR_RETURN(
      kernel, is(op, Op::prior_box) ? make_float_host(op, none) : make_float_move(op, none));
  result.shape = dims(op.output_shape(0));
  result.data.resize(static_cast<size_t>(count(op.output_shape(0))));
  Blob* const results[] = {&result};
  return kernel(inputs, results);
}

// Computes the priors, which follow from shapes, and what is moved of them.
Status fold_priors(const Network& network, Values& values) {
  for (const TensorOp& op : network.ops) {
    if (op.top_size() != 1) continue;
    const bool moves = is(op, Op::concat) || is(op, Op::reshape);
    if (!is(op, Op::prior_box) && !(moves && std::ranges::all_of(op.bottom(), [&](const auto& t) {
                                      return values.contains(t);
                                    })))
      continue;
    // The operators of priors read shapes only.
    std::vector<Blob> shapes;
    shapes.reserve(static_cast<size_t>(op.bottom_size()));
    std::vector<const Blob*> inputs;
    for (int i = 0; i < op.bottom_size(); ++i) {
      const auto known = values.find(op.bottom(i));
      if (known == values.end())
        shapes.push_back({dims(op.input_shape(i)),
                          std::vector<float>(static_cast<size_t>(count(op.input_shape(i))))});
      inputs.push_back(known == values.end() ? &shapes.back() : &known->second);
    }
    Blob result;
    TW_RETURN_IF_ERROR(compute(op, inputs, result));
    values[op.top(0)] = std::move(result);
  }
  return {};
}

// Priors that other layers, or the user, read are made by the host.
TensorOp constant_layer(Network& network, const TensorOp& op, const Blob& value) {
  TensorOp made = host_layer(op.name(), "unary op=identity");
  made.mutable_tg_host_param()->add_constant(0);
  network.blobs[op.name()] = {value};
  add_result(made, op.top(0), op.output_shape(0));
  return made;
}

// ---- Operators ----

std::string detection_text(const TensorOp& op) {
  constexpr const char* kCodes[] = {"corner", "corner", "center_size", "corner_size"};
  const auto& p = op.tg_detectoutput_param();
  return fmt::format(
      "detection_output num_classes={} background_label_id={} share_location={} "
      "variance_encoded_in_target={} code_type={} confidence_threshold={} "
      "nms_threshold={} eta={} top_k={} keep_top_k={}",
      p.num_classes(), p.background_label_id(), p.share_location() ? 1 : 0,
      p.variance_encoded_in_target() ? 1 : 0, kCodes[std::clamp(p.code_type(), 0, 3)],
      p.confidence_threshold(), p.nms_threshold(), p.eta(), p.top_k(), p.keep_top_k());
}

std::string region_text(const TensorOp& op) {
  const auto& p = op.tg_region_param();
  return fmt::format("region classes={} coords={} num={} softmax={} background={}", p.classes(),
                     p.coords(), p.num(), p.softmax() != 0 ? 1 : 0, p.background() != 0 ? 1 : 0);
}

std::string yolo_boxes_text(const TensorOp& op) {
  const auto& p = op.tg_yolopost_param();
  const int64_t images = std::max<int64_t>(op.input_shape(0).dim(0), 1);
  const std::string masks =
      p.mask().empty() ? "" : fmt::format(" masks={}", fmt::join(p.mask(), ","));
  return fmt::format(
      "yolo_detections classes={} netw={} neth={} obj_threshold={} nms_threshold={} "
      "keep_top_k={} anchors={}{}",
      p.classes(), p.netw(), p.neth(), p.obj_threshold(), p.nms_threshold(),
      count(op.output_shape(0)) / 7 / images, fmt::join(p.anchor(), ","), masks);
}

std::string proposal_text(const TensorOp& op) {
  const auto& p = op.tg_proposal_param();
  std::string text = fmt::format(
      "proposal feat_stride={} min_size={} base_size={} pre_nms_topn={} post_nms_topn={} "
      "nms_thresh={}",
      p.feat_stride(), p.min_size(), p.base_size(), p.pre_nms_topn(), p.post_nms_topn(),
      p.nms_thresh());
  if (!p.scale().empty()) text += fmt::format(" scale={}", fmt::join(p.scale(), ","));
  if (!p.ratio().empty()) text += fmt::format(" ratio={}", fmt::join(p.ratio(), ","));
  return text;
}

// Returns the operator of the host that a layer is; "" for other layers.
std::string text_of(const TensorOp& op) {
  switch (properties(op.type()).op) {
    case Op::detectoutput:
      return detection_text(op);
    case Op::region:
      return region_text(op);
    case Op::yolo:
      return fmt::format("yolo classes={}", op.tg_yolo_param().classes());
    case Op::yolopost:
      return yolo_boxes_text(op);
    case Op::proposal:
      return proposal_text(op);
    case Op::roi_pooling: {
      const auto& p = op.tg_roi_pooling_param();
      return fmt::format("roi_pooling pooled_h={} pooled_w={} spatial_scale={}", p.pooled_h(),
                         p.pooled_w(), p.spatial_scale());
    }
    case Op::psroi_pooling: {
      const auto& p = op.tg_psroi_pooling_param();
      return fmt::format("psroi_pooling group_size={} output_dim={} spatial_scale={}",
                         p.group_size(), p.output_dim(), p.spatial_scale());
    }
    default:
      return "";
  }
}

// The numbers of detections are known after a run.
bool varies(const TensorOp& op) { return is(op, Op::detectoutput) || is(op, Op::yolopost); }

void place(Network& network, TensorOp& op, const Values& priors) {
  const std::string text = text_of(op);
  if (text.empty()) return;
  TensorOp made = host_layer(op.name(), text);
  made.mutable_tg_host_param()->set_varies(varies(op));
  for (int i = 0; i < op.bottom_size(); ++i) {
    const auto known = priors.find(op.bottom(i));
    if (known == priors.end()) {
      add_input(made, op.bottom(i), op.input_shape(i));
      continue;
    }
    made.mutable_tg_host_param()->add_constant(static_cast<uint32_t>(i));
    network.blobs[op.name()].push_back(known->second);
  }
  for (int i = 0; i < op.top_size(); ++i) add_result(made, op.top(i), op.output_shape(i));
  op = std::move(made);
}

}  // namespace

Status place_detectors(Network& network) {
  Values priors;
  TW_RETURN_IF_ERROR(fold_priors(network, priors));
  for (TensorOp& op : network.ops) place(network, op, priors);
  // Layers whose results are constants now have no readers.
  for (bool changes = true; changes;) {
    const auto is_unread = [&](const TensorOp& op) {
      return op.top_size() == 1 && priors.contains(op.top(0)) && !network.is_read(op.top(0));
    };
    changes = std::erase_if(network.ops, is_unread) != 0;
  }
  for (TensorOp& op : network.ops)
    if (is(op, Op::prior_box)) op = constant_layer(network, op, priors.at(op.top(0)));
  return {};
}

}  // namespace tputwin::net::bm1684x
