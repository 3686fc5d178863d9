// Devices and their properties.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/errors/bmlib.h"
#include "sdk/bmlib/api.h"

namespace tputwin::bmlib {
namespace {

int mebibytes(uint64_t bytes) { return static_cast<int>(bytes >> 20); }

bm_misc_info misc_info_of(const Card& card) {
  bm_misc_info info{};
  info.pcie_soc_mode = 1;
  info.ddr0a_size = static_cast<long long>(card.memory_bytes());
  info.chipid = card.chip().driver_id;
  info.chipid_bit_mask = info.chipid == 0x1686 ? BM1686_CHIPID_BIT_MASK : BM1684_CHIPID_BIT_MASK;
  return info;
}

bm_dev_stat_t statistics(Card& card) {
  bm_dev_stat_t stat{};
  stat.tpu_util = card.busy() ? 100 : 0;
  card.exclusively([&] {
    uint64_t used = 0;
    for (uint32_t heap = 0; heap < kHeaps; ++heap) used += card.used_bytes(heap);
    const uint64_t total = card.allocatable_bytes();
    stat.mem_total = mebibytes(total);
    stat.mem_used = mebibytes(used);
    stat.heap_num = kHeaps;
    for (uint32_t heap = 0; heap < kHeaps; ++heap)
      stat.heap_stat[heap] = {static_cast<unsigned>(mebibytes(total)),
                              static_cast<unsigned>(mebibytes(total - used)),
                              static_cast<unsigned>(mebibytes(card.used_bytes(heap)))};
  });
  return stat;
}

unsigned long microseconds(double seconds) {
  return static_cast<unsigned long>(std::llround(seconds * 1e6));
}

bm_profile_t profile_of(const Card& card) {
  const Counters counters = card.counters();
  bm_profile_t profile{};
  profile.cdma_in_counter = counters.copies_in;
  profile.cdma_out_counter = counters.copies_out;
  profile.sent_api_counter = counters.launches;
  profile.completed_api_counter = counters.finished;
  profile.tpu_process_time = microseconds(counters.launch_seconds);
  return profile;
}

// Writes describe(card) of the card of a handle to *out.
template <class T, class Describe>
bm_status_t report(std::string_view call, bm_handle_t handle, T* out, std::string_view argument,
                   Describe describe) {
  return with_code(call, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(card, find_card(handle));
    TW_RETURN_IF_ERROR(check_pointer(out, argument));
    *out = describe(*card);
    return {};
  });
}

// As above for types with a length of their own: calls describe(card, out).
template <class T, class Describe>
bm_status_t report_array(std::string_view call, bm_handle_t handle, T* out,
                         std::string_view argument, Describe describe) {
  return with_code(call, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(card, find_card(handle));
    TW_RETURN_IF_ERROR(check_pointer(out, argument));
    describe(*card, out);
    return {};
  });
}

void copy_text(const std::string& text, char* out) {
  std::memcpy(out, text.c_str(), text.size() + 1);
}

// The simulator has no sensors.
constexpr unsigned kBoardCelsius = 40, kChipCelsius = 45;
constexpr int kPostProcessors = 2;
int video_processors(const Chip& chip) { return chip.family == ChipFamily::bm1684 ? 5 : 3; }

}  // namespace
}  // namespace tputwin::bmlib

using namespace tputwin;
using namespace tputwin::bmlib;

bm_status_t bm_dev_getcount(int* count) {
  return with_code(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(check_pointer(count, "count"));
    *count = Card::count();
    return {};
  });
}

bm_status_t bm_dev_query(int devid) {
  return with_code(__func__, [&]() -> Status {
    if (0 <= devid && devid < Card::count()) return {};
    return Error(errors::bml_device).argument("devid", fmt::format("{}", devid));
  });
}

