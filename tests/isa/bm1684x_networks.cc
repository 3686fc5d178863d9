// Every command group of the recorded networks decodes, is legal, and encodes again.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/file.h"
#include "bmodel/bm168x/model.h"
#include "isa/streams/encode.h"
#include "isa/streams/stream.h"

namespace tputwin::isa {
namespace {

using namespace bmodel::bm168x;

// Returns the error of check() or check_bounds().
Status check_all(const Operation& op) {
  constexpr uint64_t kGlobalBytes = uint64_t{4} << 30;
  const Status rules = check(op, bm1684x());
  if (!rules.ok() && rules.error().info().level == Level::error) return rules.error();
  return check_bounds(op, bm1684x(), kGlobalBytes);
}

// Counts of errors, by text.
using Findings = std::map<std::string, size_t>;

void expect_comes_back(const Instruction& in, Findings& findings) {
  const auto bytes = encode_command(in, bm1684x());
  if (!bytes.ok()) {
    ++findings[bytes.error().message() + "\n" + describe(in.op)];
    return;
  }
  const auto back = in.engine == Engine::dma ? decode_gdma_command(*bytes, bm1684x())
                                             : decode_tiu_command(*bytes, bm1684x());
  if (!back.ok() || describe(back->instruction.op) != describe(in.op))
    ++findings["comes back different: " + describe(in.op)];
}

void check_group(const File& file, const CmdGroupT& group, Findings& findings) {
  const CommandStreams streams{file.bytes(group.binary_bdc), file.bytes(group.binary_gdma)};
  const auto program = decode_streams(streams, bm1684x());
  if (!program.ok()) {
    ++findings[program.error().message()];
    return;
  }
  EXPECT_EQ(program->size() + 2, group.bdc_num + group.gdma_num);
  for (const Instruction& in : *program) {
    if (const Status status = check_all(in.op); !status.ok())
      ++findings[status.message() + "\n" + describe(in.op)];
    expect_comes_back(in, findings);
  }
}

TEST(Bm1684xNetworks, DecodeWhole) {
  const std::filesystem::path folder = TPUTWIN_SOURCE_DIR "/tests/conformance/bm168x/bm1684x";
  size_t groups = 0;
  Findings findings;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".bmodel") continue;
    const auto bytes = read_bytes(entry.path().string());
    ASSERT_TRUE(bytes.ok());
    const auto file = read(*bytes);
    ASSERT_TRUE(file.ok()) << entry.path() << file.error().message();
    for (const auto& net : file->model.net)
      for (const auto& stage : net->parameter) {
        for (const auto& group : stage->cmd_group) check_group(*file, *group, findings), ++groups;
        for (const auto& subnet : stage->sub_net)
          for (const auto& group : subnet->cmd_group)
            check_group(*file, *group, findings), ++groups;
      }
  }
  EXPECT_GT(groups, 850u);
  for (const auto& [text, count] : findings) ADD_FAILURE() << count << " times: " << text;
}

}  // namespace
}  // namespace tputwin::isa
