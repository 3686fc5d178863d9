// Selects the instruction set of the fast kernels: the host's best, or the requested one.
#include "ops/fast/dispatch/isa.h"

#define HWY_WANT_AVX3_DL  // some kernels are compiled for it
#include <hwy/targets.h>

#if HWY_ARCH_X86
#include <cpuid.h>
#elif HWY_ARCH_ARM
#include <sys/auxv.h>
#endif

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors/machine.h"
#include "base/variables.h"
#include "ops/fast/dispatch/dot_pass.h"
#include "ops/fast/fast.h"
#include "ops/fast/prepared/prepared.h"

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
  int64_t targets = 0;  // allowed Highway targets; 0: none
  bool dot_pass = false;
  bool library = false;  // convolutions go to oneDNN
  TileUnit tiles = TileUnit::none;
};

// `kVectorTargets` is the mask of the compiled Highway targets that have vectors.
constexpr int64_t kVectorTargets = HWY_TARGETS & ~kScalarTargets;

// Returns true if the processor has the byte products of the pass of foreach_target.h. The base
// target decides whether the registers are supported.
bool has_dot_instruction() {
#if HWY_ARCH_X86
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kAvxVnni = 1 << 4;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0 && (a & kAvxVnni) != 0;
#elif HWY_ARCH_ARM_A64
  return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#else
  return false;
#endif
}

// Calls f(target, its name) for each target of a mask, the simplest first. In Highway's masks, a
// lower bit is a better target that implies the higher ones.
template <class F>
void for_each_target(int64_t targets, const F& f) {
  for (int bit = 62; bit >= 0; --bit)
    if (targets >> bit & 1) f(int64_t{1} << bit, target_name(int64_t{1} << bit));
}

// Lists the instruction sets that can be selected on this host.
struct Host {
  std::vector<std::string> names, missing;
  std::vector<Isa> isas;  // parallel to names
  size_t best = 0;

  Host() {
    add("reference", {});
    int64_t vectors = hwy::SupportedTargets() & kVectorTargets;
#if HWY_ARCH_X86
    // The AVX-512 kernels multiply bytes with VNNI. Processors without it use the AVX2 kernels.
    if (!__builtin_cpu_supports("avx512vnni")) vectors &= ~int64_t{HWY_AVX3};
#endif
    for_each_target(kVectorTargets, [&](int64_t target, std::string name) {
      const bool is_here = (vectors & target) != 0;
      const Isa isa{vectors & ~(target - 1)};
      add_if(is_here, std::move(name), isa);
#if TPUTWIN_DOT_TARGET != 0
      if (target == TPUTWIN_DOT_TARGET)
        add_if(is_here && has_dot_instruction(), TPUTWIN_DOT_NAME, {isa.targets, true});
#endif
    });
    best = names.size() - 1;
    add_tiles();
    add_library();
  }

  // The kernels of tiles are compiled for AVX-512.
  void add_tiles() {
#if HWY_ARCH_X86
    Isa isa = isas[best];
    const bool has_vectors = (isa.targets & HWY_AVX3_DL) != 0;
    isa.tiles = TileUnit::emulated;
    add_if(has_vectors, "amx_emulated", isa);
    isa.tiles = TileUnit::processor;
    const bool is_here = has_vectors && has_amx();
    add_if(is_here, "amx", isa);
    if (is_here) best = names.size() - 1;
#endif
  }

  void add_library() {
    const OneDnn library = onednn_on_this_host();
    if (library == OneDnn::absent) return;
    Isa isa = isas[best];
    const bool exact = isa.targets != 0 && library != OneDnn::not_exact;
    isa.tiles = TileUnit::none;
    isa.library = true;
    add_if(exact, "onednn", isa);
  }

  void add_if(bool is_here, std::string name, Isa isa) {
    is_here ? add(std::move(name), isa) : missing.push_back(std::move(name));
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
  // One atomic store inside Highway: other threads dispatch to the old or the new set.
  hwy::GetChosenTarget().Update(host().isas[index].targets | (HWY_TARGETS & kScalarTargets));
  selected.store(index, std::memory_order_release);
  choices_changed();
}

std::string_view wanted_isa() { return value_of(EnvVariable::isa); }

// Decides on first use: the set that the environment requests, or the best one. A name that this
// host does not know is an error for every Device (check_environment). Code that runs without a
// Device gets the reference kernels.
size_t decide() {
  static const bool once = [] {
    if (selected.load() == kUndecided && !select_isa(wanted_isa())) select_isa("reference");
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
std::span<const std::string> missing_isas() { return host().missing; }

Status check_environment() {
  const std::string_view wanted = wanted_isa();
  const auto& names = host().names;
  if (wanted.empty() || std::find(names.begin(), names.end(), wanted) != names.end()) return {};
  return Error(errors::mch_isa)
      .argument("TPUTWIN_ISA", std::string(wanted))
      .detail(fmt::format("this host has {}; not here: {}", fmt::join(names, ", "),
                          fmt::join(host().missing, ", ")));
}

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

bool dot_pass_selected() { return in_force().dot_pass; }
TileUnit tile_unit() { return in_force().tiles; }
bool vectors_enabled() { return in_force().targets != 0; }
bool onednn_enabled() { return in_force().library; }

}  // namespace tputwin::fast
