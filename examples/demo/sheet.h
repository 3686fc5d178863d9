// The contact sheet: test images of each class with the class that the chip found.
#pragma once

#include <string>
#include <vector>

#include "dataset.h"

// Writes a PNG; false if the file cannot be written.
bool write_sheet(const std::string& path, const Dataset& dataset,
                 const std::vector<uint8_t>& classes);
