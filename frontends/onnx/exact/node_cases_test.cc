// ONNX's own node cases, all of them: each passes bit for bit, or the table beside this says why it cannot.
//
// Inputs become fixed point, so a case over integers is compared as integers. The expected outputs of a case
// over floats are compared in their own encoding with our exact results rounded once: a case passes where
// ONNX's reference computes the exact value or the float nearest to it.
//
// node_cases.tsv holds a line for each case: its name, then `pass`; or `missing`, and what is not imported
// yet; or `not_applicable`, and the reason. A case that passes although its line says otherwise fails the
// test, so the table cannot go stale.
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/onnx/exact/fixed_point.h"
#include "frontends/onnx/exact/testing/exact_runner.h"
#include "frontends/onnx/exact/testing/node_case.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally::onnx {
namespace {

using ::onnx::TensorProto;

constexpr char kTable[] = "frontends/onnx/exact/node_cases.tsv";

constexpr Label kDifferent("different", ErrorStage::fault, absl::StatusCode::kInternal);
constexpr Label kRounded("rounded", ErrorStage::fault, absl::StatusCode::kInternal);

struct Expectation {
  bool passes = false;
  std::string reason;
};

std::map<std::string, Expectation> ReadTable() {
  std::map<std::string, Expectation> table;
  std::ifstream stream(kTable);
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line.front() == '#') continue;
    const size_t first = line.find('\t'), second = line.find('\t', first + 1);
    const std::string status = line.substr(first + 1, second - first - 1);
    EXPECT_TRUE(status == "pass" || status == "missing" || status == "not_applicable") << line;
    EXPECT_EQ(status == "pass", second == std::string::npos)
        << "a case that does not pass needs a reason: " << line;
    const std::string reason = second == std::string::npos ? "" : status + ": " + line.substr(second + 1);
    EXPECT_TRUE(table.emplace(line.substr(0, first), Expectation{status == "pass", reason}).second) << line;
  }
  return table;
}

absl::Status Compare(const TensorView& actual, const ExactValue& facts, const TensorProto& expected) {
  const std::vector<int64_t> dims(expected.dims().begin(), expected.dims().end());
  if (!std::ranges::equal(actual.shape.dims(), dims)) {
    return MakeError(kDifferent, absl::StrCat("shape ", actual.shape.ToString()));
  }
  if (facts.data_type != expected.data_type()) {
    return MakeError(kDifferent,
                     absl::StrCat("type ", facts.data_type, " instead of ", expected.data_type()));
  }
  if (IsFloat(expected.data_type())) {
    ASSIGN_OR_RETURN(const std::vector<uint64_t> encodings, FloatEncodings(expected));
    for (size_t i = 0; i < encodings.size(); ++i) {
      const int64_t value = actual.at(static_cast<int64_t>(i));
      const uint64_t bits = EncodeFixed(value, facts.fraction_bits, facts.data_type);
      const bool minus_zero = value == 0 && (encodings[i] & (encodings[i] - 1)) == 0;  // Z has one zero
      if (bits != encodings[i] && !minus_zero) return MakeError(kRounded, absl::StrCat("element ", i));
    }
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const FixedPoint integers, DecodeFixedPoint(expected));
  for (int64_t i = 0; i < actual.shape.num_elements(); ++i) {
    if (actual.at(i) != integers.tensor.view().at(i)) {
      return MakeError(kDifferent, absl::StrCat("element ", i, " is ", actual.at(i), " instead of ",
                                                integers.tensor.view().at(i)));
    }
  }
  return absl::OkStatus();
}

// Which inputs are parameters of the module: one of them, or all, or none. The others are its constants, as
// operators that read axes or sizes need them.
constexpr int kAllInputs = -1, kNoInput = -2;

// OK when the case passes on every engine.
absl::Status RunCase(const std::string& name, int open) {
  ASSIGN_OR_RETURN(const NodeCase node_case, ReadNodeCase(name));
  std::vector<std::optional<ExactArgument>> arguments;
  for (const TensorProto& tensor : node_case.inputs) {
    auto& argument = arguments.emplace_back();
    if (IsEmpty(tensor)) continue;
    ASSIGN_OR_RETURN(FixedPoint input, DecodeFixedPoint(tensor));
    const bool constant = open != kAllInputs && open != static_cast<int>(arguments.size()) - 1;
    argument = {std::move(input.tensor), input.fraction_bits, input.data_type, constant};
  }
  ASSIGN_OR_RETURN(const ExactRun run, RunExactly(node_case.model.graph(), node_case.opset, arguments));
  if (run.facts.size() != node_case.outputs.size()) return MakeError(kDifferent, "number of outputs");
  for (const auto& [engine, results] : run.results) {
    for (size_t i = 0; i < node_case.outputs.size(); ++i) {
      if (!results[i]) return MakeError(kDifferent, "an empty result");
      RETURN_IF_ERROR(Compare(results[i]->view(), run.facts[i], node_case.outputs[i]));
    }
  }
  return absl::OkStatus();
}

TEST(NodeCases, PassBitForBitOrSayWhyNot) {
  const std::map<std::string, Expectation> table = ReadTable();
  std::map<std::string, int> reasons;
  int passed = 0, found = 0;
  for (const std::string& name : NodeCaseNames()) {
    const auto row = table.find(name);
    absl::Status status = RunCase(name, 0);
    for (const int open : {kAllInputs, 1, kNoInput}) {
      if (!status.ok() && RunCase(name, open).ok()) status = absl::OkStatus();
    }
    ++found;
    if (row == table.end()) {
      ADD_FAILURE() << name << " has no line in " << kTable << "; it "
                    << (status.ok() ? "passes" : status.ToString());
      continue;
    }
    if (row->second.passes) {
      EXPECT_TRUE(status.ok()) << name << ": " << status;
      ++passed;
    } else {
      EXPECT_FALSE(status.ok()) << name << " passes; " << kTable << " says " << row->second.reason;
      ++reasons[row->second.reason];
    }
  }
  EXPECT_EQ(static_cast<size_t>(found), table.size()) << "the table has a case that ONNX does not have";
  EXPECT_GT(found, 0) << "no cases; is libonnx-testdata installed?";
  std::cout << passed << " of " << found << " cases pass bit for bit; the others:\n";
  for (const auto& [reason, count] : reasons) std::cout << "  " << count << "  " << reason << "\n";
}

}  // namespace
}  // namespace tally::onnx
