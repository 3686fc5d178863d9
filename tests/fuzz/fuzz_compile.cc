// The compilers for the BM1684X and BM1684. A net is drawn from the bytes, as the random tests do.
// Its results are compared with float execution, with the bounds of those tests.
#include <cmath>
#include <random>

#include "bmnet/targets/bm1684x/target.h"
#include "bmnet_onnx/random_net.h"
#include "fuzz/compiled_net.h"
#include "fuzz/targets.h"
#include "onnx_bm1684x/agreement.h"
#include "selftest/rng.h"

namespace tputwin::fuzz {
namespace {

using tputwin::testing::Rng;

struct Drawn {
  Configuration configuration;
  bool is_wide;
  test::RandomOperator model;
};

Drawn draw(std::span<const uint8_t> input) {
  Rng rng(input);
  const Configuration chosen = configuration(rng.next());
  const uint64_t kind = rng.below(8);
  if (kind < 4) return {chosen, true, test::rounded(test::random_wide_operator(rng))};
  if (kind < 6) return {chosen, false, test::rounded(test::random_operator(rng))};
  test::RandomNet net = test::random_net(rng);
  return {chosen, false,
          test::rounded({std::move(net.model), net.samples.front(), "net" + net.about})};
}

// The bound of bf16 is that of the smallest difference in fp16.
double tolerance(DType type) {
  return type == DType::f32    ? test::kTolerance32
         : type == DType::f16  ? test::kTolerance16
         : type == DType::bf16 ? test::kMostRatio * test::kTolerance16 / 8
                               : test::kToleranceBytes;
}

std::string wrong_values(const Drawn& drawn, const net::Network& network) {
  const Configuration& chosen = drawn.configuration;
  const DType type = chosen.type;
  if (chosen.is_mixed) {
    if (!test::floats_of(network, drawn.model.inputs).ok()) return "";
    return wrong_levels(network, drawn.model.inputs, chosen,
                        table_of(network, drawn.model.inputs, chosen));
  }
  const test::Agreement found = test::agreement(drawn.model, type, drawn.is_wide);
  if (!found.read.ok()) return "";
  if (!found.compiled.ok()) return wrong_refusal(found.compiled);
  // Bytes may be rounded across a jump, and a net amplifies what its layers round.
  const bool is_net = drawn.model.about.rfind("net", 0) == 0;
  const bool is_bounded = type == DType::f32 || (!test::has_jumps(drawn.model.about) && !is_net);
  std::string wrong = found.wrong(is_bounded ? tolerance(type) : INFINITY);
  return wrong.empty() ? wrong_levels(network, drawn.model.inputs, chosen,
                                      table_of(network, drawn.model.inputs, chosen))
                       : wrong;
}

}  // namespace

std::string fuzz_compile(std::span<const uint8_t> input) {
  return without_exceptions([&]() -> std::string {
    const Drawn drawn = draw(input);
    const net::bm1684x::ScopedTarget scope(*drawn.configuration.target);
    const auto network = test::network_of(drawn.model, drawn.is_wide);
    if (!network.ok()) return wrong_refusal(network.status());
    if (!is_small(*network)) return "";
    const std::string wrong = wrong_values(drawn, *network);
    return wrong.empty() ? "" : drawn.model.about + ": " + wrong;
  });
}

bool is_compiled(std::span<const uint8_t> input) {
  const Drawn drawn = draw(input);
  const net::bm1684x::ScopedTarget scope(*drawn.configuration.target);
  const auto network = test::network_of(drawn.model, drawn.is_wide);
  return network.ok() && is_small(*network);
}

std::vector<Bytes> compile_seeds() {
  constexpr size_t kSeeds = 24, kBytes = 96;
  std::vector<Bytes> seeds;
  for (unsigned number = 0; seeds.size() < kSeeds; ++number) {
    std::mt19937 random(number);
    Bytes bytes(kBytes);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    if (is_compiled(bytes)) seeds.push_back(std::move(bytes));
  }
  return seeds;
}

}  // namespace tputwin::fuzz
