// Scratch memory of the fast kernels. It grows to the largest request and is kept, so that a
// running program does not allocate memory for each instruction.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace tputwin::fast {

class Scratch {
 public:
  // Returns a cache-line aligned buffer for `count` elements. It still has the contents of its last
  // use.
  template <class T>
  T* take(size_t count) {
    size_t bytes = (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
    if (bytes > capacity_) grow(bytes);
    return static_cast<T*>(data_.get());
  }

 private:
  static constexpr size_t kAlignment = 64;
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  void grow(size_t bytes) {
    data_.reset();
    capacity_ = 0;
    data_.reset(std::aligned_alloc(kAlignment, bytes));
    if (data_ == nullptr) throw std::bad_alloc();
    capacity_ = bytes;
  }

  std::unique_ptr<void, Free> data_;
  size_t capacity_ = 0;
};

}  // namespace tputwin::fast
