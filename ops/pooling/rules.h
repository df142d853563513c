// Gas and precision rules and read sets that the pooling rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"
#include "ops/read_set.h"

namespace tally {

// The gas of windows of `taps` elements: the lines of x that runs of y gather, and all of x, which engines
// may transpose.
WideGas GasOfWindows(const GasContext& c, Int128 taps);
// Beside that the elements of every window, those of padding included.
WideGas GasMaxPool2d(const GasContext& c);
WideGas GasMaxPool(const GasContext& c);
WideGas GasWindowSum(const GasContext& c);
// The same and, for every window, product, division, addition and clamp.
WideGas GasAveragePool(const GasContext& c);

// The pixels of every bin: bins share at most their border pixels, so an axis of n pixels and p bins has
// below n + p.
WideGas GasRoiMaxPool(const GasContext& c);
// For each result the pixels of its samples, and its rounding.
WideGas GasRoiAlign(const GasContext& c);
// One of the two above, by mode.
WideGas GasPsroiPool(const GasContext& c);
WideGas GasDeformablePsroiPool(const GasContext& c);

Region WindowOfMaxPool2d(const ReadContext& c, int operand);
template <typename Attrs>
Region WindowOfPool(const ReadContext& c, int operand);
Region RowOfRegion(const ReadContext& c, int operand);
Region PlanesOfRegion(const ReadContext& c, int operand);
Region PlanesOfPsroi(const ReadContext& c, int operand);
Region PlanesOfMovedRegion(const ReadContext& c, int operand);

inline constexpr OperandReads kReadsMaxPool2d[] = {{Reach::kMany, "the window", WindowOfMaxPool2d, kExactly}};
template <typename Attrs>
inline constexpr OperandReads kReadsWindow[] = {{Reach::kMany, "the window", WindowOfPool<Attrs>, kExactly}};

// The part of a region of interest, whose image is named by an operand.
inline constexpr OperandReads kReadsOneRegion = {Reach::kNamed, "its region", RowOfRegion};
inline constexpr OperandReads kReadsImage = {Reach::kOne, "the image of its region", RowOfRegion, kExactly};
inline constexpr OperandReads kReadsRegion[] = {
    {Reach::kMany, "the pixels of its bin", PlanesOfRegion}, kReadsOneRegion, kReadsImage};
inline constexpr OperandReads kReadsPsroi[] = {
    {Reach::kMany, "the pixels of its bin", PlanesOfPsroi}, kReadsOneRegion, kReadsImage};
inline constexpr OperandReads kReadsMovedRegion[] = {
    {Reach::kMany, "the pixels of its bin", PlanesOfMovedRegion},
    kReadsOneRegion,
    kReadsImage,
    {Reach::kNamed, "the offsets of its part", RowOfRegion},
};

}  // namespace tally
