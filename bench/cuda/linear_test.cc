// Problems and their checks, and the peer: a library of the test's own in the place of cublasLt.
#include <gtest/gtest.h>

#include <cmath>

#include "bench/cuda/cublaslt_contender.h"
#include "bench/cuda/gemm_contender.h"
#include "bench/cuda/result_check.h"
#include "engines/testing/emulated_device.h"

namespace tally::bench {
namespace {

constexpr MatmulShape kProduct = {.m = 5, .k = 40, .n = 12};
constexpr ConvShape kConvolution = {.batch = 2,
                                    .in_channels = 3,
                                    .out_channels = 8,
                                    .height = 7,
                                    .width = 6,
                                    .kernel = 3,
                                    .stride = 2,
                                    .pad = 1};

// The description of matrices and of a product that the library takes.
struct FakeMatrix {
  int type;
  uint64_t rows, columns;
  int64_t pitch;
};
struct FakeProduct {
  int compute, scale, transposed, mode;
};
bool knows_vectors = true;  // vectors of scales
int added = 0;              // to each result: a wrong library

template <typename T>
CublasStatus Delete(CublasLtObject object) {
  delete static_cast<T*>(object);
  return kCublasSuccess;
}

template <typename T>
T Stored(double value) {
  constexpr double kLo = std::numeric_limits<T>::min(), kHi = std::numeric_limits<T>::max();
  return static_cast<T>(std::clamp(std::nearbyint(value) + added, kLo, kHi));
}

CublasStatus Multiply(CublasLtHandle, CublasLtObject product, const void* alpha, const void* a,
                      CublasLtObject a_matrix, const void* b, CublasLtObject b_matrix, const void*,
                      const void*, CublasLtObject, void* d, CublasLtObject d_matrix,
                      const CublasLtAlgorithm* algorithm, void*, size_t, void*) {
  if (algorithm->data[0] == 1) return 15;  // proposed, and not there
  const auto& p = *static_cast<FakeProduct*>(product);
  const auto &am = *static_cast<FakeMatrix*>(a_matrix), &bm = *static_cast<FakeMatrix*>(b_matrix),
             &dm = *static_cast<FakeMatrix*>(d_matrix);
  EXPECT_TRUE(p.compute == kCompute32I && p.transposed == 1 && am.rows == bm.rows && am.rows % 16 == 0);
  EXPECT_TRUE(dm.rows == am.columns && dm.columns == bm.columns);
  for (uint64_t i = 0; i < dm.rows; ++i) {
    for (uint64_t j = 0; j < dm.columns; ++j) {
      int64_t sum = 0;
      for (uint64_t k = 0; k < am.rows; ++k) {
        sum += int64_t{static_cast<const int8_t*>(a)[i * am.pitch + k]} *
               static_cast<const int8_t*>(b)[j * bm.pitch + k];
      }
      if (dm.type == kCudaR32I) {
        static_cast<int32_t*>(d)[j * dm.pitch + i] = Stored<int32_t>(static_cast<double>(sum));
      } else {
        const auto* const scales = static_cast<const float*>(alpha);
        const float scale = p.mode == kAlphaDeviceVectorBetaHost ? scales[i] : scales[0];
        static_cast<int8_t*>(d)[j * dm.pitch + i] = Stored<int8_t>(static_cast<double>(sum) * double{scale});
      }
    }
  }
  return kCublasSuccess;
}

CublasLtApi FakeLibrary() {
  CublasLtApi api;
  api.library = "fake";
  api.GetVersion = [] { return size_t{130100}; };
  api.Create = [](CublasLtHandle* handle) {
    *handle = &added;
    return kCublasSuccess;
  };
  api.Destroy = [](CublasLtHandle) { return kCublasSuccess; };
  api.CreateProduct = [](CublasLtObject* product, int compute, int scale) {
    *product = new FakeProduct{compute, scale, 0, 0};
    return kCublasSuccess;
  };
  api.SetProduct = [](CublasLtObject product, int attribute, const void* value, size_t size) {
    auto& p = *static_cast<FakeProduct*>(product);
    (attribute == kProductTransposeA ? p.transposed : p.mode) = *static_cast<const int32_t*>(value);
    return size == sizeof(int32_t) ? kCublasSuccess : 7;
  };
  api.DestroyProduct = Delete<FakeProduct>;
  api.CreateMatrix = [](CublasLtObject* matrix, int type, uint64_t rows, uint64_t columns, int64_t pitch) {
    *matrix = new FakeMatrix{type, rows, columns, pitch};
    return kCublasSuccess;
  };
  api.DestroyMatrix = Delete<FakeMatrix>;
  api.CreatePreferences = [](CublasLtObject* preferences) {
    *preferences = new int64_t;
    return kCublasSuccess;
  };
  api.SetPreferences = [](CublasLtObject, int, const void* value, size_t) {
    return *static_cast<const uint64_t*>(value) == CublasLtContender::kWorkspaceBytes ? kCublasSuccess : 7;
  };
  api.DestroyPreferences = Delete<int64_t>;
  api.FindAlgorithms = [](CublasLtHandle, CublasLtObject product, CublasLtObject, CublasLtObject,
                          CublasLtObject, CublasLtObject, CublasLtObject, int requested,
                          CublasLtHeuristic* found, int* count) {
    *count = 3;
    EXPECT_GE(requested, *count);
    for (int i = 0; i < *count; ++i) found[i] = {{{static_cast<uint64_t>(i)}}, 0, kCublasSuccess, 1, {}};
    const bool vector = static_cast<FakeProduct*>(product)->mode == kAlphaDeviceVectorBetaHost;
    return vector && !knows_vectors ? 15 : kCublasSuccess;
  };
  api.Multiply = Multiply;
  return api;
}

class Peer : public ::testing::TestWithParam<std::variant<MatmulShape, ConvShape>> {
 protected:
  void SetUp() override {
    knows_vectors = true;
    added = 0;
    library_ = *CublasLt::Open(FakeLibrary(), device_);
  }
  std::unique_ptr<CublasLtContender> Make(const LinearProblem& problem, ResultForm form) {
    auto contender =
        CublasLtContender::Create(*library_, device_, problem, form, 8, {.count = 2, .copies = 2});
    EXPECT_TRUE(contender.ok()) << contender.status();
    return *std::move(contender);
  }

