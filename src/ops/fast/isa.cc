// Which instruction set the fast bodies use: the host's best, or the one that was asked for.
#include "ops/fast/isa.h"

#define HWY_WANT_AVX3_DL  // some bodies are compiled for it
#include <hwy/targets.h>
#include <oneapi/dnnl/dnnl.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <vector>

#include "ops/fast/fast.h"

namespace tputwin::fast {
namespace {

constexpr int64_t kScalarTargets = HWY_EMU128 | HWY_SCALAR;

std::string target_name(int64_t target) {
  if (target == HWY_AVX3) return "avx512";
  if (target == HWY_AVX3_DL) return "avx512_vnni";
  std::string name = hwy::TargetName(target);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

struct Isa {
  int64_t targets = 0;  // Highway targets allowed; 0: none
  bool onednn = false;
};

// Everything that can be selected on this host.
struct Host {
  std::vector<std::string> names;
  std::vector<Isa> isas;  // parallel to names
  size_t best = 0;

  Host() {
    add("reference", {});
    // In Highway's masks a lower bit is a better target that implies the higher ones.
    int64_t vectors = hwy::SupportedTargets() & HWY_TARGETS & ~kScalarTargets;
#if HWY_ARCH_X86
    // The AVX-512 bodies multiply bytes with VNNI; processors without it take those for AVX2.
    if (!__builtin_cpu_supports("avx512vnni")) vectors &= ~int64_t{HWY_AVX3};
#endif
    for (int bit = 62; bit >= 0; --bit) {
      int64_t target = int64_t{1} << bit;
      if (vectors & target) add(target_name(target), {vectors & ~(target - 1), false});
    }
    best = names.size() - 1;
    // Without VNNI the library's int8 kernels saturate in 16 bits: not exact, never offered.
    int isa = dnnl_get_effective_cpu_isa();
    auto has = [isa](int level) { return (isa & level) == level; };
    if (vectors != 0 && has(dnnl_cpu_isa_avx512_core_vnni)) {
      add("onednn", {vectors, true});
      // Beside AMX its kernels outrun ours by more than the cost of changing layouts.
      if (has(dnnl_cpu_isa_avx512_core_amx)) best = names.size() - 1;
    }
  }

  void add(std::string name, Isa isa) {
    names.push_back(std::move(name));
    isas.push_back(isa);
  }
};

const Host& host() {
  static const Host instance;
  return instance;
}

constexpr size_t kUndecided = ~size_t{0};
std::atomic<size_t> selected{kUndecided};  // index into host()

void put_in_force(size_t index) {
  // One atomic store inside Highway: dispatch in other threads sees the old or the new set.
  hwy::GetChosenTarget().Update(host().isas[index].targets | (HWY_TARGETS & kScalarTargets));
  selected.store(index, std::memory_order_release);
}

// First use: the environment's wish, or the best (also for a name this host does not know).
size_t decide() {
  static const bool once = [] {
    const char* wanted = std::getenv("TPUTWIN_ISA");
    if (selected.load() == kUndecided && (wanted == nullptr || !select_isa(wanted))) select_isa("");
    return true;
  }();
  static_cast<void>(once);
  return selected.load(std::memory_order_acquire);
}

const Isa& in_force() {
  size_t index = selected.load(std::memory_order_acquire);
  return host().isas[index != kUndecided ? index : decide()];
}

}  // namespace

std::span<const std::string> available_isas() { return host().names; }

std::string_view selected_isa() {
  in_force();
  return host().names[selected.load(std::memory_order_acquire)];
}

bool select_isa(std::string_view isa) {
  const auto& names = host().names;
  size_t index = host().best;
  if (!isa.empty())
    index = static_cast<size_t>(std::find(names.begin(), names.end(), isa) - names.begin());
  if (index == names.size()) return false;
  put_in_force(index);
  return true;
}

bool vectors_enabled() { return in_force().targets != 0; }
bool onednn_enabled() { return in_force().onednn; }

}  // namespace tputwin::fast
