// Files of the compiler, combined with recorded files of other compilers, as `tpu_model --combine`
// does: every net runs as before, and files that do not go together are refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "base/file.h"
#include "bmnet/targets/bm1684/target.h"
#include "bmnet_bm1684x/support.h"
#include "bmodel/bm168x/parts.h"
#include "bmodel/open.h"
#include "common/temporary_directory.h"

namespace tputwin::net::testing {
namespace {

using tputwin::testing::TemporaryDirectory;

const std::string kRecorded = TPUTWIN_SOURCE_DIR "/tests/conformance/bm168x/";

// A convolution, whose result is also negated by an operator of the host.
std::vector<uint8_t> compiled_file(const bm1684x::Target& target, const std::string& name) {
  auto network = random_net(
      "layer { name: 'x' type: 'Input' top: 'x' input_param { shape { dim: 1 dim: 3 dim: 6 dim: 5 "
      "} } } layer { name: 'c' type: 'Convolution' bottom: 'x' top: 'c' convolution_param { "
      "num_output: 8 kernel_size: 3 } }",
      {{"c", {{8, 3, 3, 3}, {8}}}}, 1);
  EXPECT_TRUE(network.ok()) << network.status().message();
  TensorOp host;
  host.set_name("negated");
  set_type(host, Op::host);
  host.mutable_tg_host_param()->set_text("unary op=neg");
  host.add_bottom("c");
  host.add_top("negated");
  const TensorShape shape = *network->shape_of("c");
  *host.add_input_shape() = *host.add_output_shape() = shape;
  *host.mutable_tg_host_param()->add_result() = shape;
  network->ops.insert(network->ops.end() - 1, host);
  network->ops.back().add_bottom("negated");
  *network->ops.back().add_input_shape() = shape;
  auto compiled = bm1684x::compile(*network, {.target = &target});
  EXPECT_TRUE(compiled.ok()) << compiled.status().message();
  auto bytes = bm1684x::to_file(*compiled, name);
  EXPECT_TRUE(bytes.ok()) << bytes.status().message();
  return *bytes;
}

Result<bmodel::OpenFile> opened(const TemporaryDirectory& folder, const std::string& name,
                                const std::vector<uint8_t>& bytes) {
  TW_RETURN_IF_ERROR(write_bytes(folder / name, bytes));
  return bmodel::open_file(folder / name);
}

// Removes the times that the headers of an archive have.
void remove_times(std::vector<uint8_t>& archive) {
  for (const auto& [mark, offset] : {std::pair(std::string("PK\3\4"), 10), {"PK\1\2", 12}})
    for (auto at = archive.begin();;) {
      at = std::search(at, archive.end(), mark.begin(), mark.end());
      if (at == archive.end()) break;
      std::fill_n(at + offset, 4, uint8_t{0});
      at += offset;
    }
}

// Runs every stage of every net on numbers of its own, as users do. Returns the bytes of outputs.
using Results = std::map<std::string, std::vector<uint8_t>>;
Results results_of(const bmodel::OpenFile& file, const std::string& path,
                   const TemporaryDirectory& folder) {
  Results results;
  for (const auto& net : file.bm168x()->model.net)
    for (size_t stage = 0; stage < net->parameter.size(); ++stage) {
      const std::string output = folder / "out.npz";
      const std::string command =
          fmt::format(TPUTWIN_BIN_DIR "/tputwin run {} --net {} --stage {} --output {} > {}", path,
                      net->name, stage, output, std::string(folder / "log"));
      EXPECT_EQ(std::system(command.c_str()), 0) << command;
      auto bytes = read_bytes(output);
      EXPECT_TRUE(bytes.ok()) << bytes.status().message();
      remove_times(*bytes);
      results[net->name + std::to_string(stage)] = std::move(*bytes);
    }
  return results;
}

void expect_combined(const bm1684x::Target& target, const std::string& recorded) {
  const TemporaryDirectory folder;
  auto own = opened(folder, "own.bmodel", compiled_file(target, "own"));
  ASSERT_TRUE(own.ok()) << own.status().message();
  auto other = bmodel::open_file(kRecorded + recorded);
  ASSERT_TRUE(other.ok()) << other.status().message();
  Results expected = results_of(*own, folder / "own.bmodel", folder);
  expected.merge(results_of(*other, kRecorded + recorded, folder));
  for (const bool own_first : {true, false}) {
    const std::vector files{own_first ? own->bm168x() : other->bm168x(),
                            own_first ? other->bm168x() : own->bm168x()};
    auto combined = bmodel::bm168x::combine(files);
    ASSERT_TRUE(combined.ok()) << combined.status().message();
    auto all =
        opened(folder, "all.bmodel", bmodel::bm168x::write(combined->model, combined->binary));
    ASSERT_TRUE(all.ok()) << all.status().message();
    EXPECT_EQ(results_of(*all, folder / "all.bmodel", folder), expected) << recorded;
  }
}

TEST(CombinedFiles, RunAsBefore) {
  for (const char* name : {"nets-lenet-int8.bmodel", "nets-stages.bmodel", "nets-subnets.bmodel"})
    expect_combined(bm1684x::bm1684x_target(), std::string("bm1684x/") + name);
}

TEST(CombinedFiles, OfOtherChipsAreRefused) {
  const TemporaryDirectory folder;
  auto own = opened(folder, "own.bmodel", compiled_file(bm1684::bm1684_target(), "own"));
  ASSERT_TRUE(own.ok()) << own.status().message();
  auto other = bmodel::open_file(kRecorded + "bm1684x/nets-lenet-int8.bmodel");
  ASSERT_TRUE(other.ok());
  const auto combined = bmodel::bm168x::combine(std::vector{own->bm168x(), other->bm168x()});
  ASSERT_FALSE(combined.ok());
  EXPECT_THAT(combined.status().message(), ::testing::HasSubstr("BM1684"));
}

// A launch could not choose the second stage.
TEST(CombinedFiles, OfOneNameAndEqualShapesAreRefused) {
  const TemporaryDirectory folder;
  auto own = opened(folder, "own.bmodel", compiled_file(bm1684x::bm1684x_target(), "one"));
  ASSERT_TRUE(own.ok()) << own.status().message();
  const auto combined = bmodel::bm168x::combine(std::vector{own->bm168x(), own->bm168x()});
  ASSERT_FALSE(combined.ok());
  EXPECT_THAT(combined.status().message(), ::testing::HasSubstr("(1,3,6,5)"));
  EXPECT_THAT(combined.status().message(), ::testing::HasSubstr("--name"));
}

// Nets of one name become stages, which must have equal numbers of inputs and outputs.
TEST(CombinedFiles, OfOneNameAreStages) {
  const TemporaryDirectory folder;
  auto other = bmodel::open_file(kRecorded + "bm1684x/nets-attention-int8.bmodel");
  ASSERT_TRUE(other.ok());
  const std::string name = other->bm168x()->model.net[0]->name;
  auto own = opened(folder, "own.bmodel", compiled_file(bm1684x::bm1684x_target(), name));
  ASSERT_TRUE(own.ok()) << own.status().message();
  const auto combined = bmodel::bm168x::combine(std::vector{own->bm168x(), other->bm168x()});
  if (combined.ok()) {
    EXPECT_EQ(combined->model.net[0]->parameter.size(), 2u);
  } else {
    EXPECT_THAT(combined.status().message(), ::testing::HasSubstr(name));
  }
}

}  // namespace
}  // namespace tputwin::net::testing
