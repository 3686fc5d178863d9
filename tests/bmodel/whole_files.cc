// Files exist completely or not at all, even if the process that writes them is killed.
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/atomic_file.h"
#include "base/file.h"
#include "bmodel/samples.h"
#include "common/temporary_directory.h"

namespace tputwin::bmodel {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<uint8_t>;

size_t files_in(const testing::TemporaryDirectory& folder) {
  size_t count = 0;
  for ([[maybe_unused]] const auto& file : fs::directory_iterator(folder / "")) ++count;
  return count;
}

TEST(WholeFiles, AppearAtTheEnd) {
  const testing::TemporaryDirectory folder;
  const std::string path = folder / "out";
  ASSERT_TRUE(write_bytes(path, Bytes{1, 2, 3}).ok());
  {
    auto file = AtomicFile::create(path);
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE((*file)->write(Bytes(100000, 7)).ok());
    EXPECT_EQ(*read_bytes(path), (Bytes{1, 2, 3})) << "nothing is committed";
  }
  EXPECT_EQ(*read_bytes(path), (Bytes{1, 2, 3}));
  EXPECT_EQ(files_in(folder), 1u) << "what is given up is removed";
}

TEST(WholeFiles, KeepAccessAndLinks) {
  const testing::TemporaryDirectory folder;
  const std::string path = folder / "out", link = folder / "link";
  ASSERT_TRUE(write_bytes(path, Bytes{1}).ok());
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(path, link);
  ASSERT_TRUE(write_bytes(link, Bytes{2}).ok());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(*read_bytes(path), Bytes{2});
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(WholeFiles, PipesAndDevicesAreWrittenInPlace) {
  EXPECT_TRUE(write_bytes("/dev/null", Bytes(100, 1)).ok());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_FALSE(write_bytes("/no/such/folder/file", Bytes{1}).ok());
}

TEST(WholeFiles, ReadersReportHowMuchTheyTake) {
  EXPECT_TRUE(read_bytes("/dev/null", 10).ok());
  EXPECT_FALSE(read_bytes("/dev/zero", 10).ok());
}

// A process writes a model repeatedly until it is killed; each read finds a complete file.
TEST(WholeFiles, OutliveTheirWriters) {
  const testing::TemporaryDirectory folder;
  const std::string path = folder / "net.bmodel";
  Model model = samples::common();
  model.weights[0].resize(size_t{1} << 20, 5);
  const Bytes whole = *write(model, Container::v2_1);
  for (int round = 0; round < 10; ++round) {
    fs::remove(path);
    const pid_t writer = fork();
    if (writer == 0)
      while (write_file(model, Container::v2_1, path).ok()) {
      }
    ASSERT_GT(writer, 0);
    while (!fs::exists(path)) sched_yield();
    for (int look = 0; look <= round; ++look) ASSERT_EQ(*read_bytes(path), whole);
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
    EXPECT_EQ(*read_bytes(path), whole) << round;
  }
}

}  // namespace
}  // namespace tputwin::bmodel
