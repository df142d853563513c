#include "frontends/cvm/storage.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "frontends/cvm/testing/model_writer.h"

namespace tally::cvm {
namespace {

// data, w, relu(data), relu + w, transpose of that; in the buffers `ids`.
std::string LabelWith(const std::vector<int64_t>& ids,
                      const std::vector<std::string>& heads = {"transpose"}) {
  ModelWriter model;
  model.Data({2, 2}).Weight("w", {2, 2}, {1, 2, 3, 4});
  model.Op("relu", {"data"}, {{2, 2}}).Op("elemwise_add", {"relu", "w"}, {{2, 2}});
  model.Op("transpose", {"elemwise_add"}, {{2, 2}}).Heads(heads);
  model.attrs("storage_id") = ids;
  return ErrorLabel(ParseGraph(model.Text()).status());
}

TEST(CheckStorage, AcceptsBuffersOfTheirOwn) { EXPECT_EQ(LabelWith({0, 1, 2, 3, 4}), ""); }

TEST(CheckStorage, AcceptsBuffersThatAreFreeAgain) {
  EXPECT_EQ(LabelWith({0, 1, 2, 3, 2}), "");
  EXPECT_EQ(LabelWith({0, 1, 2, 3, 0}), "");  // `data` is written before each inference
}

TEST(CheckStorage, AcceptsWorkInPlace) {
  EXPECT_EQ(LabelWith({0, 1, 0, 0, 4}), "");
  EXPECT_EQ(LabelWith({7, 1, 7, 7, 4}), "");
}

TEST(CheckStorage, RefusesWorkInPlaceOfOperatorsThatMoveElements) {
  EXPECT_EQ(LabelWith({0, 1, 2, 3, 3}), "cvm_storage");
}

// The first inference is right; the second would meet the sum of the first in the place of w.
TEST(CheckStorage, RefusesStateBetweenInferences) {
  EXPECT_EQ(LabelWith({0, 1, 2, 1, 4}), "cvm_storage");
  EXPECT_EQ(LabelWith({0, 1, 2, 3, 1}), "cvm_storage");
}

TEST(CheckStorage, RefusesLiveValuesInOneBuffer) {
  EXPECT_EQ(LabelWith({0, 1, 1, 3, 4}), "cvm_storage");
  EXPECT_EQ(LabelWith({0, 1, 2, 2, 4}, {"relu", "transpose"}), "cvm_storage");  // a head is read at the end
  EXPECT_EQ(LabelWith({0, 1, 0, 3, 4}, {"transpose", "data"}), "cvm_storage");
}

TEST(CheckStorage, RefusesVariablesInOneBuffer) { EXPECT_EQ(LabelWith({1, 1, 2, 3, 4}), "cvm_storage"); }

TEST(CheckStorage, RefusesTwoResultsInOneBuffer) {
  ModelWriter model;
  model.Data({2, 5, 6}).Op("get_valid_counts", {"data"}, {{2}, {2, 5, 6}}).Heads({"get_valid_counts:1"});
  EXPECT_EQ(ErrorLabel(ParseGraph(model.Text()).status()), "");
  model.attrs("storage_id") = {0, 1, 1};
  EXPECT_EQ(ErrorLabel(ParseGraph(model.Text()).status()), "cvm_storage");
}

TEST(CheckStorage, RefusesNegativeNumbers) { EXPECT_EQ(LabelWith({0, 1, 2, 3, -1}), "cvm_storage"); }

}  // namespace
}  // namespace tally::cvm
