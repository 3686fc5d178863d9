// Digests of all memory that a device writes, at every moment of a run: going back must restore the
// same bytes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "insight/debug/debugger.h"
#include "selftest/rng.h"

namespace tputwin::debug::testing {

// Returns a weighted sum of bytes; the weight depends on the position.
inline uint64_t digest(const Memory& memory, std::span<const ByteRange> ranges) {
  uint64_t sum = 0;
  for (const ByteRange& range : ranges) {
    const uint8_t* bytes = bytes_at(memory, range);
    const uint64_t where =
        (uint64_t{range.lane} << 48 | static_cast<uint64_t>(range.space) << 56) + 1;
    for (uint64_t at = range.begin; at < range.end; ++at) {
      uint64_t weight = (where + at) * 0x9e3779b97f4a7c15u;
      weight ^= weight >> 29;
      sum += bytes[at - range.begin] * weight;
    }
  }
  return sum;
}

// Observes the run before the debugger does: records how the digest changes from moment to moment.
class Forward final : public Observer {
 public:
  explicit Forward(Device& device) : memory_(device.memories().take_all()) {}

  void before_instruction(const Instruction&, const Footprint& touched) override {
    settle();
    sum_ -= digest(memory_, touched.writes);
  }
  void on_instruction(const Instruction&, const Footprint& touched, const Cost&) override {
    sum_ += digest(memory_, touched.writes);
    add(touched.writes);
    sums_.push_back(sum_);
  }
  void on_event(const DeviceEvent& event) override {
    settle();
    if (event.kind != DeviceEvent::Kind::host_write) return;
    changed_ = {{event.space, 0, event.address, event.address + event.bytes}};
    sum_ -= digest(memory_, changed_);
  }
  void settle() {
    if (changed_.empty()) return;
    sum_ += digest(memory_, changed_);
    add(changed_);
    sums_.push_back(sum_);
    changed_.clear();
  }
  // Returns the digest at each moment, up to a constant.
  const std::vector<uint64_t>& sums() const { return sums_; }
  const std::vector<ByteRange>& written() const { return written_; }

 private:
  void add(std::span<const ByteRange> ranges) {
    written_.insert(written_.end(), ranges.begin(), ranges.end());
    sort_and_merge(written_);
  }

  Memory memory_;
  uint64_t sum_ = 0;
  std::vector<uint64_t> sums_{0};
  std::vector<ByteRange> written_, changed_;
};

// Number of moments to visit: TPUTWIN_DEBUG_PLACES, or a small default.
inline uint64_t moment_count(uint64_t few) {
  const char* text = std::getenv("TPUTWIN_DEBUG_PLACES");
  return text != nullptr ? std::strtoull(text, nullptr, 0) : few;
}

// When the program stops, goes to random moments and back to the end.
class Visitor final : public Front {
 public:
  Visitor(uint64_t moment_count, uint64_t most_bytes)
      : moment_count_(moment_count), most_bytes_(most_bytes) {}
  void follow(Forward& forward) { forward_ = &forward; }

  void stopped(Debugger& debugger, const Stop& stop) override {
    EXPECT_LE(debugger.journal().bytes(), most_bytes_);
    if (stop.reason != Stop::Reason::end) {
      debugger.resume({.unit = Motion::Unit::all});
      return;
    }
    forward_->settle();
    const std::vector<uint64_t>& sums = forward_->sums();
    const Memory& memory = debugger.memory();
    const Moment first = debugger.journal().first(), end = debugger.newest();
    moments_ = end - first;
    ::testing::Test::RecordProperty("bytes", static_cast<int>(debugger.journal().bytes()));
    ::testing::Test::RecordProperty("moments", static_cast<int>(end - first));
    ::testing::Test::RecordProperty("of", static_cast<int>(end));
    ASSERT_EQ(sums.size(), end + 1);
    const uint64_t now = digest(memory, forward_->written());
    Rng rng(1);
    for (uint64_t i = 0; i < moment_count_; ++i) {
      const Moment place = first + rng.below(end - first + 1);
      debugger.go_to(place);
      ASSERT_EQ(debugger.now(), place);
      ASSERT_EQ(digest(memory, forward_->written()) - now, sums[place] - sums[end])
          << "place " << i << ", moment " << place;
    }
    visited_ = moment_count_;
  }
  uint64_t visited() const { return visited_; }
  uint64_t moments() const { return moments_; }

 private:
  using Rng = tputwin::testing::Rng;
  uint64_t moment_count_, most_bytes_, visited_ = 0, moments_ = 0;
  Forward* forward_ = nullptr;
};

}  // namespace tputwin::debug::testing