  cuda::EmulatedDevice device_;
  std::unique_ptr<CublasLt> library_;
};

TEST_P(Peer, MultipliesWhatWeMultiply) {
  const LinearProblem problem(GetParam());
  for (const ResultForm form : {ResultForm::kAccumulators, ResultForm::kCodes}) {
    const auto ours =
        GemmContender::Create(device_, problem, form, cuda::Arch::kSm80, {.count = 1, .copies = 1});
    ASSERT_TRUE(ours.ok()) << ours.status();
    ASSERT_TRUE((*ours)->Run(1, Clock::kWall).ok());
    const auto theirs = Make(problem, form);
    EXPECT_EQ(theirs->algorithms(), 2);  // out of three, one of which refuses
    EXPECT_EQ(theirs->scales_columns(), form == ResultForm::kCodes);
    EXPECT_EQ(WrongSample(problem, form, *(*ours)->Result()), "");
    EXPECT_EQ(Difference(problem, form, *(*ours)->Result(), *theirs->Result(), form == ResultForm::kCodes),
              "");
  }
}
INSTANTIATE_TEST_SUITE_P(Shapes, Peer, ::testing::Values(kProduct, kConvolution));

TEST_F(Peer, WithOneScaleWhereItKnowsNoMore) {
  knows_vectors = false;
  const auto theirs = Make(LinearProblem(kProduct), ResultForm::kCodes);
  EXPECT_FALSE(theirs->scales_columns());
}

TEST_F(Peer, IsFoundOutWhereItIsWrong) {
  const LinearProblem problem(kProduct);
  added = 1;
  const auto theirs = Make(problem, ResultForm::kAccumulators);
  const std::vector<uint8_t> result = *theirs->Result();
  EXPECT_NE(WrongSample(problem, ResultForm::kAccumulators, result), "");
  added = 0;
  const std::vector<uint8_t> right = *Make(problem, ResultForm::kAccumulators)->Result();
  const std::string difference = Difference(problem, ResultForm::kAccumulators, right, result, 0);
  EXPECT_TRUE(difference.starts_with("[0, 0] is ")) << difference;
}

TEST(CublasLtApi, SaysWhyItIsNotThere) {
  EXPECT_EQ(LoadCublasLt("/no/such/library").status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(LoadCublasLt("libc.so.6").status().message(), "cublasLt lacks cublasLtGetVersion");
}

}  // namespace
}  // namespace tally::bench
