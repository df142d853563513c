// Calls of the families that read at computed places: gather and table.
#include <algorithm>

#include "fuzz/generators/call_generators.h"
#include "fuzz/generators/values.h"
#include "ops/gather/attrs.h"
#include "ops/table/attrs.h"

namespace tally {
namespace {

Attempt DrawTake(CallContext& c) {
  TakeAttrs attrs;
  const DraftId x = c.Operand({.min_rank = 1, .max_rank = 3});
  if (!c.e.OneIn(3)) attrs.axis = {c.Axis(c.shape(x).rank())};
  return {{x, c.Operand({.max_rank = 2, .within = {-4, 12}})}, Pack(attrs)};
}

// The interval of indices, now and then outside.
constexpr Interval kPlaces = {-4, 5};
constexpr Interval kSmall = {-100, 100};  // factors and terms of scattered results

Attempt DrawGather(CallContext& c) {
  const DraftId x = c.Operand({.min_rank = 1, .max_rank = 3});
  const DraftId indices = c.Operand({.max_rank = 2, .within = kPlaces});
  return {{x, indices}, Pack(GatherAttrs{.axis = c.Axis(c.shape(x).rank())})};
}

Attempt DrawGatherNd(CallContext& c) {
  const DraftId x = c.Operand({.min_rank = 1, .max_rank = 4});
  const int rank = c.shape(x).rank();
  const int64_t batch = c.e.Between(0, rank - 1);
  std::vector<int64_t> dims = DimList(c.shape(x));
  dims.resize(batch);
  if (c.e.OneIn(2)) dims.push_back(c.e.Between(1, 3));
  dims.push_back(c.e.Between(1, rank - batch));
  return {{x, c.Operand({.shape = ShapeOf(dims), .within = kPlaces})}, Pack(GatherNdAttrs{batch})};
}

// Dims of indices that fit between those of x, which each index goes along or across.
std::vector<int64_t> ElementDims(CallContext& c, const Shape& x, int64_t axis) {
  std::vector<int64_t> dims = DimList(x);
  for (int64_t& dim : dims) dim = c.e.Between(1, dim);
  dims[axis < 0 ? axis + x.rank() : axis] = c.e.Between(1, 4);
  return dims;
}

Attempt DrawGatherElements(CallContext& c) {
  const DraftId x = c.Operand({.min_rank = 1, .max_rank = 3});
  const int64_t axis = c.Axis(c.shape(x).rank());
  const Shape dims = ShapeOf(ElementDims(c, c.shape(x), axis));
  return {{x, c.Operand({.shape = dims, .within = kPlaces})}, Pack(GatherAttrs{axis})};
}

Attempt DrawGatherTree(CallContext& c) {
  const DraftId steps = c.Operand({.min_rank = 3, .max_rank = 3});
  const Shape shape = c.shape(steps);
  return {{steps, c.Operand({.shape = shape, .within = kPlaces}),
           c.Operand({.shape = ShapeOf({shape[1]}), .within = {-1, 9}}), c.Operand({.max_rank = 0})}};
}

ScatterKind AnyKind(CallContext& c) { return static_cast<ScatterKind>(c.e.Between(0, 5)); }

Attempt DrawScatter(CallContext& c) {
  const DraftId x = c.Operand({.min_rank = 1, .max_rank = 3, .within = kSmall});
  const ScatterAttrs attrs = {.axis = c.Axis(c.shape(x).rank()), .kind = AnyKind(c)};
  const DraftId indices = c.Operand({.max_rank = 1, .within = kPlaces});
  std::vector<int64_t> dims = DimList(c.shape(x));
  const int64_t axis = attrs.axis < 0 ? attrs.axis + std::ssize(dims) : attrs.axis;
  dims.erase(dims.begin() + axis);
  dims.insert(dims.begin() + axis, c.shape(indices).dims().begin(), c.shape(indices).dims().end());
  return {{x, indices, c.Operand({.shape = ShapeOf(dims), .within = kSmall})}, Pack(attrs)};
}

Attempt DrawScatterNd(CallContext& c) {
  const DraftId x = c.Operand({.min_rank = 1, .max_rank = 3, .within = kSmall});
  const int64_t depth = c.e.Between(1, c.shape(x).rank());
  std::vector<int64_t> rows = {c.e.Between(1, 4)}, dims = rows;
  dims.insert(dims.end(), c.shape(x).dims().begin() + depth, c.shape(x).dims().end());
  rows.push_back(depth);
  return {{x, c.Operand({.shape = ShapeOf(rows), .within = kPlaces}),
           c.Operand({.shape = ShapeOf(dims), .within = kSmall})},
          Pack(ScatterNdAttrs{AnyKind(c)})};
}

Attempt DrawScatterElements(CallContext& c) {
  const DraftId x = c.Operand({.min_rank = 1, .max_rank = 3, .within = kSmall});
  const ScatterAttrs attrs = {.axis = c.Axis(c.shape(x).rank()), .kind = AnyKind(c)};
  const Shape dims = ShapeOf(ElementDims(c, c.shape(x), attrs.axis));
  return {{x, c.Operand({.shape = dims, .within = kPlaces}), c.Operand({.shape = dims, .within = kSmall})},
          Pack(attrs)};
}

Attempt DrawCompact(CallContext& c) {
  const DraftId x = c.Operand({.min_rank = 1, .max_rank = 3});
  const CompactAttrs attrs = {.axis = c.Axis(c.shape(x).rank()), .bound = c.e.Between(1, 6), .value = -1};
  const DraftId mask = c.Operand({.shape = ShapeOf({DimAt(c.shape(x), attrs.axis)}), .within = {-1, 1}});
  return {{x, mask}, Pack(attrs)};
}

Attempt DrawCvmLut(CallContext& c) {
  const DraftId index = c.Operand({.within = {-300, 300}});
  const DraftId table = c.Operand({.min_rank = 1, .max_rank = 2});
  return {{index, table}, Pack(CvmLutAttrs{.in_dim = c.shape(table).num_elements()})};
}

RecipeScale RandomScale(EntropySource& e) { return {e.Between(1, 1000), e.Between(0, 20)}; }

// A small table of any function.
Recipe RandomRecipe(EntropySource& e, int64_t first) {
  const auto functions = AllRecipeFunctions();
  const auto function = static_cast<RecipeFunction>(e.Between(0, std::ssize(functions) - 1));
  Recipe recipe = {.function = function, .in = RandomScale(e), .out = RandomScale(e)};
  const int parameters = InfoOf(function).parameters;
  if (parameters >= 1) recipe.alpha.numerator = e.Between(-2, 3);
  if (parameters >= 2) recipe.beta.numerator = e.Between(-2, 3);
  recipe.zero_in = e.Between(-9, 9);
  recipe.zero_out = e.Between(-128, 127);
  recipe.first = first;
  recipe.count = e.Between(1, 24);
  recipe.lo = e.Between(-40000, 0);
  recipe.hi = e.Between(0, 40000);
  return recipe;
}

Attempt DrawTable(CallContext& c) {
  const DraftId x = c.Operand({.within = {-(1 << 17), 1 << 17}});
  const int64_t offset = c.e.OneIn(2) ? c.type(x).interval.lo : c.e.Between(-200, 200);
  std::optional<DraftId> table;
  if (c.e.OneIn(2)) table = c.draft.AddConstant(RandomRecipe(c.e, offset));
  if (!table) table = c.Operand({.min_rank = 1, .max_rank = 1, .source = Source::kConstant});
  return {{x, *table}, Pack(TableAttrs{.offset = offset})};
}

Attempt DrawNormalizedTable(CallContext& c) {
  const DraftId x = c.Operand({.within = {1, int64_t{1} << 46}});
  const Interval clamp = RandomInterval(c.e, TensorLimit(Profile::kCore));
  NormalizedTableAttrs attrs = {.combine = c.e.OneIn(2) ? Combine::kSum : Combine::kProduct,
                                .shift = c.e.Between(0, kMaxRescaleShift),
                                .zero_out = c.e.OneIn(2) ? c.e.Between(-128, 127) : 0,
                                .lo = clamp.lo,
                                .hi = clamp.hi};
  // A slope and a bend: 1025 free entries would use up the entropy.
  const int64_t head = c.e.Between(-(1 << 30), 1 << 30), slope = c.e.Between(-(1 << 19), 1 << 19);
  const int64_t bend = c.e.Between(0, 1024);
  std::vector<int64_t> mantissas(1025), exponents(47);
  for (int64_t i = 0; i < 1025; ++i) mantissas[i] = head + slope * std::min(i, bend);
  const int64_t step = c.e.Between(-(1 << 24), 1 << 24);
  for (int64_t k = 0; k < 47; ++k) exponents[k] = step * k;
  return {{x, c.Constant(ShapeOf({1025}), mantissas), c.Constant(ShapeOf({47}), exponents)}, Pack(attrs)};
}

}  // namespace

CallGenerator FindLookupCallGenerator(Opcode op) {
  switch (op) {
    case Opcode::kTake: return DrawTake;
    case Opcode::kGather: return DrawGather;
    case Opcode::kGatherNd: return DrawGatherNd;
    case Opcode::kGatherElements: return DrawGatherElements;
    case Opcode::kGatherTree: return DrawGatherTree;
    case Opcode::kScatter: return DrawScatter;
    case Opcode::kScatterNd: return DrawScatterNd;
    case Opcode::kScatterElements: return DrawScatterElements;
    case Opcode::kCompact: return DrawCompact;
    case Opcode::kCvmLut: return DrawCvmLut;
    case Opcode::kTable: return DrawTable;
    case Opcode::kNormalizedTable: return DrawNormalizedTable;
    default: return nullptr;
  }
}

}  // namespace tally
