#include "frontends/cvm/declared.h"

#include <algorithm>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/cvm/fields.h"
#include "frontends/cvm/labels.h"
#include "vm/limits.h"

namespace tally::cvm {
namespace {

absl::StatusOr<std::vector<int64_t>> TaggedInts(const Json& parent, std::string_view key) {
  ASSIGN_OR_RETURN(const Json* list, TaggedList(parent, key, "list_int"));
  return Ints(*list, key);
}

}  // namespace

absl::Status CheckLength(std::string_view what, size_t length, size_t expected) {
  if (length == expected) return absl::OkStatus();
  return MakeError(label::cvm_count, absl::StrCat(ToAbsl(what), " has ", length, " items, not ", expected));
}

absl::StatusOr<Declared> ReadDeclared(const Json& attrs, bool types_required) {
  RETURN_IF_ERROR(
      CheckKeys(attrs, {"shape", "storage_id", "op_attrs", "precision", "dltype", "device_index", "dtype"}));
  Declared declared;
  ASSIGN_OR_RETURN(const Json* shapes, TaggedList(attrs, "shape", "list_shape"));
  if (std::ssize(*shapes) > kMaxValues) {
    return MakeError(label::cvm_count, absl::StrCat(shapes->size(), " values, more than ", kMaxValues));
  }
  for (const Json& dims : *shapes) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> values, Ints(dims, "a shape"));
    ASSIGN_OR_RETURN(const Shape shape, Shape::Create(values));
    declared.shapes.push_back(shape);
  }
  ASSIGN_OR_RETURN(declared.storage_ids, TaggedInts(attrs, "storage_id"));
  ASSIGN_OR_RETURN(declared.precisions, TaggedInts(attrs, "precision"));
  ASSIGN_OR_RETURN(const Json* op_attrs, TaggedList(attrs, "op_attrs", "list_str"));
  ASSIGN_OR_RETURN(declared.op_attrs, Strings(*op_attrs, "op_attrs"));
  const size_t count = declared.shapes.size();
  RETURN_IF_ERROR(CheckLength("storage_id", declared.storage_ids.size(), count));
  RETURN_IF_ERROR(CheckLength("precision", declared.precisions.size(), count));
  if (types_required || FindField(attrs, "dltype") != nullptr) {
    ASSIGN_OR_RETURN(const Json* types, TaggedList(attrs, "dltype", "list_str"));
    RETURN_IF_ERROR(CheckLength("dltype", types->size(), count));
    if (std::any_of(types->begin(), types->end(), [](const Json& type) { return type != "int32"; })) {
      return MakeError(label::cvm_key, "a type of dltype is not int32");
    }
  }
  if (FindField(attrs, "device_index") != nullptr) {
    ASSIGN_OR_RETURN(const Json* devices, TaggedList(attrs, "device_index", "list_int"));
    RETURN_IF_ERROR(CheckLength("device_index", devices->size(), 0));
  }
  return declared;
}

}  // namespace tally::cvm
