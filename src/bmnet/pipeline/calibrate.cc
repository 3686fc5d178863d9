// Pass calibrate: computes thresholds, int8 weights and a table from samples.
#include "bmnet/calibrate/calibrate.h"

#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net::pass {

Status calibrate(Compilation& c) {
  TW_ASSIGN_OR_RETURN(calibration,
                      calibrate_folded(std::move(c.caffe), *c.samples, c.calibration_options));
  c.calibration = std::move(calibration);
  return {};
}

}  // namespace tputwin::net::pass
