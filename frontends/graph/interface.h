// Inputs and outputs of a model: what the file declares, what a user gives, what the module has.
//
//   ASSIGN_OR_RETURN(const auto dims, ShapeOfInput("x", DeclaredShape{{{0, "N"}, {3}}}, {.batch = 8}));  // 8, 3
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/interval.h"

namespace tally::frontend {

// The user's description of inputs, under their names as printed (base/printable.h).
struct GivenInputs {
  int64_t batch = 1;  // the first dimension of each input
  // They agree with what the file says; an input with a dimension of 0 is an empty constant.
  std::map<std::string, std::vector<int64_t>> shapes;
  std::map<std::string, int64_t> dims;  // open dimensions, by the names that the file gives them
  // Inputs that are constants: one number for all elements, or as many as there are.
  std::map<std::string, std::vector<double>> values;
};

// The range of an input when a model is imported without calibration: integers in `interval`, each of which
// means integer * 2^-fraction_bits.
struct InputRange {
  std::string name;
  int fraction_bits = 0;  // 0 for inputs of integers
  Interval interval;
};

// A dimension that a file declares.
struct DeclaredDim {
  int64_t size = 0;                    // open, where it is not positive
  std::string name = {};               // an open one may have a name
  std::optional<Interval> sizes = {};  // and sizes that it may be
};
// Nothing, where the file has no shape.
using DeclaredShape = std::optional<std::vector<DeclaredDim>>;

// Errors: model_open_dimension, where the file has no shape or leaves a dimension open that nothing fixes;
// model_shape, where what is given contradicts it.
absl::StatusOr<std::vector<int64_t>> ShapeOfInput(const std::string& name, const DeclaredShape& declared,
                                                  const GivenInputs& given);

// Whether the shape that a file declares is `dims`, of which -1 fits all, as do dimensions that the file
// leaves open.
bool FitsDeclared(const DeclaredShape& declared, std::span<const int64_t> dims);

// Errors: model_shape, where something is given to none of `inputs`, the names in the file.
absl::Status CheckNames(const GivenInputs& given, std::span<const std::string> inputs);
// The same of open dimensions: `declared` are the shapes of all inputs.
absl::Status CheckDimNames(const GivenInputs& given, std::span<const DeclaredShape> declared);
// The same of values.
absl::Status CheckFixedNames(const GivenInputs& given, std::span<const std::string> inputs);

// The name of an input or output as a module has it: printable, and not empty. Errors: model_name, where it
// is too long.
absl::StatusOr<std::string> ServedName(const std::string& name);

}  // namespace tally::frontend
