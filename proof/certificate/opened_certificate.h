// The opened parts of a certificate, once every opening is one of those that its claim and its trace commit
// to.
//
//   ASSIGN_OR_RETURN(const auto opened, OpenedCertificate::Of(*std::move(certificate)));
//   opened->Read({ValueKind::kEntry, 7}, 0);  // an element, or error leaf_missing
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "proof/certificate/certificate.h"
#include "proof/receipt/bounds.h"
#include "proof/trace/partial_tensor.h"
#include "serializer/program.h"
#include "serializer/recipe_entry.h"
#include "vm/committed_values.h"
#include "vm/valid_module.h"
#include "vm/wide_part.h"

namespace tally {

// In which storage, shape and layout a value is committed to.
struct CommittedType {
  Storage storage = Storage::kI8;
  Shape shape;
  Layout layout = Layout::kRowMajor;
};

class OpenedCertificate {
 public:
  // Errors: those of DecodeProgram, DecodeBounds, ValidateProgram and DecodeRecipeEntry; certificate_claim
  // (the claim is of no run that ran, or names other io-maps, another program or other bounds; or the bounds
  // are not those of the program); certificate_trace, certificate_value (an opening is not one of what is
  // committed to); certificate_form; leaf_bytes.
  static absl::StatusOr<std::unique_ptr<OpenedCertificate>> Of(Certificate certificate);

  const Certificate& certificate() const { return certificate_; }
  const ModuleBounds& bounds() const { return bounds_; }
  // The program's: constants have no bytes.
  const ValidModule& module() const { return *module_; }
  const CommittedValues& committed() const { return *committed_; }

  // Null where the entry is not opened.
  const TraceEntry* entry(uint64_t number) const;
  std::optional<uint64_t> EntryAt(const ValuePlace& place) const;

  // The part of the element that `columns` of the certificate is the expansion of, and the columns that it
  // should have: none, where the element has no expansion.
  const std::optional<WidePart>& wide() const { return wide_; }
  struct ColumnType {
    int64_t length;
    Storage storage;
  };
  const std::vector<ColumnType>& columns() const { return columns_; }

  // Error certificate_form: there is no such value.
  absl::StatusOr<CommittedType> TypeOf(const ValueName& name) const;
  // Errors: certificate_form; certificate_trace, where an entry or a column is not opened.
  absl::StatusOr<Digest> DigestOf(const ValueName& name) const;

  // The leaf of the accused that is opened with another size than leaves of its type have.
  std::optional<int64_t> odd_leaf() const { return odd_leaf_; }
  // An element by its row-major number. Error leaf_missing.
  absl::StatusOr<int64_t> Read(const ValueName& name, int64_t element);

 private:
  explicit OpenedCertificate(Certificate certificate) : certificate_(std::move(certificate)) {}

  absl::Status OpenClaim();
  absl::Status OpenProgram();
  absl::Status OpenTrace();
  absl::Status OpenColumns();
  absl::Status ExpandElement(const TraceEntry& of, int64_t element);
  absl::Status OpenValues();
  absl::Status OpenRecipes();
  absl::Status OpenValue(const ValueOpening& value);

  Certificate certificate_;
  Program program_;
  ModuleBounds bounds_;
  std::optional<ValidModule> module_;
  std::optional<CommittedValues> committed_;
  std::optional<WidePart> wide_;
  std::vector<ColumnType> columns_;
  std::map<ValuePlace, uint64_t> entry_at_;
  std::map<ValueName, PartialTensor> values_;
  std::optional<int64_t> odd_leaf_;
  struct Entries {
    RecipeEntry recipe;
    std::map<int64_t, int64_t> computed;
  };
  std::map<uint64_t, Entries> recipes_;
  int64_t recipe_entries_left_ = kMostRecipeEntries;
};

}  // namespace tally
