// Conversion of outputs of the known kinds to boxes.
#include "tools/vision/detections.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/errors/tools.h"

namespace tputwin::tools {
namespace {

using Boxes = std::vector<Detection>;
using Outputs = std::span<const OutputView>;

Error lacks(Outputs outputs, const std::string& what) {
  std::string there;
  for (const OutputView& o : outputs)
    there += fmt::format("{}{} ({})", there.empty() ? "" : ", ", o.name, fmt::join(o.shape, ","));
  return Error(errors::cli_detections).argument("outputs", there).detail("needed: " + what);
}

uint64_t last(const OutputView& output) { return output.shape.empty() ? 0 : output.shape.back(); }

// Returns the output of that name, or the only one that `fits`.
template <class Fits>
const OutputView* find(Outputs outputs, const std::string& name, Fits fits) {
  const OutputView* found = nullptr;
  for (const OutputView& output : outputs) {
    if (name.empty() ? !fits(output) : output.name != name) continue;
    if (found != nullptr) return nullptr;
    found = &output;
  }
  return found != nullptr && fits(*found) ? found : nullptr;
}

// ---- ssd ----

Result<Boxes> of_rows(Outputs outputs, size_t image, const net::Extents& sample,
                      const DetectionOptions& options) {
  constexpr size_t kRow = 7;
  const OutputView* rows =
      find(outputs, options.boxes, [](const OutputView& o) { return last(o) == kRow; });
  if (rows == nullptr) return lacks(outputs, "one of rows of 7 numbers");
  const auto w = static_cast<float>(sample.w), h = static_cast<float>(sample.h);
  Boxes boxes;
  for (size_t at = 0; at + kRow <= rows->values.size(); at += kRow) {
    const float* row = &rows->values[at];
    if (row[0] != static_cast<float>(image) || row[1] < 0 || row[2] < options.threshold) continue;
    boxes.push_back(
        {static_cast<int>(row[1]), row[2], row[3] * w, row[4] * h, row[5] * w, row[6] * h});
  }
  return boxes;
}

// ---- yolo ----

float logistic(float x) { return 1 / (1 + std::exp(-x)); }

// The numbers of one anchor: entries are planes, or are adjacent at each position.
struct AnchorNumbers {
  const float* values;
  size_t entry_step, place_step, classes;
  bool activated;

  float raw(size_t entry, size_t place) const {
    return values[entry * entry_step + place * place_step];
  }
  float at(size_t entry, size_t place) const {
    return activated ? raw(entry, place) : logistic(raw(entry, place));
  }
  Scored best(size_t place) const {
    Scored best{0, 0};
    for (size_t c = 0; c < classes; ++c)
      if (const float score = at(5 + c, place); score > best.score)
        best = {static_cast<int>(c), score};
    return {best.label, best.score * at(4, place)};
  }
};

// The cells of a scale, and the formula by which numbers move and size an anchor: YOLO up to
// version 4, or from 5 on.
struct AnchorGrid {
  uint64_t rows, columns;
  float step_x, step_y;
  bool squares;

