// Work of another operator as a part of one's own.
//
//   AppendWork(work, *PrepareGemm(..), {OperandAt(0), OperandAt(2)}, {scratch});
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "ops/cuda/launch.h"

namespace tally::cuda {

// Behind the launches of `work` those of `part`, whose operands and results are what the lists name.
inline void AppendWork(Work& work, Work part, const std::vector<Ref>& operands,
                       const std::vector<Ref>& results) {
  const auto constants = static_cast<int>(work.constants.size()),
             scratch = static_cast<int>(work.scratch_bytes.size());
  const auto moved = [&](const Ref& ref) {
    Ref to = ref;
    switch (ref.source) {
      case Source::kOperand: to = operands.at(ref.index); break;
      case Source::kResult: to = results.at(ref.index); break;
      case Source::kConstant: to.index += constants; return to;
      case Source::kScratch: to.index += scratch; return to;
    }
    to.offset_bytes += ref.offset_bytes;
    return to;
  };
  for (Launch& launch : part.launches) {
    for (Ref& ref : launch.memory) ref = moved(ref);
    work.launches.push_back(std::move(launch));
  }
  for (auto& bytes : part.constants) work.constants.push_back(std::move(bytes));
  work.scratch_bytes.insert(work.scratch_bytes.end(), part.scratch_bytes.begin(), part.scratch_bytes.end());
}

}  // namespace tally::cuda
