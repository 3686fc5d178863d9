// Registry: the live objects of the opaque handles of the C API. A handle is a number that is never
// reused. So an ended handle differs from one that never existed, and none is dereferenced.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace tputwin::sdk {

template <class Handle, class T>
class Registry {
 public:
  // `tag` separates handles of different types.
  explicit Registry(uintptr_t tag) : tag_(tag << kTagShift) {}

  Handle add(std::shared_ptr<T> object) {
    std::lock_guard lock(mutex_);
    uintptr_t number = tag_ | ++issued_ << kStep;
    live_.emplace(number, std::move(object));
    return reinterpret_cast<Handle>(number);
  }
  // Returns nullptr if the handle is not live.
  std::shared_ptr<T> find(Handle handle) const {
    std::lock_guard lock(mutex_);
    auto it = live_.find(reinterpret_cast<uintptr_t>(handle));
    return it == live_.end() ? nullptr : it->second;
  }
  std::shared_ptr<T> remove(Handle handle) {
    std::lock_guard lock(mutex_);
    auto node = live_.extract(reinterpret_cast<uintptr_t>(handle));
    return node.empty() ? nullptr : std::move(node.mapped());
  }
  // Returns true if add() ever returned it.
  bool issued(Handle handle) const {
    std::lock_guard lock(mutex_);
    auto number = reinterpret_cast<uintptr_t>(handle);
    uintptr_t serial = (number ^ tag_) >> kStep;
    return serial << kStep == (number ^ tag_) && serial > 0 && serial <= issued_;
  }
  std::vector<std::shared_ptr<T>> all() const {
    std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<T>> list;
    for (const auto& [number, object] : live_) list.push_back(object);
    return list;
  }

 private:
  static constexpr int kTagShift = 48, kStep = 4;
  mutable std::mutex mutex_;
  uintptr_t tag_, issued_ = 0;
  std::unordered_map<uintptr_t, std::shared_ptr<T>> live_;
};

}  // namespace tputwin::sdk
