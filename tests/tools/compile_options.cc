// Options of `tputwin compile` that contradict each other, or say nothing, are refused.
#include <fmt/format.h>

#include "tools/command.h"

namespace tputwin::tools {
namespace {

class CompileOptions : public CommandTest {};

TEST_F(CompileOptions, MustSaySomethingAndAgree) {
  const std::pair<const char*, const char*> refused[] = {
      {"--name ''", "--name: it must not be empty"},
      {"--batch 0", "--batch: \"0\" is not a number from 1 on"},
      {"--batch -1", "--batch: \"-1\" is not a number from 1 on"},
      {"--batch 2 --shape 1,3,4,4", "--shape excludes --batch"},
      {"--chip bm1684", "--chip"},
  };
  for (const auto& [options, rule] : refused) {
    EXPECT_EQ(run(fmt::format("tputwin compile net.onnx {}", options)), 2) << options;
    EXPECT_TRUE(prints("TW-CLI-0011") && prints(rule)) << options << "\n" << printed_;
  }
}

TEST_F(CompileOptions, SayWhatIsNotWrittenAndNotRead) {
  const std::string net = TPUTWIN_SOURCE_DIR "/models/lenet_fashion";
  const std::string line = fmt::format(
      "tputwin compile --prototxt {0}.prototxt --caffemodel {0}.caffemodel --chip bm1684x", net);
  EXPECT_EQ(run(line), 0) << printed_;
  EXPECT_TRUE(prints("no bmodel was written: --output names none")) << printed_;
  EXPECT_EQ(run(line + " --type fp16 --table nowhere"), 0) << printed_;
  EXPECT_TRUE(prints("the table is not read: --type is not int8")) << printed_;
  for (const std::string more : {" -o net.bmodel", " --dry-run"}) {
    EXPECT_EQ(run(line + more), 0) << printed_;
    EXPECT_FALSE(prints("no bmodel was written")) << printed_;
  }
}

}  // namespace
}  // namespace tputwin::tools
