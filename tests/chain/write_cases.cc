// Certificates, and the verdict of the judge on each, as lines of JSON. The contracts have to say the same.
//
//   write_cases modules FIRST COUNT   runs of drawn modules: true and spoilt certificates, and charges against
//                                     honest runs
//   write_cases vectors               the conformance vectors: some elements of each, honest and altered
//   write_cases long                  elements that read megabytes: integers of their columns, honest and altered
//   write_cases network NAME          one of bench/models: two elements of each value, honest and altered
//   write_cases file PATH             a certificate of one's own
//   write_cases row                   rows of bytes: 4,096 weights, one outside its interval, backwards; a long recipe
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/hash/digest.h"
#include "base/io/file.h"
#include "base/testing/random_source.h"
#include "bench/models/random_source.h"
#include "bench/models/works.h"
#include "bench/proof/judged_together.h"
#include "engines/engine.h"
#include "fuzz/generators/module_generator.h"
#include "ops/all_attrs.h"
#include "ops/reference.h"
#include "proof/certificate/accused_run.h"
#include "proof/certificate/check_certificate.h"
#include "proof/certificate/convict.h"
#include "proof/certificate/recipe_tables.h"
#include "proof/dispute/play.h"
#include "serializer/tensor_digest.h"
#include "tests/disputes/altered_run.h"
#include "tests/disputes/forged_certificate.h"
#include "tests/expansion/long_elements.h"
#include "tests/vectors/case_module.h"
#include "tests/vectors/vector_file.h"
#include "vm/committed_values.h"
#include "vm/module_builder.h"
#include "vm/validator.h"

