// One product of 8-bit matrices, or one convolution, with random operands: as our kernels take it, as a
// matrix product for a peer, and what the host computes of it.
//
// Row r of a convolution is an output pixel, n OH OW + oh OW + ow; its depth are the taps, (ky K + kx) C + c.
// Results of ours are with channels last, so that both have one form: [rows, columns].
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/rescale.h"
#include "bench/models/linear_shape.h"
#include "ops/cuda/launch.h"

namespace tally::bench {

// The stored form of a sum.
enum class ResultForm {
  kAccumulators,  // 32 bits
  kCodes,         // 8 bits, by a rescale of each column
};

class LinearProblem {
 public:
  // The problem of a ConvShape with one group, and of a MatmulShape with one matrix and constant b.
  explicit LinearProblem(const std::variant<MatmulShape, ConvShape>& shape);

  int64_t rows() const { return rows_; }
  int64_t depth() const { return depth_; }
  int64_t columns() const { return columns_; }
  int64_t multiply_accumulates() const { return rows_ * depth_ * columns_; }
  int64_t result_bytes(ResultForm form) const {
    return rows_ * columns_ * (form == ResultForm::kAccumulators ? int64_t{sizeof(int32_t)} : 1);
  }
  // That a run has to read and to write.
  int64_t bytes(ResultForm form) const {
    return static_cast<int64_t>(x_.size() + weights_.size()) + result_bytes(form);
  }

  // Our launches: operand 0 is x(), result 0 the result. Nothing where no kernel takes the shape.
  std::optional<cuda::Work> WorkFor(cuda::Arch arch, ResultForm form) const;
  std::span<const uint8_t> x() const { return Bytes(x_); }

  // The operands of a matrix product in rows of peer_depth() bytes, of which those after depth() are 0:
  // [rows, peer_depth] and [columns, peer_depth].
  int64_t peer_depth() const;
  std::vector<int8_t> PeerRows() const;
  std::vector<int8_t> PeerColumns() const;
  std::vector<float> PeerScales() const;  // for each column

  // By the host: the sum in 64 bits, and what is stored of it.
  int64_t Expected(int64_t row, int64_t column, ResultForm form) const;

 private:
  static std::span<const uint8_t> Bytes(const std::vector<int8_t>& values) {
    return {reinterpret_cast<const uint8_t*>(values.data()), values.size()};
  }
  // The depth of a row is there in pieces: calls piece(first of the depth, its values, how many) for those
  // that are not padding.
  template <typename Piece>
  void ForPieces(int64_t row, Piece piece) const;

  std::optional<ConvShape> convolution_;
  int64_t rows_, depth_, columns_;
  std::vector<int8_t> x_;        // [rows, depth], or [N, H, W, C]
  std::vector<int8_t> weights_;  // [columns, depth]
  std::vector<double> gains_;    // for each column
  std::vector<RescaleParams> scales_;
};

// As a stored element, by its place in a result of the form.
int64_t StoredAt(std::span<const uint8_t> result, int64_t index, ResultForm form);

}  // namespace tally::bench
