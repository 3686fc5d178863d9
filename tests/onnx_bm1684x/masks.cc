// Masks that tensors make, in int8 on the BM1684X.
#include "onnx_bm1684x/masks.h"

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "bmnet/pipeline/prepare.h"
#include "bmnet_bm1684x/support.h"
#include "bmnet_onnx/mask_forms.h"
#include "common/temporary_directory.h"

namespace tputwin::test {
namespace {

using mask_forms::Source;

template <class Message>
void write(const std::string& path, const Message& message) {
  std::ofstream file(path, std::ios::binary);
  message.SerializeToOstream(&file);
}

// Returns the float net and the table that calibration makes for it, as `tputwin compile --chip
// bm1684x --type int8` reads them. The table has signed bytes alone, or is the one that `tputwin
// calibrate --chip bm1684x` writes.
Result<net::Prepared> prepared(const ModelBuilder& builder, const Batches& samples,
                               bool table_only) {
  TW_ASSIGN_OR_RETURN(made, calibrated(builder.model, samples, [=](net::CalibrationOptions& o) {
                        o.equalize = o.correct_biases = false;
                        o.table_only = o.has_unsigned_bytes = table_only;
                      }));
  const tputwin::testing::TemporaryDirectory folder;
  write(folder / "net.onnx", builder.model);
  write(folder / "table.pb2", made.calibration.table);
  return net::prepare_float({.prototxt = "",
                             .caffemodel = folder / "net.onnx",
                             .table = folder / "table.pb2",
                             .import = {},
                             .chip = ChipFamily::bm1684x});
}

// Returns the least cosine of an output with that of float execution.
Result<double> least_cosine(const ModelBuilder& builder, const Batches& samples, bool table_only) {
  TW_ASSIGN_OR_RETURN(ready, prepared(builder, samples, table_only));
  TW_ASSIGN_OR_RETURN(
      compiled, net::bm1684x::compile(ready.network, {.type = DType::i8, .table = &ready.table}));
  double least = 1;
  for (const Blobs& sample : samples) {
    TW_ASSIGN_OR_RETURN(expected, run_float(ready.network, sample));
    TW_ASSIGN_OR_RETURN(actual, net::testing::run(compiled, ready.network, sample));
    const auto outputs = ready.network.outputs();
    for (size_t i = 0; i < outputs.size(); ++i)
      least = std::min(least, cosine(expected.at(outputs[i]).data, actual[i]));
  }
  return least;
}

struct Tally {
  int compared = 0, wrong = 0;

  void check(const mask_forms::Form& form, Source source, float masked,
             const std::vector<std::string>& ends, const Batches& samples) {
    for (const bool table_only : {false, true}) {
      auto least = least_cosine(mask_forms::net(form, source, masked, ends), samples, table_only);
      ++compared;
      if (least.ok() && *least > 0.99) continue;
      ++wrong;
      std::printf("%s%s, %s, %g, %s: %s\n", form.name, table_only ? " (own table)" : "",
                  source == Source::product ? "product" : "convolution", masked, ends[0].c_str(),
                  least.ok() ? std::to_string(*least).c_str() : least.status().message().c_str());
    }
  }
};

}  // namespace

int run_masks() {
  Tally tally;
  const std::vector<std::string> softmax{"Softmax"};
  for (const Source source : {Source::product, Source::convolution}) {
    for (const mask_forms::Form& form : mask_forms::forms()) {
      for (const float masked : {-100.0f, -1e4f, -FLT_MAX})
        tally.check(form, source, masked, softmax, mask_forms::samples(source, 2));
      for (const auto& ends : mask_forms::other_ends())
        if (ends[0] != "ArgMax")  // the BM1684X has no command for it
          tally.check(form, source, -1e4f, ends, mask_forms::samples(source, 2));
    }
    for (const mask_forms::Form& form : mask_forms::added_forms())
      for (const float masked : {-1e4f, -FLT_MAX, -INFINITY})
        tally.check(form, source, masked, softmax, mask_forms::samples(source, 2, masked));
  }
  std::printf("%d nets with masks, %d wrong\n", tally.compared, tally.wrong);
  return tally.wrong == 0 ? 0 : 1;
}

}  // namespace tputwin::test
