#include "frontends/cvm/strict_json.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "base/strings.h"
#include "frontends/cvm/labels.h"

namespace tally::cvm {
namespace {

// Builds the tree; each method returns false to end the parse.
class TreeBuilder : public Json::json_sax_t {
 public:
  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(int64_t value) override { return Add(value); }
  bool number_unsigned(uint64_t value) override {
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return Fail(absl::StrCat("the number ", value, " has more than 64 bits"));
    }
    return Add(static_cast<int64_t>(value));
  }
  // Also what the parser makes of integers that no 64 bits hold.
  bool number_float(double, const std::string& text) override {
    return Fail(absl::StrCat("the number ", PrintableStart(text), " is not an integer of 64 bits"));
  }
  bool string(std::string& value) override { return Add(std::move(value)); }
  bool binary(Json::binary_t&) override { return Fail("JSON has no binary values"); }
  bool start_object(size_t) override { return Open(Json::object()); }
  bool start_array(size_t) override { return Open(Json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(std::string& name) override {
    if (open_.back()->contains(name))
      return Fail(absl::StrCat("the key '", PrintableStart(name), "' stands twice"));
    key_ = std::move(name);
    return true;
  }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override {
    return Fail(absl::StrCat("no JSON at byte ", position));
  }

  absl::StatusOr<Json> Take() && {
    if (!error_.empty()) return MakeError(label::cvm_json, error_);
    return std::move(root_);
  }

 private:
  // The value's address stays while the container around it is open: nothing is added beside it meanwhile.
  Json* Place(Json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    Json& parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }
  bool Add(Json value) {
    Place(std::move(value));
    return true;
  }
  bool Open(Json container) {
    if (open_.size() == kMaxJsonDepth)
      return Fail(absl::StrCat("values nest more than ", kMaxJsonDepth, " deep"));
    open_.push_back(Place(std::move(container)));
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }
  bool Fail(std::string message) {
    error_ = std::move(message);
    return false;
  }

  Json root_;
  std::vector<Json*> open_;
  std::string key_;
  std::string error_;
};

}  // namespace

absl::StatusOr<Json> ParseStrictJson(std::string_view text) {
  if (text.size() > kMaxJsonBytes) {
    return MakeError(label::cvm_json, absl::StrCat(text.size(), " bytes, more than ", kMaxJsonBytes));
  }
  TreeBuilder builder;
  Json::sax_parse(text.begin(), text.end(), &builder);
  return std::move(builder).Take();
}

}  // namespace tally::cvm
