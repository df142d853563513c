#include "tests/disputes/any_moves.h"

#include <algorithm>
#include <utility>

#include "base/hash/merkle.h"
#include "proof/certificate/accused_run.h"
#include "proof/certificate/convict.h"
#include "tests/disputes/lies.h"

namespace tally {
namespace {

// The same with what the honest claim has in its place.
void AddAgainst(const HonestRun& honest, Certificate certificate, Files* files) {
  files->insert(EncodeCertificate(certificate));
  certificate.claim = honest.run.claim;
  certificate.inputs = honest.run.input_digests;
  certificate.results = honest.run.result_digests;
  files->insert(EncodeCertificate(certificate));
  Liar right = Lies(honest).honest();
  if (certificate.trace) {
    certificate.trace->count = right.opening.entries;
    certificate.trace->root = right.opening.trace_root;
  }
  files->insert(EncodeCertificate(certificate));
}

// The same charge with columns that nobody has sent.
void AddColumns(const HonestRun& honest, const Certificate& certificate, Files* files) {
  for (uint64_t entry = 0; entry < honest.run.trace.size(); ++entry) {
    for (const uint64_t count : {uint64_t{0}, uint64_t{1}, uint64_t{3}, ~uint64_t{0}}) {
      Certificate with = certificate;
      with.columns = {.entry = entry,
                      .element = 0,
                      .columns = {.count = count, .root = MerkleRoot({}), .opened = {}, .siblings = {}}};
      files->insert(EncodeCertificate(with));
      with.charge = Charge::kOrder;
      with.accused = {ValueKind::kColumn, 0};
      with.header.clear();
      files->insert(EncodeCertificate(with));
    }
  }
}

// All charges against all parts of the honest run.
void AddCharges(const HonestRun& honest, Files* files) {
  const RecordedRun& run = honest.run;
  AccusedRun parts(run);
  const Prosecutor prosecutor = {
      *honest.claimed, run, parts,
      CertificateHead(*honest.claimed, run.claim, run.input_digests, run.result_digests)};
  const auto add = [&](const absl::StatusOr<Certificate>& certificate) {
    if (!certificate.ok()) return;
    files->insert(EncodeCertificate(*certificate));
    if (certificate->trace) AddColumns(honest, *certificate, files);
  };
  add(prosecutor.head);
  for (uint64_t entry = 0; entry <= run.trace.size(); ++entry) add(prosecutor.AccuseOrder(entry));
  const std::pair<ValueKind, const std::vector<Tensor>*> kinds[] = {
      {ValueKind::kInput, &run.inputs}, {ValueKind::kResult, &run.results}, {ValueKind::kEntry, &run.values}};
  for (const auto& [kind, tensors] : kinds) {
    for (uint64_t i = 0; i < tensors->size(); ++i) {
      parts.Accuse(ValueName{kind, i});
      add(prosecutor.AccuseType({kind, i}));
      const auto elements = static_cast<uint64_t>((*tensors)[i].shape().num_elements());
      for (uint64_t e = 0; e < std::min<uint64_t>(elements, 4); ++e) {
        add(prosecutor.AccuseElement({kind, i}, e));
        add(prosecutor.AccuseLeaf({kind, i}, e));
      }
    }
  }
}

}  // namespace

Files AllCertificates(const HonestRun& honest) {
  Files files = {{}, {0xff}, std::vector<uint8_t>(kMaxCertificateBytes + 1)};
  AddCharges(honest, &files);
  Lies(honest).ForEach(1, [&](const Liar& liar, const std::string&) {
    for (const int64_t most_direct : {kMostLeafBytes, int64_t{-1}}) {
      LyingAsserter asserter(liar);
      const auto add = [&](const std::vector<uint8_t>& file) {
        AddAgainst(honest, *DecodeCertificate(file), &files);
      };
      Dispute(honest, liar.opening, [&](const Query& query) { return asserter.Reply(query); }, most_direct,
              {.answer = nullptr, .certificate = add});
    }
  });
  return files;
}

std::vector<Query> AllQueries(const HonestRun& honest) {
  std::set<uint64_t> numbers = {0, 1, 2, 3, 5, 6, 1024, uint64_t{1} << 63, ~uint64_t{0}};
  numbers.insert(honest.run.trace.size());
  std::vector<Query> queries;
  for (int subject = 0; subject < 6; ++subject) {
    for (const uint64_t first : numbers) {
      for (const uint64_t size : numbers) queries.push_back({static_cast<Subject>(subject), {first, size}});
    }
  }
  return queries;
}

}  // namespace tally
