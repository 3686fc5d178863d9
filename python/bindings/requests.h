// Converts Python arguments to requests of the tools.
#pragma once

#include "bindings/binding.h"
#include "tools/calibrate.h"
#include "tools/eval.h"

namespace tputwin::python {

// Reads the fields of DataOptions from a dictionary.
net::DataOptions data_options(const py::dict& given);

tools::EvalRequest evaluation_request(const std::string& prototxt, const std::string& caffemodel,
                                      const std::string& model,
                                      const std::vector<std::string>& data, uint64_t samples,
                                      const std::string& output, const py::dict& preparation);

// `chip_type` has the names of a chip and of the net's type.
tools::CalibrateRequest calibration_request(const std::string& prototxt,
                                            const std::string& caffemodel,
                                            const std::vector<std::string>& data,
                                            const std::string& output, const std::string& name,
                                            size_t samples, const std::string& method, double reach,
                                            const std::vector<std::vector<int64_t>>& shapes,
                                            const py::dict& preparation,
                                            const std::pair<std::string, std::string>& chip_type);

py::dict described(const tools::EvalReport& report);
py::dict described(const tools::CalibratedFiles& files);

}  // namespace tputwin::python
