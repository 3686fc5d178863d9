// convert: conversion between number types.
#pragma once

#include "ops/contract.h"
#include "ops/source.h"

namespace tputwin {

struct Convert {
  TensorView out;
};

TW_OPERATION(Convert);

}  // namespace tputwin
