// CPU operators in networks and command buffers; the plugins are built by tests/plugins.
#include <filesystem>
#include <fstream>

#include "base/architecture.h"
#include "base/last_error.h"
#include "base/variables.h"
#include "bmruntime/support.h"
#include "plugins/add_bytes.h"

namespace tputwin::test {
namespace {

const std::filesystem::path kPlugins =
    std::filesystem::path(TPUTWIN_BIN_DIR) / ".." / "test_plugins";

// Sets TPUTWIN_PLUGIN_PATH during a test.
struct PluginPath {
  explicit PluginPath(const std::string& path) { setenv("TPUTWIN_PLUGIN_PATH", path.c_str(), 1); }
  ~PluginPath() { unsetenv("TPUTWIN_PLUGIN_PATH"); }
};

// Allows the libraries of models to run during a test.
struct NativePlugins {
  NativePlugins() { setenv(name_of(EnvVariable::allow_native_plugins), "1", 1); }
  ~NativePlugins() { unsetenv(name_of(EnvVariable::allow_native_plugins)); }
};

Bytes file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr uint32_t kCount = 48;

// Returns the max network with an operator that adds to the output between two instructions: out =
// max(max(in, weight) + coefficient, 0).
bmodel::Model model_with(const std::string& op,
                         AddBytesPayload payload = {kCount, kCount, kCount, 5}) {
  auto model = max_model({4});
  CommandWriter writer;
  bmk1880_context_t* ctx = writer.context();
  bmk1880_cpu_op(ctx, op.c_str(), reinterpret_cast<char*>(&payload), sizeof(payload));
  emit_max(ctx, kCount, kCount, shape_t4(1, 3, 4, 4), 0, CTRL_NEURON);
  Bytes more = writer.finish();
  auto& commands = model.varieties[0].cmdbuf;
  commands.insert(commands.end(), more.begin(), more.end());
  return model;
}

Bytes expected_output(const bmodel::Model& model, const Bytes& in, uint8_t added) {
  Bytes out = expected_max(in, model.weights[0]);
  for (auto& byte : out) byte = static_cast<uint8_t>(byte + added);
  return max_of(out, 0);
}

void add_library(bmodel::Model& model, const std::string& name, const Bytes& bytes) {
  bmodel::Library library;
  library.name = name;
  (kArchitecture == std::string("armv8") ? library.armv8 : library.x86_64) = bytes;
  model.libraries.push_back(library);
}

// Runs one inference; returns its bmerr_t, and the output in `out`.
bmerr_t infer(bmctx_t ctx, const bmodel::Model& model, Bytes& in, Bytes& out) {
  bmnet_t net = register_model(ctx, model);
  tputwin_clear_errors();
  bmerr_t code = bmnet_inference(net, in.data(), out.data());
  bmnet_cleanup(net);
  return code;
}

TEST(CpuOperator, FromTheLibraryInTheModel) {
  Runtime runtime;
  NativePlugins allowed;
  auto model = model_with("Carried");
  add_library(model, "Carried", file_bytes(kPlugins / kArchitecture / "AddBytes.so"));
  Bytes in = random_bytes(kCount, 1), out(kCount);
  for (int run = 0; run < 2; ++run) {
    ASSERT_EQ(infer(runtime.ctx, model, in, out), BM_SUCCESS) << tputwin_last_error();
    EXPECT_EQ(out, expected_output(model, in, model.weights[0][5]));
  }
}

TEST(CpuOperator, FromThePluginDirectory) {
  Runtime runtime;
  PluginPath path("/no/such/place:" + kPlugins.string());
  Bytes in = random_bytes(kCount, 2), out(kCount);
  auto model = model_with("AddBytes");
  ASSERT_EQ(infer(runtime.ctx, model, in, out), BM_SUCCESS) << tputwin_last_error();
  EXPECT_EQ(out, expected_output(model, in, model.weights[0][5]));
  model = model_with("AddBytesV1");
  ASSERT_EQ(infer(runtime.ctx, model, in, out), BM_SUCCESS) << tputwin_last_error();
  EXPECT_EQ(out, expected_output(model, in, 1)) << "version 1 has no coefficients";
}

TEST(CpuOperator, TwoLibrariesInOneModel) {
  Runtime runtime;
  NativePlugins allowed;
  auto model = model_with("A");
  add_library(model, "A", file_bytes(kPlugins / kArchitecture / "AddBytes.so"));
  auto other = model_with("B");
  add_library(other, "B", file_bytes(kPlugins / "AddBytesV1.so"));
  Bytes in = random_bytes(kCount, 3), out(kCount);
  for (int run = 0; run < 2; ++run) {
    ASSERT_EQ(infer(runtime.ctx, model, in, out), BM_SUCCESS) << tputwin_last_error();
    EXPECT_EQ(out, expected_output(model, in, model.weights[0][5]));
    ASSERT_EQ(infer(runtime.ctx, other, in, out), BM_SUCCESS) << tputwin_last_error();
    EXPECT_EQ(out, expected_output(other, in, 1));
  }
}

// A library in the model that does not load on this system is replaced by another one.
TEST(CpuOperator, OneThatDoesNotLoadIsReplaced) {
  Runtime runtime;
  NativePlugins allowed;
  PluginPath path(kPlugins.string());
  Bytes in = random_bytes(kCount, 5), out(kCount);
  const Bytes useless[] = {random_bytes(100, 1), file_bytes(kPlugins / "NotAPlugin.so"),
                           file_bytes(kPlugins / "AddBytesV2.so")};
  for (const Bytes& library : useless) {
    auto model = model_with("AddBytes");
    add_library(model, "AddBytes", library);
    thread_diagnostics().clear();
    ASSERT_EQ(infer(runtime.ctx, model, in, out), BM_SUCCESS) << tputwin_last_error();
    EXPECT_EQ(out, expected_output(model, in, model.weights[0][5]));
    const auto warnings = thread_diagnostics().warnings();
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0].sample.code(), "TW-BMR-0606");
    EXPECT_NE(warnings[0].sample.message().find(std::string(kArchitecture) + "/AddBytes.so"),
              std::string::npos);
  }
}

