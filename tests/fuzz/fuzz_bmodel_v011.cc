#include "bmodel/containers.h"
#include "fuzz/roundtrip.h"

namespace tputwin::fuzz {

std::string fuzz_bmodel_v011(std::span<const uint8_t> input) {
  return roundtrip(bmodel::read_v011(input), bmodel::write_v011, bmodel::read_v011);
}

}  // namespace tputwin::fuzz
