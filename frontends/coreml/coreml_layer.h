// The view that the importer of one Core ML layer has: a layer (frontends/graph/layer.h), and its message.
//
// Ranks have two conventions. Where a network has exact ranks, values are as the file says. Else each is [S,
// B, C, H, W], a sequence of images, and is held as [S B, C, H, W], or as [S B, C] where H and W are 1: what
// other formats have.
//
// All values of Core ML are floats. Here places, shapes and flags are integers as long as only layers read
// them that ask for such, and constants of floats are integers to these.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/error.h"
#include "base/printable.h"
#include "frontends/coreml/schema/coreml.pb.h"
#include "frontends/coreml/weights.h"
#include "frontends/graph/labels.h"
#include "frontends/graph/layer.h"
#include "frontends/graph/refusals.h"

namespace tally::coreml {

using namespace frontend;  // the words that importers of all formats share
using frontend::Operand;   // not the operand of a reference (ops/reference.h)
namespace schema = ::coreml_schema;
using List = std::vector<int64_t>;

// A name of the file in a message.
inline std::string Quoted(const std::string& name) { return "'" + PrintableStart(name) + "'"; }

// Integers of a repeated field, which end at what a tensor may have. Errors: model_malformed beyond it.
template <typename Repeated>
absl::StatusOr<List> ListOf(const Repeated& field) {
  List list;
  for (const auto value : field) {
    constexpr auto kMost = quant::kMaxElements;
    if (std::cmp_greater(value, kMost) || std::cmp_less(value, -kMost))
      return Malformed("a number is out of range");
    list.push_back(static_cast<int64_t>(value));
  }
  return list;
}
// One such number.
template <typename Number>
absl::StatusOr<int64_t> NumberOf(Number value) {
  if (std::cmp_greater(value, quant::kMaxElements) || std::cmp_less(value, -quant::kMaxElements))
    return Malformed("a number is out of range");
  return static_cast<int64_t>(value);
}
// The same of a size, which is at least 1.
template <typename Number>
absl::StatusOr<int64_t> SizeOf(Number value) {
  if (std::cmp_less(value, 1) || std::cmp_greater(value, quant::kMaxAttribute))
    return Malformed("a size is not from 1 to " + std::to_string(quant::kMaxAttribute));
  return static_cast<int64_t>(value);
}

// The description in a file of the borders of H and W: none, or those of both.
struct Borders {
  List before = {0, 0}, after = {0, 0};
};
// Errors: model_malformed.
absl::StatusOr<Borders> BordersOf(const schema::BorderAmounts& amounts);

// A value seen as images [N, C, H, W], and the axes that N counts.
struct Images {
  Operand x;
  quant::Shape leading;
};

class Networks;

class CoremlLayer : public Layer {
 public:
  struct Place {
    bool is_exact = false;           // ranks are those of the file
    std::vector<int64_t> sequences;  // S of each input; 1 where ranks are exact
    Networks* networks = nullptr;    // called by layers with networks within them
  };

  CoremlLayer(LayerNames names, Scope& scope, const std::unordered_set<std::string_view>& read,
              const schema::Layer& file, Place place)
      : Layer(std::move(names), scope, read), file_(file), place_(std::move(place)) {}

  const schema::Layer& file() const { return file_; }
  bool is_exact() const { return place_.is_exact; }
  Networks& networks() const { return *place_.networks; }

  // An input as floats, and as integers. Errors: those of Input; model_unsupported_type for a constant of
  // floats that are no integers.
  absl::StatusOr<Operand> Real(size_t index);
  absl::StatusOr<Operand> Whole(size_t index);
  absl::StatusOr<std::vector<Operand>> Reals();
  absl::StatusOr<Operand> OnlyReal();
  absl::StatusOr<Operand> Flags(size_t index);
  // An input that has to be a constant of integers: a shape, say. Errors: also model_unsupported_operand.
  absl::StatusOr<List> Listed(size_t index);
  absl::StatusOr<int64_t> Number(size_t index);
  // Two inputs of one type: integers where both are, or one is and the other a constant that can be.
  struct Pair {
    Operand a, b;
  };
  absl::StatusOr<Pair> ReadPair();

  // A real input as images. Errors: model_shape for a rank below 3.
  absl::StatusOr<Images> ImageInput(size_t index);
  absl::StatusOr<Images> AsImages(const Operand& x);
  // The value that images were made of.
  absl::StatusOr<Operand> FromImages(const Operand& y, const quant::Shape& leading);
  absl::Status FinishImages(const absl::StatusOr<Operand>& y, const quant::Shape& leading);
  // The axis of channels: the third from the end. Errors: model_shape.
  absl::StatusOr<size_t> ChannelAxis(const Operand& x) const;
  // Values of the same rank: without H and W only where all are.
  absl::Status SameRanks(std::vector<Operand>& values);

  // Weights of the layer; `what` is part of their name. Errors: those of DecodeWeights.
  absl::StatusOr<Operand> Weight(const schema::Weights& weights, const quant::Shape& shape,
                                 std::string_view what, size_t channel_axis = 0) const;
  // The same where the file says that there are some.
  absl::StatusOr<std::optional<Operand>> WeightIf(bool is_there, const schema::Weights& weights,
                                                  const quant::Shape& shape, std::string_view what) const;

  // The result with another shape, or as it is.
  absl::Status FinishShape(const Operand& x, quant::Shape shape);

  // Sequence length S of an input. Outputs inherit the first input's unless it is set.
  int64_t sequence(size_t index) const {
    return index < place_.sequences.size() ? place_.sequences[index] : 1;
  }
  void SetSequence(int64_t length, size_t output = 0) { result_sequences_[output] = length; }
  int64_t result_sequence(size_t output) const {
    const auto found = result_sequences_.find(output);
    return found == result_sequences_.end() ? sequence(0) : found->second;
  }

 private:
  const schema::Layer& file_;
  Place place_;
  std::map<size_t, int64_t> result_sequences_;  // by output
};

// x as floats, and as integers where it is a constant that can be.
absl::StatusOr<Operand> AsReal(Emitter& emitter, const Operand& x);
// Flags: which elements are not 0.
absl::StatusOr<Operand> FlagsOf(Emitter& emitter, const Operand& x);
std::optional<quant::Int64Tensor> IntegersOf(const Operand& constant);

}  // namespace tally::coreml
