// WriteClock: the time of the last write to each page of a memory, for caches of data derived from
// its bytes. A writer must call mark() before it writes. Ranges that may be written at any time
// without a call are exposed. Any thread may call expose() at any time; all other functions must be
// called by one thread at a time.
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
  // Makes the clock of a memory of `bytes` bytes.
  explicit WriteClock(uint64_t bytes) : pages_((bytes >> kPageBits) + 1) {}

  uint64_t now() const { return now_; }
  // Records that [begin, begin + bytes) is about to be written.
  void mark(uint64_t begin, uint64_t bytes);
  // Returns true if no byte of the range was written after `time`, a former now(), and none is
  // exposed.
  bool unchanged(uint64_t begin, uint64_t bytes, uint64_t time) const;

  // Exposes the range: it may be written at any time until cover() is called for it.
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
  // Time of the last write, by page. The system allocates it as it is touched.
  std::unique_ptr<uint64_t[], Unmap> written_;
  std::atomic<bool> all_exposed_{false};
  mutable std::mutex mutex_;                            // guards exposed_
  std::vector<std::pair<uint64_t, uint64_t>> exposed_;  // begin, end
};

}  // namespace tputwin