  float centre(size_t cell, float moved) const {
    return static_cast<float>(cell) + (squares ? 2 * moved - 0.5f : moved);
  }
  float half(const AnchorNumbers& numbers, size_t entry, size_t place, float anchor) const {
    if (!squares) return std::exp(numbers.raw(entry, place)) * anchor / 2;
    const float twice = 2 * numbers.at(entry, place);
    return twice * twice * anchor / 2;
  }
};

void add_anchor(const AnchorNumbers& numbers, const AnchorGrid& grid, const float* anchor,
                float threshold, Boxes& boxes) {
  for (size_t y = 0; y < grid.rows; ++y)
    for (size_t x = 0; x < grid.columns; ++x) {
      const size_t at = y * grid.columns + x;
      const Scored best = numbers.best(at);
      if (best.score < threshold) continue;
      const float cx = grid.centre(x, numbers.at(0, at)) * grid.step_x;
      const float cy = grid.centre(y, numbers.at(1, at)) * grid.step_y;
      const float w = grid.half(numbers, 2, at, anchor[0]);
      const float h = grid.half(numbers, 3, at, anchor[1]);
      boxes.push_back({best.label, best.score, cx - w, cy - h, cx + w, cy + h});
    }
}

constexpr size_t kPlace = 5;  // x, y, w, h, objectness

// Adds a scale (anchors*(5+classes),h,w), or (anchors,h,w,5+classes) as version 5 exports it.
Status add_scale(const OutputView& output, const std::vector<float>& anchors,
                 const net::Extents& sample, const DetectionOptions& options, Boxes& boxes) {
  const auto& shape = output.shape;
  const bool together = shape.size() == 4;
  const size_t count = anchors.size() / 2;
  const bool fits =
      count != 0 && (together            ? shape[0] == count && shape[3] > kPlace
                     : shape.size() != 3 ? false
                                         : shape[0] % count == 0 && shape[0] / count > kPlace);
  if (!fits) return lacks({&output, 1}, "planes of 5 numbers and classes for each anchor");
  const size_t entries = together ? shape[3] : shape[0] / count, plane = shape[1] * shape[2];
  const AnchorGrid grid{shape[1], shape[2],
                        static_cast<float>(sample.w) / static_cast<float>(shape[2]),
                        static_cast<float>(sample.h) / static_cast<float>(shape[1]),
                        options.kind == DetectionKind::yolov5};
  for (size_t a = 0; a < count; ++a)
    add_anchor({&output.values[a * entries * plane], together ? 1 : plane, together ? entries : 1,
                entries - kPlace, options.activated},
               grid, &anchors[2 * a], options.threshold, boxes);
  return {};
}

Result<Boxes> of_anchors(Outputs outputs, const net::Extents& sample,
                         const DetectionOptions& options) {
  if (options.anchors.size() != outputs.size())
    return lacks(outputs, fmt::format("one for each of {} lists of anchors, which --describe gives",
                                      options.anchors.size()));
  Boxes boxes;
  for (size_t i = 0; i < outputs.size(); ++i)
    TW_RETURN_IF_ERROR(add_scale(outputs[i], options.anchors[i], sample, options, boxes));
  return boxes;
}

// ---- yolov5, yolov8: boxes in pixels of the sample ----

std::vector<uint64_t> without_ones(std::vector<uint64_t> shape) {
  std::erase(shape, 1u);
  return shape;
}

// Centre, extents, optionally the objectness, classes. Each box is a row, or a column if there are
// fewer rows than columns.
Result<Boxes> of_rows_in_pixels(Outputs outputs, const DetectionOptions& options,
                                bool has_objectness) {
  const size_t place = has_objectness ? kPlace : kPlace - 1;
  const OutputView* rows = find(outputs, options.boxes, [&](const OutputView& o) {
    const auto shape = without_ones(o.shape);
    return shape.size() == 2 && std::min(shape[0], shape[1]) > place;
  });
  if (rows == nullptr)
    return lacks(outputs, fmt::format("one of boxes of {} numbers and classes", place));
  const auto shape = without_ones(rows->shape);
  const bool columns = shape[0] < shape[1];
  const size_t count = std::max(shape[0], shape[1]), entries = std::min(shape[0], shape[1]);
  const auto at = [&](size_t box, size_t entry) {
    return rows->values[columns ? entry * count + box : box * entries + entry];
  };
  Boxes boxes;
  for (size_t i = 0; i < count; ++i) {
    Scored best{0, 0};
    for (size_t entry = place; entry < entries; ++entry)
      if (at(i, entry) > best.score) best = {static_cast<int>(entry - place), at(i, entry)};
    if (has_objectness) best.score *= at(i, kPlace - 1);
    if (best.score < options.threshold) continue;
    const float x = at(i, 0), y = at(i, 1), w = at(i, 2) / 2, h = at(i, 3) / 2;
    boxes.push_back({best.label, best.score, x - w, y - h, x + w, y + h});
  }
  return boxes;
}

// ---- priors ----

struct Prior {
  float x, y, size;  // centre, in pixels of the sample
};

std::vector<Prior> priors_of(const net::Extents& sample, const DetectionOptions& options) {
  std::vector<Prior> priors;
  for (size_t level = 0; level < options.strides.size(); ++level) {
    const int64_t stride = options.strides[level];
    const auto step = static_cast<float>(stride);
    for (int64_t y = 0; y * stride < sample.h; ++y)
      for (int64_t x = 0; x * stride < sample.w; ++x)
        for (const float size : options.sizes[level])
          priors.push_back(
              {(static_cast<float>(x) + 0.5f) * step, (static_cast<float>(y) + 0.5f) * step, size});
  }
  return priors;
}

// Returns the best label of a row of scores, without the background.
Scored best_of_row(std::span<const float> row, int background) {
  Scored best{0, 0};
  for (size_t label = 0; label < row.size(); ++label)
    if (static_cast<int>(label) != background && row[label] > best.score)
      best = {static_cast<int>(label), row[label]};
  return best;
}

Result<Boxes> of_priors(Outputs outputs, const net::Extents& sample,
                        const DetectionOptions& options) {
  if (options.strides.empty() || options.strides.size() != options.sizes.size() ||
      options.variances.size() != 2 || std::ranges::min(options.strides) < 1)
    return lacks(outputs, "strides, a list of sizes for each, and two variances");
  const std::vector<Prior> priors = priors_of(sample, options);
  if (priors.empty()) return lacks(outputs, "a size for some stride");
  const OutputView* coordinates = find(outputs, options.boxes, [&](const OutputView& o) {
    return o.values.size() == 4 * priors.size();
  });
  const OutputView* scores = find(outputs, options.scores, [&](const OutputView& o) {
    return &o != coordinates && o.values.size() % priors.size() == 0;
  });
  if (coordinates == nullptr || scores == nullptr)
    return lacks(outputs, fmt::format("boxes and scores of {} prior boxes", priors.size()));
  const size_t labels = scores->values.size() / priors.size();
  Boxes boxes;
  for (size_t i = 0; i < priors.size(); ++i) {
    const Scored best = best_of_row(scores->values.subspan(i * labels, labels), options.background);
    if (best.score < options.threshold) continue;
    const float* place = &coordinates->values[4 * i];
    const auto& [px, py, size] = priors[i];
    const float x = px + place[0] * options.variances[0] * size;
    const float y = py + place[1] * options.variances[0] * size;
    const float w = size * std::exp(place[2] * options.variances[1]) / 2;
    const float h = size * std::exp(place[3] * options.variances[1]) / 2;
    boxes.push_back({best.label, best.score, x - w, y - h, x + w, y + h});
  }
  return boxes;
}

// ---- mtcnn ----

Result<Boxes> of_windows(Outputs outputs, const DetectionOptions& options) {
  const auto planes = [](size_t count) {
    return [count](const OutputView& o) { return o.shape.size() == 3 && o.shape[0] == count; };
  };
  const OutputView* scores = find(outputs, options.scores, planes(2));
  const OutputView* moves = find(outputs, options.boxes, planes(4));
  if (scores == nullptr || moves == nullptr || scores->shape[1] != moves->shape[1] ||
      scores->shape[2] != moves->shape[2])
    return lacks(outputs, "two planes of probabilities and four of corrections");
  const size_t rows = scores->shape[1], columns = scores->shape[2], plane = rows * columns;
  const auto window = static_cast<float>(options.window),
             stride = static_cast<float>(options.stride);
  Boxes boxes;
  for (size_t at = 0; at < plane; ++at) {
    const float score = scores->values[plane + at];
    if (score < options.threshold) continue;
    float x = static_cast<float>(at % columns) * stride,
          y = static_cast<float>(at / columns) * stride;
    if (options.transposed) std::swap(x, y);
    const auto move = [&](size_t side) { return moves->values[side * plane + at] * window; };
    boxes.push_back(
        {1, score, x + move(0), y + move(1), x + window + move(2), y + window + move(3)});
  }
  return boxes;
}

Result<Boxes> boxes_of(Outputs outputs, size_t image, const net::Extents& sample,
                       const DetectionOptions& options) {
  switch (options.kind) {
    case DetectionKind::ssd:
      return of_rows(outputs, image, sample, options);
    case DetectionKind::yolo:
      return of_anchors(outputs, sample, options);
    case DetectionKind::yolov5:
      return options.anchors.empty() ? of_rows_in_pixels(outputs, options, true)
                                     : of_anchors(outputs, sample, options);
    case DetectionKind::yolov8:
      return of_rows_in_pixels(outputs, options, false);
    case DetectionKind::priors:
      return of_priors(outputs, sample, options);
    case DetectionKind::mtcnn:
      return of_windows(outputs, options);
    case DetectionKind::none:
      break;
  }
  return Boxes{};
}

float shared_part(const Detection& a, const Detection& b) {
  const float w = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  const float h = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  if (w <= 0 || h <= 0) return 0;
  const float both = (a.x2 - a.x1) * (a.y2 - a.y1) + (b.x2 - b.x1) * (b.y2 - b.y1);
  return w * h / (both - w * h);
}

}  // namespace

std::vector<Scored> best(std::span<const float> scores, size_t count) {
  std::vector<Scored> all;
  for (size_t i = 0; i < scores.size(); ++i) all.push_back({static_cast<int>(i), scores[i]});
  std::ranges::stable_sort(all, std::greater(), &Scored::score);
  all.resize(std::min(all.size(), count));
  return all;
}

std::vector<Detection> suppressed(std::vector<Detection> boxes, float overlap) {
  std::ranges::stable_sort(boxes, std::greater(), &Detection::score);
  Boxes kept;
  for (const Detection& box : boxes)
    if (std::ranges::none_of(kept, [&](const Detection& better) {
          return better.label == box.label && shared_part(better, box) > overlap;
        }))
      kept.push_back(box);
  return kept;
}

Result<std::vector<Detection>> detect(Outputs outputs, size_t image, const net::Extents& sample,
                                      const DetectionOptions& options) {
  TW_ASSIGN_OR_RETURN(boxes, boxes_of(outputs, image, sample, options));
  return suppressed(std::move(boxes), options.overlap);
}

}  // namespace tputwin::tools
