// Library calls with known errors: only the file that wraps such a call may use it.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "docs/text.h"

namespace tputwin::docs {
namespace {

struct Forbidden {
  std::string call, wrapper, why;
};

const std::vector<Forbidden>& forbidden_calls() {
  static const std::vector<Forbidden> calls{
      {"TruncateTo", "", "Highway 1.0.3: wrong from 32 to 8 bits on AVX3_DL"},
      {"U8FromU32", "", "Highway 1.0.3: for numbers up to 255 only"},
      {"DemoteTo", "narrow-inl.h", "Highway 1.0.3: 32768 to 65535 do not become 255"},
      {"Ne", "", "Highway 1.0.3: says that a NaN equals anything on AVX2 and AVX-512"},
      {"BlendedStore", "bytes-inl.h",
       "Highway 1.0.3: writes the other lanes as they were read on NEON"},
      {"ReorderDemote2To", "narrow-inl.h", "its order is the target's own"},
      {"OrderedDemote2To", "narrow-inl.h", "narrowing has one place"},
  };
  return calls;
}

// Returns the lines of a file that call a function of that name.
std::string calls_in(const std::filesystem::path& path, const std::string& name) {
  const std::regex call("\\bhn::" + name + "\\s*[(<]");
  std::istringstream text(read_text(path));
  std::string found;
  size_t number = 1;
  for (std::string line; std::getline(text, line); ++number) {
    if (line.find(name) == std::string::npos) continue;  // saves time: the expression is slow
    line = line.substr(0, line.find("//"));
    if (std::regex_search(line, call))
      found += path.string() + ":" + std::to_string(number) + ": " + line + "\n";
  }
  return found;
}

TEST(LibraryCalls, FaultyOnesAreWrapped) {
  size_t wrapped = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() / "src")) {
    const std::string extension = entry.path().extension();
    if (extension != ".cc" && extension != ".h") continue;
    for (const Forbidden& f : forbidden_calls()) {
      const std::string calls = calls_in(entry.path(), f.call);
      if (entry.path().filename() == f.wrapper)
        wrapped += !calls.empty();
      else
        EXPECT_EQ(calls, "") << f.call << ": " << f.why;
    }
  }
  EXPECT_GT(wrapped, 0u) << "the scan finds no call at all";
}

}  // namespace
}  // namespace tputwin::docs
