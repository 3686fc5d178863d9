// Golden texts: every file of golden/ is a dialogue of commands and their output. "$ " starts a
// command; "! " marks a line of standard error; "[exit N]" an exit code other than 0.
// TPUTWIN_REBASE=1 writes the current output into the files.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "base/file.h"
#include "bmnet/caffe/caffe_net.h"
#include "common/temporary_directory.h"
#include "tools/models.h"

namespace tputwin::tools {
namespace {

namespace fs = std::filesystem;

const fs::path kGolden = fs::path(TPUTWIN_SOURCE_DIR) / "tests/tools/golden";

std::string slurp(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string prefixed(const std::string& text, const std::string& prefix) {
  std::istringstream lines(text);
  std::string line, result;
  while (std::getline(lines, line)) result += prefix + line + "\n";
  return result;
}

// Wall times differ between runs.
std::string without_times(const std::string& text) {
  static const std::regex kTime(R"((\d+\.\d+) (us|ms|s)( at best| on average|$))",
                                std::regex::multiline);
  std::istringstream lines(text);
  std::string line, result;
  while (std::getline(lines, line)) {
    if (line.starts_with("time ")) line = std::regex_replace(line, kTime, "TIME$3");
    result += line + "\n";
  }
  return result;
}

// Writes the files that the dialogues use.
void write_files(const fs::path& directory) {
  auto put = [&](const char* name, const std::vector<uint8_t>& bytes) {
    ASSERT_TRUE(write_bytes(directory / name, bytes).ok());
  };
  bmodel::Model model = models::tiny();
  put("tiny.bmodel", *bmodel::write(model, bmodel::Container::v0_1_1));
  put("tiny21.bmodel", *bmodel::write(model, bmodel::Container::v2_1));
  put("cmdbuf.bin", model.varieties[0].cmdbuf);
  bmodel::Model first = model, second = model, cpu = model;
  first.varieties.resize(1);
  second.varieties.erase(second.varieties.begin());
  put("first.bmodel", *bmodel::write(first, bmodel::Container::v0_1_1));
  put("second.bmodel", *bmodel::write(second, bmodel::Container::v0_1_1));
  cpu.varieties.resize(1);
  cpu.varieties[0].cmdbuf = models::Program().add(CpuCall{.name = "Nowhere"}).bytes();
  put("cpu.bmodel", *bmodel::write(cpu, bmodel::Container::v2_1));
  std::vector<uint8_t> input, expected;
  for (int i = 0; i < 16; ++i) {
    input.push_back(static_cast<uint8_t>(10 * i - 60));
    int product = (10 * i - 60) * (7 * i);
    expected.push_back(static_cast<uint8_t>(std::clamp((product + 8) >> 4, 0, 127)));
  }
  put("in.bin", input);
  put("expected.bin", expected);
  expected[9] ^= 1;
  put("other.bin", expected);
  put("short.bin", {1, 2, 3});
  put("floats.bin", {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0});
  auto cut = *bmodel::write(model, bmodel::Container::v0_1_1);
  cut.resize(cut.size() - 1);
  put("cut.bmodel", cut);
  bmodel::Model broken = first;
  broken.varieties[0].cmdbuf.resize(100);
  put("broken.bmodel", *bmodel::write(broken, bmodel::Container::v0_1_1));
  const std::string layers =
      "name: \"net\" layer { name: \"data\" type: \"Input\" top: \"data\" "
      "input_param { shape { dim: 1 dim: 2 dim: 2 dim: 4 } } }\n"
      "layer { name: \"last\" type: \"ReLU\" bottom: \"data\" top: \"last\" }\n";
  std::ofstream(directory / "net.prototxt") << layers;
  std::ofstream(directory / "odd.prototxt")
      << std::regex_replace(layers, std::regex("ReLU"), "Odd");
  std::ofstream(directory / "net.caffemodel") << net::to_caffemodel(*net::read_prototxt(layers));
  fs::create_symlink(TPUTWIN_BIN_DIR "/../lib/test_kernels.so", directory / "kernels.so");
}

std::string run_command(const std::string& command, const fs::path& directory) {
  std::string line = "cd '" + directory.string() + "' && PATH='" TPUTWIN_BIN_DIR "':$PATH && { " +
                     command + "; } >.stdout 2>.stderr </dev/null";
  int status = std::system(line.c_str());
  std::string result = without_times(slurp(directory / ".stdout"));
  result += prefixed(slurp(directory / ".stderr"), "! ");
  if (int code = WEXITSTATUS(status); code != 0) result += "[exit " + std::to_string(code) + "]\n";
  return result;
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, PrintsTheSame) {
  testing::TemporaryDirectory temporary;
  const fs::path& directory = temporary.path();
  write_files(directory);
  fs::path file = kGolden / (GetParam() + ".txt");
  std::string expected = slurp(file), actual, line;
  std::istringstream lines(expected);
  while (std::getline(lines, line)) {
    if (line.starts_with("#")) actual += line + "\n";
    if (line.starts_with("$ ")) actual += line + "\n" + run_command(line.substr(2), directory);
  }
  if (std::getenv("TPUTWIN_REBASE"))
    std::ofstream(file) << actual;
  else
    EXPECT_EQ(actual, expected) << "TPUTWIN_REBASE=1 accepts the new text";
}

std::vector<std::string> dialogues() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kGolden))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Tools, Golden, ::testing::ValuesIn(dialogues()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tputwin::tools
