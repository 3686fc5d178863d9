// The processors that CPU quotas of control groups leave.
#include "base/processors.h"

#include <gtest/gtest.h>

#include <climits>
#include <filesystem>
#include <fstream>
#include <string>

#include "common/temporary_directory.h"

namespace tputwin::test {
namespace {

class Quotas : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }
  void set_group(const std::string& lines) { write("/proc/self/cgroup", lines); }
  std::string root() const { return folder_.path().string(); }
  int processors() const { return processors_of_quotas(root()); }

 private:
  testing::TemporaryDirectory folder_;
};

TEST_F(Quotas, AreNoneWithoutControlGroups) {
  EXPECT_EQ(processors(), INT_MAX);
  set_group("0::/");
  EXPECT_EQ(processors(), INT_MAX);
  for (const char* text : {"nonsense", "0::nolead", ":::", "0::a//b/", "::", "0:"}) {
    set_group(text);
    EXPECT_EQ(processors(), INT_MAX) << text;
  }
}

TEST_F(Quotas, OfPartsCountAsWholeProcessors) {
  set_group("0::/a/b");
  write("/sys/fs/cgroup/a/b/cpu.max", "150000 100000");
  EXPECT_EQ(processors(), 2);
  write("/sys/fs/cgroup/a/b/cpu.max", "1000 100000");
  EXPECT_EQ(processors(), 1);
  write("/sys/fs/cgroup/a/b/cpu.max", "max 100000");
  EXPECT_EQ(processors(), INT_MAX);
}

TEST_F(Quotas, OfAContainingGroupCount) {
  set_group("0::/a/b");
  write("/sys/fs/cgroup/a/b/cpu.max", "800000 100000");
  write("/sys/fs/cgroup/a/cpu.max", "300000 100000");
  EXPECT_EQ(processors(), 3);
}

TEST_F(Quotas, OfAContainersRootCount) {
  set_group("0::/../other");
  write("/sys/fs/cgroup/cpu.max", "400000 100000");
  EXPECT_EQ(processors(), 4);
}

TEST_F(Quotas, OfVersion1Count) {
  set_group("3:cpuset:/\n2:cpu,cpuacct:/box\n0::/");
  write("/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "250000");
  write("/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000");
  EXPECT_EQ(processors(), 3);
  write("/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(processors(), INT_MAX);
}

TEST(Processors, AreAtLeastOne) { EXPECT_GE(usable_processors(), 1); }

}  // namespace
}  // namespace tputwin::test
