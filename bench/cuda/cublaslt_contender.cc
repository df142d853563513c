#include "bench/cuda/cublaslt_contender.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "bench/cuda/driver_calls.h"

namespace tally::bench {
namespace {

absl::Status Check(CublasStatus status, const char* what) {
  if (status == kCublasSuccess) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cublasLt: ", what, " says ", status));
}

template <typename T>
std::span<const uint8_t> BytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size() * sizeof(T)};
}

}  // namespace

absl::StatusOr<std::unique_ptr<CublasLt>> CublasLt::Open(const CublasLtApi& api, cuda::Device& device) {
  std::unique_ptr<CublasLt> library(new CublasLt(api));
  ASSIGN_OR_RETURN(const auto stream, device.NewStream());
  library->context_ = ContextOf(*stream);
  const CurrentContext current(library->context_);
  RETURN_IF_ERROR(Check(api.Create(&library->handle_), "cublasLtCreate"));
  return library;
}

CublasLt::~CublasLt() {
  const CurrentContext current(context_);
  if (handle_ != nullptr) api_.Destroy(handle_);
}

std::string CublasLt::version() const {
  const size_t v = api_.GetVersion();  // 130100 is 13.1.0
  return absl::StrCat(v / 10000, ".", v / 100 % 100, ".", v % 100, ", ", api_.library);
}

CublasLtContender::CublasLtContender(const CublasLt& library, const LinearProblem& problem, ResultForm form)
    : library_(library), form_(form), result_bytes_(problem.result_bytes(form)) {}

CublasLtContender::~CublasLtContender() {
  const CurrentContext current(context_);
  const CublasLtApi& api = library_.api();
  if (preferences_ != nullptr) api.DestroyPreferences(preferences_);
  for (CublasLtObject const matrix : matrices_) {
    if (matrix != nullptr) api.DestroyMatrix(matrix);
  }
  if (product_ != nullptr) api.DestroyProduct(product_);
}

absl::StatusOr<std::unique_ptr<CublasLtContender>> CublasLtContender::Create(const CublasLt& library,
                                                                             cuda::Device& device,
                                                                             const LinearProblem& problem,
                                                                             ResultForm form, int algorithms,
                                                                             const Repetitions& repetitions) {
  std::unique_ptr<CublasLtContender> contender(new CublasLtContender(library, problem, form));
  ASSIGN_OR_RETURN(contender->stream_, device.NewStream());
  contender->context_ = ContextOf(*contender->stream_);
  RETURN_IF_ERROR(contender->Upload(device, problem, repetitions.copies));
  const CurrentContext current(contender->context_);
  RETURN_IF_ERROR(contender->Describe(problem));
  ASSIGN_OR_RETURN(const auto found, contender->Find(algorithms));
  RETURN_IF_ERROR(contender->KeepFastest(found, repetitions.count));
  return contender;
}

absl::Status CublasLtContender::Upload(cuda::Device& device, const LinearProblem& problem, int copies) {
  const std::vector<int8_t> rows = problem.PeerRows(), columns = problem.PeerColumns();
  const std::vector<float> scales = problem.PeerScales();
  scale_ = scales[0];
  rows_ = memory_.Add(BytesOf(rows));
  columns_ = memory_.Add(BytesOf(columns));
  scales_ = memory_.Add(BytesOf(scales));
  result_ = memory_.Add(result_bytes_);
  ASSIGN_OR_RETURN(workspace_, device.Allocate(kWorkspaceBytes));
  return memory_.Upload(device, *stream_, copies);
}

// The library counts by columns: its result [columns, rows] by columns is ours by rows.
absl::Status CublasLtContender::Describe(const LinearProblem& problem) {
  const CublasLtApi& api = library_.api();
  const bool sums = form_ == ResultForm::kAccumulators;
  const int64_t depth = problem.peer_depth();
  const auto matrix = [&](CublasLtObject& to, int type, int64_t rows, int64_t columns) {
    return Check(
        api.CreateMatrix(&to, type, static_cast<uint64_t>(rows), static_cast<uint64_t>(columns), rows),
        "cublasLtMatrixLayoutCreate");
  };
  RETURN_IF_ERROR(matrix(matrices_[0], kCudaR8I, depth, problem.columns()));
  RETURN_IF_ERROR(matrix(matrices_[1], kCudaR8I, depth, problem.rows()));
  RETURN_IF_ERROR(matrix(matrices_[2], sums ? kCudaR32I : kCudaR8I, problem.columns(), problem.rows()));
  RETURN_IF_ERROR(Check(api.CreateProduct(&product_, kCompute32I, sums ? kCudaR32I : kCudaR32F),
                        "cublasLtMatmulDescCreate"));
  RETURN_IF_ERROR(Check(api.SetProduct(product_, kProductTransposeA, &kTransposed, sizeof kTransposed),
                        "cublasLtMatmulDescSetAttribute"));
  RETURN_IF_ERROR(Check(api.CreatePreferences(&preferences_), "cublasLtMatmulPreferenceCreate"));
  const uint64_t workspace_bytes = kWorkspaceBytes;
  return Check(
      api.SetPreferences(preferences_, kPreferredWorkspaceBytes, &workspace_bytes, sizeof workspace_bytes),
      "cublasLtMatmulPreferenceSetAttribute");
}

