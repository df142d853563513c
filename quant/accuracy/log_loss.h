// How surprising what is right is to rows of logits.
//
//   LogLoss loss;
//   for (...) loss.Add(row, right);
//   loss.perplexity();
#pragma once

#include <cstdint>
#include <span>

namespace tally::quant {

class LogLoss {
 public:
  // `right`: a place of the row.
  void Add(std::span<const double> row, int64_t right);

  // exp of the mean of -log softmax(row)[right]: 1 where what is right is certain, the length of a row where
  // all of it is equally likely. 1 of none.
  double perplexity() const;

 private:
  double sum_ = 0;
  int64_t count_ = 0;
};

}  // namespace tally::quant
