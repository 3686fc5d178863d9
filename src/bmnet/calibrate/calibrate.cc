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

Result<Extents> sample_shape(const caffe::NetParameter& net, size_t index,
                             const std::vector<TensorShape>& input_shapes) {
  ImportOptions import;
  import.input_shapes = input_shapes;
  import.needs_weights = false;
  TW_ASSIGN_OR_RETURN(network, import_caffe(net, import));
  const auto inputs = network.inputs();
  if (index >= inputs.size()) return Error(errors::net_no_input).in("net " + net.name());
  Extents shape = extents(*network.shape_of(inputs[index]));
  shape.n = 1;
  return shape;
}

}  // namespace tputwin::net
