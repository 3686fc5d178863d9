// Boxes of YOLO v3 from the results of Yolo layers, one input per scale. Output: a fixed number of
// rows (image, label, score, xmin, ymin, xmax, ymax), relative to the image. Unused rows hold -1.
#include "bmnet/cpu_ops/maps.h"

namespace tputwin::net::cpu {

Status yolo_post(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 1));
  const auto& param = call.op.tg_yolopost_param();
  const host::YoloParameters p{.classes = param.classes(),
                               .width = param.netw(),
                               .height = param.neth(),
                               .object_threshold = param.obj_threshold(),
                               .nms_threshold = param.nms_threshold(),
                               .masks = {param.mask().begin(), param.mask().end()},
                               .anchors = {param.anchor().begin(), param.anchor().end()}};
  std::vector<host::Maps> in;
  for (const ConstTensor& input : call.in) in.push_back(maps_of(input));
  TW_RETURN_IF_ERROR(keeps(call, host::yolo_boxes_rule(p, in)));
  const int64_t images = in[0].n;
  std::fill_n(call.out[0].data, count(call.out[0]), -1.0F);
  float* row = call.out[0].data;
  const auto limit = static_cast<size_t>(count(call.out[0]) / 7 / std::max<int64_t>(images, 1));
  for (int64_t n = 0; n < images; ++n)
    row = host::write_rows(host::yolo_boxes(p, in, n, limit), static_cast<size_t>(n), row);
  return {};
}

}  // namespace tputwin::net::cpu