bm_status_t bm_dev_request(bm_handle_t* handle, int devid) {
  return with_code(__func__, [&]() -> Status {
    TW_RETURN_IF_ERROR(check_pointer(handle, "handle"));
    TW_ASSIGN_OR_RETURN(opened, open_handle(devid));
    *handle = opened;
    return {};
  });
}

void bm_dev_free(bm_handle_t handle) {
  with_code(__func__, [&] { return close_handle(handle); });
}

int bm_get_devid(bm_handle_t handle) {
  return with_value(__func__, -1, [&]() -> Result<int> {
    TW_ASSIGN_OR_RETURN(card, find_card(handle));
    return card->id();
  });
}

bm_status_t bm_get_chipid(bm_handle_t handle, unsigned int* p_chipid) {
  return report(__func__, handle, p_chipid, "p_chipid",
                [](Card& card) { return card.chip().driver_id; });
}

bm_status_t bm_get_misc_info(bm_handle_t handle, struct bm_misc_info* pmisc_info) {
  return report(__func__, handle, pmisc_info, "pmisc_info", misc_info_of);
}

bm_status_t bm_get_stat(bm_handle_t handle, bm_dev_stat_t* stat) {
  return report(__func__, handle, stat, "stat", statistics);
}

bm_status_t bm_get_sn(bm_handle_t handle, char* sn) {
  return report_array(__func__, handle, sn, "sn", [](Card& card, char* out) {
    copy_text(fmt::format("TPUTWIN{:010}", card.id()), out);
  });
}

bm_status_t bm_get_board_name(bm_handle_t handle, char* name) {
  return report_array(__func__, handle, name, "name", [](Card& card, char* out) {
    copy_text(fmt::format("tputwin {}", card.chip().name), out);
  });
}

bm_status_t bm_get_board_temp(bm_handle_t handle, unsigned int* board_temp) {
  return report(__func__, handle, board_temp, "board_temp", [](Card&) { return kBoardCelsius; });
}

bm_status_t bm_get_chip_temp(bm_handle_t handle, unsigned int* chip_temp) {
  return report(__func__, handle, chip_temp, "chip_temp", [](Card&) { return kChipCelsius; });
}

bm_status_t bm_get_vpu_instant_usage(bm_handle_t handle, int* vpu_usage) {
  return report_array(__func__, handle, vpu_usage, "vpu_usage", [](Card& card, int* out) {
    std::fill_n(out, video_processors(card.chip()), 0);
  });
}

bm_status_t bm_get_vpp_instant_usage(bm_handle_t handle, int* vpp_usage) {
  return report_array(__func__, handle, vpp_usage, "vpp_usage",
                      [](Card&, int* out) { std::fill_n(out, kPostProcessors, 0); });
}

bm_status_t bm_get_profile(bm_handle_t handle, bm_profile_t* profile) {
  return report(__func__, handle, profile, "profile", profile_of);
}

bm_status_t bm_get_last_api_process_time_us(bm_handle_t handle, unsigned long* time_us) {
  return with_code(__func__, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(card, find_card(handle));
    if (!card->predicts_time()) return Error(errors::bml_not_supported);
    TW_RETURN_IF_ERROR(check_pointer(time_us, "time_us"));
    *time_us = microseconds(card->counters().last_launch_seconds);
    return {};
  });
}

bm_status_t bm_set_clk_tpu_freq(bm_handle_t handle, int freq) {
  return with_code(__func__, [&]() -> Status {
    TW_ASSIGN_OR_RETURN(card, find_card(handle));
    if (freq < 1) return Error(errors::bml_clock).argument("freq", fmt::format("{}", freq));
    card->clock_mhz = freq;
    return {};
  });
}

bm_status_t bm_get_clk_tpu_freq(bm_handle_t handle, int* freq) {
  return report(__func__, handle, freq, "freq", [](Card& card) { return card.clock_mhz.load(); });
}

void bm_set_debug_mode(bm_handle_t handle, int) {
  with_code(__func__, [&] { return find_card(handle).status(); });
}
