// Every operator is read in each of its forms: the results have the extents that the models state,
// and all forms of one operator give the same values. `make test-onnx` compares the same models
// with ONNX Runtime.
#include <cmath>
#include <set>

#include "bmnet_onnx/form_models.h"

namespace tputwin::test {
namespace {

using Key = std::pair<std::string, int>;  // operator and form

TEST(AllForms, HaveModels) {
  std::set<Key> rows, models;
#define TW_FORM(type, opset, ...) rows.insert({#type, opset});
#include "bmnet/onnx/opsets.def"
#define TW_ONNX(...)
#define TW_ONNX_EXPANDED(...)
#define TW_MICROSOFT(name, ...) rows.insert({std::string("com.microsoft.") + #name, 1});
#include "bmnet/onnx/operators.def"
  for (const FormModel& one : form_models()) {
    const std::string domain = one.domain.empty() ? "" : one.domain + ".";
    models.insert({domain + one.type, one.form});
    bool is_used = false;
    for (const auto& node : one.model.graph().node())
      is_used = is_used || (node.op_type() == one.type && node.domain() == one.domain);
    EXPECT_TRUE(is_used) << one.about();
  }
  EXPECT_EQ(rows, models);
}

// The first opset of an operator in docs/onnx.md is the first one at which it has a form.
TEST(AllForms, BeginWithTheOpsetOfTheTable) {
  std::map<std::string, int> first;
#define TW_FORM(type, opset, ...) first.emplace(#type, std::max(opset, 7));
#include "bmnet/onnx/opsets.def"
#define TW_ONNX(name, since, ...) EXPECT_EQ(first[#name], since) << #name;
#define TW_ONNX_EXPANDED(name, since, ...) EXPECT_EQ(first[#name], since) << #name;
#define TW_MICROSOFT(...)
#include "bmnet/onnx/operators.def"
}

void expect_extents(const onnx::ValueInfoProto& output, const net::Blob& blob) {
  const auto& dims = output.type().tensor_type().shape().dim();
  ASSERT_EQ(static_cast<size_t>(dims.size()), blob.shape.size()) << output.name();
  for (int i = 0; i < dims.size(); ++i) {
    const int64_t extent = blob.shape[static_cast<size_t>(i)];
    EXPECT_EQ(dims[i].has_dim_value() ? dims[i].dim_value() : extent, extent) << output.name();
  }
}

TEST(AllForms, GiveTheSameValues) {
  std::map<std::string, Blobs> expected;
  int compared = 0;
  for (const FormModel& one : form_models()) {
    SCOPED_TRACE(one.about());
    auto network = import(one.model, {.has_subnets = one.has_subnets});
    ASSERT_TRUE(network.ok()) << network.status().message();
    auto results = run_float(*network, one.inputs);
    ASSERT_TRUE(results.ok()) << results.status().message();
    const auto [known, is_first] = expected.emplace(one.domain + one.type, *results);
    for (const auto& output : one.model.graph().output()) {
      ASSERT_TRUE(results->contains(output.name())) << output.name();
      const net::Blob& blob = results->at(output.name());
      expect_extents(output, blob);
      for (const float value : blob.data) EXPECT_TRUE(std::isfinite(value));
      const net::Blob& other = known->second[output.name()];
      ASSERT_EQ(blob.data.size(), other.data.size());
      for (size_t i = 0; i < blob.data.size(); ++i)
        EXPECT_NEAR(blob.data[i], other.data[i], 1e-5f) << output.name() << " " << i;
      if (!is_first) ++compared;
    }
  }
  EXPECT_GT(compared, 190);
}

}  // namespace
}  // namespace tputwin::test
