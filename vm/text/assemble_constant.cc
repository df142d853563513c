#include "vm/text/assemble_constant.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/status_macros.h"
#include "base/strings.h"
#include "vm/limits.h"
#include "vm/text/labels.h"
#include "vm/text/recipe_fields.h"

namespace tally {
namespace {

absl::Status TakeElements(TokenReader& reader, Tensor& tensor) {
  const int64_t count = tensor.shape().num_elements();
  RETURN_IF_ERROR(reader.TakeSymbol("{"));
  for (int64_t i = 0; i < count; ++i) {
    if (reader.AtSymbol("}")) {
      return reader.Error(label::text_element_count,
                          absl::StrCat(i, " elements for ", tensor.shape().ToString()));
    }
    if (i > 0) RETURN_IF_ERROR(reader.TakeSymbol(","));
    ASSIGN_OR_RETURN(const int64_t element, reader.TakeInteger(RangeOf(tensor.storage())));
    StoreElement(tensor.storage(), tensor.mutable_bytes().data(), i, element);
  }
  if (reader.AtSymbol(",")) {
    return reader.Error(label::text_element_count,
                        absl::StrCat("more elements than ", tensor.shape().ToString()));
  }
  return reader.TakeSymbol("}");
}

// Behind `recipe`: the function, the fields in their order, and the digest of the bytes.
absl::StatusOr<RecipeConstant> TakeRecipe(TokenReader& reader) {
  RecipeConstant r;
  Token at = reader.current();
  ASSIGN_OR_RETURN(const std::string_view name, reader.TakeAnyWord("the name of a function"));
  const std::optional<RecipeFunction> function = FindRecipeFunction(name);
  if (!function.has_value())
    return reader.ErrorAt(at, label::text_recipe, absl::StrCat("no function '", ToAbsl(name), "'"));
  r.recipe.function = *function;
  const auto fields = RecipeFields(r.recipe);
  size_t next = 0;
  for (const RecipeTextField& field : kRecipeTextFields) {
    RETURN_IF_ERROR(reader.TakeSymbol(next == 0 ? "{" : ","));
    RETURN_IF_ERROR(reader.TakeWord(field.name));
    RETURN_IF_ERROR(reader.TakeSymbol("="));
    if (field.integers == 1) {
      ASSIGN_OR_RETURN(*fields[next], reader.TakeInteger(kAnyInt64));
    } else {
      RETURN_IF_ERROR(reader.TakeSymbol("["));
      ASSIGN_OR_RETURN(*fields[next], reader.TakeInteger(kAnyInt64));
      RETURN_IF_ERROR(reader.TakeSymbol(","));
      ASSIGN_OR_RETURN(*fields[next + 1], reader.TakeInteger(kAnyInt64));
      RETURN_IF_ERROR(reader.TakeSymbol("]"));
    }
    next += field.integers;
  }
  RETURN_IF_ERROR(reader.TakeSymbol("}"));
  at = reader.current();
  ASSIGN_OR_RETURN(const std::string digits, reader.TakeString());
  const std::optional<Digest> digest = ParseDigest(digits);
  if (!digest.has_value())
    return reader.ErrorAt(at, label::text_recipe, "a digest has 64 hexadecimal digits");
  r.sha256 = *digest;
  return r;
}

}  // namespace

absl::StatusOr<Shape> TakeShape(TokenReader& reader) {
  const Token at = reader.current();
  ASSIGN_OR_RETURN(const std::vector<int64_t> dims, reader.TakeList(kAnyInt64, kMaxRank));
  absl::StatusOr<Shape> shape = Shape::Create(dims);
  if (!shape.ok()) {
    return reader.ErrorAt(at, label::text_shape,
                          std::string_view(shape.status().message().data(), shape.status().message().size()));
  }
  return shape;
}

absl::Status AssembleConstant(TokenReader& reader, AssembledConstants& constants) {
  if (static_cast<int64_t>(constants.views.size()) == kMaxConstants) {
    return reader.Error(label::text_limit,
                        absl::StrCat("a module has at most ", kMaxConstants, " constants"));
  }
  const Token at = reader.current();
  ASSIGN_OR_RETURN(const std::string_view name, reader.TakeAnyWord("the name of a storage"));
  const std::optional<Storage> storage = ParseStorage(name);
  if (!storage.has_value())
    return reader.ErrorAt(at, label::text_storage, "the storages are i8, i16, i32 and i64");
  ASSIGN_OR_RETURN(const Shape shape, TakeShape(reader));

  if (reader.AtWord("recipe")) {
    RETURN_IF_ERROR(reader.TakeWord("recipe"));
    ASSIGN_OR_RETURN(RecipeConstant r, TakeRecipe(reader));
    r.constant = static_cast<uint32_t>(constants.views.size());
    r.recipe.count = shape.num_elements();
    constants.recipes.push_back(std::move(r));
    constants.views.push_back({*storage, shape, {}});
    return absl::OkStatus();
  }
  const bool hex = reader.AtWord("hex");
  if (hex) RETURN_IF_ERROR(reader.TakeWord("hex"));
  // An element takes a digit and a comma or a brace, a byte two digits.
  const int64_t characters = 2 * shape.num_elements() * (hex ? SizeBytes(*storage) : 1);
  if (characters > static_cast<int64_t>(reader.remaining())) {
    return reader.ErrorAt(at, label::text_element_count,
                          absl::StrCat("the text ends before ", shape.ToString(), " is full"));
  }
  Tensor& tensor = constants.tensors.emplace_back(shape, *storage);
  constants.views.push_back(tensor.view());
  return hex ? reader.TakeHexBlock(tensor.mutable_bytes()) : TakeElements(reader, tensor);
}

}  // namespace tally
