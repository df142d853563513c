#include "frontends/cvm/storage.h"

#include <algorithm>
#include <unordered_map>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "frontends/cvm/labels.h"

namespace tally::cvm {
namespace {

// Element i of the result needs element i of the operands and no other.
bool WorksInPlace(Opcode op) {
  constexpr Opcode kOps[] = {Opcode::kAbs,          Opcode::kClip,         Opcode::kCvmClip,
                             Opcode::kCvmLeftShift, Opcode::kCvmPrecision, Opcode::kCvmRightShift,
                             Opcode::kElemwiseAdd,  Opcode::kElemwiseSub,  Opcode::kExpandDims,
                             Opcode::kFlatten,      Opcode::kNegative,     Opcode::kRelu,
                             Opcode::kReshape,      Opcode::kSqueeze};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

class Replay {
 public:
  explicit Replay(const Graph& graph) : graph_(graph) {}

  absl::Status Run() && {
    for (const Node& node : graph_.nodes) {
      if (node.op) continue;
      // The params file may have weights in any order, so that either of two could overwrite the other.
      if (const auto held = holds_.find(Buffer(node.first_entry)); held != holds_.end()) {
        return Clash(node.first_entry, held->second);
      }
      Write(node.first_entry);
    }
    // The first inference may leave something that the second one meets.
    for (int inference = 0; inference < 2; ++inference) RETURN_IF_ERROR(Infer());
    return absl::OkStatus();
  }

 private:
  absl::Status Infer() {
    Write(graph_.nodes[graph_.data].first_entry);
    for (const Node& node : graph_.nodes) {
      if (node.op) RETURN_IF_ERROR(Step(node));
    }
    for (const size_t head : graph_.heads) RETURN_IF_ERROR(Read(head));
    return absl::OkStatus();
  }

  absl::Status Step(const Node& node) {
    for (const size_t input : node.inputs) RETURN_IF_ERROR(Read(input));
    const size_t end = node.first_entry + InfoOf(*node.op).results;
    for (size_t result = node.first_entry; result < end; ++result) {
      for (const size_t input : node.inputs) {
        if (Buffer(input) == Buffer(result) && !WorksInPlace(*node.op)) return Clash(result, input);
      }
      for (size_t other = node.first_entry; other < result; ++other) {
        if (Buffer(other) == Buffer(result)) return Clash(result, other);
      }
      Write(result);
    }
    return absl::OkStatus();
  }

  void Write(size_t entry) { holds_[Buffer(entry)] = entry; }

  absl::Status Read(size_t entry) const {
    const size_t held = holds_.at(Buffer(entry));
    return held == entry ? absl::OkStatus() : Clash(held, entry);
  }

  absl::Status Clash(size_t writer, size_t victim) const {
    return MakeError(label::cvm_storage,
                     absl::StrCat("value ", writer, " overwrites value ", victim, " in buffer ",
                                  Buffer(victim), " before its last use; give them buffers of their own"));
  }

  int64_t Buffer(size_t entry) const { return graph_.entries[entry].storage_id; }

  const Graph& graph_;
  std::unordered_map<int64_t, size_t> holds_;  // buffer to entry
};

}  // namespace

absl::Status CheckStorage(const Graph& graph) { return Replay(graph).Run(); }

}  // namespace tally::cvm
