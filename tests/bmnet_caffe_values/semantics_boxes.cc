// SSD's layers of boxes.
#include <algorithm>
#include <cmath>
#include <map>

#include "bmnet_caffe_values/semantics.h"

namespace tputwin::net::testing {
namespace {

// ---- PriorBox ----

std::vector<float> ratios_of(const caffe::PriorBoxParameter& p) {
  std::vector<float> ratios{1};
  for (float ratio : p.aspect_ratio()) {
    bool known = false;
    for (float other : ratios) known = known || std::fabs(ratio - other) < 1e-6;
    if (known) continue;
    ratios.push_back(ratio);
    if (p.flip()) ratios.push_back(1 / ratio);
  }
  return ratios;
}

Tensors prior_box(const Layer& layer, const Tensors& in) {
  const auto& p = layer.prior_box_param();
  const int64_t height = in[0].extent(2), width = in[0].extent(3);
  double image_h = static_cast<double>(in[1].extent(2)),
         image_w = static_cast<double>(in[1].extent(3));
  if (p.has_img_size()) image_h = image_w = p.img_size();
  if (p.has_img_h()) image_h = p.img_h(), image_w = p.img_w();
  double step_h = image_h / static_cast<double>(height),
         step_w = image_w / static_cast<double>(width);
  if (p.has_step()) step_h = step_w = p.step();
  if (p.has_step_h()) step_h = p.step_h(), step_w = p.step_w();
  Floats corners;
  for (int64_t h = 0; h < height; ++h)
    for (int64_t w = 0; w < width; ++w) {
      const double x = (static_cast<double>(w) + p.offset()) * step_w;
      const double y = (static_cast<double>(h) + p.offset()) * step_h;
      const auto add = [&](double box_w, double box_h) {
        for (double v : {(x - box_w / 2) / image_w, (y - box_h / 2) / image_h,
                         (x + box_w / 2) / image_w, (y + box_h / 2) / image_h})
          corners.push_back(static_cast<float>(p.clip() ? std::clamp(v, 0.0, 1.0) : v));
      };
      for (int s = 0; s < p.min_size_size(); ++s) {
        const int least = static_cast<int>(p.min_size(s));
        add(least, least);
        if (p.max_size_size() > 0) {
          const double middle = std::sqrt(least * static_cast<int>(p.max_size(s)));
          add(middle, middle);
        }
        for (float ratio : ratios_of(p))
          if (std::fabs(ratio - 1) >= 1e-6)
            add(least * std::sqrt(double{ratio}), least / std::sqrt(double{ratio}));
      }
    }
  const auto values = static_cast<int64_t>(corners.size());
  for (int64_t i = 0; i < values; ++i)
    corners.push_back(p.variance().empty()
                          ? 0.1F
                          : p.variance(p.variance_size() > 1 ? static_cast<int>(i % 4) : 0));
  Tensor out({1, 2, values});
  out.data = corners;
  return {out};
}

// ---- DetectionOutput ----

struct Box {
  double x1, y1, x2, y2;
};
double area(const Box& b) { return b.x2 < b.x1 || b.y2 < b.y1 ? 0 : (b.x2 - b.x1) * (b.y2 - b.y1); }
double overlap(const Box& a, const Box& b) {
  const Box common{std::max(a.x1, b.x1), std::max(a.y1, b.y1), std::min(a.x2, b.x2),
                   std::min(a.y2, b.y2)};
  if (common.x2 <= common.x1 || common.y2 <= common.y1) return 0;
  return area(common) / (area(a) + area(b) - area(common));
}

Box decode(const caffe::DetectOutputParameter& p, const float* prior, const float* variance,
           const float* location) {
  using Parameter = caffe::DetectOutputParameter;
  double d[4];
  for (int i = 0; i < 4; ++i)
    d[i] = double{location[i]} * (p.variance_encoded_in_target() ? 1.0F : variance[i]);
  const double w = double{prior[2]} - prior[0], h = double{prior[3]} - prior[1];
  const auto code = p.has_code_type() ? p.code_type() : Parameter::CORNER;
  if (code == Parameter::CENTER_SIZE) {
    const double x = (double{prior[0]} + prior[2]) / 2 + d[0] * w,
                 y = (double{prior[1]} + prior[3]) / 2 + d[1] * h;
    const double bw = std::exp(d[2]) * w, bh = std::exp(d[3]) * h;
    return {x - bw / 2, y - bh / 2, x + bw / 2, y + bh / 2};
  }
  const double sw = code == Parameter::CORNER_SIZE ? w : 1,
               sh = code == Parameter::CORNER_SIZE ? h : 1;
  return {prior[0] + d[0] * sw, prior[1] + d[1] * sh, prior[2] + d[2] * sw, prior[3] + d[3] * sh};
}

struct Row {
  int label;
  float score;
  Box box;
};

std::vector<Row> rows_of_image(const caffe::DetectOutputParameter& p, const float* locations,
                               const float* scores, const Floats& priors) {
  const auto count = static_cast<int64_t>(priors.size()) / 8;
  const int64_t classes = p.num_classes(), sets = p.share_location() ? 1 : classes;
  const double threshold = p.nms_param().has_nms_threshold() ? p.nms_param().nms_threshold() : 0.3F;
  std::vector<Row> rows;
  for (int64_t label = 0; label < classes; ++label) {
    if (label == p.background_label_id()) continue;
    std::vector<int64_t> order;
    for (int64_t i = 0; i < count; ++i)
      if (!p.has_confidence_threshold() || scores[i * classes + label] > p.confidence_threshold())
        order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return scores[a * classes + label] > scores[b * classes + label];
    });
    if (p.nms_param().has_top_k() && p.nms_param().top_k() >= 0)
      order.resize(std::min(order.size(), static_cast<size_t>(p.nms_param().top_k())));
    std::vector<Row> kept;
    for (int64_t i : order) {
      const Box box = decode(p, &priors[i * 4], &priors[(count + i) * 4],
                             locations + (i * sets + (sets > 1 ? label : 0)) * 4);
      const bool covered = std::any_of(kept.begin(), kept.end(), [&](const Row& row) {
        return overlap(row.box, box) > threshold;
      });
      if (!covered) kept.push_back({static_cast<int>(label), scores[i * classes + label], box});
    }
    rows.insert(rows.end(), kept.begin(), kept.end());
  }
  if (p.has_keep_top_k() && p.keep_top_k() >= 0 &&
      rows.size() > static_cast<size_t>(p.keep_top_k())) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.score > b.score; });
    rows.resize(static_cast<size_t>(p.keep_top_k()));
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.label < b.label; });
  }
  return rows;
}

Tensors detection_output(const Layer& layer, const Tensors& in) {
  const auto& p = layer.detectoutput_param();
  Floats values;
  for (int64_t n = 0; n < in[0].extent(0); ++n)
    for (const Row& row : rows_of_image(p, &in[0].data[n * in[0].count(1)],
                                        &in[1].data[n * in[1].count(1)], in[2].data))
      for (double v : {static_cast<double>(n), static_cast<double>(row.label), double{row.score},
                       row.box.x1, row.box.y1, row.box.x2, row.box.y2})
        values.push_back(static_cast<float>(v));
  Tensor out({1, 1, static_cast<int64_t>(values.size()) / 7, 7});
  out.data = values;
  return {out};
}

}  // namespace

LayerFunctions box_layers() {
  return {{"PriorBox", prior_box}, {"DetectionOutput", detection_output}};
}

}  // namespace tputwin::net::testing
