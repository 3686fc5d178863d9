// Nonsense in a variable of the environment is said, and never taken for a run as usual.
#include "base/variables.h"

#include <fmt/format.h>

#include "base/errors/base.h"
#include "base/wrong_variables.h"
#include "insight/checks.h"
#include "machine/device.h"
#include "tools/command.h"

namespace tputwin::tools {
namespace {

class Variables : public CommandTest {};

TEST_F(Variables, ToolsNameVariableValueAndRule) {
  for (const VariableInfo& variable : variables()) {
    if (variable.rule.kind == ValueRule::Kind::text) continue;
    const bool is_error = variable.rule.level == Level::error;
    const int code = run(fmt::format("{}=nonsense tputwin chips", variable.name));
    EXPECT_EQ(code, is_error ? 2 : 0) << variable.name;
    for (const std::string& part :
         {fmt::format("{}: value = \"nonsense\"", variable.name), std::string("it takes "),
          std::string("unset it"), std::string(is_error ? "error: TW-" : "warning: TW-")})
      EXPECT_TRUE(prints(part)) << part << "\n" << printed_;
  }
}

TEST_F(Variables, ThatChangeARunSilentlyAreErrors) {
  const std::string net = recorded("nets-lenet-int8");
  for (const std::string variable :
       {"TPUTWIN_CHECK=race", "TPUTWIN_CHECK=1,races", "TPUTWIN_CHECK=nonsense",
        "TPUTWIN_QUIRKS=shift31", "TPUTWIN_QUIRKS='shift32, mac_sign'", "TPUTWIN_LANES=many",
        "TPUTWIN_LANES=0", "TPUTWIN_LANES=64x", "TPUTWIN_LANE_BYTES=-1", "TPUTWIN_CHIP=BM1685",
        "TPUTWIN_GLOBAL_BYTES=4T", "TPUTWIN_GLOBAL_BYTES=1M"}) {
    EXPECT_EQ(run(variable + " tputwin run " + net), 2) << variable;
    EXPECT_TRUE(prints("TW-SYS-0003")) << printed_;
    EXPECT_FALSE(prints("net     ")) << "it ran\n" << printed_;
    EXPECT_NE(run(variable + " okk_plus_one"), 0) << variable << "\n" << printed_;
    // bmlib has errors of its own for two of them
    EXPECT_TRUE(prints("TW-SYS-0003") || prints("TW-BML-010")) << printed_;
  }
}

TEST_F(Variables, OthersAreWarnings) {
  for (const std::string variable :
       {"TPUTWIN_THREADS=0", "TPUTWIN_THREADS=2x", "TPUTWIN_DEVICES=two", "TPUTWIN_TIME=chips",
        "TPUTWIN_POISON=off", "TPUTWIN_STRICT=form", "TPUTWIN_PLANS=off"}) {
    EXPECT_EQ(run("TPUTWIN_LOG=warnings " + variable + " okk_plus_one"), 0) << printed_;
    EXPECT_TRUE(prints("warning: TW-SYS-0004 " + variable.substr(0, variable.find('='))))
        << printed_;
    EXPECT_EQ(printed_.find("TW-SYS-0004"), printed_.rfind("TW-SYS-0004")) << printed_;
  }
  EXPECT_EQ(run("TPUTWIN_LOG=loud tputwin chips"), 0);
  EXPECT_TRUE(prints("TPUTWIN_LOG = \"loud\"")) << printed_;
}

TEST_F(Variables, GoodValuesAreSilent) {
  for (const std::string variable :
       {"TPUTWIN_CHECK=1", "TPUTWIN_CHECK=0", "TPUTWIN_CHECK=all,hints", "TPUTWIN_QUIRKS=all",
        "TPUTWIN_QUIRKS=shift32,mac_sign,ignored,kernel_flush", "TPUTWIN_LANES=0x40",
        "TPUTWIN_CHIP=bm1684x", "TPUTWIN_GLOBAL_BYTES=16M", "TPUTWIN_GLOBAL_BYTES=1024G",
        "TPUTWIN_STRICT=forms", "TPUTWIN_THREADS=2", "TPUTWIN_DEVICES=64", "TPUTWIN_TIME=chip"}) {
    EXPECT_EQ(run(variable + " tputwin chips"), 0) << printed_;
    EXPECT_FALSE(prints("TW-SYS-")) << variable << "\n" << printed_;
  }
}

// The words of the table are those that are looked for.
TEST(VariableRules, NameWhatThereIs) {
  std::string checks = "all";
  for (const insight::CheckInfo& check : insight::check_catalogue())
    checks += fmt::format(",{}", check.name);
  EXPECT_EQ(variables()[static_cast<size_t>(EnvVariable::check)].rule.words, checks);
  std::string quirks(variables()[static_cast<size_t>(EnvVariable::quirks)].rule.words);
  EXPECT_EQ(quirks, "all,shift32,mac_sign,ignored,kernel_flush");
}

TEST(VariableRules, RefuseDevices) {
  setenv("TPUTWIN_QUIRKS", "shift31", 1);
  const auto device = Device::create({.chip = &bm1684(), .global_bytes = 1 << 20});
  unsetenv("TPUTWIN_QUIRKS");
  ASSERT_FALSE(device.ok());
  EXPECT_EQ(device.error().id(), errors::sys_variable);
}

}  // namespace
}  // namespace tputwin::tools
