// SSD's output. Decodes locations (input 0) with the priors (input 2), and suppresses overlapping
// boxes class by class by their confidences (input 1). Writes a fixed number of rows (image, label,
// score, xmin, ymin, xmax, ymax). Unused rows hold -1.
#include "bmnet/cpu_ops/operator.h"
#include "host/detection/ssd.h"

namespace tputwin::net::cpu {
namespace {

using Parameter = ::bmnet::TGDetectOutputParameter;

host::SsdParameters of_message(const Parameter& param) {
  return {.num_classes = param.num_classes(),
          .background_label = param.background_label_id(),
          .share_location = param.share_location(),
          .variance_encoded = param.variance_encoded_in_target(),
          .code = static_cast<host::BoxCode>(param.code_type()),
          .confidence_threshold = param.confidence_threshold(),
          .nms_threshold = param.nms_threshold(),
          .eta = param.eta(),
          .top_k = param.top_k()};
}

}  // namespace

Status detect_output(const Call& call) {
  TW_RETURN_IF_ERROR(require(call, 3));
  const Parameter& param = call.op.tg_detectoutput_param();
  const int64_t images = call.in[0].shape.empty() ? 0 : call.in[0].shape[0];
  const int64_t priors = count(call.in[2]) / 8, rows = count(call.out[0]) / 7;
  const int64_t sets = param.share_location() ? 1 : param.num_classes();
  const host::SsdParameters parameters = of_message(param);
  if (parameters.code < host::BoxCode::corner || parameters.code > host::BoxCode::corner_size)
    return fail(call, "code_type is CORNER 1, CENTER_SIZE 2 or CORNER_SIZE 3");
  if (images < 1 || count(call.in[0]) % images != 0 ||
      count(call.in[0]) / images != priors * sets * 4)
    return fail(call, "four locations per prior and image");
  if (count(call.in[1]) % images != 0 || count(call.in[1]) / images != priors * param.num_classes())
    return fail(call, "num_classes confidences per prior and image");
  std::fill_n(call.out[0].data, count(call.out[0]), -1.0F);
  int64_t limit = rows / images;
  if (param.keep_top_k() >= 0) limit = std::min<int64_t>(limit, param.keep_top_k());
  float* row = call.out[0].data;
  for (int64_t n = 0; n < images; ++n) {
    auto detections = host::ssd_detections(
        parameters, {call.in[0].data + n * priors * sets * 4,
                     call.in[1].data + n * priors * param.num_classes(), call.in[2].data, priors});
    host::keep_best(detections, static_cast<size_t>(limit));
    row = host::write_rows(detections, static_cast<size_t>(n), row);
  }
  return {};
}

}  // namespace tputwin::net::cpu
