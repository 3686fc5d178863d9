// Scratch memory of the fast bodies: grows to the largest request and is kept, so that a running
// program allocates nothing per instruction.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace tputwin::fast {

class Scratch {
 public:
  // Cache-line aligned room for `count` elements; the content is what the last user left.
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
