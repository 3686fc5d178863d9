// Models of every form of every operator that is read (form_models.def).
#pragma once

#include <string>
#include <vector>

#include "bmnet_onnx/support.h"

namespace tputwin::test {

struct FormModel {
  std::string domain, type;  // of the operator
  int form = 1;              // the opset of the operator's row in opsets.def
  int opset = 1;             // of this model: the first or the last of the form
  onnx::ModelProto model;
  Blobs inputs;
  bool has_subnets = false;  // the operator is one of the host
  std::string about() const;
};

// Throws std::runtime_error if a model's text is none.
std::vector<FormModel> form_models();

}  // namespace tputwin::test
