// The vendor's bmodels, as shipped: every recorded case through the runtime.
#include "common/real_models.h"

#include "base/file.h"
#include "bmruntime/support.h"

namespace tputwin::test {
namespace {

using testing::RealCase;

class RealModels : public ::testing::TestWithParam<RealCase> {};

// Returns the network's output for the case's input.
Bytes infer(bmnet_t net, const RealCase& c) {
  const auto extents = c.extents();
  EXPECT_EQ(extents.size(), 4u);
  const shape_t shape = shape_t4(static_cast<int>(extents[0]), static_cast<int>(extents[1]),
                                 static_cast<int>(extents[2]), static_cast<int>(extents[3]));
  EXPECT_EQ(bmnet_set_input_shape(net, shape), BM_SUCCESS) << tputwin_last_error();
  bmnet_output_info_t info{};
  EXPECT_EQ(bmnet_get_output_info(net, &info), BM_SUCCESS);
  Bytes input = *read_bytes(c.input), output(info.output_size);
  EXPECT_EQ(bmnet_inference(net, input.data(), output.data()), BM_SUCCESS) << tputwin_last_error();
  return output;
}

TEST_P(RealModels, GiveTheRecordedBytes) {
  Runtime runtime;
  bmnet_t net = nullptr;
  ASSERT_EQ(bmnet_register_bmodel(runtime.ctx, GetParam().model.c_str(), &net), BM_SUCCESS)
      << tputwin_last_error();
  // The second run makes a plan, the third uses it.
  for (int run = 0; run < 3; ++run)
    EXPECT_EQ(infer(net, GetParam()), *read_bytes(GetParam().reference)) << "run " << run;
  bmnet_cleanup(net);
}

// All cases of the list exist; they also run one after the other on one network.
TEST(RealNetworks, OneNetworkServesAllItsShapes) {
  TW_NEED_SHARED_DATA(testing::kRealModels);
  const auto cases = testing::real_cases();
  ASSERT_EQ(cases.size(), 17u);
  for (const RealCase& model : cases) {
    Runtime runtime;
    bmnet_t net = nullptr;
    Bytes file = *read_bytes(model.model);
    ASSERT_EQ(bmnet_register_bmodel_data(runtime.ctx, file.data(), file.size(), &net), BM_SUCCESS)
        << tputwin_last_error();
    size_t shapes = 0;
    for (const RealCase& c : cases) {
      if (c.model != model.model) continue;
      EXPECT_EQ(infer(net, c), *read_bytes(c.reference)) << c.model << " " << c.shape;
      ++shapes;
    }
    EXPECT_EQ(bmnet_get_model_info(net)->command_num, shapes);
    bmnet_cleanup(net);
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RealModels);
INSTANTIATE_TEST_SUITE_P(Shipped, RealModels, ::testing::ValuesIn(testing::real_cases()),
                         testing::name_of_real_case);

}  // namespace
}  // namespace tputwin::test
