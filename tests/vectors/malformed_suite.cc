// Bytes that are no module. Two modules that between them have every kind of field are cut off after each
// byte, and each byte is changed; then what such changes do not meet.
#include <algorithm>
#include <random>
#include <utility>

#include "base/strings.h"
#include "ops/control/attrs.h"
#include "ops/layout/attrs.h"
#include "ops/table/attrs.h"
#include "serializer/encode.h"
#include "tests/vectors/suites.h"
#include "vm/module_builder.h"

namespace tally {
namespace {

using Bytes = std::vector<uint8_t>;

// The example of docs/spec/binary.md: y = x + [10, 300]. Its sections begin at 14, 39, 52 and 70.
Bytes Example() {
  ModuleBuilder b(Profile::kCore);
  const ValueId x = b.Param("x", {*Shape::Create({2}), {-5, 5}});
  const ValueId c = b.Constant(*Tensor::FromValues(*Shape::Create({2}), {10, 300}));
  b.Result("y", b.Op(Opcode::kBroadcastAdd, {x, c}),
           Quantization{.zero_point = -3, .multiplier = 1, .shift = 4});
  return Encode(std::move(b).Build());
}
constexpr size_t kFunctionsAt = 14, kConstantsAt = 39, kMetadataAt = 52, kDataAt = 70;

// A function, a recipe, a list, an enumeration, a flag and a vector of operands.
Bytes EveryField() {
  ModuleBuilder b(Profile::kCore);
  const std::vector<ValueId> p = b.BeginFunction({{*Shape::Create({2, 1}), {-8, 7}}});
  const ValueId padded = b.Op(Opcode::kPad, {p[0]}, PadAttrs{{0, 1}, {0, 0}, 0, PadMode::kEdge});
  const int64_t function = b.EndFunction({padded});
  const ValueId x = b.Param("x", {*Shape::Create({2, 1}), {-8, 7}});
  const ValueId table = *b.Constant(Recipe{
      .function = RecipeFunction::kRoundHalfEven, .in = {1, 1}, .first = -8, .count = 16, .lo = -4, .hi = 4});
  const ValueId y = b.Op(Opcode::kTable, {x, table}, TableAttrs{.offset = -8});
  const ValueId both = b.Op(Opcode::kConcatenate, {y, y}, ConcatenateAttrs{.axis = 1});
  b.Result("padded", b.Op(Opcode::kCall, {x}, CallAttrs{.function = function}));
  b.Result("both", both);
  return Encode(std::move(b).Build());
}

class Suite {
 public:
  explicit Suite(SuiteFile* file) : file_(*file) {}

  void Add(std::string name, Bytes bytes, std::optional<std::string> label = {}) {
    file_.cases.push_back({std::move(name), std::move(bytes), std::move(label), {}});
  }

  // The example with `removed` bytes at `offset` replaced, and the length of its section adjusted.
  void Splice(const std::string& label, const std::string& name, size_t section, size_t offset,
              size_t removed, const Bytes& inserted) {
    Bytes bytes = Example();
    bytes[section + 1] = static_cast<uint8_t>(bytes[section + 1] + inserted.size() - removed);
    const auto at = bytes.begin() + static_cast<int64_t>(offset);
    bytes.insert(bytes.erase(at, at + static_cast<int64_t>(removed)), inserted.begin(), inserted.end());
    Add(name, std::move(bytes), label);
  }

  // The example with the bytes at `offset` replaced by as many others.
  void Patch(const std::string& label, const std::string& name, size_t offset, const Bytes& patch) {
    Bytes bytes = Example();
    std::copy(patch.begin(), patch.end(), bytes.begin() + static_cast<int64_t>(offset));
    Add(name, std::move(bytes), label);
  }

  // Cut off after each byte, and each byte changed in `changes` ways. Zero bytes of padding are all alike.
  void Damage(const std::string& what, const Bytes& bytes, int changes) {
    std::mt19937_64 random(bytes.size());
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] == 0 && i > kDataAt + 20 && i % 16 != 15) continue;
      Add(absl::StrCat(what, " cut off at byte ", i),
          Bytes(bytes.begin(), bytes.begin() + static_cast<int64_t>(i)));
      for (int k = 0; k < changes; ++k) {
        const uint8_t value[] = {static_cast<uint8_t>(bytes[i] + 1), 0xff, static_cast<uint8_t>(random())};
        if (value[k] == bytes[i]) continue;
        Bytes changed = bytes;
        changed[i] = value[k];
        Add(absl::StrCat(what, ", byte ", i, " = ", value[k]), std::move(changed));
      }
    }
  }

 private:
  SuiteFile& file_;
};

}  // namespace

