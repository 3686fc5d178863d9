// TPUTWIN_GUARDS: memories with and without inaccessible pages before and after them.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdlib>

#include "memory/global_memory.h"
#include "memory/guarded_pages.h"

namespace tputwin {
namespace {

// Returns true if a new memory has reserved addresses before it, up to at least half the guard.
// Also checks that the memory is usable.
bool is_guarded() {
  const auto memory = std::move(GlobalMemory::reserve(1 << 20).value());
  memory->data()[(1 << 20) - 1] = 1;
  unsigned char resident = 0;
  return mincore(memory->data() - kGuardBytes / 2, 1, &resident) == 0;
}

TEST(Guards, AreOffWhereTheEnvironmentSwitchesThemOff) {
  EXPECT_TRUE(is_guarded());
  setenv("TPUTWIN_GUARDS", "0", 1);
  EXPECT_FALSE(is_guarded());
  setenv("TPUTWIN_GUARDS", "1", 1);
  EXPECT_TRUE(is_guarded());
  unsetenv("TPUTWIN_GUARDS");
}

}  // namespace
}  // namespace tputwin
