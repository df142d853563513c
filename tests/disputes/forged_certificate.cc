#include "tests/disputes/forged_certificate.h"

#include "base/hash/merkle.h"
#include "base/hash/merkle_openings.h"
#include "engines/engine.h"
#include "fuzz/generators/module_generator.h"
#include "proof/certificate/convict.h"
#include "proof/receipt/bounds.h"
#include "serializer/hash_domain.h"
#include "serializer/program.h"
#include "vm/validator.h"

namespace tally {

DrawnRun::DrawnRun(std::span<const uint8_t> noise) {
  EntropySource e(noise);
  module = std::make_shared<const ValidModule>(*Validate(GenerateModule(e, kSmallModules)));
  claimed = std::make_unique<const ClaimedModule>(*module);
  const std::vector<Tensor> inputs = GenerateInputs(e, module->entry());
  run = *RecordedRun::Of(*claimed, **MakePlan("reference", module), ViewsOf(inputs));
}

absl::StatusOr<Certificate> Forge(const DrawnRun& drawn, AccusedRun& parts, std::mt19937_64& random) {
  const Prosecutor prosecutor = {
      *drawn.claimed, drawn.run, parts,
      CertificateHead(*drawn.claimed, drawn.run.claim, drawn.run.input_digests, drawn.run.result_digests)};
  ValueName name = {static_cast<ValueKind>(random() % 3), 0};
  const auto& values = name.kind == ValueKind::kInput    ? drawn.run.inputs
                       : name.kind == ValueKind::kResult ? drawn.run.results
                                                         : drawn.run.values;
  if (values.empty()) return prosecutor.head;
  name.index = random() % values.size();
  parts.Accuse(name);
  const auto elements = static_cast<uint64_t>(values[name.index].shape().num_elements());
  switch (random() % 4) {
    case 0: return prosecutor.head;
    case 1: return prosecutor.AccuseOrder(random() % (drawn.run.trace.size() + 1));
    case 2: return prosecutor.AccuseType(name);
    default: return prosecutor.AccuseElement(name, random() % elements);
  }
}

void Spoil(Certificate& c, std::mt19937_64& random) {
  switch (random() % 9) {
    case 0: c.element += 1 + random() % 3; break;
    case 1: c.accused.index += 1; break;
    case 2: c.accused.kind = static_cast<ValueKind>(random() % 5); break;
    case 3: c.charge = static_cast<Charge>(random() % 4); break;
    case 4:
      if (!c.values.empty())
        c.values.erase(c.values.begin() + static_cast<int64_t>(random() % c.values.size()));
      break;
    case 5:
      for (ValueOpening& value : c.values) {
        for (auto& [number, leaf] : value.leaves.opened) {
          if (random() % 4 == 0 && !leaf.empty()) leaf[random() % leaf.size()] ^= 1 << random() % 8;
        }
      }
      break;
    case 6:
      if (c.trace && !c.trace->opened.empty()) {
        TraceEntry& entry = c.trace->opened[random() % c.trace->opened.size()].second;
        random() % 2 == 0 ? entry.id ^= 1 : entry.value[random() % 32] ^= 1;
      }
      break;
    case 7:
      // The leaves of another value, under a root of their own.
      for (ValueOpening& value : c.values) {
        auto& tree = value.leaves;
        std::vector<OpenedLeaf> hashes;
        for (auto& [number, leaf] : tree.opened) {
          if (!leaf.empty()) leaf[random() % leaf.size()] ^= 1 << random() % 8;
          hashes.emplace_back(number, MerkleLeafHash(leaf));
        }
        tree.root = RootOfOpening(tree.count, hashes, tree.siblings).value_or(tree.root);
      }
      break;
    default: break;  // as it is
  }
}

void SpoilProgram(Certificate& c, std::mt19937_64& random) {
  std::vector<uint8_t>& spoilt = random() % 2 == 0 ? c.program : c.bounds;
  for (size_t i = 0; i <= random() % 3; ++i) {
    uint8_t& byte = spoilt[random() % spoilt.size()];
    byte = random() % 2 == 0 ? static_cast<uint8_t>(byte + 1) : static_cast<uint8_t>(random());
  }
  c.claim.module = ProgramId(c.program);
  c.claim.bounds = HashInDomain(HashDomain::kBounds, c.bounds);
}

}  // namespace tally
