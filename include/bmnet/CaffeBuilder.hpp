// Header at the path that the guide's samples use.
#ifndef BMNET_CAFFEBUILDER_HPP
#define BMNET_CAFFEBUILDER_HPP

#include <bmnet/builder/CaffeBuilder.hpp>

#endif
