#include "classics/compiled.h"

#include <random>
#include <utility>

#include "base/errors/bmnet.h"
#include "base/file.h"
#include "bmnet/caffe/import.h"
#include "bmnet/pipeline/compile.h"
#include "bmnet/pipeline/prepare.h"
#include "classics/classics.h"

namespace tputwin::models {
namespace {

// Pictures of noise: speed does not depend on what is seen.
class Noise final : public net::DataSet {
 public:
  explicit Noise(size_t count) { labels_.assign(count, 0); }
  Status sample(size_t index, std::span<float> values) const override {
    std::minstd_rand random(static_cast<unsigned>(index + 1));
    std::normal_distribution<float> value;
    for (float& v : values) v = value(random);
    return {};
  }
  Result<net::Extents> natural_shape() const override {
    return Error(errors::net_data).in("noise").detail("noise has no shape of its own");
  }
};

}  // namespace

Result<CompiledClassic> compile_classic(const std::string& name, const std::string& plugins) {
  TW_ASSIGN_OR_RETURN(caffe, make_classic(name));
  CompiledClassic classic{.prototxt = net::to_prototxt(caffe),
                          .caffemodel = net::to_caffemodel(caffe)};
  const Noise noise(2);
  TW_ASSIGN_OR_RETURN(calibration,
                      net::calibrate(caffe, {&noise}, {.batch = 1, .report_samples = 0}));
  TW_ASSIGN_OR_RETURN(code, net::compile(calibration.network, calibration.table));
  bmodel::Model model = net::to_model(code, name);
  for (const std::string& op : code.cpu_operators) {
    TW_ASSIGN_OR_RETURN(plugin, read_bytes(plugins + "/x86_64/" + op + ".so"));
    model.libraries.push_back({.name = op, .x86_64 = std::move(plugin)});
  }
  TW_ASSIGN_OR_RETURN(file, bmodel::write(model, bmodel::Container::v2_1));
  classic.bmodel = std::move(file);
  classic.int8 = std::move(calibration.network);
  classic.input = net::dims(*classic.int8.shape_of(classic.int8.inputs().front()));
  return classic;
}

}  // namespace tputwin::models
