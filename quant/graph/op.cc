#include "quant/graph/op.h"

#include <array>
#include <limits>

namespace tally::quant {
namespace {

struct OpTraits {
  std::string_view name;
  OperandCount operands;
  bool has_weights = false;
};

constexpr size_t kAny = std::numeric_limits<size_t>::max();

// In the order of Op's alternatives.
constexpr std::array<OpTraits, std::variant_size_v<Op>> kTraits = {{
    {"Conv2d", {2, 3}, true},
    {"Dense", {2, 3}, true},
    {"MatMul", {2, 2}},
    {"Add", {2, 2}},
    {"Relu", {1, 1}},
    {"Clip", {1, 1}},
    {"MaxPool2d", {1, 1}},
    {"AveragePool2d", {1, 1}},
    {"GlobalAveragePool", {1, 1}},
    {"BatchNorm", {5, 5}, true},
    {"Reshape", {1, 1}},
    {"Transpose", {1, 1}},
    {"Concat", {1, kAny}},
    {"Softmax", {1, 1}},
    {"ArgMax", {1, 1}},
    {"Constant", {0, 0}},
}};

}  // namespace

std::string_view OpName(const Op& op) { return kTraits[op.index()].name; }

OperandCount OperandCountOf(const Op& op) { return kTraits[op.index()].operands; }

bool IsWeightOperand(const Op& op, size_t index) { return kTraits[op.index()].has_weights && index > 0; }

}  // namespace tally::quant