// A library in the model is untrusted code. Without permission, an installed operator of that name
// runs, or none.
TEST(CpuOperator, OneInTheModelIsNotRunUnasked) {
  Runtime runtime;
  Bytes in = random_bytes(kCount, 6), out(kCount);
  const Bytes library = file_bytes(kPlugins / kArchitecture / "AddBytes.so");
  auto model = model_with("Carried");
  add_library(model, "Carried", library);
  EXPECT_EQ(infer(runtime.ctx, model, in, out), BM_ERR_NOT_SUPPORTED);
  EXPECT_NE(std::string(tputwin_last_error()).find("TPUTWIN_ALLOW_NATIVE_PLUGINS=1"),
            std::string::npos)
      << tputwin_last_error();
  EXPECT_EQ(take_error(), kCpuMissing);

  PluginPath path(kPlugins.string());
  for (const bool is_same : {false, true}) {
    model = model_with("AddBytes");
    add_library(model, "AddBytes", is_same ? library : random_bytes(100, 1));
    thread_diagnostics().clear();
    ASSERT_EQ(infer(runtime.ctx, model, in, out), BM_SUCCESS) << tputwin_last_error();
    EXPECT_EQ(out, expected_output(model, in, model.weights[0][5]));
    const auto warnings = thread_diagnostics().warnings();
    ASSERT_EQ(warnings.size(), is_same ? 0u : 1u);
    for (const auto& warning : warnings) EXPECT_EQ(warning.sample.code(), "TW-BMR-0607");
  }
}

