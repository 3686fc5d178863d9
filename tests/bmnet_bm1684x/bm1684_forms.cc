// Every command of nets for the BM1684 has a form that recordings of the reference model have.
#include <gtest/gtest.h>

#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/forms.h"
#include "bmnet_bm1684x/nets.h"

namespace tputwin::net::testing {

namespace {

TEST(Bm1684Forms, AreAllRecorded) {
  const bm1684x::ScopedTarget scope(bm1684::bm1684_target());
  const Forms recorded = recorded_forms_of_bm1684();
  ASSERT_GT(recorded.size(), 100u);
  Forms missing;
  for (const LayerCase& c : layer_cases()) {
    auto network = random_net(net_of(c), {{"y", c.blobs}}, 1);
    ASSERT_TRUE(network.ok()) << network.status().message();
    const NetCalibrationParameter table = largest_values(*network, random_inputs(*network, 1));
    for (const DType type : {DType::f32, DType::i8}) {
      auto compiled = bm1684x::compile(*network, {.type = type, .table = &table});
      ASSERT_TRUE(compiled.ok()) << compiled.status().message();
      const auto program = transmitted(*compiled);
      ASSERT_TRUE(program.ok()) << program.status().message();
      for (const Instruction& i : *program)
        if (recorded.count(form_of(i)) == 0 && missing.insert(form_of(i)).second)
          ADD_FAILURE() << c.name << " in " << to_string(type) << ": " << form_of(i);
    }
  }
}

}  // namespace
}  // namespace tputwin::net::testing
