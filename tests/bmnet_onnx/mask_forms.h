// Nets that compute a mask from an input and join scores with it, as exporters write them.
#pragma once

#include <string>
#include <vector>

#include "bmnet_onnx/calibrated.h"

namespace tputwin::test::mask_forms {

// Where scores come from: a product of two tensors, which the host of the BM1880 computes, or a
// convolution.
enum class Source { product, convolution };

// Joins the tensor s of scores with the mask that the input m makes; the result is t.
struct Form {
  const char* name;
  void (*add)(ModelBuilder&);
};
const std::vector<Form>& forms();
// Forms whose input m is the mask itself: 0, or the masked value.
const std::vector<Form>& added_forms();

// Returns a net of a form and of the layers after it. Masked scores are near `masked`.
ModelBuilder net(const Form& form, Source source, float masked,
                 const std::vector<std::string>& ends);

// Returns samples whose m is 1 where a token counts, else 0; with `masked`, 0 and that value.
Batches samples(Source source, size_t count);
Batches samples(Source source, size_t count, float masked);

// Layers after the joined scores.
const std::vector<std::vector<std::string>>& other_ends();

}  // namespace tputwin::test::mask_forms
