// Every program on Google Benchmark says how the twin was built, since the library, as Debian
// builds it, warns of its own build only.
#include <benchmark/benchmark.h>

namespace {

#ifdef NDEBUG
constexpr const char* kBuilt =
    "optimized; a warning below is about the benchmark library, which only takes the time";
#else
constexpr const char* kBuilt = "a debug build: its figures mean nothing";
#endif

[[maybe_unused]] const bool kSaid = (benchmark::AddCustomContext("The twin", kBuilt), true);

}  // namespace
