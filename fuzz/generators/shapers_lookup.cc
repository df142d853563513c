// Of the families that read at computed places: gather and table.
#include "fuzz/generators/shapers.h"
#include "ops/gather/attrs.h"
#include "ops/table/attrs.h"

namespace tally {
namespace {

Attempt ShapeTake(ShapeContext& c) {
  TakeAttrs attrs;
  const DraftId x = c.Operand({.min_rank = 1, .max_rank = 3});
  if (!c.e.OneIn(3)) attrs.axis = {c.Axis(c.shape(x).rank())};
  return {{x, c.Operand({.max_rank = 2, .within = {-4, 12}})}, Pack(attrs)};
}

std::vector<int64_t> DimsOf(const Shape& shape) { return {shape.dims().begin(), shape.dims().end()}; }

// Of indices, now and then outside.
constexpr Interval kPlaces = {-4, 5};
constexpr Interval kSmall = {-100, 100};  // factors and terms of scattered results

Attempt ShapeGather(ShapeContext& c) {
  const DraftId x = c.Operand({.min_rank = 1, .max_rank = 3});
  const DraftId indices = c.Operand({.max_rank = 2, .within = kPlaces});
  return {{x, indices}, Pack(GatherAttrs{.axis = c.Axis(c.shape(x).rank())})};
}

Attempt ShapeGatherNd(ShapeContext& c) {
  const DraftId x = c.Operand({.min_rank = 1, .max_rank = 4});
  const int rank = c.shape(x).rank();
  const int64_t batch = c.e.Between(0, rank - 1);
  std::vector<int64_t> dims = DimsOf(c.shape(x));
  dims.resize(batch);
  if (c.e.OneIn(2)) dims.push_back(c.e.Between(1, 3));
  dims.push_back(c.e.Between(1, rank - batch));
  return {{x, c.Operand({.shape = ShapeOf(dims), .within = kPlaces})}, Pack(GatherNdAttrs{batch})};
}

// Dims of indices that fit between those of x, which each index goes along or across.
std::vector<int64_t> ElementDims(ShapeContext& c, const Shape& x, int64_t axis) {
  std::vector<int64_t> dims = DimsOf(x);
  for (int64_t& dim : dims) dim = c.e.Between(1, dim);
  dims[axis < 0 ? axis + x.rank() : axis] = c.e.Between(1, 4);
  return dims;
}

Attempt ShapeGatherElements(ShapeContext& c) {
  const DraftId x = c.Operand({.min_rank = 1, .max_rank = 3});
  const int64_t axis = c.Axis(c.shape(x).rank());
  const Shape dims = ShapeOf(ElementDims(c, c.shape(x), axis));
  return {{x, c.Operand({.shape = dims, .within = kPlaces})}, Pack(GatherAttrs{axis})};
}

Attempt ShapeGatherTree(ShapeContext& c) {
  const DraftId steps = c.Operand({.min_rank = 3, .max_rank = 3});
  const Shape shape = c.shape(steps);
  return {{steps, c.Operand({.shape = shape, .within = kPlaces}),
           c.Operand({.shape = ShapeOf({shape[1]}), .within = {-1, 9}}), c.Operand({.max_rank = 0})}};
}

ScatterKind AnyKind(ShapeContext& c) { return static_cast<ScatterKind>(c.e.Between(0, 5)); }

Attempt ShapeScatter(ShapeContext& c) {
  const DraftId x = c.Operand({.min_rank = 1, .max_rank = 3, .within = kSmall});
  const ScatterAttrs attrs = {.axis = c.Axis(c.shape(x).rank()), .kind = AnyKind(c)};
  const DraftId indices = c.Operand({.max_rank = 1, .within = kPlaces});
  std::vector<int64_t> dims = DimsOf(c.shape(x));
  const int64_t axis = attrs.axis < 0 ? attrs.axis + std::ssize(dims) : attrs.axis;
  dims.erase(dims.begin() + axis);
  dims.insert(dims.begin() + axis, c.shape(indices).dims().begin(), c.shape(indices).dims().end());
  return {{x, indices, c.Operand({.shape = ShapeOf(dims), .within = kSmall})}, Pack(attrs)};
}

Attempt ShapeScatterNd(ShapeContext& c) {
  const DraftId x = c.Operand({.min_rank = 1, .max_rank = 3, .within = kSmall});
  const int64_t depth = c.e.Between(1, c.shape(x).rank());
  std::vector<int64_t> rows = {c.e.Between(1, 4)}, dims = rows;
  dims.insert(dims.end(), c.shape(x).dims().begin() + depth, c.shape(x).dims().end());
  rows.push_back(depth);
  return {{x, c.Operand({.shape = ShapeOf(rows), .within = kPlaces}),
           c.Operand({.shape = ShapeOf(dims), .within = kSmall})},
          Pack(ScatterNdAttrs{AnyKind(c)})};
}

Attempt ShapeScatterElements(ShapeContext& c) {
  const DraftId x = c.Operand({.min_rank = 1, .max_rank = 3, .within = kSmall});
  const ScatterAttrs attrs = {.axis = c.Axis(c.shape(x).rank()), .kind = AnyKind(c)};
  const Shape dims = ShapeOf(ElementDims(c, c.shape(x), attrs.axis));
  return {{x, c.Operand({.shape = dims, .within = kPlaces}), c.Operand({.shape = dims, .within = kSmall})},
          Pack(attrs)};
}

Attempt ShapeCompact(ShapeContext& c) {
  const DraftId x = c.Operand({.min_rank = 1, .max_rank = 3});
  const CompactAttrs attrs = {.axis = c.Axis(c.shape(x).rank()), .bound = c.e.Between(1, 6), .value = -1};
  const DraftId mask = c.Operand({.shape = ShapeOf({DimAt(c.shape(x), attrs.axis)}), .within = {-1, 1}});
  return {{x, mask}, Pack(attrs)};
}

Attempt ShapeCvmLut(ShapeContext& c) {
  const DraftId index = c.Operand({.within = {-300, 300}});
  const DraftId table = c.Operand({.min_rank = 1, .max_rank = 2});
  return {{index, table}, Pack(CvmLutAttrs{.in_dim = c.shape(table).num_elements()})};
}

Attempt ShapeTable(ShapeContext& c) {
  const DraftId x = c.Operand({.within = {-(1 << 17), 1 << 17}});
  const DraftId table = c.Operand({.min_rank = 1, .max_rank = 1, .source = Source::kConstant});
  const int64_t offset = c.e.OneIn(2) ? c.type(x).interval.lo : c.e.Between(-200, 200);
  return {{x, table}, Pack(TableAttrs{.offset = offset})};
}

}  // namespace

Shaper FindLookupShaper(Opcode op) {
  switch (op) {
    case Opcode::kTake: return ShapeTake;
    case Opcode::kGather: return ShapeGather;
    case Opcode::kGatherNd: return ShapeGatherNd;
    case Opcode::kGatherElements: return ShapeGatherElements;
    case Opcode::kGatherTree: return ShapeGatherTree;
    case Opcode::kScatter: return ShapeScatter;
    case Opcode::kScatterNd: return ShapeScatterNd;
    case Opcode::kScatterElements: return ShapeScatterElements;
    case Opcode::kCompact: return ShapeCompact;
    case Opcode::kCvmLut: return ShapeCvmLut;
    case Opcode::kTable: return ShapeTable;
    default: return nullptr;
  }
}

}  // namespace tally