absl::StatusOr<std::vector<CublasLtHeuristic>> CublasLtContender::Find(int algorithms) {
  const CublasLtApi& api = library_.api();
  std::string why;
  for (const bool scales_columns : {true, false}) {
    if (scales_columns && form_ == ResultForm::kAccumulators) continue;
    const int32_t mode = scales_columns ? kAlphaDeviceVectorBetaHost : kScalarsOfHost;
    RETURN_IF_ERROR(Check(api.SetProduct(product_, kProductPointerMode, &mode, sizeof mode),
                          "cublasLtMatmulDescSetAttribute"));
    std::vector<CublasLtHeuristic> found(static_cast<size_t>(algorithms));
    int count = 0;
    const CublasStatus status =
        api.FindAlgorithms(library_.handle(), product_, matrices_[0], matrices_[1], matrices_[2],
                           matrices_[2], preferences_, algorithms, found.data(), &count);
    found.resize(status == kCublasSuccess ? static_cast<size_t>(count) : 0);
    std::erase_if(found, [](const CublasLtHeuristic& h) { return h.state != kCublasSuccess; });
    scales_columns_ = scales_columns;
    if (!found.empty()) return found;
    why = absl::StrCat("cublasLt has no algorithm: status ", status);
  }
  return absl::UnavailableError(why);
}

absl::Status CublasLtContender::KeepFastest(const std::vector<CublasLtHeuristic>& found, int repetitions) {
  constexpr int kTries = 3;
  absl::Status last;
  double fastest = std::numeric_limits<double>::infinity();
  for (const CublasLtHeuristic& heuristic : found) {
    // Once without a graph: an algorithm may be proposed and not be there.
    last = Multiply(heuristic, 0);
    if (!last.ok()) continue;
    RETURN_IF_ERROR(stream_->Wait());
    ASSIGN_OR_RETURN(auto graph, RepeatedGraph::Record(*stream_, repetitions, [&](int i) {
                       return Multiply(heuristic, i % memory_.copies());
                     }));
    ++algorithms_;
    double ms = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kTries; ++i) {
      ASSIGN_OR_RETURN(const double run, graph->Run());
      ms = std::min(ms, run);
    }
    if (ms >= fastest) continue;
    fastest = ms;
    graph_ = std::move(graph);
  }
  return graph_ != nullptr ? absl::OkStatus() : last;
}

absl::Status CublasLtContender::Multiply(const CublasLtHeuristic& heuristic, int copy) {
  static constexpr int32_t kOne = 1, kNothing = 0;
  static constexpr float kNothingOfFloats = 0;
  const bool sums = form_ == ResultForm::kAccumulators;
  const void* const alpha = sums              ? static_cast<const void*>(&kOne)
                            : scales_columns_ ? static_cast<const void*>(memory_.At(copy, scales_))
                                              : &scale_;
  const void* const beta = sums ? static_cast<const void*>(&kNothing) : &kNothingOfFloats;
  return Check(
      library_.api().Multiply(library_.handle(), product_, alpha, memory_.At(copy, columns_), matrices_[0],
                              memory_.At(copy, rows_), matrices_[1], beta, memory_.At(copy, result_),
                              matrices_[2], memory_.At(copy, result_), matrices_[2], &heuristic.algorithm,
                              workspace_->bytes(), kWorkspaceBytes, stream_->handle()),
      "cublasLtMatmul");
}

absl::StatusOr<std::vector<double>> CublasLtContender::Run(int iterations, Clock) {
  std::vector<double> times;
  for (int i = 0; i < iterations; ++i) {
    ASSIGN_OR_RETURN(times.emplace_back(), graph_->Run());
  }
  return times;
}

absl::StatusOr<std::vector<uint8_t>> CublasLtContender::Result() {
  std::vector<uint8_t> bytes(static_cast<size_t>(result_bytes_));
  RETURN_IF_ERROR(stream_->CopyOut(bytes, memory_.At(0, result_)));
  RETURN_IF_ERROR(stream_->Wait());
  return bytes;
}

}  // namespace tally::bench
