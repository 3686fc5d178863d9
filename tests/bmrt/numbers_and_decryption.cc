// Nets and stages by number, and files that may be encrypted.
#include "bmrt/support.h"

namespace tputwin::testing {
namespace {

TEST_F(Bmrt, NumbersOfNets) {
  load("nets-lenet-int8.bmodel", "lenet-int8");
  load("nets-stages.bmodel", "stages");
  const char** names = nullptr;
  bmrt_get_network_names(runtime, &names);
  for (int i = 0; i < bmrt_get_network_number(runtime); ++i)
    EXPECT_EQ(bmrt_get_network_index(runtime, names[i]), i);
  std::free(names);
  EXPECT_EQ(bmrt_get_network_index(runtime, "none"), -1);
  EXPECT_EQ(tputwin_error_count(), 0u) << "asking is no error";
  EXPECT_EQ(bmrt_get_network_index(runtime, nullptr), -1);
  EXPECT_EQ(code(), "TW-BRT-0001");
  EXPECT_EQ(bmrt_get_network_index(&names, "stages"), -1);
  EXPECT_EQ(code(), "TW-BRT-0002");
}

TEST_F(Bmrt, NumbersOfStages) {
  const bm_net_info_t* net = load("nets-stages.bmodel", "stages");
  ASSERT_NE(net, nullptr);
  EXPECT_EQ(bmrt_get_stage_size(runtime, "stages"), 3);
  bm_tensor_t input{};
  for (int stage = 0; stage < 3; ++stage) {
    input.shape = net->stages[stage].input_shapes[0];
    EXPECT_EQ(bmrt_get_stage_index(runtime, "stages", &input), stage);
  }
  input.shape.dims[3] += 1;
  EXPECT_EQ(bmrt_get_stage_index(runtime, "stages", &input), -1);
  EXPECT_EQ(tputwin_error_count(), 0u);
  input.shape.num_dims = 9;
  EXPECT_EQ(bmrt_get_stage_index(runtime, "stages", &input), -1);
  EXPECT_EQ(code(), "TW-BRT-0208");
  EXPECT_EQ(bmrt_get_stage_index(runtime, "stages", nullptr), -1);
  EXPECT_EQ(bmrt_get_stage_size(runtime, nullptr), -1);
  EXPECT_EQ(bmrt_get_stage_index(runtime, nullptr, &input), -1);
  EXPECT_EQ(code(), "TW-BML-0001");
  EXPECT_EQ(bmrt_get_stage_size(runtime, "none"), -1);
  EXPECT_EQ(bmrt_get_stage_index(runtime, "none", &input), -1);
  EXPECT_EQ(code(), "TW-BRT-0201");
  EXPECT_EQ(bmrt_get_stage_size(&input, "stages"), -1);
  EXPECT_EQ(bmrt_get_stage_index(&input, "stages", &input), -1);
  EXPECT_EQ(code(), "TW-BRT-0002");
}

// A net of one stage accepts any shape with an equal number of elements, as its launches do.
TEST_F(Bmrt, TheOnlyStageByElements) {
  const bm_net_info_t* net = load("nets-lenet-int8.bmodel", "lenet-int8");
  ASSERT_NE(net, nullptr);
  bm_tensor_t input{};
  const int count = static_cast<int>(bmrt_shape_count(&net->stages[0].input_shapes[0]));
  bmrt_shape(&input.shape, &count, 1);
  EXPECT_EQ(bmrt_get_stage_index(runtime, net->name, &input), 0);
}

bool was_called = false;
uint8_t* decrypt_nothing(const uint8_t*, uint64_t, uint64_t*) {
  was_called = true;
  return nullptr;
}

TEST_F(Bmrt, WhatIsNotEncryptedLoads) {
  const std::string path = recorded("nets-lenet-int8.bmodel");
  EXPECT_TRUE(bmrt_load_bmodel_with_decrypt(runtime, path.c_str(), decrypt_nothing));
  EXPECT_FALSE(was_called);
  EXPECT_EQ(bmrt_get_network_index(runtime, "lenet-int8"), 0);
  EXPECT_FALSE(bmrt_load_bmodel_with_decrypt(runtime, path.c_str(), nullptr));
  EXPECT_FALSE(bmrt_load_bmodel_with_decrypt(runtime, nullptr, decrypt_nothing));
  EXPECT_EQ(code(), "TW-BRT-0001");
  EXPECT_FALSE(bmrt_load_bmodel_with_decrypt(&was_called, path.c_str(), decrypt_nothing));
  EXPECT_EQ(code(), "TW-BRT-0002");
  EXPECT_FALSE(bmrt_load_bmodel_with_decrypt(runtime, "/no/such.bmodel", decrypt_nothing));
  EXPECT_EQ(code(), "TW-SYS-0001");
}

TEST_F(Bmrt, LibrariesOfDecryption) {
  const std::string path = recorded("nets-lenet-int8.bmodel");
  EXPECT_TRUE(bmrt_load_bmodel_with_decrypt_lib(runtime, path.c_str(), TPUTWIN_DECRYPTION))
      << tputwin_last_error();
  EXPECT_EQ(bmrt_get_network_number(runtime), 1);
  EXPECT_FALSE(bmrt_load_bmodel_with_decrypt_lib(runtime, path.c_str(), "/no/such.so"));
  EXPECT_EQ(code(), "TW-BRT-0115");
  EXPECT_FALSE(bmrt_load_bmodel_with_decrypt_lib(runtime, path.c_str(), "libm.so.6"));
  EXPECT_EQ(code(), "TW-BRT-0115");
  EXPECT_NE(std::string(tputwin_last_error()).find("decrypt"), std::string::npos);
  EXPECT_FALSE(bmrt_load_bmodel_with_decrypt_lib(runtime, path.c_str(), nullptr));
  EXPECT_EQ(code(), "TW-BRT-0001");
}

TEST_F(Bmrt, WhatIsEncryptedIsRefusedByName) {
  auto bytes = *read_bytes(recorded("nets-lenet-int8.bmodel"));
  auto file = *bmodel::bm168x::read(bytes);
  file.model.net[0]->parameter[0]->coeff_mem->encrypt_mode = 1;
  const auto changed = bmodel::bm168x::write(file.model, file.binary);
  const std::string path = ::testing::TempDir() + "encrypted.bmodel";
  ASSERT_TRUE(write_bytes(path, changed).ok());
  mem_info_t info;
  EXPECT_FALSE(bmrt_load_bmodel_with_decrypt(runtime, path.c_str(), decrypt_nothing));
  EXPECT_EQ(code(), "TW-BRT-0113");
  EXPECT_NE(std::string(tputwin_last_error()).find("lenet-int8"), std::string::npos);
  tputwin_clear_errors();
  EXPECT_FALSE(bmrt_load_bmodel(runtime, path.c_str()));
  EXPECT_EQ(code(), "TW-BRT-0113");
  tputwin_clear_errors();
  EXPECT_FALSE(bmrt_get_bmodel_info(path.c_str(), &info));
  EXPECT_EQ(code(), "TW-BRT-0113");
  ASSERT_TRUE(write_bytes(path, Bytes(4096, 7)).ok());  // the whole file
  EXPECT_FALSE(bmrt_load_bmodel_with_decrypt(runtime, path.c_str(), decrypt_nothing));
  EXPECT_EQ(code(), "TW-BRT-0113");
  EXPECT_EQ(bmrt_get_network_number(runtime), 0);
}

}  // namespace
}  // namespace tputwin::testing