namespace tally {
namespace {

constexpr int kAlterations = 6, kForged = 6;
// How many elements of each value of a vector, and columns of an expansion, are judged: evenly apart.
constexpr uint64_t kElements = 3;
constexpr int64_t kColumns = 24;

// The operators of a module, for messages.
std::string OperatorsOf(const ValidModule& module) {
  std::string names;
  for (const Function& function : module.module().functions) {
    for (const Instruction& instruction : function.body) {
      if (instruction.op == Opcode::kConstant) continue;
      names += (names.empty() ? "" : " ") + std::string(InfoOf(instruction.op).name);
    }
  }
  return names;
}

void Print(const std::string& name, const std::string& operators, const Certificate& certificate) {
  const std::vector<uint8_t> file = EncodeCertificate(certificate);
  const auto verdict = CheckCertificate<TrappingInt>(file);
  nlohmann::ordered_json line = {{"name", name},
                                 {"operators", operators},
                                 {"certificate", ToHex(file)},
                                 {"tables", ToHex(RecipeTables(certificate))}};
  if (verdict.ok()) {
    line["what"] = verdict->what;
    line["claim"] = ToHex(verdict->claim);
    line["trace"] = verdict->trace ? ToHex(*verdict->trace) : "";
    line["expansion"] = verdict->columns ? ToHex(*verdict->columns) : "";
  } else {
    line["label"] = ErrorLabel(verdict.status());
  }
  std::puts(line.dump().c_str());
}

void PrintModule(uint64_t seed) {
  const DrawnRun drawn(NoiseBytes(seed, 2048));
  const std::string operators = OperatorsOf(*drawn.module);
  std::mt19937_64 random(seed);
  const auto name = [&](std::string_view what, int i) {
    return "module " + std::to_string(seed) + ", " + std::string(what) + " " + std::to_string(i);
  };
  for (int i = 0; i < kAlterations; ++i) {
    const AlteredRun altered = Alter(*drawn.module, drawn.run, random);
    const auto certificate = Convict(*drawn.claimed, drawn.run, altered.run);
    if (certificate.ok() && *certificate) {
      Print(name(altered.what, i), operators, **certificate);
      Certificate spoilt = **certificate;
      Spoil(spoilt, random);
      Print(name("spoilt", i), operators, spoilt);
    }
    if (altered.run.claim.inputs != drawn.run.claim.inputs) continue;
    // The same by an expansion, whatever the size of the element.
    const auto played = PlayDispute(*drawn.claimed, drawn.run, altered.run, nullptr, -1);
    const bool by_steps =
        played.ok() && played->end && played->end->conviction && played->end->conviction->columns;
    if (by_steps) Print(name("expansion", i), operators, *DecodeCertificate(played->certificate));
  }
  AccusedRun parts(drawn.run);
  for (int i = 0; i < kForged; ++i) {
    const auto forged = Forge(drawn, parts, random);
    if (forged.ok()) Print(name("honest", i), operators, *forged);
  }
}

Prosecutor ProsecutorOf(const ClaimedModule& claimed, const RecordedRun& run, const AccusedParts& parts) {
  return {claimed, run, parts, CertificateHead(claimed, run.claim, run.input_digests, run.result_digests)};
}

// One element of a tensor, with another integer that its storage holds.
void AlterElement(Tensor& tensor, int64_t element) {
  StoreElement(tensor.view().storage, tensor.mutable_bytes().data(), element, tensor.view().at(element) ^ 1);
}

// Some elements of each entry of a run: an honest one is right, and an altered one convicts.
void PrintElements(const std::string& name, const ClaimedModule& claimed, const RecordedRun& run,
                   const std::string& operators) {
  for (uint64_t number = 0; number < run.values.size(); ++number) {
    const auto size = static_cast<uint64_t>(run.values[number].shape().num_elements());
    for (uint64_t k = 0; k < std::min(kElements, size); ++k) {
      const uint64_t element = k * (size - 1) / std::max<uint64_t>(std::min(kElements, size) - 1, 1);
      AccusedRun honest(run);
      const ValueName accused = {ValueKind::kEntry, number};
      honest.Accuse(accused);
      const auto right = ProsecutorOf(claimed, run, honest).AccuseElement(accused, element);
      if (right.ok()) Print(name + ", honest", operators, *right);
      RecordedRun altered = run;
      AlterElement(altered.values[number], static_cast<int64_t>(element));
      altered.CommitToTensors();
      const auto certificate = Convict(claimed, run, altered);
      if (certificate.ok() && *certificate) Print(name + ", altered", operators, **certificate);
    }
  }
}

void PrintVectors() {
  for (const std::string& path : AllVectorFiles()) {
    const auto file = ReadVectorFile(path);
    if (!file.ok() || file->op == nullptr || file->op->code == Opcode::kConstant) continue;
    for (const VectorCase& test : file->cases) {
      if (!test.error.empty()) continue;
      const auto module = std::make_shared<const ValidModule>(*Validate(ModuleOfCase(*file->op, test)));
      std::vector<Tensor> inputs;
      for (const VectorTensor& operand : test.operands) {
        if (!operand.constant) inputs.push_back(Tensor::Copy(operand.tensor.view(), operand.type.storage()));
      }
      const ClaimedModule claimed(*module);
      const RecordedRun run = *RecordedRun::Of(claimed, **MakePlan("reference", module), ViewsOf(inputs));
      PrintElements(std::string(file->op->name) + ", " + test.name, claimed, run, OperatorsOf(*module));
    }
  }
}

// A run with an expansion of one of its elements, of which a column is accused.
class ExpandedRun final : public AccusedParts {
 public:
  ExpandedRun(const RecordedRun& run, std::span<const Tensor> columns) : parts_(run) {
    for (const Tensor& column : columns) digests_.push_back(TensorDigest(column.view()));
    for (const Digest& digest : digests_) hashes_.push_back(MerkleLeafHash(digest));
  }
  void Accuse(const TensorView& column) { parts_.Accuse(column); }

