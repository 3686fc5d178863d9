// Names of types in calibration tables.
#pragma once

#include <bmnet/calibration.pb.h>

#include <string>

#include "base/error.h"
#include "bmnet/targets/bm1684x/compile.h"
#include "chip/dtype.h"

namespace tputwin::net::bm1684x {

// `where` names the owner of the type in an error.
Result<DType> type_of_name(const std::string& where, const std::string& name);
// Returns the type of layers without bytes. The table must name one.
Result<DType> floats_of(const NetCalibrationParameter& table);
// Refuses tables for other chips, and types that the target does not have.
Status check_types(const NetCalibrationParameter& table);
// Refuses options that the target does not have.
Status check_options(const Network& network, const StreamOptions& options);

}  // namespace tputwin::net::bm1684x
