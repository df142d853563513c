// Options of the commands that read a network of another framework.
#pragma once

#include "cli/command_line.h"
#include "cli/networks/network_file.h"
#include "quant/calibrate/clip_range.h"

namespace tally::cli {

// The model file, and what it leaves open: --batch, --shape, --dim, --fix, --weights, --dialect.
void AddNetworkOptions(CommandLine& line, CLI::App& command, NetworkFile& network);
// --without-pass.
void AddPassOptions(CLI::App& command, NetworkFile& network);
// --method.
void AddMethodOption(CLI::App& command, quant::ClipMethod& method);
// --input-grid, --mean, --std.
void AddServedInputOptions(CLI::App& command, ServedInputOptions& inputs);
// --labels, --names.
void AddLabelOptions(CommandLine& line, CLI::App& command, LabelOptions& right);

}  // namespace tally::cli
