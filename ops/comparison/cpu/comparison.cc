#include "ops/comparison/attrs.h"
#include "ops/comparison/cpu/comparison_loops.h"
#include "ops/comparison/cpu/kernel_tables.h"
#include "ops/cpu/map_chunks.h"

namespace tally {
namespace {

struct CompareParams {
  Comparison kind;
  Storage type;
};

CompareParams GreaterOf(const KernelFacts& facts) { return {Comparison::kGreater, WidestStorage<2>(facts)}; }
CompareParams ComparisonOf(const KernelFacts& facts) {
  return {facts.attrs<CompareAttrs>().kind, WidestStorage<2>(facts)};
}

template <Isa isa>
void Compare(const MapParams<2, CompareParams>& p, const KernelCall& call) noexcept {
  const Storage type = p.own.type;
  const auto fn = GetComparisonLoops<isa>().compare[static_cast<int>(p.own.kind)][CodeOf(type)];
  MapChunks<isa, 2>(call, p.loops, {type, type}, Storage::kI8,
                    [&](const auto& x, void* y, int64_t n) { fn(x[0], x[1], static_cast<int8_t*>(y), n); });
}

template <Isa isa>
void SelectElements(const MapLoops<3>& map, const KernelCall& call) {
  const ComparisonLoops& loops = GetComparisonLoops<isa>();
  const Storage condition = call.operands[0].storage;
  const Storage type =
      std::max({call.operands[1].storage, call.operands[2].storage, call.results[0].storage});
  alignas(64) int8_t is_true[kChunk];
  MapChunks<isa, 3>(call, map, {condition, type, type}, type, [&](const auto& x, void* y, int64_t n) {
    loops.is_true[CodeOf(condition)](x[0], is_true, n);
    loops.select[CodeOf(type)](is_true, x[1], x[2], y, n);
  });
}

template <Isa isa>
void Select(const MapParams<3, NoParams>& p, const KernelCall& call) noexcept {
  SelectElements<isa>(p.loops, call);
}

// A list of conditions decides over rows, which are one after the other in both layouts.
struct WhereParams {
  std::optional<MapLoops<3>> elements;  // where there is a condition for each
};

std::optional<Prepared<WhereParams>> PrepareWhere(const KernelFacts& facts) {
  if (!OperandsLieIn(facts)) return std::nullopt;
  WhereParams params;
  if (facts.operands[0].shape == facts.results[0].shape) params.elements.emplace(facts);
  return Prepared<WhereParams>{params};
}

template <Isa isa>
void Where(const WhereParams& p, const KernelCall& call) noexcept {
  if (p.elements) return SelectElements<isa>(*p.elements, call);
  const KernelOperand& condition = call.operands[0];
  const KernelResult& r = call.results[0];
  const ConvertLoops& convert = GetConvertLoops<isa>();
  const int64_t rows = condition.type->shape.num_elements(), n = r.type->shape.num_elements() / rows;
  const Share share = call.ShareOf(rows);
  for (int64_t row = share.begin; row < share.end; ++row) {
    const KernelOperand& from =
        call.operands[LoadElement(condition.storage, condition.bytes, row) != 0 ? 1 : 2];
    convert.convert[CodeOf(from.storage)][CodeOf(r.storage)](from.bytes + row * n * SizeBytes(from.storage),
                                                             r.bytes + row * n * SizeBytes(r.storage), n);
  }
}

constexpr auto kComparisonKernels = JoinKernels(
    EveryIsaAndLayout<"broadcast_greater">(
        {.op = Opcode::kBroadcastGreater, .in_place = true},
        []<Isa isa, Layout>() { return kKernel<PrepareMap<2, GreaterOf>, Compare<isa>>; }),
    EveryIsaAndLayout<"where">({.op = Opcode::kWhere, .in_place = true},
                               []<Isa isa, Layout>() { return kKernel<PrepareWhere, Where<isa>>; }),
    EveryIsaAndLayout<"compare">(
        {.op = Opcode::kCompare, .in_place = true},
        []<Isa isa, Layout>() { return kKernel<PrepareMap<2, ComparisonOf>, Compare<isa>>; }),
    EveryIsaAndLayout<"select">({.op = Opcode::kSelect, .in_place = true},
                                []<Isa isa, Layout>() { return kKernel<PrepareMap<3>, Select<isa>>; }));

}  // namespace

std::vector<KernelTable> AllComparisonKernels() { return {kComparisonKernels}; }

}  // namespace tally
