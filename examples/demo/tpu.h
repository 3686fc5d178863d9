// The chain as a BMKernel program.
#pragma once

#include <libbmruntime/bmruntime.h>

#include <functional>
#include <vector>

#include "chain.h"

// Images that go through local memory together.
const int kBatch = 10;

// Runs the chain on the device of `ctx`, a batch at a time; calls progress(images done) after each.
// False if the device refused something; tputwin_last_error() says what.
bool run_on_device(bmctx_t ctx, const std::vector<uint8_t>& pixels,
                   const std::function<void(size_t)>& progress, ChainResult& result);
