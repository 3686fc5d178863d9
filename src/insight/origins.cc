// Instances of the process.
#include "insight/origins.h"

namespace tputwin::insight {

Origins& Origins::of_process() {
  static auto& instance = *new Origins;
  return instance;
}

Layers& Layers::of_process() {
  static auto& instance = *new Layers;
  return instance;
}

}  // namespace tputwin::insight
