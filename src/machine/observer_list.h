// ObserverList: the observers of a device (machine/observer.h).
#pragma once

#include <vector>

#include "machine/memory_state.h"
#include "machine/observer.h"

namespace tputwin {

class ObserverList {
 public:
  explicit ObserverList(MemoryState& state) : state_(state) {}
  ObserverList(const ObserverList&) = delete;

  // Adds an observer, which must exist until remove(). Makes all bytes current first, because an
  // observer may look at any memory.
  void add(Observer* observer) {
    state_.settle();
    observers_.push_back(observer);
  }
  void remove(Observer* observer) { std::erase(observers_, observer); }
  bool empty() const { return observers_.empty(); }
  auto begin() const { return observers_.begin(); }
  auto end() const { return observers_.end(); }
  // Forwards an event of an API to all observers.
  void notify(const DeviceEvent& event) const {
    for (Observer* observer : observers_) observer->on_event(event);
  }

 private:
  MemoryState& state_;
  std::vector<Observer*> observers_;
};

}  // namespace tputwin
