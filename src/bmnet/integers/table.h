// Calibration tables as files: the binary message (.pb2) and its text form (.prototxt).
#pragma once

#include <bmnet/calibration.pb.h>

#include <cstdint>
#include <span>
#include <string>

#include "base/error.h"
#include "chip/chip.h"

namespace tputwin::net {

// Reads a binary or a text table; the bytes determine which.
Result<NetCalibrationParameter> read_table(std::span<const uint8_t> file);
Result<NetCalibrationParameter> read_table_file(const std::string& path);

std::string table_binary(const NetCalibrationParameter& table);
std::string table_text(const NetCalibrationParameter& table);

// Returns the name of a chip as tables and command lines have it: "bm1684x".
std::string table_chip(ChipFamily family);
// Refuses a table that is for another chip. `where` names the table. Tables without a chip are
// accepted; one that gives types to layers is not for the BM1880, whose layers have no types.
Status check_chip(const NetCalibrationParameter& table, ChipFamily family,
                  const std::string& where = "calibration table");

enum class TableFormat { binary, text };
Status write_table(const NetCalibrationParameter& table, const std::string& path,
                   TableFormat format = TableFormat::binary);

}  // namespace tputwin::net
