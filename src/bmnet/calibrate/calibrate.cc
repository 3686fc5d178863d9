// Calibration in one process: computes all units of samples one after the other.
#include "bmnet/calibrate/calibrate.h"

#include "base/errors/bmnet.h"
#include "bmnet/caffe/import.h"
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
  std::vector<SampleInput> inputs;
  int64_t first_extent = 1;
  for (const std::string& input : network.inputs()) {
    Extents shape = extents(*network.shape_of(input));
    if (!inputs.empty() && shape.n != first_extent)
      return Error(errors::net_data_shape)
          .in("net " + net.name())
          .argument("first extent of " + network.blob_name(input), std::to_string(shape.n))
          .detail("it must count the samples in every input, and is " +
                  std::to_string(first_extent) + " in " + inputs[0].name +
                  "; make the other input a constant, or put its samples first");
    first_extent = shape.n;
    shape.n = 1;
    inputs.push_back({network.blob_name(input), shape});
  }
  if (inputs.empty()) return Error(errors::net_no_input).in("net " + net.name());
  return inputs;
}

}  // namespace tputwin::net
