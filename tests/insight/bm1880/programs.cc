// Mutants of whole programs of the BM1880.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <array>

#include "insight/mutants.h"

namespace tputwin::insight::testing {
namespace {

constexpr std::array kInC{
#define TW_MUTANT(name, file, from, to, finding, line) \
  Mutant{#name, #file, "main", from, to, finding, line},
#define TW_MUTANT_CPP(...)
#include "insight/bm1880/programs.def"
#undef TW_MUTANT
#undef TW_MUTANT_CPP
};

constexpr std::array kInCpp{
#define TW_MUTANT(...)
#define TW_MUTANT_CPP(name, file, from, to, finding, line) \
  Mutant{#name, #file, "main", from, to, finding, line},
#include "insight/bm1880/programs.def"
#undef TW_MUTANT
#undef TW_MUTANT_CPP
};

void run(const Mutant&, void* library, const std::string& program) {
  const auto main = reinterpret_cast<int (*)()>(dlsym(library, program.c_str()));
  ASSERT_NE(main, nullptr) << program;
  main();
}

TEST(Mutants, OfBmKernelsInC) {
  check_everything();
  expect_findings({"bmkernel", ".c", "", "-lbmruntime -lbmkernel -ltputwin"}, kInC, run);
}

TEST(Mutants, OfBmKernelsInCpp) {
  check_everything();
  expect_findings({"bmkernel", ".cpp", "", "-lbmruntime -lbmkernel -ltputwin -lstdc++"}, kInCpp,
                  run);
}

}  // namespace
}  // namespace tputwin::insight::testing
