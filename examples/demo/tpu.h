// The chain as a BMKernel program.
#pragma once

#include <libbmruntime/bmruntime.h>

#include <functional>
#include <vector>

#include "chain.h"

// Number of images in local memory at once.
const int kBatch = 10;

// Runs the chain on the device of `ctx`, a batch at a time; calls progress(images done) after each.
// Returns false if a call of the runtime failed; tputwin_last_error() then returns the reason.
bool run_on_device(bmctx_t ctx, const std::vector<uint8_t>& pixels,
                   const std::function<void(size_t)>& progress, ChainResult& result);