SuiteFile MalformedSuite() {
  SuiteFile file = {
      "malformed.json", "Bytes that are no module, or nearly none: what a decoder says of them.", {}};
  Suite suite(&file);
  suite.Add("the example", Example(), "");
  suite.Add("every kind of field", EveryField(), "");
  const Bytes eleven(11, 0xff), beyond_u32 = {0x80, 0x80, 0x80, 0x80, 0x10},
                                dim_2_31 = {0x80, 0x80, 0x80, 0x80, 0x08};
  suite.Add("no bytes", {}, "unexpected_end");
  suite.Add("another file", {'{', '}'}, "bad_magic");
  suite.Patch("bad_magic", "a translated line end", 6, {'\n', 1});
  suite.Patch("bad_format_version", "format version 2", 8, {2});
  suite.Patch("bad_profile", "profile 2", 9, {2});
  suite.Patch("bad_section", "another section first", kFunctionsAt, {2});
  suite.Patch("bad_section", "the first section again", kConstantsAt, {1});
  suite.Patch("unexpected_end", "a section longer than the file", kFunctionsAt + 1,
              {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff});
  suite.Patch("bad_section", "a section longer than its content", kFunctionsAt + 1, {17});
  suite.Splice("bad_section", "a byte behind the data", kDataAt, 132, 0, {0});
  Bytes longer = Example();
  longer.push_back(4);
  suite.Add("a fifth section", longer, "trailing_bytes");
  Bytes shorter = Example();
  shorter.resize(kDataAt);
  suite.Add("no data section", shorter, "unexpected_end");
  suite.Splice("varint_not_minimal", "one function in two bytes", kFunctionsAt, 23, 1, {0x81, 0});
  suite.Splice("varint_too_long", "a tenth byte above 1", kFunctionsAt, 23, 1, eleven);
  suite.Splice("varint_too_long", "a tenth byte of 2 that ends", kFunctionsAt, 23, 1,
               {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2});
  suite.Splice("varint_not_minimal", "a tenth byte of 0", kFunctionsAt, 23, 1,
               {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0});
  suite.Splice("count_limit", "no function", kFunctionsAt, 23, 16, {0});
  // The least sizes: 15, 13, 8 and 1 bytes remain after the counts.
  suite.Patch("unexpected_end", "functions: as many as 3 bytes each allow", 23, {5});
  suite.Patch("count_limit", "functions: one more", 23, {6});
  suite.Patch("count_limit", "parameters: one more than 3 bytes each allow", 24, {5});
  suite.Patch("unknown_opcode", "instructions: as many as 2 bytes each allow", 29, {4});
  suite.Patch("count_limit", "instructions: one more", 29, {5});
  suite.Patch("count_limit", "results: one more than there are bytes", 37, {2});
  suite.Patch("count_limit", "constants: one more than 2 bytes each allow", 48, {2});
  suite.Patch("count_limit", "a name longer than the section", 61, {50});
  suite.Splice("count_limit", "parameters above their limit", kFunctionsAt, 24, 1, {0x80, 0x80, 0x04});
  suite.Patch("unknown_opcode", "an opcode without a row", 30, {0x82, 0x02});
  suite.Patch("shape_rank", "rank 9", 25, {9});
  suite.Patch("shape_dim", "dimension 0", 26, {0});
  suite.Splice("shape_dim", "dimension 2^31", kFunctionsAt, 26, 1, dim_2_31);
  suite.Splice("shape_dim", "dimension 2^63 + 1", kFunctionsAt, 26, 1,
               {0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01});
  suite.Splice("shape_elements", "2^42 elements", kFunctionsAt, 25, 2,
               {2, 0x80, 0x80, 0x80, 0x01, 0x80, 0x80, 0x80, 0x01});
  suite.Splice("bad_value_id", "an operand of 2^32", kFunctionsAt, 35, 1, beyond_u32);
  suite.Splice("bad_value_id", "a result of 2^32", kFunctionsAt, 38, 1, beyond_u32);
  suite.Patch("bad_storage", "storage 8", 49, {8});
  suite.Splice("bad_enum", "a recipe of function 255", kConstantsAt, 49, 3, {4, 1, 2, 255});
  Bytes three_of_half_a_tebibyte = {3};
  for (int i = 0; i < 3; ++i) {
    three_of_half_a_tebibyte.insert(three_of_half_a_tebibyte.end(),
                                    {3, 2, 0x80, 0x80, 0x04, 0x80, 0x80, 0x40});
  }
  suite.Splice("count_limit", "constants of more than 2^40 bytes", kConstantsAt, 48, 4,
               three_of_half_a_tebibyte);
  suite.Patch("bad_text_encoding", "a name that is not UTF-8", 62, {0xff});
  suite.Patch("bad_text_encoding", "a control character", 62, {'\n'});
  suite.Patch("bad_flag", "flag 2", 63, {2});
  suite.Patch("nonzero_padding", "the last byte of padding", 127, {1});
  // The meaning of a field: a shape and a run of padding are read to their end before they are checked.
  Bytes dims = Example();
  dims.resize(25);
  dims[kFunctionsAt + 1] = 8;
  dims.insert(dims.end(), {2, 0x80, 0x80, 0x80, 0x80, 0x08});
  suite.Add("a dimension of 2^31, then the end", dims, "unexpected_end");
  Bytes rank = Example();
  rank.resize(25);
  rank[kFunctionsAt + 1] = 5;
  rank.insert(rank.end(), {9, 1, 1});
  suite.Add("rank 9, of which the end leaves two dimensions", rank, "shape_rank");
  Bytes padding = Example();
  padding.resize(100);
  padding[kDataAt + 1] = 21;
  padding[85] = 1;
  suite.Add("padding that is not zero, then the end", padding, "unexpected_end");
  suite.Damage("the example", Example(), 3);
  suite.Damage("every kind of field", EveryField(), 1);
  return file;
}

}  // namespace tally
