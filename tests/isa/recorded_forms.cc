// No recorded command of any set has a form that is counted as unconfirmed.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/file.h"
#include "bmodel/bm168x/model.h"
#include "common/recorded_commands.h"
#include "isa/streams/stream.h"

namespace tputwin::isa {
namespace {

namespace fs = std::filesystem;

const fs::path kConformance = TPUTWIN_SOURCE_DIR "/tests/conformance";

// Number of commands of each form.
using Counts = std::map<std::string, size_t>;

void expect_none(const Counts& counts, size_t commands, size_t least) {
  EXPECT_GT(commands, least);
  for (const auto& [form, count] : counts) ADD_FAILURE() << count << " times: " << form;
}

void count(const std::vector<UnconfirmedForm>& forms, Counts& counts) {
  for (const UnconfirmedForm& form : forms) counts[text(form)] += form.commands;
}

struct SingleCommands {
  const Chip& chip;
  size_t commands = 0;
  Counts counts = {};

  void operator()(Engine engine, std::span<const uint8_t> bytes) {
    const auto one =
        engine == Engine::dma ? decode_gdma_command(bytes, chip) : decode_tiu_command(bytes, chip);
    if (one.ok()) ++commands, count(one->unconfirmed, counts);
  }
};

TEST(RecordedForms, AreAllConfirmedOfTheBm1684x) {
  SingleCommands singles{bm1684x()};
  testing::for_each_recorded_command(kConformance, std::ref(singles));
  expect_none(singles.counts, singles.commands, 15000);
}

TEST(RecordedForms, AreAllConfirmedOfTheBm1684) {
  SingleCommands singles{bm1684()};
  testing::for_each_bm1684_command(kConformance, std::ref(singles));
  expect_none(singles.counts, singles.commands, 1000);
}

TEST(RecordedForms, AreAllConfirmedOfNetworks) {
  using namespace bmodel::bm168x;
  Counts counts;
  size_t groups = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kConformance / "bm168x")) {
    if (entry.path().extension() != ".bmodel") continue;
    const auto bytes = read_bytes(entry.path().string());
    ASSERT_TRUE(bytes.ok());
    const auto file = read(*bytes);
    ASSERT_TRUE(file.ok()) << entry.path() << file.error().message();
    const auto decode = [&](const CmdGroupT& group) {
      UnconfirmedForms forms;
      const CommandStreams streams{file->bytes(group.binary_bdc), file->bytes(group.binary_gdma)};
      const auto program = decode_streams(streams, *chip_of(file->model), {.unconfirmed = &forms});
      groups += program.ok();
      count(forms.list(), counts);
    };
    for (const auto& net : file->model.net)
      for (const auto& stage : net->parameter) {
        for (const auto& group : stage->cmd_group) decode(*group);
        for (const auto& subnet : stage->sub_net)
          for (const auto& group : subnet->cmd_group) decode(*group);
      }
  }
  expect_none(counts, groups, 850);
}

}  // namespace
}  // namespace tputwin::isa
