// Gas and precision rules and read sets that the linear rows name beside the shared ones.
#pragma once

#include "ops/gas.h"
#include "ops/precision.h"
#include "ops/read_set.h"

namespace tally {

// A product of matrices as engines compute it: for each group `rows` rows by its share of the columns, and
// sums of `terms` products.
struct GemmWork {
  int64_t rows;
  int64_t lines = 0;  // for pixels, each of which gathers what its sums read
  int64_t columns;    // for all groups
  int64_t groups;
  int64_t terms;
  bool depthwise = false;  // one channel of x in a group
};

// For each group 512 units, and for each of its sums twenty for each term and 320 more, of at least 16
// columns. 64 for each term of each line and group, the bytes of x, and 16 for each byte of the weights,
// which engines pack. A depthwise convolution has one column in each group and pays for two, and not for the
// group.
WideGas GasOfGemm(const GasContext& c, const GemmWork& work);

// conv2d, dense and convolution; matmul, whose groups are its matrices; conv_transpose, where every result
// counts as if all weights met it.
WideGas GasWeightedSums(const GasContext& c);
WideGas GasMatmul(const GasContext& c);
WideGas GasConvTranspose(const GasContext& c);

// For each result the four pixels of each tap, its weight and its mask; and each group.
WideGas GasDeformableConv2d(const GasContext& c);

// conv2d and dense: px + pw + bitlen(terms); with a bias, max(that, pb) + 1.
std::vector<int> PrecisionOfWeightedSums(const PrecisionContext& c);

Region WindowOfConv2d(const ReadContext& c, int operand);
Region WeightsOfConv2d(const ReadContext& c, int operand);
Region WindowOfConvolution(const ReadContext& c, int operand);
Region WeightsOfConvolution(const ReadContext& c, int operand);
Region WeightsOfChannel(const ReadContext& c, int operand);
Region RowOfDense(const ReadContext& c, int operand);
Region RowOfMatmul(const ReadContext& c, int operand);
Region PixelsOfTranspose(const ReadContext& c, int operand);
Region WeightsOfTranspose(const ReadContext& c, int operand);
Region PlanesOfDeformable(const ReadContext& c, int operand);
Region OffsetsOfPlace(const ReadContext& c, int operand);

inline constexpr OperandReads kReadsBias = {Reach::kOne, "the bias of its channel"};
inline constexpr OperandReads kReadsConv2d[] = {
    {Reach::kMany, "the window over the channels of its group", WindowOfConv2d, kExactly},
    {Reach::kMany, "the weights of its channel for these taps", WeightsOfConv2d, kExactly},
    kReadsBias,
};
inline constexpr OperandReads kReadsConvolution[] = {
    {Reach::kMany, "the window over the channels of its group", WindowOfConvolution, kExactly},
    {Reach::kMany, "the weights of its channel for these taps", WeightsOfConvolution, kExactly},
    kReadsBias,
};
inline constexpr OperandReads kReadsDense[] = {
    {Reach::kMany, "its row", RowOfDense, kExactly},
    {Reach::kMany, "the row of its unit", WeightsOfChannel, kExactly},
    kReadsBias,
};
inline constexpr OperandReads kReadsMatmul[] = {
    {Reach::kMany, "its row", RowOfMatmul, kExactly},
    {Reach::kMany, "its column", RowOfMatmul, kExactly},
};
inline constexpr OperandReads kReadsConvTranspose[] = {
    {Reach::kMany, "the pixels whose windows reach it, over the channels of its group", PixelsOfTranspose,
     kExactly},
    {Reach::kMany, "the weights of its channel that reach it", WeightsOfTranspose, kExactly},
    kReadsBias,
};
inline constexpr OperandReads kReadsDeformable[] = {
    {Reach::kMany, "four pixels of each tap over the channels of its group", PlanesOfDeformable},
    {Reach::kMany, "the weights of its channel", WeightsOfChannel, kExactly},
    {Reach::kMany, "the offsets of its window", OffsetsOfPlace},
    {Reach::kMany, "the mask of its window", OffsetsOfPlace},
};

}  // namespace tally