TEST(CpuOperator, InACommandBufferOffsetsAreGlobal) {
  Runtime runtime;
  PluginPath path(kPlugins.string());
  Bytes in = random_bytes(kCount, 4), out(kCount);
  bmmem_device_t mem = bmmem_device_alloc_raw(runtime.ctx, kCount);
  bm_memcpy_s2d(runtime.ctx, mem, in.data());
  u64 address = bmmem_device_addr(runtime.ctx, mem);
  AddBytesPayload payload{address, address, kCount, 0};
  CommandWriter writer;
  bmk1880_cpu_op(writer.context(), "AddBytesV1", reinterpret_cast<char*>(&payload),
                 sizeof(payload));
  Bytes commands = writer.finish();
  uint16_t sequence = 0;
  ASSERT_EQ(bm_send_cmdbuf(runtime.ctx, commands.data(), commands.size(), &sequence), BM_SUCCESS)
      << tputwin_last_error();
  bm_memcpy_d2s(runtime.ctx, out.data(), mem);
  for (auto& byte : in) ++byte;
  EXPECT_EQ(out, in);
}

TEST(CpuOperator, AMissingOneIsNamedWithTheDirectoriesSearched) {
  Runtime runtime;
  PluginPath path("/plugins/here:/and/there");
  Bytes in(kCount), out(kCount);
  EXPECT_EQ(infer(runtime.ctx, model_with("Nowhere"), in, out), BM_ERR_NOT_SUPPORTED);
  std::string text = tputwin_last_error();
  for (std::string part :
       {"Nowhere", "/plugins/here", "/and/there/Nowhere.so", "the shipped plugins"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_EQ(take_error(), kCpuMissing);
  unsetenv("TPUTWIN_PLUGIN_PATH");
  auto model = model_with("Nowhere");
  add_library(model, "Nowhere", {});
  EXPECT_EQ(infer(runtime.ctx, model, in, out), BM_ERR_NOT_SUPPORTED);
  EXPECT_NE(std::string(tputwin_last_error()).find("bmodel"), std::string::npos);
}

TEST(CpuOperator, BadPlugins) {
  Runtime runtime;
  NativePlugins allowed;
  PluginPath path(kPlugins.string());
  Bytes in(kCount), out(kCount);
  EXPECT_EQ(infer(runtime.ctx, model_with("NotAPlugin"), in, out), BM_ERR_DATA);
  EXPECT_EQ(take_error(), kCpuLoad);
  auto garbage = model_with("Garbage");
  add_library(garbage, "Garbage", random_bytes(100, 1));
  EXPECT_EQ(infer(runtime.ctx, garbage, in, out), BM_ERR_DATA);
  EXPECT_EQ(take_error(), kCpuLoad);
  EXPECT_EQ(infer(runtime.ctx, model_with("AddBytesV2"), in, out), BM_ERR_NOT_SUPPORTED);
  EXPECT_EQ(take_error(), kCpuVersion);
  EXPECT_EQ(infer(runtime.ctx, model_with("../x"), in, out), BM_ERR_NOT_SUPPORTED);
  EXPECT_EQ(take_error(), kCpuMissing);
}

TEST(CpuOperator, OperandsOutsideNeuronMemory) {
  Runtime runtime;
  PluginPath path(kPlugins.string());
  Bytes in(kCount), out(kCount);
  for (AddBytesPayload payload :
       {AddBytesPayload{kCount + 1, 0, kCount, 0}, AddBytesPayload{0, 2 * kCount, 1, 0},
        AddBytesPayload{UINT64_MAX, 0, 2, 0}, AddBytesPayload{0, 0, 1, 1000}}) {
    EXPECT_EQ(infer(runtime.ctx, model_with("AddBytes", payload), in, out), BM_ERR_FAILURE);
    EXPECT_EQ(take_error(), kCpuRange);
  }
}

TEST(CpuOperator, OneThatThrowsFailsTheRunOnly) {
  Runtime runtime;
  PluginPath path(kPlugins.string());
  Bytes in = random_bytes(kCount, 4), out(kCount);
  EXPECT_EQ(infer(runtime.ctx, model_with("AddBytes", {0, 0, 0, 0}), in, out), BM_ERR_FAILURE);
  EXPECT_NE(std::string(tputwin_last_error()).find("nothing to add"), std::string::npos);
  EXPECT_EQ(take_error(), kCpuFailed);
  auto model = model_with("AddBytes");
  EXPECT_EQ(infer(runtime.ctx, model, in, out), BM_SUCCESS);
  EXPECT_EQ(out, expected_output(model, in, model.weights[0][5]));
}

}  // namespace
}  // namespace tputwin::test
