#include "quant/equalize/equalize.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "quant/equalize/unit_factors.h"
#include "quant/labels.h"

namespace tally::quant {
namespace {

// By group; empty lists of those that stay as they are.
using ListsOfGroups = std::vector<std::vector<int>>;

absl::StatusOr<ListsOfGroups> ListsOf(const ChannelGroups& groups, const ChannelExponents& exponents) {
  ListsOfGroups lists(groups.list.size());
  size_t found = 0;
  for (size_t g = 0; g < groups.list.size(); ++g) {
    const auto list = exponents.find(groups.list[g].name);
    if (list == exponents.end()) continue;
    ++found;
    lists[g] = list->second;
    if (std::ssize(lists[g]) != groups.list[g].channels) {
      return MakeError(label::calibration_exponents,
                       absl::StrCat("'", list->first, "' has ", groups.list[g].channels, " channels and ",
                                    lists[g].size(), " exponents"));
    }
  }
  if (found == exponents.size()) return lists;
  for (const auto& [name, list] : exponents) {
    const bool is_group = std::ranges::find(groups.list, name, &ChannelGroup::name) != groups.list.end();
    if (!is_group) {
      return MakeError(label::calibration_exponents,
                       absl::StrCat("the channels of '", name, "' have no scales of their own"));
    }
  }
  return lists;
}

// The constant with its factors; nothing where that is not exact.
std::optional<FloatTensor> Scaled(const ScaledConstant& constant, FloatTensor floats,
                                  const ListsOfGroups& lists) {
  floats = WithChannels(constant, std::move(floats));
  const auto exponent = [&](const std::optional<size_t>& group, int64_t channel) {
    return group.has_value() && !lists[*group].empty() ? lists[*group][static_cast<size_t>(channel)] : 0;
  };
  for (size_t i = 0; i < floats.data.size(); ++i) {
    const auto [in, out] = constant.layout.Of(static_cast<int64_t>(i), floats.shape);
    const int power = exponent(constant.in, in) - exponent(constant.out, out);
    const float scaled = std::ldexp(floats.data[i], power);
    if (!std::isfinite(scaled) || std::ldexp(scaled, -power) != floats.data[i]) return std::nullopt;
    floats.data[i] = scaled;
  }
  return floats;
}

}  // namespace

absl::StatusOr<Graph> Equalized(Graph graph, const ChannelGroups& groups, const ChannelExponents& exponents) {
  ASSIGN_OR_RETURN(const ListsOfGroups lists, ListsOf(groups, exponents));
  const auto changes = [&](const std::optional<size_t>& group) {
    return group.has_value() && !lists[*group].empty();
  };
  for (const ScaledConstant& constant : groups.constants) {
    if (!changes(constant.in) && !changes(constant.out)) continue;
    Value& value = graph.values[constant.value];
    auto& held = std::get<Constant>(graph.nodes[static_cast<size_t>(value.producer)].op).value;
    auto scaled = Scaled(constant, std::get<FloatTensor>(*held), lists);
    if (!scaled.has_value()) {
      return MakeError(label::calibration_exponents,
                       absl::StrCat(graph.nodes[constant.node].source,
                                    ": a power of two leads beyond the range of floats"));
    }
    value.type.shape = scaled->shape;
    held = std::make_shared<const Tensor>(*std::move(scaled));
  }
  return graph;
}

absl::StatusOr<Graph> Equalized(Graph graph, const ChannelExponents& exponents) {
  if (exponents.empty()) return graph;
  const auto wants = [&](const std::string& name) { return exponents.contains(name); };
  ASSIGN_OR_RETURN(graph, WithUnitFactors(graph, wants));
  const ChannelGroups groups = FindChannelGroups(graph);
  return Equalized(std::move(graph), groups, exponents);
}

}  // namespace tally::quant
