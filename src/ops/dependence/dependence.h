// How the results of each operation depend on what it reads.
#pragma once

#include "ops/dependence/mark_flow.h"

namespace tputwin {

// Records in `flow` which marks the results of an operation get from the marks of its sources, and
// which choices are marked. Must be called before the operation runs: choices are read from memory.
void pass_marks(const Operation& operation, MarkFlow& flow);

// As pass_marks(), as if no result overwrote a source before it is read.
void pass_by_index(const Operation& operation, MarkFlow& flow);

// The families of dependence.def.
void pass_all(const Operation& operation, MarkFlow& flow);
void pass_elements(const Operation& operation, MarkFlow& flow);
void pass_window(const Operation& operation, MarkFlow& flow);
void pass_product(const Operation& operation, MarkFlow& flow);
void pass_choice(const Operation& operation, MarkFlow& flow);
void pass_table(const Operation& operation, MarkFlow& flow);
void pass_channel_sum(const Operation& operation, MarkFlow& flow);

}  // namespace tputwin
