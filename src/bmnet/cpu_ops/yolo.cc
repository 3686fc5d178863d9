// Activations of YOLO's output layers, (n, anchors * entries, h, w).
#include "bmnet/cpu_ops/maps.h"

namespace tputwin::net::cpu {

Status region(const Call& call) {
  const auto& param = call.op.tg_region_param();
  const host::RegionParameters p{.classes = param.classes(),
                                 .coords = param.coords(),
                                 .anchors = param.num(),
                                 .softmax = param.softmax() != 0,
                                 .background = param.background() != 0};
  TW_RETURN_IF_ERROR(require(call, 1, true));
  const host::Maps in = maps_of(call.in[0]);
  TW_RETURN_IF_ERROR(keeps(call, host::region_rule(p, in)));
  host::activate_region(p, in, call.out[0].data);
  return {};
}

Status yolo(const Call& call) {
  const int64_t classes = call.op.tg_yolo_param().classes();
  TW_RETURN_IF_ERROR(require(call, 1, true));
  const host::Maps in = maps_of(call.in[0]);
  TW_RETURN_IF_ERROR(keeps(call, host::yolo_rule(classes, in)));
  host::activate_yolo(classes, in, call.out[0].data);
  return {};
}

}  // namespace tputwin::net::cpu
