#include "bmodel/containers.h"
#include "fuzz/roundtrip.h"

namespace tputwin::fuzz {

std::string fuzz_bmodel_v21(std::span<const uint8_t> input) {
  auto write = [](const bmodel::Model& model) { return bmodel::write_v21(model); };
  return roundtrip(bmodel::read_v21(input), write, bmodel::read_v21);
}

}  // namespace tputwin::fuzz