  uint64_t entries() const override { return parts_.entries(); }
  TraceEntry Entry(uint64_t number) const override { return parts_.Entry(number); }
  Digest TracePart(uint64_t first, uint64_t size) const override { return parts_.TracePart(first, size); }
  Digest ValuePart(uint64_t first, uint64_t size) const override { return parts_.ValuePart(first, size); }
  std::vector<uint8_t> Leaf(uint64_t leaf) const override { return parts_.Leaf(leaf); }
  std::vector<uint8_t> Header() const override { return parts_.Header(); }
  uint64_t columns() const override { return digests_.size(); }
  Digest ColumnsPart(uint64_t first, uint64_t size) const override {
    return MerkleRoot(std::span(hashes_).subspan(first, size));
  }
  Digest Column(uint64_t number) const override { return digests_[number]; }

 private:
  AccusedRun parts_;
  std::vector<Digest> digests_, hashes_;
};

// An integer of a column of an expansion, as it is and altered.
void PrintStep(const std::string& name, const ClaimedModule& claimed, const RecordedRun& run, uint64_t number,
               uint64_t element, const HonestColumns& columns, size_t column, int64_t i,
               const std::string& operators) {
  for (const bool honest : {true, false}) {
    std::vector<Tensor> claimed_columns;
    for (const Tensor& t : columns.columns)
      claimed_columns.push_back(Tensor::Copy(t.view(), t.view().storage));
    if (!honest) AlterElement(claimed_columns[column], i);
    ExpandedRun parts(run, claimed_columns);
    parts.Accuse(claimed_columns[column].view());
    const auto certificate = ProsecutorOf(claimed, run, parts)
                                 .AccuseStep(number, element, columns, column, static_cast<uint64_t>(i));
    if (certificate.ok()) Print(name + (honest ? ", honest" : ", altered"), operators, *certificate);
  }
}

void PrintLong() {
  for (const NamedLongElement& named : LongElements()) {
    const LongElement of = named.make();
    const ClaimedModule claimed(*of.module);
    const RecordedRun run = *RecordedRun::Of(claimed, **MakePlan("cpu", of.module), ViewsOf(of.inputs));
    const std::string operators = OperatorsOf(*of.module);
    for (uint64_t number = 0; number < run.values.size(); ++number) {
      if (run.trace[number].id < of.first) continue;
      const auto size = static_cast<uint64_t>(run.values[number].shape().num_elements());
      const auto columns = Expand(claimed, run, number, size / 3);
      if (!columns.ok() || !*columns) continue;
      const auto count = std::ssize((*columns)->columns);
      for (int64_t k = 0; k < count;
           k += k + 1 == count ? 1 : std::min(std::max(count / kColumns, int64_t{1}), count - 1 - k)) {
        const auto column = static_cast<size_t>(k);
        const int64_t length = (*columns)->columns[column].shape().num_elements();
        PrintStep(std::string(named.name) + ", column " + std::to_string(k), claimed, run, number, size / 3,
                  **columns, column, length - 1, operators);
      }
    }
  }
}

// The first and the last element of each value: altered, in a dispute; and as it is.
void PrintDisputes(const std::shared_ptr<const ValidModule>& module, std::span<const TensorView> inputs) {
  const ClaimedModule claimed(*module);
  const CommittedValues committed(*module);
  const RecordedRun honest = *RecordedRun::Of(claimed, **MakePlan("cpu", module), inputs);
  RecordedRun accused = honest;
  for (size_t number = 0; number < honest.values.size(); ++number) {
    const ValuePlace place = {honest.trace[number].path, honest.trace[number].id};
    const size_t function = FunctionAt(module->module(), place.path);
    const std::string of = bench::TogetherWith(*module, committed, function, place.id).name;
    const int64_t size = honest.values[number].shape().num_elements();
    for (const int64_t element : {int64_t{0}, size - 1}) {
      const std::string name =
          of + ", entry " + std::to_string(number) + ", element " + std::to_string(element);
      AccusedRun parts(honest);
      const ValueName accusation = {ValueKind::kEntry, number};
      parts.Accuse(accusation);
      const auto right =
          ProsecutorOf(claimed, honest, parts).AccuseElement(accusation, static_cast<uint64_t>(element));
      if (right.ok()) Print(name + ", honest", of, *right);
      AlterElement(accused.values[number], element);
      accused.trace[number].value = ValueDigest(accused.values[number].view());
      const auto played = PlayDispute(claimed, honest, accused);
      if (played.ok() && played->end) {
        Print(name + ", altered", of, *DecodeCertificate(played->certificate));
      }
      accused.values[number] = honest.values[number];
      accused.trace[number] = honest.trace[number];
    }
  }
}

void PrintNetwork(std::string_view name) {
  auto work = bench::BuildWork(name, {});
  const auto module = std::make_shared<const ValidModule>(*Validate(std::move(work->module)));
  const std::vector<Tensor> inputs = bench::RandomInputs(module->entry().params, 1);
  PrintDisputes(module, ViewsOf(inputs));
}

void PrintRow() {
  ModuleBuilder b(Profile::kCore);
  RandomSource random(1);
  const Interval bytes = RangeOf(Storage::kI8);
  const Shape row = *Shape::Create({1, 4096});
  const ValueId x = b.Param("x", {row, bytes});
  const ValueId w = b.Constant(*Tensor::FromValues(row, random.Values(4096, bytes)));
  b.Result("y", b.Op(Opcode::kDense, {x, w}, NoAttrs{}));
  const auto module = std::make_shared<const ValidModule>(*Validate(std::move(b).Build()));
  const Tensor input =
      Tensor::Copy(Tensor::FromValues(row, random.Values(4096, bytes))->view(), Storage::kI8);
  const TensorView view = input.view();
  PrintDisputes(module, std::span(&view, 1));
}

// A transposed convolution along one axis: positions go down as taps go up, over several leaves.
void PrintDown() {
  ModuleBuilder b(Profile::kCore);
  RandomSource random(3);
  const Interval bytes = RangeOf(Storage::kI8);
  const Shape line = *Shape::Create({1, 1, 3000}), taps = *Shape::Create({1, 1, 1500});
  const ValueId x = b.Param("x", {line, bytes});
  const ValueId w = b.Constant(*Tensor::FromValues(taps, random.Values(1500, bytes)));
  const ConvTransposeAttrs attrs = {
      .stride = {1}, .dilation = {1}, .pad_begin = {0}, .pad_end = {0}, .output_padding = {0}};
  b.Result("y", b.Op(Opcode::kConvTranspose, {x, w}, attrs));
  const auto module = std::make_shared<const ValidModule>(*Validate(std::move(b).Build()));
  const ClaimedModule claimed(*module);
  const Tensor input =
      Tensor::Copy(Tensor::FromValues(line, random.Values(3000, bytes))->view(), Storage::kI8);
  const TensorView view = input.view();
  const RecordedRun run = *RecordedRun::Of(claimed, **MakePlan("cpu", module), std::span(&view, 1));
  PrintElements("a line of 3,000, backwards", claimed, run, "conv_transpose");
}

// A table of 4,001 entries of 16 bits that is given by its recipe, at entries of its first leaf and its last.
void PrintRecipe() {
  ModuleBuilder b(Profile::kCore);
  const Shape row = *Shape::Create({1, 3});
  const Interval interval = {-2000, 2000};
  const ValueId x = b.Param("x", {row, interval});
  const Recipe recipe = {.function = RecipeFunction::kTanh,
                         .in = {1, 9},
                         .out = {1, 14},
                         .first = interval.lo,
                         .count = interval.hi - interval.lo + 1,
                         .lo = -32768,
                         .hi = 32767};
  b.Result("y", b.Op(Opcode::kTable, {x, *b.Constant(recipe)}, TableAttrs{.offset = interval.lo}));
  const auto module = std::make_shared<const ValidModule>(*Validate(std::move(b).Build()));
  const ClaimedModule claimed(*module);
  const Tensor input = Tensor::Copy(
      Tensor::FromValues(row, std::vector<int64_t>{interval.lo, 7, interval.hi})->view(), Storage::kI16);
  const TensorView view = input.view();
  const RecordedRun run = *RecordedRun::Of(claimed, **MakePlan("cpu", module), std::span(&view, 1));
  PrintElements("a table of 4,001 entries by its recipe", claimed, run, "table");
}

// Rows of bytes, of which one element is just outside its interval, wherever it is among eight neighbours.
template <typename Attrs>
void PrintOutside(Opcode op, std::span<const Interval> intervals, const Attrs& attrs) {
  const Shape row = *Shape::Create({1, 64});
  ModuleBuilder b(Profile::kCore);
  RandomSource random(2);
  std::vector<Tensor> inputs;
  std::vector<ValueId> params;
  for (const Interval& interval : intervals) {
    inputs.push_back(
        Tensor::Copy(Tensor::FromValues(row, random.Values(64, interval))->view(), Storage::kI8));
    params.push_back(b.Param("x" + std::to_string(inputs.size()), {row, interval}));
  }
  b.Result("y", b.Op(op, params, attrs));
  const auto module = std::make_shared<const ValidModule>(*Validate(std::move(b).Build()));
  const ClaimedModule claimed(*module);
  const RecordedRun honest = *RecordedRun::Of(claimed, **MakePlan("cpu", module), ViewsOf(inputs));
  for (size_t k = 0; k < inputs.size(); ++k) {
    for (int64_t element = 8; element < 16; ++element) {
      for (const int64_t outside : {intervals[k].lo - 1, intervals[k].hi + 1}) {
        RecordedRun run = honest;
        StoreElement(Storage::kI8, run.inputs[k].mutable_bytes().data(), element, outside);
        run.CommitToTensors();
        // The leaves that an honest run opens, with the one that is wrong.
        AccusedRun parts(honest);
        parts.Accuse({ValueKind::kEntry, 0});
        Certificate certificate =
            *ProsecutorOf(claimed, honest, parts).AccuseElement({ValueKind::kEntry, 0}, 0);
        certificate.claim = run.claim;
        certificate.inputs = run.input_digests;
        for (ValueOpening& value : certificate.values) {
          if (value.name != ValueName{ValueKind::kInput, k}) continue;
          std::vector<uint8_t>& leaf = value.leaves.opened[0].second;
          leaf[static_cast<size_t>(element)] = static_cast<uint8_t>(outside);
          value.leaves.root = MerkleLeafHash(leaf);
        }
        Print("input " + std::to_string(k) + ", element " + std::to_string(element) + " is " +
                  std::to_string(outside),
              std::string(InfoOf(op).name), certificate);
      }
    }
  }
}

void PrintFile(const std::string& path) {
  const auto bytes = ReadFile(path, kMaxCertificateBytes);
  const auto certificate = bytes.ok() ? DecodeCertificate(*bytes) : bytes.status();
  if (certificate.ok()) Print(path, "", *certificate);
}

uint64_t NumberOf(std::string_view text) {
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

int Main(std::span<const std::string_view> words) {
  if (words.size() == 3 && words[0] == "modules") {
    const uint64_t first = NumberOf(words[1]), count = NumberOf(words[2]);
    for (uint64_t seed = first; seed < first + count; ++seed) PrintModule(seed);
  } else if (words.size() == 1 && words[0] == "vectors") {
    PrintVectors();
  } else if (words.size() == 1 && words[0] == "long") {
    PrintLong();
  } else if (words.size() == 2 && words[0] == "network") {
    PrintNetwork(words[1]);
  } else if (words.size() == 2 && words[0] == "file") {
    PrintFile(std::string(words[1]));
  } else if (words.size() == 1 && words[0] == "row") {
    PrintRow();
    constexpr Interval kIntervals[] = {{-100, 90}, {-50, 60}};
    PrintOutside(Opcode::kMatmul, kIntervals, MatmulAttrs{.transpose_b = true});
    PrintOutside(Opcode::kReduce, std::span(kIntervals).first(1), ReduceAttrs{.axes = {1}});
    PrintDown();
    PrintRecipe();
  } else {
    std::fprintf(
        stderr, "usage: write_cases modules FIRST COUNT | vectors | long | network NAME | file PATH | row\n");
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) { return tally::Main(std::vector<std::string_view>(argv + 1, argv + argc)); }
