// docs/timing.md names every number of the times.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace tputwin::insight {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(TPUTWIN_SOURCE_DIR "/" + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Documented, EveryNumberHasASource) {
  const std::string page = text_of("docs/timing.md"), header = text_of("src/chip/timing.h");
  ASSERT_FALSE(page.empty());
  const std::regex member("\n  (?:double|uint32_t|bool) ([a-z_, ]+);"), word("[a-z_]+");
  size_t count = 0;
  for (std::sregex_iterator at(header.begin(), header.end(), member), end; at != end; ++at) {
    const std::string names = (*at)[1];
    for (std::sregex_iterator name(names.begin(), names.end(), word); name != end; ++name, ++count)
      EXPECT_NE(page.find("`" + name->str() + "`"), std::string::npos) << name->str();
  }
  EXPECT_GE(count, 16u);
  for (const char* name :
       {"clock_hz", "dma_bytes_per_cycle", "dma_setup_cycles", "compute_setup_cycles"})
    EXPECT_NE(page.find("`" + std::string(name) + "`"), std::string::npos) << name;
}

}  // namespace
}  // namespace tputwin::insight
