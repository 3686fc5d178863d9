// Forms of commands that no recording confirms, as the tools print them; --strict refuses them.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file.h"
#include "bmodel/subnets168x.h"
#include "common/bm1684x_streams.h"
#include "common/temporary_directory.h"
#include "isa/bm1684x/codes.h"
#include "isa/streams/reader.h"

namespace tputwin::tools {
namespace {

using namespace bmodel::bm168x;
using isa::bm1684x_streams::GdmaCommand;
using isa::bm1684x_streams::GdmaForm;
using isa::bm1684x_streams::TiuCommand;
using isa::bm1684x_streams::TiuForm;
using testing::TemporaryDirectory;

constexpr uint64_t kNeurons = 0x1'0000'0000;

// Returns a cast of the constant 3 to fp32.
TiuCommand cast(uint32_t id) {
  TiuCommand c = testing::tiu_fill(id);
  c.tsk_eu_typ = 14;
  c.res0_prec = isa::kFp32;
  c.opd0_prec = isa::kInt32;
  c.opd0_const = 1;
  c.opd0_addr = 3;
  c.res0_n = c.res0_c = c.res0_h = 1;
  c.res0_w = 4;
  return c;
}

// Returns a store from lanes to global memory, n and c exchanged: 4 elements.
GdmaCommand store(uint32_t id, uint32_t wait, bool fills) {
  GdmaCommand c;
  c.cmd_id = id;
  c.cmd_id_dep = wait;
  c.cmd_type = isa::bm1684x_streams::kTensor;
  c.cmd_special_function = 1;
  c.src_data_format = isa::kFp32;
  c.fill_constant_en = fills;
  c.constant_value = 0x40000000;
  c.src_nsize = c.src_csize = c.src_hsize = 1;
  c.src_wsize = 4;
  c.src_start_addr_l32 = 0x8000000;
  c.dst_start_addr_h8 = 1;
  c.dst_start_addr_l32 = fills ? 0x100 : 0;
  return c;
}

// Writes a model of two casts, a store, and a fill of another address.
std::string make(const TemporaryDirectory& directory) {
  samples::SubnetFile file;
  std::vector<uint8_t> tiu, gdma;
  testing::append(tiu, TiuForm::ar, cast(1));
  testing::append(tiu, TiuForm::ar, cast(2));
  testing::append_tiu_end(tiu, 3);
  testing::append(gdma, GdmaForm::tensor, store(1, 2, false));
  testing::append(gdma, GdmaForm::tensor, store(2, 2, true));
  testing::append_gdma_end(gdma, 3);
  auto group = std::make_unique<CmdGroupT>();
  const auto part = [&](const std::vector<uint8_t>& bytes) {
    return std::make_unique<Binary>(
        file.add({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
  };
  group->bdc_num = group->gdma_num = 3;
  group->binary_bdc = part(tiu);
  group->binary_gdma = part(gdma);
  file.stage().ctx_addr = kNeurons;
  file.stage().ctx_size = 0x1000;
  TensorT in = *samples::host_tensor("in", {1}), out = *samples::host_tensor("out", {4});
  in.device_addr = kNeurons + 0x200;
  out.device_addr = kNeurons;
  file.input(std::make_unique<TensorT>(in));
  file.output(std::make_unique<TensorT>(out));
  file.subnet(SubnetMode::tpu, {in}, {out}).cmd_group.push_back(std::move(group));
  const std::string path = (directory / "net.bmodel").string();
  EXPECT_TRUE(write_bytes(path, file.bytes()).ok());
  return path;
}

class UnconfirmedTools : public ::testing::Test {
 protected:
  int run(const std::string& command) {
    const std::string output = (directory_ / "printed.txt").string();
    const int code = std::system(
        (TPUTWIN_BIN_DIR "/tputwin " + command + " </dev/null >" + output + " 2>&1").c_str());
    const auto bytes = read_bytes(output);
    printed_.assign(bytes->begin(), bytes->end());
    return WEXITSTATUS(code);
  }
  size_t count(std::string_view text) const {
    size_t n = 0;
    for (size_t at = 0; (at = printed_.find(text, at)) != printed_.npos; at += text.size()) ++n;
    return n;
  }
  const TemporaryDirectory directory_;
  const std::string net_ = make(directory_);
  std::string printed_;
};

TEST_F(UnconfirmedTools, InfoListsEachFormOnce) {
  EXPECT_EQ(run("info " + net_), 0) << printed_;
  EXPECT_EQ(count("3 commands use forms that no recording confirms"), 1u) << printed_;
  EXPECT_EQ(count("2  TIU command AR 14 cast: opd0_const = 1"), 1u) << printed_;
  EXPECT_EQ(count("1  GDMA command tensor 1 cpy_nc_trans: fill_constant_en = 1"), 1u) << printed_;
  EXPECT_EQ(run("info --json " + net_), 0);
  EXPECT_EQ(count("\"unconfirmed_forms\""), 1u) << printed_;
  EXPECT_EQ(run("disasm " + net_), 0);
  EXPECT_EQ(count("; net net stage 0: 3 commands use forms"), 1u) << printed_;
}

TEST_F(UnconfirmedTools, RunExecutesThemAndReportsIt) {
  const std::string out = (directory_ / "out.bin").string();
  EXPECT_EQ(run("run " + net_ + " --output " + out), 0) << printed_;
  EXPECT_EQ(count("3 commands use forms that no recording confirms"), 1u) << printed_;
  EXPECT_EQ(count("TW-ISA-0044"), 2u) << printed_;
  EXPECT_EQ(count("(times 2)"), 1u) << printed_;
  const auto bytes = read_bytes(out);
  ASSERT_TRUE(bytes.ok());
  const float expected[] = {3, 3, 3, 3};
  ASSERT_EQ(bytes->size(), sizeof expected);
  EXPECT_EQ(std::memcmp(bytes->data(), expected, sizeof expected), 0);
}

TEST_F(UnconfirmedTools, StrictRefusesThem) {
  for (const char* command :
       {"info --strict ", "disasm --strict ", "run --strict ", "check --strict -- "}) {
    EXPECT_EQ(run(command + net_), 4) << command << printed_;
    EXPECT_EQ(count("TW-ISA-0044"), 1u) << command << printed_;
    EXPECT_NE(count("opd0_const = 1"), 0u) << command << printed_;
    EXPECT_NE(count("a recording must confirm"), 0u) << command << printed_;
    EXPECT_EQ(count("no findings"), 0u) << command << printed_;
  }
}

// No recorded net has such a form or writes beyond its memory.
TEST_F(UnconfirmedTools, RecordedNetsHaveNone) {
  const std::string recorded =
      TPUTWIN_SOURCE_DIR "/tests/conformance/bm168x/bm1684x/nets-lenet-int8.bmodel";
  EXPECT_EQ(run("info --strict " + recorded), 0) << printed_;
  EXPECT_EQ(count("no recording confirms"), 0u);
  EXPECT_EQ(run("run --strict " + recorded), 0) << printed_;
  EXPECT_EQ(count("TW-ISA-0044"), 0u) << printed_;
  EXPECT_EQ(count("TW-BRT-0112"), 0u) << printed_;
}

}  // namespace
}  // namespace tputwin::tools
