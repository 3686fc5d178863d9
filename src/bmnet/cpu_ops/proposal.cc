// Region proposals of Faster R-CNN. Inputs: scores (n,2A,H,W), of which the second half is used;
// box deltas (n,4A,H,W); optionally height, width and scale of the images. Output (post_nms_topN,
// 5) for each image: (image, x1, y1, x2, y2). Unused rows are 0.
#include "bmnet/cpu_ops/maps.h"

namespace tputwin::net::cpu {

Status proposal(const Call& call) {
  const auto& param = call.op.tg_proposal_param();
  host::ProposalParameters p{.stride = param.feat_stride(),
                             .min_size = param.min_size(),
                             .base_size = param.base_size(),
                             .candidates = param.pre_nms_topn(),
                             .results = param.post_nms_topn(),
                             .nms_threshold = param.nms_thresh()};
  if (!param.scale().empty()) p.scales.assign(param.scale().begin(), param.scale().end());
  if (!param.ratio().empty()) p.ratios.assign(param.ratio().begin(), param.ratio().end());
  if (call.in.size() < 2) return fail(call, "scores and deltas are wanted");
  host::ProposalInputs in{maps_of(call.in[0]), maps_of(call.in[1]), {}};
  if (call.in.size() > 2) in.sizes = {call.in[2].data, static_cast<size_t>(count(call.in[2]))};
  TW_RETURN_IF_ERROR(keeps(call, host::proposal_rule(p, in)));
  const int64_t rows = in.scores.n * p.results;
  if (count(call.out[0]) != 5 * rows || (call.out.size() > 1 && count(call.out[1]) != rows))
    return fail(call, "post_nms_topN rows of five per image, and as many scores");
  host::propose(p, in, call.out[0].data, call.out.size() > 1 ? call.out[1].data : nullptr);
  return {};
}

}  // namespace tputwin::net::cpu
