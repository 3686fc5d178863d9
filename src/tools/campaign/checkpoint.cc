// Checkpoint: lines, rewritten as a whole each time. A campaign has thousands of units, not
// millions.
#include "tools/campaign/checkpoint.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "base/errors/tools.h"
#include "base/file.h"

namespace tputwin::tools {
namespace {

// Returns the first line, with a checksum of the identity, which is long and contains paths.
std::string head_of(const Campaign& campaign) {
  const auto check =
      crc32_z(crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(campaign.identity.data()),
              campaign.identity.size());
  return fmt::format("tputwin campaign {:08x}, {} units", check, campaign.units);
}

}  // namespace

Result<Checkpoint> Checkpoint::open(const std::string& path, const Campaign& campaign) {
  Checkpoint checkpoint;
  checkpoint.path_ = path;
  checkpoint.head_ = head_of(campaign);
  std::error_code ignored;
  if (path.empty() || !std::filesystem::exists(path, ignored)) return checkpoint;
  TW_ASSIGN_OR_RETURN(bytes, read_bytes(path));
  const auto refused = [&](std::string why) {
    return Error(errors::cli_checkpoint).argument("--checkpoint", path).detail(std::move(why));
  };
  std::istringstream lines(std::string(bytes.begin(), bytes.end()));
  std::string line;
  std::getline(lines, line);
  if (line != checkpoint.head_)
    return refused(
        fmt::format("it begins \"{}\", not \"{}\"", line.substr(0, 60), checkpoint.head_));
  while (std::getline(lines, line)) {
    uint64_t unit = 0;
    const char* const end = line.data() + line.size();
    const auto [rest, failed] = std::from_chars(line.data(), end, unit);
    if (failed != std::errc() || rest == end || *rest != ' ' || unit >= campaign.units)
      return refused("line \"" + line.substr(0, 60) + "\"");
    checkpoint.results_.emplace(unit, std::string(rest + 1, end));
  }
  return checkpoint;
}

Status Checkpoint::add(uint64_t unit, std::string result) {
  results_.emplace(unit, std::move(result));
  if (path_.empty() || Clock::now() < next_) return {};
  const Clock::time_point began = Clock::now();
  TW_RETURN_IF_ERROR(write());
  const Clock::time_point ended = Clock::now();
  next_ = ended + std::max<Clock::duration>(std::chrono::seconds(1), 10 * (ended - began));
  return {};
}

Status Checkpoint::write() {
  if (path_.empty()) return {};
  std::string text = head_ + "\n";
  for (const auto& [unit, result] : results_) text += fmt::format("{} {}\n", unit, result);
  return write_bytes(path_, {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

void Checkpoint::remove() const {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

}  // namespace tputwin::tools
