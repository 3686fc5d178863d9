// The compiler: its passes in their order.
#include <span>

#include "base/errors/bmnet.h"
#include "bmnet/pipeline/compilation.h"
#include "bmnet/pipeline/passes.h"

namespace tputwin::net {
namespace {

using Pass = Status (*)(Compilation&);

constexpr Pass kCalibrate[] = {pass::fold, pass::calibrate};
constexpr Pass kBeforeUnits[] = {pass::fold};  // the units do the calibration
constexpr Pass kPrepareFloat[] = {pass::import, pass::fold, pass::load_table};
constexpr Pass kPrepare[] = {pass::import,   pass::fold,        pass::load_table,
                             pass::quantize, pass::leave_unfit, pass::float_tensors};
constexpr Pass kAfterQuantize[] = {pass::leave_unfit, pass::float_tensors};
constexpr Pass kCompile[] = {pass::rescale, pass::fuse,    pass::trim,  pass::dequantize,
                             pass::outputs, pass::storage, pass::lower, pass::group,
                             pass::place,   pass::emit,    pass::finish};

Status run(std::span<const Pass> passes, Compilation& compilation) {
  for (const Pass pass : passes) TW_RETURN_IF_ERROR(pass(compilation));
  return {};
}

}  // namespace

Result<Calibration> calibrate(const caffe::NetParameter& float_net,
                              const std::vector<const DataSet*>& samples,
                              const CalibrationOptions& options) {
  Compilation c;
  c.caffe = float_net;
  c.samples = &samples;
  c.calibration_options = options;
  TW_RETURN_IF_ERROR(run(kCalibrate, c));
  return std::move(c.calibration);
}

Result<std::unique_ptr<CalibrationUnits>> calibration_units(
    const caffe::NetParameter& float_net, const std::vector<const DataSet*>& samples,
    const CalibrationOptions& options) {
  Compilation c;
  c.caffe = float_net;
  TW_RETURN_IF_ERROR(run(kBeforeUnits, c));
  return CalibrationUnits::open(std::move(c.caffe), samples, options);
}

Result<Prepared> prepare(const Source& source) {
  Compilation c;
  c.source = source;
  TW_RETURN_IF_ERROR(run(kPrepare, c));
  return Prepared{std::move(c.network), std::move(c.table)};
}

Result<Prepared> prepare_float(const Source& source) {
  Compilation c;
  c.source = source;
  TW_RETURN_IF_ERROR(run(kPrepareFloat, c));
  if (c.is_float) return Prepared{std::move(c.network), std::move(c.table)};
  return Error(errors::net_float_weights).in("net " + c.network.name);
}

Result<Prepared> prepare(Calibration calibration, const ImportOptions& import) {
  Compilation c;
  TW_ASSIGN_OR_RETURN(network, import_caffe(calibration.net, import));
  c.network = std::move(network);
  c.caffe = std::move(calibration.net);
  c.table = std::move(calibration.table);
  TW_RETURN_IF_ERROR(run(kAfterQuantize, c));
  return Prepared{std::move(c.network), std::move(c.table)};
}

Result<Compiled> compile(const Network& network, const std::vector<LayerIntegers>& integers,
                         const CompileOptions& options) {
  TW_RETURN_IF_ERROR(verify(network));
  Compilation c;
  c.options = options;
  c.net = {network, integers};
  TW_RETURN_IF_ERROR(run(kCompile, c));
  return std::move(c.compiled);
}

Result<Compiled> compile(const Network& network, const NetCalibrationParameter& table,
                         const CompileOptions& options) {
  TW_RETURN_IF_ERROR(verify(network));
  TW_RETURN_IF_ERROR(check_chip(table, ChipFamily::bm1880));
  TW_ASSIGN_OR_RETURN(integers, resolve(network, table));
  return compile(network, integers, options);
}

}  // namespace tputwin::net
