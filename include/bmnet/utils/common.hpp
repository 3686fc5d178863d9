// Constants of the BMNet library, and the headers that its programs expect with it: logging, flags,
// <sstream>. (BMNet guide 3; SDK 1.0 and 1.1)
#ifndef BMNET_UTILS_COMMON_HPP
#define BMNET_UTILS_COMMON_HPP

#include <bmnet/utils/logging.hpp>

#include <stdint.h>

#include <sstream>

// Targets. The builder takes the BM1880.
typedef int CHIP_VER;
#define BM_CHIP_BM1680 0
#define BM_CHIP_BM1682 1
#define BM_CHIP_BM1684 2
#define BM_CHIP_BM1880 3

// "No offset" in neuron and weight memory.
#define INVALID_GLOBAL_ADDR (0xFFFFFFFFFFFFull)

#endif
