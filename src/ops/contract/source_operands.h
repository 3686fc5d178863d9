// Sources as operands of an operation: only tensors are listed.
#pragma once

#include "ops/contract/source.h"

namespace tputwin {

inline void add_source(OperandList& list, std::string_view name, const Source& source) {
  if (!source.is_constant) list.push_back({name, &source.view, Access::read});
}

}  // namespace tputwin
