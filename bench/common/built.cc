// Makes every program on Google Benchmark print how the simulator was built. Debian's build of the
// library warns only about its own build.
#include <benchmark/benchmark.h>

namespace {

#ifdef NDEBUG
constexpr const char* kBuilt =
    "optimized; a warning below is about the benchmark library, which only takes the time";
#else
constexpr const char* kBuilt = "a debug build: its figures mean nothing";
#endif

[[maybe_unused]] const bool kSaid = (benchmark::AddCustomContext("The simulator", kBuilt), true);

}  // namespace
