// Calibration in one process: computes all units of samples one after the other.
#include "bmnet/calibrate/calibrate.h"

#include "base/errors/bmnet.h"
#include "bmnet/caffe/import.h"
#include "bmnet/calibrate/statistics.h"
#include "bmnet/calibrate/units.h"

namespace tputwin::net {

Result<Calibration> calibrate_folded(caffe::NetParameter float_net,
                                     const std::vector<const DataSet*>& data,
                                     const CalibrationOptions& options) {
  TW_ASSIGN_OR_RETURN(units, CalibrationUnits::open(std::move(float_net), data, options));
  return units->all();
}

Result<std::vector<SampleInput>> sample_inputs(const caffe::NetParameter& net,
                                               const std::vector<TensorShape>& input_shapes) {
  ImportOptions import;
  import.input_shapes = input_shapes;
  import.needs_weights = false;
  TW_ASSIGN_OR_RETURN(network, import_caffe(net, import));
  return sample_inputs(network);
}

Result<std::vector<SampleInput>> sample_inputs(const Network& network) {
  std::vector<SampleInput> inputs;
  const bool counts = first_extents_count_samples(network);
  for (const std::string& input : network.inputs()) {
    Extents shape = extents(*network.shape_of(input));
    if (counts) shape.n = 1;
    inputs.push_back({network.blob_name(input), shape});
  }
  if (inputs.empty()) return Error(errors::net_no_input).in("net " + network.name);
  return inputs;
}

}  // namespace tputwin::net
