// WriteClock: when the pages of a memory were last written, for whoever keeps what he derived from
// their bytes. Whoever writes says so before; ranges that somebody may write at any time without
// saying so are exposed. expose() may be called at any time, by any thread; all else by
// one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tputwin {

class WriteClock {
 public:
  // Of a memory of so many bytes.
  explicit WriteClock(uint64_t bytes) : pages_((bytes >> kPageBits) + 1) {}

  uint64_t now() const { return now_; }
  // Bytes of [begin, begin + bytes) are about to be written.
  void mark(uint64_t begin, uint64_t bytes);
  // No byte of the range was written after `time`, a former now(), and none is exposed.
  bool unchanged(uint64_t begin, uint64_t bytes, uint64_t time) const;

  // The range may be written at any time, until it is covered again.
  void expose(uint64_t begin, uint64_t bytes);
  void cover(uint64_t begin, uint64_t bytes);
  void expose_all() { all_exposed_ = true; }

 private:
  static constexpr uint32_t kPageBits = 12;
  struct Unmap {
    uint64_t pages;
    void operator()(uint64_t* p) const;
  };
  static std::unique_ptr<uint64_t[], Unmap> map(uint64_t pages);

  uint64_t pages_, now_ = 0;
  std::unique_ptr<uint64_t[], Unmap> written_;  // per page; the system makes it as it is touched
  std::atomic<bool> all_exposed_{false};
  mutable std::mutex mutex_;                            // of the ranges
  std::vector<std::pair<uint64_t, uint64_t>> exposed_;  // begin, end
};

}  // namespace tputwin
