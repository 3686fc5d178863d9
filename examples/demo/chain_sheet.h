// The contact sheet: for some images of each class, the input, its eight features and the result.
#pragma once

#include <string>

#include "chain.h"

// Writes a PNG; false if the file cannot be written.
bool write_sheet(const std::string& path, const Dataset& dataset, const ChainResult& result);
