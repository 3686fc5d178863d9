#include <cmath>
#include <filesystem>
#include <fstream>
#include <libbmruntime/bmruntime.hpp>
#include <thread>

#include "bmruntime/support.h"
#include "common/file_kinds.h"
#include "common/temporary_directory.h"

namespace tputwin::test {
namespace {

shape_t input_shape(int height) { return shape_t4(1, 3, height, 4); }
size_t input_count(int height) { return static_cast<size_t>(3 * height * 4); }

bmnet_info_t raw_info(bmodel::Variety& variety, Bytes& weight) {
  bmnet_info_t info{};
  info.batch_size = 1;
  info.weight = weight.data();
  info.weight_size = weight.size();
  info.cmdbuf = variety.cmdbuf.data();
  info.cmdbuf_size = variety.cmdbuf.size();
  info.neuron_size = variety.neuron_size;
  info.input_size = variety.input_bytes();
  info.output_offset = variety.output_offset();
  info.output_size = variety.output_bytes();
  return info;
}

TEST(Network, InferenceOverItsVarieties) {
  Runtime runtime;
  auto model = max_model({4, 16, 7});
  bmnet_t net = register_model(runtime.ctx, model);
  for (int height : {16, 4, 7, 16}) {
    ASSERT_EQ(bmnet_set_input_shape(net, input_shape(height)), BM_SUCCESS);
    Bytes in = random_bytes(input_count(height), static_cast<uint64_t>(height)), out(in.size());
    EXPECT_EQ(bmnet_inference(net, in.data(), out.data()), BM_SUCCESS) << tputwin_last_error();
    EXPECT_EQ(out, expected_max(in, model.weights[0]));
  }
  bmnet_cleanup(net);
  bmnet_cleanup(net);
  EXPECT_EQ(take_error(), kEnded);
}

TEST(Network, AnUnknownShapeListsTheKnownOnesAndChangesNothing) {
  Runtime runtime;
  bmnet_t net = register_model(runtime.ctx, max_model({4, 16}));
  ASSERT_EQ(bmnet_set_input_shape(net, input_shape(16)), BM_SUCCESS);
  EXPECT_EQ(bmnet_set_input_shape(net, input_shape(5)), BM_ERR_INVALID_ARGUMENT);
  std::string text = tputwin_last_error();
  EXPECT_NE(text.find("(1,3,4,4)"), std::string::npos) << text;
  EXPECT_NE(text.find("(1,3,16,4)"), std::string::npos) << text;
  EXPECT_EQ(take_error(), kNetShape);
  shape_t now;
  EXPECT_EQ(bmnet_get_input_shape(net, &now, 1), BM_SUCCESS);
  EXPECT_EQ(now.h, 16u);
  shape_t two[2] = {input_shape(4), input_shape(4)};
  EXPECT_EQ(bmnet_set_input_shape2(net, two, 2), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNetShape);
  EXPECT_EQ(bmnet_set_input_shape2(net, two, 1), BM_SUCCESS);
  EXPECT_EQ(bmnet_set_input_shape2(net, two, 0), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNetRange);
  EXPECT_EQ(bmnet_get_input_shape(net, two, 2), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNetRange);
}

TEST(Network, WithSeveralVarietiesAShapeIsNeeded) {
  Runtime runtime;
  bmnet_t net = register_model(runtime.ctx, max_model({4, 16}));
  uint8_t byte = 0;
  bmnet_output_info_t info;
  EXPECT_EQ(bmnet_run(net), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kUnselected);
  EXPECT_EQ(bmnet_load_input(net, &byte), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(bmnet_get_output_info(net, &info), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(bmnet_output_devmem(net), nullptr);
  EXPECT_EQ(take_error(), kUnselected);
  EXPECT_EQ(bmnet_get_input_info(net)->shape_array[0].h, 4u) << "the first one until then";
  bmnet_t single = register_model(runtime.ctx, max_model({4}));
  EXPECT_EQ(bmnet_run(single), BM_SUCCESS) << "one variety is selected from the start";
}

TEST(Network, ReportsWhatItIs) {
  Runtime runtime;
  bmnet_t net = register_model(runtime.ctx, max_model({4, 16}));
  bmnet_model_info_t* model = bmnet_get_model_info(net);
  ASSERT_NE(model, nullptr);
  EXPECT_STREQ(model->net_name, "max");
  EXPECT_EQ(model->chip, 1880u);
  ASSERT_EQ(model->command_num, 2u);
  EXPECT_EQ(model->input_info_array[1].shape_array[0].h, 16u);
  EXPECT_EQ(model->output_info_array[1].output_size, input_count(16));
  bmnet_set_input_shape(net, input_shape(16));
  bmnet_input_info_t* in = bmnet_get_input_info(net);
  EXPECT_EQ(in->input_num, 1u);
  EXPECT_EQ(in->input_size, input_count(16));
  EXPECT_EQ(in->size_array[0], input_count(16));
  EXPECT_EQ(in->fmt_array[0], static_cast<uint32_t>(FMT_I8));
  EXPECT_EQ(in->threshold_array[0], 64.0f);
  EXPECT_EQ(bmnet_get_input_threshold(net), 64.0f);
  EXPECT_EQ(bmmet_get_input_threshold(net), 64.0f);
  bmnet_output_info_t out;
  ASSERT_EQ(bmnet_get_output_info(net, &out), BM_SUCCESS);
  EXPECT_EQ(out.output_num, 1u);
  EXPECT_STREQ(out.name_array[0], "out");
  EXPECT_EQ(out.shape_array[0].h, 16u);
  EXPECT_EQ(out.threshold_array[0], 32.0f);
  EXPECT_EQ(out.size_array[0], input_count(16));
  EXPECT_EQ(out.fmt_array[0], static_cast<uint32_t>(FMT_I8));
}

TEST(Network, MemoryInPieces) {
  Runtime runtime;
  auto model = max_model({4});
  bmnet_t net = register_model(runtime.ctx, model);
  size_t count = input_count(4);
  Bytes in = random_bytes(count, 3), out(count), all(2 * count);
  EXPECT_EQ(bmnet_load_input(net, in.data()), BM_SUCCESS);
  Bytes part = random_bytes(10, 4);
  EXPECT_EQ(bmnet_load_part_input(net, part.data(), part.size()), BM_SUCCESS);
  std::copy(part.begin(), part.end(), in.begin());
  EXPECT_EQ(bmnet_load_part_input(net, in.data(), count + 1), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNetRange);
  EXPECT_EQ(bmnet_load_neuron(net, 12, 5, part.data()), BM_SUCCESS);
  std::copy_n(part.begin(), 5, in.begin() + 12);
  EXPECT_EQ(bmnet_run(net), BM_SUCCESS);
  EXPECT_EQ(bmnet_store_output(net, out.data()), BM_SUCCESS);
  EXPECT_EQ(out, expected_max(in, model.weights[0]));
  EXPECT_EQ(bmnet_store_neuron(net, 0, static_cast<int>(2 * count), all.data()), BM_SUCCESS);
  EXPECT_TRUE(std::equal(out.begin(), out.end(), all.begin() + static_cast<ptrdiff_t>(count)));
  EXPECT_EQ(bmnet_store_neuron(net, 1, static_cast<int>(2 * count), all.data()),
            BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kRange);
  EXPECT_EQ(bmnet_load_neuron(net, 0, -1, all.data()), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNetRange);
}

TEST(Network, MemoryHandles) {
  Runtime runtime;
  auto model = max_model({4});
  bmnet_t net = register_model(runtime.ctx, model);
  size_t count = input_count(4);
  bmmem_device_t neuron = bmnet_neuron_devmem(net), input = bmnet_input_devmem(net);
  bmmem_device_t output = bmnet_output_devmem(net), weight = bmnet_weight_devmem(net);
  EXPECT_EQ(bmmem_device_size(runtime.ctx, neuron), 2 * count);
  EXPECT_EQ(bmmem_device_size(runtime.ctx, weight), model.weights[0].size());
  EXPECT_EQ(bmmem_device_size(runtime.ctx, input), count);
  EXPECT_EQ(bmmem_device_addr(runtime.ctx, output), bmmem_device_addr(runtime.ctx, neuron) + count);
  EXPECT_EQ(bmnet_input_devmem(net), input);
  Bytes in = random_bytes(count, 5), out(count);
  bm_memcpy_s2d(runtime.ctx, input, in.data());
  EXPECT_EQ(bmnet_run(net), BM_SUCCESS);
  bm_memcpy_d2s(runtime.ctx, out.data(), output);
  EXPECT_EQ(out, expected_max(in, model.weights[0]));
  bmnet_cleanup(net);
  EXPECT_EQ(bmmem_device_size(runtime.ctx, neuron), 0u);
  EXPECT_EQ(take_error(), kEnded);
}

TEST(Network, FromItsParts) {
  Runtime runtime;
  auto model = max_model({4});
  Bytes weight = model.weights[0];
  bmnet_info_t info = raw_info(model.varieties[0], weight);
  bmnet_t net = nullptr;
  ASSERT_EQ(bmnet_register(runtime.ctx, &info, &net), BM_SUCCESS) << tputwin_last_error();
  Bytes in = random_bytes(info.input_size, 6), out(in.size());
  EXPECT_EQ(bmnet_inference(net, in.data(), out.data()), BM_SUCCESS);
  EXPECT_EQ(out, expected_max(in, weight));
  EXPECT_EQ(bmnet_set_input_shape(net, input_shape(4)), BM_SUCCESS) << "any shape of that size";
  EXPECT_EQ(bmnet_set_input_shape(net, input_shape(5)), BM_ERR_INVALID_ARGUMENT);
  out.assign(out.size(), 0);
  EXPECT_EQ(bmnet_inference_once(runtime.ctx, in.data(), out.data(), 1, info.weight,
                                 info.weight_size, info.cmdbuf, info.cmdbuf_size, info.neuron_size,
                                 info.input_size, info.output_offset, info.output_size),
            BM_SUCCESS);
  EXPECT_EQ(out, expected_max(in, weight));
  take_error();
  info.output_size = info.neuron_size;
  EXPECT_EQ(bmnet_register(runtime.ctx, &info, &net), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNetArea);
  EXPECT_EQ(bmnet_register(runtime.ctx, nullptr, &net), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNull);
}

TEST(Network, ImportedMemory) {
  Runtime runtime;
  auto model = max_model({4});
  Bytes weight = model.weights[0];
  bmnet_info_t info = raw_info(model.varieties[0], weight);
  bmnet_t net = nullptr;
  ASSERT_EQ(bmnet_register_noalloc(runtime.ctx, &info, &net), BM_SUCCESS);
  EXPECT_EQ(bmnet_run(net), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kUnloaded);
  EXPECT_EQ(bmnet_neuron_devmem(net), nullptr);
  EXPECT_EQ(take_error(), kUnloaded);
  bmmem_device_t small = bmmem_device_alloc_raw(runtime.ctx, 8);
  bmmem_device_t weights = bmmem_device_alloc_raw(runtime.ctx, weight.size());
  bmmem_device_t neurons = bmmem_device_alloc_raw(runtime.ctx, info.neuron_size);
  bm_memcpy_s2d(runtime.ctx, weights, weight.data());
  EXPECT_EQ(bmnet_import_neuron_devmem(net, small), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(bmnet_import_weight_devmem(net, small), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNetMemory);
  EXPECT_EQ(bmnet_import_weight_devmem(net, weights), BM_SUCCESS);
  EXPECT_EQ(bmnet_import_neuron_devmem(net, neurons), BM_SUCCESS);
  EXPECT_EQ(bmnet_run(net), BM_ERR_INVALID_ARGUMENT) << "commands are not relocated yet";
  EXPECT_EQ(take_error(), kUnloaded);
  EXPECT_EQ(bmnet_load_cmdbuf(net, info.cmdbuf, static_cast<int>(info.cmdbuf_size)), BM_SUCCESS);
  EXPECT_EQ(bmnet_neuron_devmem(net), neurons);
  EXPECT_EQ(bmnet_weight_devmem(net), weights);
  Bytes in = random_bytes(info.input_size, 8), out(in.size());
  EXPECT_EQ(bmnet_inference(net, in.data(), out.data()), BM_SUCCESS);
  EXPECT_EQ(out, expected_max(in, weight));
  EXPECT_EQ(bmnet_load_cmdbuf(net, nullptr, 4), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNull);
  bmnet_cleanup(net);
  EXPECT_EQ(bmmem_device_size(runtime.ctx, neurons), info.neuron_size) << "stays the caller's";
}

TEST(Network, SeveralAtOnceAndInThreads) {
  auto model = max_model({4, 16});
  auto work = [&](uint64_t seed) {
    Runtime runtime;
    bmnet_t nets[2] = {register_model(runtime.ctx, model), register_model(runtime.ctx, model)};
    for (int height : {4, 16, 4})
      for (bmnet_t net : nets) {
        EXPECT_EQ(bmnet_set_input_shape(net, input_shape(height)), BM_SUCCESS);
        Bytes in = random_bytes(input_count(height), seed++), out(in.size());
        EXPECT_EQ(bmnet_inference(net, in.data(), out.data()), BM_SUCCESS);
        EXPECT_EQ(out, expected_max(in, model.weights[0]));
      }
  };
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < 3; ++i) threads.emplace_back(work, 100 * i);
  for (auto& thread : threads) thread.join();
}

// The error names nets of other chips; this call accepts those of the BM1880.
TEST(Network, FilesThatAreNoBmodels) {
  Runtime runtime;
  bmnet_t net = nullptr;
  const testing::TemporaryDirectory directory;
  auto kinds = testing::kinds();
  kinds.push_back({"bm1684x", testing::bmodel_of("BM1684X"), "it is a bmodel of the BM1684X"});
  for (const testing::FileOfKind& kind : kinds) {
    const std::string path = (directory / kind.name).string();
    if (kind.content == testing::kDirectory)
      std::filesystem::create_directory(path);
    else
      std::ofstream(path, std::ios::binary) << kind.content;
    EXPECT_NE(bmnet_register_bmodel(runtime.ctx, path.c_str(), &net), BM_SUCCESS);
    const std::string message = tputwin_last_error();
    EXPECT_NE(message.find(kind.reason), std::string::npos) << kind.name << ": " << message;
    EXPECT_NE(message.find(path), std::string::npos) << kind.name << ": " << message;
    if (kind.content == testing::kDirectory || kind.content.empty()) continue;
    std::string content = kind.content;
    EXPECT_NE(bmnet_register_bmodel_data(runtime.ctx, reinterpret_cast<uint8_t*>(content.data()),
                                         content.size(), &net),
              BM_SUCCESS);
    EXPECT_NE(std::string(tputwin_last_error()).find(kind.reason), std::string::npos)
        << tputwin_last_error();
  }
  take_error();
}

TEST(Network, BadFiles) {
  Runtime runtime;
  bmnet_t net = nullptr;
  EXPECT_EQ(bmnet_register_bmodel(runtime.ctx, "/no/such.bmodel", &net), BM_ERR_FAILURE);
  EXPECT_EQ(take_error(), "TW-SYS-0001");
  Bytes garbage = random_bytes(100, 1);
  EXPECT_EQ(bmnet_register_bmodel_data(runtime.ctx, garbage.data(), garbage.size(), &net),
            BM_ERR_DATA);
  EXPECT_EQ(take_error().substr(0, 6), "TW-MOD");
  EXPECT_EQ(bmnet_register_bmodel(runtime.ctx, nullptr, &net), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(bmnet_register_bmodel_data(runtime.ctx, nullptr, 1, &net), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNull);
  auto model = max_model({4});
  model.varieties[0].cmdbuf.pop_back();
  auto file = bmodel::write(model, bmodel::Container::v2_1);
  EXPECT_EQ(bmnet_register_bmodel_data(runtime.ctx, file->data(), file->size(), &net), BM_ERR_DATA);
  EXPECT_EQ(take_error().substr(0, 6), "TW-ISA");
  model.chip = 1682;
  file = bmodel::write(model, bmodel::Container::v2_1);
  EXPECT_EQ(bmnet_register_bmodel_data(runtime.ctx, file->data(), file->size(), &net),
            BM_ERR_NOT_SUPPORTED);
  EXPECT_EQ(take_error(), kNetChip);
  EXPECT_EQ(net, nullptr);
}

TEST(Network, HandlesAreChecked) {
  uint8_t byte = 0;
  EXPECT_EQ(bmnet_inference(nullptr, &byte, &byte), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNull);
  EXPECT_EQ(bmnet_run(reinterpret_cast<bmnet_t>(&byte)), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kUnknown);
  EXPECT_EQ(bmnet_get_input_info(nullptr), nullptr);
  EXPECT_EQ(bmnet_get_model_info(nullptr), nullptr);
  EXPECT_EQ(take_error(), kNull);
  Runtime runtime;
  bmnet_t net = register_model(runtime.ctx, max_model({4}));
  EXPECT_EQ(bmnet_inference(net, nullptr, &byte), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(bmnet_inference(net, &byte, nullptr), BM_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(take_error(), kNull);
}

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A model of the vendor's compiler, with the output of the chip.
TEST(Network, ModelOfTheVendorsCompiler) {
  std::filesystem::path data = std::filesystem::path(TPUTWIN_SHARED_DATA) / "bm1880-det1";
  if (!std::filesystem::exists(data)) {
    ASSERT_EQ(std::getenv("CI"), nullptr) << data << " must be there in CI";
    GTEST_SKIP() << "optional data folder " << data << " is not there";
  }
  Runtime runtime;
  bmnet_t net = nullptr;
  auto model = (data / "det1_1_3_12_12.bmodel").string();
  ASSERT_EQ(bmnet_register_bmodel(runtime.ctx, model.c_str(), &net), BM_SUCCESS)
      << tputwin_last_error();
  ASSERT_EQ(bmnet_set_input_shape(net, shape_t4(1, 3, 12, 12)), BM_SUCCESS);
  Bytes in = read_file(data / "det1_input_1_3_12_12.bin"), out(6);
  ASSERT_EQ(bmnet_get_input_info(net)->input_size, in.size());
  for (int run = 0; run < 2; ++run) {
    ASSERT_EQ(bmnet_inference(net, in.data(), out.data()), BM_SUCCESS) << tputwin_last_error();
    EXPECT_EQ(out, read_file(data / "det1_output_1_3_12_12_ref.bin"));
  }
}

// ---- C++ classes ----

std::string write_model(const bmodel::Model& model, const char* name) {
  auto path =
      std::filesystem::temp_directory_path() / (std::to_string(std::random_device{}()) + name);
  EXPECT_TRUE(bmodel::write_file(model, bmodel::Container::v2_1, path.string()).ok());
  return path.string();
}

TEST(NetClass, FloatsAreQuantizedAndComeBack) {
  auto model = max_model({4, 16});
  std::string path = write_model(model, ".bmodel");
  bmruntime::Net net(path);
  std::filesystem::remove(path);
  shape_t shape = input_shape(4);
  std::vector<float> values(input_count(4));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) * 3 - 70.2f;
  std::vector<bmruntime::Blob> inputs{{values.data(), shape}};
  ASSERT_EQ(net.forward(inputs), 0) << tputwin_last_error();
  bmruntime::Blob* out = net.output("out");
  ASSERT_NE(out, nullptr);
  EXPECT_EQ(out->fmt(), static_cast<uint32_t>(FMT_F32));
  EXPECT_EQ(out->count(), values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    int q = std::clamp(static_cast<int>(std::floor(values[i] * 128 / 64 + 0.5f)), -128, 127);
    int expected = std::max(q, int{static_cast<int8_t>(model.weights[0][i])});
    EXPECT_EQ(static_cast<float*>(out->data())[i], static_cast<float>(expected) * 32 / 128);
  }
  EXPECT_EQ(net.output("other"), nullptr);
}

TEST(NetClass, IntegersStayIntegers) {
  auto model = max_model({4, 16});
  std::string path = write_model(model, ".bmodel");
  bmruntime::Net a(path), b(path);
  std::filesystem::remove(path);
  shape_t shape = input_shape(16);
  Bytes in = random_bytes(input_count(16), 9);
  std::vector<bmruntime::Blob> inputs{{in.data(), shape, FMT_I8}};
  for (bmruntime::Net* net : {&a, &b}) {
    ASSERT_EQ(net->forward(inputs), 0) << tputwin_last_error();
    const auto* data = static_cast<uint8_t*>(net->output("out")->data());
    EXPECT_EQ(Bytes(data, data + in.size()), expected_max(in, model.weights[0]));
  }
  ::testing::internal::CaptureStdout();
  shape_t small = shape_t4(1, 1, 1, 2);
  bmruntime::Blob(in.data(), small, FMT_I8).dump();
  EXPECT_NE(::testing::internal::GetCapturedStdout().find("(1,1,1,2)"), std::string::npos);
}

TEST(NetClass, Misuse) {
  EXPECT_THROW(bmruntime::Net("/no/such.bmodel"), std::runtime_error);
  std::string path = write_model(max_model({4}), ".bmodel");
  bmruntime::Net net(path);
  std::filesystem::remove(path);
  shape_t shape = input_shape(4), other = input_shape(5);
  Bytes in(input_count(4));
  std::vector<bmruntime::Blob> wrong_shape{{in.data(), other, FMT_I8}};
  EXPECT_LT(net.forward(wrong_shape), 0);
  EXPECT_EQ(take_error(), kNetShape);
  std::vector<bmruntime::Blob> wrong_format{{in.data(), shape, FMT_I16}};
  EXPECT_LT(net.forward(wrong_format), 0);
  EXPECT_EQ(take_error(), kBlob);
  EXPECT_EQ(bmruntime::Blob().count(), 0u);
}

}  // namespace
}  // namespace tputwin::test
