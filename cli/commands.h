// The sub-commands of `tally` that work on modules, apart from their command line (module_command_line.cc):
// each takes its options, writes to `out` and returns a labelled status.
#pragma once

#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/input_options.h"
#include "cli/receipt_options.h"

namespace tally::cli {

struct ListOperatorsOptions {
  bool json = false;
};
// The operator table.
absl::Status ListOperators(const ListOperatorsOptions& options, std::ostream& out);

struct DiffOptions {
  std::string a, b;
  bool json = false;
};
// What two modules have in common and what not: ids, gas, memory, and instructions with their types and
// constants.
absl::Status DiffModules(const DiffOptions& options, std::ostream& out);

struct AssembleOptions {
  std::string input;
  std::string output;
  bool json = false;
};
// Text form to binary form.
absl::Status AssembleFile(const AssembleOptions& options, std::ostream& out);

struct DumpOptions {
  std::string module;
  std::string output;  // standard output when empty
  bool no_constants = false;
  bool json = false;
};
// Binary form to text form, with inferred types when the module is valid.
absl::Status DumpModule(const DumpOptions& options, std::ostream& out);

struct ValidateOptions {
  std::string module;
  std::string gas_schedule = "tally";  // or "cvm": what cvm-runtime charges
  bool json = false;
};
// Everything the validator proves: id, types, intervals, gas, memory. Errors: those of CvmGasOf for
// schedule cvm.
absl::Status ValidateModule(const ValidateOptions& options, std::ostream& out);

struct RunOptions {
  std::string module;
  SampleOptions inputs;
  std::string engine = "cpu";
  std::string arch;  // empty: TALLY_ARCH, or all that the machine has
  int64_t threads = 1;
  int64_t repeat = 1;  // runs; the time is their median
  int64_t gas_limit = std::numeric_limits<int64_t>::max();
  int64_t memory_limit = std::numeric_limits<int64_t>::max();
  bool check = false;         // each value against the references
  bool profile = false;       // report what each step of the plan takes
  std::string profile_trace;  // a file for the steps of the last run, which Perfetto shows
  bool floats = false;        // write results that have a grid as the reals that they stand for
  int64_t top = 0;            // report so many of the largest elements of each row
  std::string labels;         // a text file, whose lines name them
  std::string output;         // folder
  ReceiptOptions receipt;
  bool json = false;
};
// Executes a module and writes one .npy file for each result, and the receipt: all of them or none. A run
// that was refused for what it was given has a receipt, too, and no results.
absl::Status RunModule(const RunOptions& options, std::ostream& out);

struct PlanCommandOptions {
  std::string module;
  std::string engine = "cpu";
  // a level of the cpu engine, as RunOptions; of cuda the GPU's architecture, none of which need be there.
  std::string arch;
  int64_t threads = 1;
  std::string dump_after = "place";  // one of PassNames()
  bool json = false;
};
// Shows what an engine makes of a module, as a pass leaves it; after "lower", the module of operators that
// have kernels. Nothing runs. Errors: those of CompileFor.
absl::Status ShowPlan(const PlanCommandOptions& options, std::ostream& out);
// In their order.
std::vector<std::string> PassNames();

struct InfoOptions {
  std::string file;  // a module or a model; about the tool itself when empty
  bool json = false;
};
// Errors: those of LoadModule, and of ModelFiles::show.
absl::Status ShowInfo(const InfoOptions& options, std::ostream& out);

}  // namespace tally::cli
