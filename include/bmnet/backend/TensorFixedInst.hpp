// TensorFixedInst: an instruction on int8 tensors, with entries of the calibration table.
#ifndef BMNET_BACKEND_TENSORFIXEDINST_HPP
#define BMNET_BACKEND_TENSORFIXEDINST_HPP

#include <bmnet/calibration.pb.h>
#include <bmnet/backend/TensorInst.hpp>

#include <vector>

namespace bmnet {

// The messages of the table have no package; programs also name them in this namespace.
using ::BlobParameter;
using ::LayerCalibrationParameter;
using ::NetCalibrationParameter;

class TensorFixedInst : public TensorInst {
 public:
  TensorFixedInst() {}
  explicit TensorFixedInst(TensorOp& op) : TensorInst(op) {}
  virtual ~TensorFixedInst() {}

  void SetCalibrationParameter(const LayerCalibrationParameter& calibration_parameter) {
    m_calibrationParameter = calibration_parameter;
  }
  void AddInputCalibrationParameter(const LayerCalibrationParameter& calibration_parameter) {
    m_inputCalibrationParameter.push_back(calibration_parameter);
  }
  void ClearInputCalibrationParameter() { m_inputCalibrationParameter.clear(); }

 protected:
  LayerCalibrationParameter m_calibrationParameter;                    // of this layer
  std::vector<LayerCalibrationParameter> m_inputCalibrationParameter;  // one per input
};

}  // namespace bmnet

#endif
