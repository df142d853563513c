#include "quant/accuracy/headroom.h"

#include <algorithm>
#include <optional>

#include "base/int_math.h"

namespace tally::quant {
namespace {

constexpr int kAllBits = 63;

// Without the sign.
int BitsOf(const Interval& x) {
  const auto bits = [](int64_t v) { return BitLength(static_cast<uint64_t>(v < 0 ? -(v + 1) : v)); };
  return std::max(bits(x.lo), bits(x.hi));
}

class EntryBits {
 public:
  explicit EntryBits(const ValidModule& module) : module_(module), producers_(module.types().size()) {
    for (size_t i = 0; i < module.entry().body.size(); ++i) {
      const InstructionFacts& facts = module.facts()[i];
      for (int r = 0; r < facts.num_results; ++r) producers_[facts.first_result + r] = i;
    }
  }

  // The most bits on the way to `value`, which ends at what is held.
  int Most(tally::ValueId value, const std::vector<bool>& held) const {
    std::vector<bool> seen = held;
    std::vector<tally::ValueId> open = {value};
    int most = 0;
    while (!open.empty()) {
      const std::optional<size_t> producer = producers_[open.back()];
      most = std::max(most, BitsOf(module_.types()[open.back()].interval));
      open.pop_back();
      if (!producer.has_value()) continue;
      most = std::max(most, BitsOf(module_.facts()[*producer].accumulator));
      for (const tally::ValueId operand : module_.entry().body[*producer].operands) {
        if (seen[operand] || module_.constant(0, operand) != nullptr) continue;
        seen[operand] = true;
        open.push_back(operand);
      }
    }
    return most;
  }

 private:
  const ValidModule& module_;
  std::vector<std::optional<size_t>> producers_;  // by value: the instruction; nothing of inputs
};

}  // namespace

std::vector<int> HeadroomBits(const ValidModule& module, std::span<const tally::ValueId> held) {
  std::vector<bool> is_held(module.types().size(), false);
  for (const tally::ValueId value : held) is_held[value] = true;
  const EntryBits entry(module);
  std::vector<int> bits;
  for (const tally::ValueId value : held) bits.push_back(kAllBits - entry.Most(value, is_held));
  return bits;
}

}  // namespace tally::quant
