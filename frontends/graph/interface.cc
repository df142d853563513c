#include "frontends/graph/interface.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/graph/labels.h"
#include "vm/limits.h"

namespace tally::frontend {
namespace {

std::string Called(const DeclaredDim& dim) {
  return dim.name.empty() ? "" : absl::StrCat(" ('", PrintableStart(dim.name), "')");
}

bool HasInput(std::span<const std::string> inputs, const std::string& printed) {
  return std::ranges::any_of(inputs, [&](const std::string& input) { return Printable(input) == printed; });
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> ShapeOfInput(const std::string& name, const DeclaredShape& declared,
                                                  const GivenInputs& given) {
  const auto found = given.shapes.find(Printable(name));
  const bool is_given = found != given.shapes.end();
  if (!declared.has_value()) {
    if (is_given) return found->second;
    return MakeError(label::model_open_dimension, "it has no shape");
  }
  if (is_given && found->second.size() != declared->size()) {
    return MakeError(label::model_shape, absl::StrCat("it has ", declared->size(), " dimensions, and ",
                                                      found->second.size(), " are given"));
  }
  std::vector<int64_t> dims;
  for (size_t i = 0; i < declared->size(); ++i) {
    const DeclaredDim& dim = (*declared)[i];
    const bool is_open = dim.size <= 0;
    if (is_given) {
      dims.push_back(found->second[i]);
      if (is_open && dim.sizes.has_value() && !dim.sizes->Contains(dims.back())) {
        return MakeError(label::model_shape, absl::StrCat("dimension ", i, " is in ", dim.sizes->ToString(),
                                                          ", and ", dims.back(), " is given"));
      }
      if (is_open || dims.back() == dim.size) continue;
      return MakeError(label::model_shape,
                       absl::StrCat("dimension ", i, " is ", dim.size, ", and ", dims.back(), " is given"));
    }
    const auto named = is_open ? given.dims.find(Printable(dim.name)) : given.dims.end();
    if (named != given.dims.end()) {
      dims.push_back(named->second);
      continue;
    }
    if (is_open && i > 0) {
      return MakeError(label::model_open_dimension,
                       absl::StrCat("dimension ", i, Called(dim), " is open; only the first may be"));
    }
    dims.push_back(is_open ? given.batch : dim.size);
  }
  return dims;
}

bool FitsDeclared(const DeclaredShape& declared, std::span<const int64_t> dims) {
  if (!declared.has_value()) return true;
  return std::ranges::equal(*declared, dims, [](const DeclaredDim& dim, int64_t size) {
    return dim.size <= 0 || size == -1 || dim.size == size;
  });
}

absl::Status CheckNames(const GivenInputs& given, std::span<const std::string> inputs) {
  for (const auto& [name, shape] : given.shapes) {
    // A constant by now.
    if (given.values.contains(name) || std::ranges::count(shape, 0) > 0) continue;
    if (!HasInput(inputs, name)) {
      return MakeError(label::model_shape, absl::StrCat("the model has no input '", PrintableStart(name),
                                                        "' to give a shape to"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckDimNames(const GivenInputs& given, std::span<const DeclaredShape> declared) {
  std::set<std::string> names;
  for (const DeclaredShape& shape : declared) {
    if (!shape.has_value()) continue;
    for (const DeclaredDim& dim : *shape) {
      if (dim.size <= 0 && !dim.name.empty()) names.insert(Printable(dim.name));
    }
  }
  for (const auto& [name, size] : given.dims) {
    if (names.contains(name)) continue;
    return MakeError(
        label::model_shape,
        absl::StrCat("no input has an open dimension '", PrintableStart(name), "'; ",
                     names.empty() ? "none has a name" : "there are ", absl::StrJoin(names, ", ")));
  }
  return absl::OkStatus();
}

absl::Status CheckFixedNames(const GivenInputs& given, std::span<const std::string> inputs) {
  for (const auto& [name, values] : given.values) {
    if (!HasInput(inputs, name)) {
      return MakeError(label::model_shape,
                       absl::StrCat("the model has no input '", PrintableStart(name), "' to fix"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ServedName(const std::string& name) {
  std::string served = Printable(name);
  if (served.size() <= static_cast<size_t>(kMaxNameBytes)) return served.empty() ? "value" : served;
  return MakeError(label::model_name, absl::StrCat("its name has ", served.size(),
                                                   " bytes, and a module gives its inputs and results up to ",
                                                   kMaxNameBytes, ": rename it in the model"));
}

}  // namespace tally::frontend
