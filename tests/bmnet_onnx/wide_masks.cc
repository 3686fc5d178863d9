// Masks that tensors make, in int8: what they are added to keeps its steps. The results are
// compared with the float net, whose values are ONNX Runtime's.
#include <cfloat>
#include <cmath>

#include "bmnet_onnx/mask_forms.h"

namespace tputwin::test::wide_masks {
namespace {

using mask_forms::Source;
constexpr Source kSources[] = {Source::product, Source::convolution};

void expect_fit(const ModelBuilder& builder, const Batches& batches, double least) {
  auto network = import(builder.model);
  ASSERT_TRUE(network.ok()) << network.status().message();
  auto net = calibrated(builder.model, batches);
  ASSERT_TRUE(net.ok()) << net.status().message();
  for (const Error& warning : net->calibration.warnings) ADD_FAILURE() << warning.message();
  for (const Blobs& sample : batches) {
    auto expected = run_float(*network, sample);
    auto result = run_int8(net->net, sample);
    ASSERT_TRUE(expected.ok() && result.ok()) << result.status().message();
    for (const auto& [name, blob] : *expected)
      EXPECT_GT(cosine(blob.data, result->at(name).data), least) << name;
  }
}

TEST(WideMasks, BeforeSoftmax) {
  for (const mask_forms::Form& form : mask_forms::forms())
    for (const Source source : kSources)
      for (const float masked : {-100.0f, -1e4f, -1e9f, -3e38f, -FLT_MAX}) {
        SCOPED_TRACE(::testing::Message()
                     << form.name << " " << (source == Source::product) << " " << masked);
        expect_fit(mask_forms::net(form, source, masked, {"Softmax"}),
                   mask_forms::samples(source, 3), 0.995);
      }
}

TEST(WideMasks, OfInputs) {
  for (const mask_forms::Form& form : mask_forms::added_forms())
    for (const Source source : kSources)
      for (const float masked : {-100.0f, -1e4f, -1e9f, -FLT_MAX, -INFINITY}) {
        SCOPED_TRACE(::testing::Message()
                     << form.name << " " << (source == Source::product) << " " << masked);
        expect_fit(mask_forms::net(form, source, masked, {"Softmax"}),
                   mask_forms::samples(source, 3, masked), 0.995);
      }
}

TEST(WideMasks, BeforeOtherLayers) {
  size_t i = 0;
  for (const mask_forms::Form& form : mask_forms::forms())
    for (const auto& end : mask_forms::other_ends()) {
      const Source source = kSources[i % 2];
      const float masked = i++ % 3 == 0 ? -1e4f : -1e9f;
      SCOPED_TRACE(::testing::Message() << form.name << " " << (source == Source::product) << " "
                                        << masked << " " << end[0]);
      expect_fit(mask_forms::net(form, source, masked, end), mask_forms::samples(source, 3), 0.99);
    }
}

}  // namespace
}  // namespace tputwin::test::wide_masks
