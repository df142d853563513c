// write_cases FIRST COUNT: certificates about runs of drawn modules, and what the judge makes of each, as lines
// of JSON; for the contracts of chain/, which have to say the same.
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/hash/digest.h"
#include "fuzz/generators/module_generator.h"
#include "ops/reference.h"
#include "ops/table/recipe/recipe.h"
#include "proof/certificate/accused_run.h"
#include "proof/certificate/check_certificate.h"
#include "proof/certificate/convict.h"
#include "proof/dispute/play.h"
#include "serializer/recipe_entry.h"
#include "tests/disputes/altered_run.h"
#include "tests/disputes/forged_certificate.h"

namespace tally {
namespace {

constexpr int kAlterations = 6;
constexpr int kForged = 6;

// The operator of the accused value, so that a difference says what it is about.
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

// The bytes of the constants that the certificate gives by their recipes.
std::vector<uint8_t> TablesOf(std::span<const uint8_t> file) {
  std::vector<uint8_t> tables;
  const auto certificate = DecodeCertificate(file);
  if (!certificate.ok()) return tables;
  for (const auto& [constant, bytes] : certificate->recipes) {
    const auto entry = DecodeRecipeEntry(bytes);
    if (!entry.ok()) continue;
    const auto table = ExpandToTensor(entry->recipe, entry->shape);
    if (!table.ok()) continue;
    const auto bytes_of_table = table->view().bytes;
    tables.insert(tables.end(), bytes_of_table.begin(), bytes_of_table.end());
  }
  return tables;
}

void Print(const std::string& name, const std::string& operators, std::span<const uint8_t> file) {
  const auto verdict = CheckCertificate<TrappingInt>(file);
  nlohmann::ordered_json line = {{"name", name}, {"operators", operators}, {"certificate", ToHex(file)},
                                 {"tables", ToHex(TablesOf(file))}};
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

void PrintCases(uint64_t seed) {
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
      Print(name(altered.what, i), operators, EncodeCertificate(**certificate));
      Certificate spoilt = **certificate;
      Spoil(spoilt, random);
      Print(name("spoilt", i), operators, EncodeCertificate(spoilt));
    }
    if (altered.run.claim.inputs != drawn.run.claim.inputs) continue;
    // The same by an expansion, whatever the size of the element.
    const auto played = PlayDispute(*drawn.claimed, drawn.run, altered.run, nullptr, -1);
    const bool by_steps =
        played.ok() && played->end && played->end->conviction && played->end->conviction->columns;
    if (by_steps) Print(name("expansion", i), operators, played->certificate);
  }
  AccusedRun parts(drawn.run);
  for (int i = 0; i < kForged; ++i) {
    const auto forged = Forge(drawn, parts, random);
    if (forged.ok()) Print(name("honest", i), operators, EncodeCertificate(*forged));
  }
}

int Main(std::string_view first, std::string_view count) {
  uint64_t from = 0, number = 0;
  std::from_chars(first.data(), first.data() + first.size(), from);
  std::from_chars(count.data(), count.data() + count.size(), number);
  for (uint64_t seed = from; seed < from + number; ++seed) PrintCases(seed);
  return 0;
}

}  // namespace
}  // namespace tally

int main(int argc, char** argv) {
  if (argc == 3) return tally::Main(argv[1], argv[2]);
  std::fprintf(stderr, "usage: write_cases FIRST COUNT\n");
  return 2;
}
