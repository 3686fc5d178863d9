// CPU operators: everything a plugin includes. C++11.
#ifndef BMNET_TARGETS_CPU_CPU_HPP
#define BMNET_TARGETS_CPU_CPU_HPP

#include <bmnet/targets/cpu/cpu_layer.hpp>
#include <bmnet/targets/cpu/cpu_op.hpp>

#endif
