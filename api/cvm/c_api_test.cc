// The library as a host meets it: linked, and called with good and with bad arguments.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "api/cvm/tally_cvm.h"
#include "frontends/cvm/testing/model_writer.h"

namespace tally::cvm {
namespace {

using Number = unsigned long long;
using GetNumber = int (*)(void*, Number*);

constexpr int kOk = CVMAPI_SUCCEED, kLogic = CVMAPI_ERROR_LOGIC, kRuntime = CVMAPI_ERROR_RUNTIME;
constexpr Number kUntouched = 77;

int Load(const std::string& graph, const std::vector<uint8_t>& params, int device, void** net) {
  const auto* bytes = reinterpret_cast<const char*>(params.data());
  return CVMAPILoadModel(graph.data(), static_cast<int>(graph.size()), bytes, static_cast<int>(params.size()),
                         net, device, 0);
}

// A loaded model; freed at the end.
class Net {
 public:
  explicit Net(const ModelWriter& model, int device = CVMAPI_CPU) {
    status_ = Load(model.Text(), model.Params(), device, &net_);
  }
  ~Net() { EXPECT_EQ(CVMAPIFreeModel(net_), kOk); }
  Net(const Net&) = delete;
  Net& operator=(const Net&) = delete;

  int status() const { return status_; }
  void* get() const { return net_; }
  Number Get(GetNumber function) const {
    Number number = kUntouched;
    EXPECT_EQ(function(net_, &number), kOk);
    return number;
  }

  // Elements on the wire. The buffers are odd and have exactly the bytes that they should.
  template <typename In, typename Out>
  std::vector<Out> Infer(const std::vector<In>& input) const {
    EXPECT_EQ(Get(CVMAPIGetInputTypeSize), sizeof(In));
    EXPECT_EQ(Get(CVMAPIGetOutputTypeSize), sizeof(Out));
    const size_t in_size = input.size() * sizeof(In), out_size = Get(CVMAPIGetOutputLength);
    std::vector<char> in(in_size + 1), out(out_size + 1);
    std::memcpy(in.data() + 1, input.data(), in_size);
    EXPECT_EQ(CVMAPIInference(net_, in.data() + 1, static_cast<int>(in_size), out.data() + 1), kOk);
    std::vector<Out> output(out_size / sizeof(Out));
    std::memcpy(output.data(), out.data() + 1, out_size);
    return output;
  }

 private:
  void* net_ = nullptr;
  int status_;
};

// y = w x + b, 32 bits.
ModelWriter Dense() {
  ModelWriter model;
  model.Data({1, 3}).Weight("w", {2, 3}, {1, 2, 3, -4, 5, -6}, 8, 8).Weight("b", {2}, {1000, -1000}, 16);
  model.Op("dense", {"data", "w", "b"}, {{1, 2}}, {{"units", "2"}, {"use_bias", "True"}});
  return model;
}

// y = -x, as many bits as x.
ModelWriter Negative(int precision, const Dims& dims = {1, 4}) {
  ModelWriter model;
  model.Data(dims, precision).Op("negative", {"data"}, {dims});
  return model;
}

TEST(CvmApi, RunsAModelOnEveryDevice) {
  for (const int device : {CVMAPI_CPU, CVMAPI_FORMAL}) {
    const Net net(Dense(), device);
    ASSERT_EQ(net.status(), kOk);
    EXPECT_EQ((net.Infer<int8_t, int32_t>({1, 10, 100})), (std::vector<int32_t>{1321, -1554}));
    EXPECT_EQ((net.Infer<int8_t, int32_t>({-1, 0, 2})), (std::vector<int32_t>{1005, -1008}));
  }
}

TEST(CvmApi, SaturatesInputsToTheirPrecision) {
  const Net eight(Negative(8)), five(Negative(5)), sixteen(Negative(16)), twenty(Negative(20)),
      one(Negative(1));
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min(), kMax = std::numeric_limits<int32_t>::max();
  EXPECT_EQ((eight.Infer<int8_t, int8_t>({-128, -127, 5, 127})), (std::vector<int8_t>{127, 127, -5, -127}));
  EXPECT_EQ((five.Infer<int8_t, int8_t>({-128, -15, 16, 3})), (std::vector<int8_t>{15, 15, -15, -3}));
  EXPECT_EQ((one.Infer<int8_t, int8_t>({-128, -1, 0, 127})), (std::vector<int8_t>{0, 0, 0, 0}));
  EXPECT_EQ((sixteen.Infer<int32_t, int32_t>({kMin, -32768, 32768, 3})),
            (std::vector<int32_t>{32767, 32767, -32767, -3}));
  EXPECT_EQ((twenty.Infer<int32_t, int32_t>({kMin, 1 << 19, kMax, -3})),
            (std::vector<int32_t>{(1 << 19) - 1, 1 - (1 << 19), 1 - (1 << 19), 3}));
}

TEST(CvmApi, AppliesThePostprocess) {
  ModelWriter best = Negative(8, {2, 3});
  best.json()["postprocess"] = "argmax";
  const Net argmax(best);
  EXPECT_EQ(argmax.Get(CVMAPIGetOutputLength), 8u);
  EXPECT_EQ((argmax.Infer<int8_t, int32_t>({3, -9, 4, 0, 1, -1})), (std::vector<int32_t>{1, 2}));

  ModelWriter two = Negative(8, {2, 2});
  two.Op("relu", {"data"}, {{2, 2}}).Heads({"negative", "relu"});
  const Net heads(two);
  EXPECT_EQ((heads.Infer<int8_t, int8_t>({1, -2, 3, -4})), (std::vector<int8_t>{-1, 2, 1, 0, -3, 4, 3, 0}));
}

TEST(CvmApi, DescribesTheModel) {
  ModelWriter model = Dense();
  model.json()["postprocess"] = std::string(32, 'p');
  const Net net(model);
  ASSERT_EQ(net.status(), kOk);
  EXPECT_EQ(net.Get(CVMAPIGetInputLength), 3u);
  EXPECT_EQ(net.Get(CVMAPIGetOutputLength), 8u);
  std::array<char, CVMAPI_STRING_BYTES + 1> text;
  text.fill('?');
  ASSERT_EQ(CVMAPIGetVersion(net.get(), text.data()), kOk);
  EXPECT_STREQ(text.data(), "cvm_1.0.0");
  text.fill('?');
  ASSERT_EQ(CVMAPIGetPreprocessMethod(net.get(), text.data()), kOk);
  EXPECT_EQ(text.data(), std::string(32, 'p'));
  EXPECT_EQ(text.back(), '?');
}

TEST(CvmApi, ALongerPostprocessIsRefused) {
  ModelWriter model = Dense();
  model.json()["postprocess"] = std::string(33, 'p');
  EXPECT_EQ(Net(model).status(), kLogic);
}

TEST(CvmApi, StatesTheStorageOfTheGraph) {
  ModelWriter model;
  model.Data({1, 10}).Op("relu", {"data"}, {{1, 10}}).Op("flatten", {"relu"}, {{1, 10}});
  EXPECT_EQ(Net(model).Get(CVMAPIGetStorageSize), 120u);
  model.attrs("storage_id") = {0, 5, 5};
  EXPECT_EQ(Net(model).Get(CVMAPIGetStorageSize), 80u);
}

TEST(CvmApi, MoreStorageThanTheRuntimeHasIsRefused) {
  constexpr int64_t kDim = 1 << 24;
  ModelWriter model;
  model.Data({64, kDim});  // 2^32 bytes
  EXPECT_EQ(Net(model).status(), kOk);
  model.Op("relu", {"data"}, {{64, kDim}});
  EXPECT_EQ(Net(model).status(), kLogic);
}

TEST(CvmApi, AnInputLongerThanAnIntIsRefused) {
  ModelWriter model;
  model.Data({32, 1 << 24}, 9);  // 2^31 bytes
  EXPECT_EQ(Net(model).status(), kLogic);
}

TEST(CvmApi, ChargesTheGasOfTheGraph) {
  // Variables 5 * (3 + 6 + 2), and 2 results of 3 * 3 + 1 units and 5 for memory.
  constexpr Number kGas = 5 * 11 + 2 * (10 + 5);
  ModelWriter model = Dense();
  for (const char* postprocess : {"", "argmax"}) {
    model.json()["postprocess"] = postprocess;
    const Net net(model);
    Number from_graph = kUntouched;
    ASSERT_EQ(CVMAPIGetGasFromGraphFile(model.Text().c_str(), &from_graph), kOk);
    EXPECT_EQ(from_graph, kGas);
    EXPECT_EQ(net.Get(CVMAPIGetGasFromModel), kGas);
  }
}

TEST(CvmApi, AModelBeyondTheLimitOfGasLoadsButHasNoPrice) {
  ModelWriter model;
  model.Data({2, 1, 2000, 2000});
  model.Op("max_pool2d", {"data"}, {{2, 1, 1001, 1001}}, {{"pool_size", "(1000, 1000)"}});
  const Net net(model);
  ASSERT_EQ(net.status(), kOk);
  Number gas = kUntouched;
  EXPECT_EQ(CVMAPIGetGasFromModel(net.get(), &gas), kLogic);
  EXPECT_EQ(CVMAPIGetGasFromGraphFile(model.Text().c_str(), &gas), kLogic);
  EXPECT_EQ(gas, kUntouched);
}

TEST(CvmApi, ABadGraphHasNoPrice) {
  ModelWriter wrong_shape = Dense();
  wrong_shape.attrs("shape")[3] = {1, 1};
  Number gas = kUntouched;
  for (const std::string& graph : {std::string(), std::string("{"), std::string("{}"), wrong_shape.Text()}) {
    EXPECT_EQ(CVMAPIGetGasFromGraphFile(graph.c_str(), &gas), kLogic) << graph;
  }
  EXPECT_EQ(gas, kUntouched);
}

TEST(CvmApi, AnInputOfAnotherLengthIsRefused) {
  const Net net(Dense());
  std::vector<char> in(3, 1);
  std::array<char, 8> out;
  for (const int length :
       {std::numeric_limits<int>::min(), -3, -1, 0, 1, 2, 4, std::numeric_limits<int>::max()}) {
    out.fill('?');
    EXPECT_EQ(CVMAPIInference(net.get(), in.data(), length, out.data()), kLogic) << length;
    EXPECT_EQ(out, (std::array<char, 8>{'?', '?', '?', '?', '?', '?', '?', '?'}));
  }
}

TEST(CvmApi, LoadRefusesLengthsThatAreNone) {
  const std::string graph = Dense().Text();
  const std::vector<uint8_t> params = Dense().Params();
  const auto* bytes = reinterpret_cast<const char*>(params.data());
  const int graph_size = static_cast<int>(graph.size()), params_size = static_cast<int>(params.size());
  int dummy = 0;
  for (const auto& [graph_length, params_length] : {std::pair{-1, params_size},
                                                    {graph_size, -1},
                                                    {std::numeric_limits<int>::min(), params_size},
                                                    {0, params_size},
                                                    {graph_size, 0},
                                                    {graph_size - 1, params_size},
                                                    {graph_size, params_size - 1}}) {
    void* net = &dummy;
    EXPECT_EQ(CVMAPILoadModel(graph.data(), graph_length, bytes, params_length, &net, CVMAPI_CPU, 0), kLogic);
    EXPECT_EQ(net, nullptr);
  }
}

// Each prefix is in a block of its own, so that a sanitizer sees any byte read after it.
TEST(CvmApi, EveryPrefixOfAModelIsRefused) {
  const std::string graph = Dense().Text();
  const std::vector<uint8_t> params = Dense().Params();
  void* net = nullptr;
  for (size_t size = 0; size < graph.size(); ++size) {
    const std::vector<char> cut(graph.begin(), graph.begin() + static_cast<std::ptrdiff_t>(size));
    const char* start = size == 0 ? "" : cut.data();
    EXPECT_EQ(CVMAPILoadModel(start, static_cast<int>(size), reinterpret_cast<const char*>(params.data()),
                              static_cast<int>(params.size()), &net, CVMAPI_CPU, 0),
              kLogic);
  }
  for (size_t size = 1; size < params.size(); ++size) {
    EXPECT_EQ(
        Load(graph, {params.begin(), params.begin() + static_cast<std::ptrdiff_t>(size)}, CVMAPI_CPU, &net),
        kLogic);
  }
  EXPECT_EQ(net, nullptr);
}

TEST(CvmApi, ADeviceThatIsNotThereIsTheNodesFault) {
  for (const int device : {-1, 3, std::numeric_limits<int>::max()})
    EXPECT_EQ(Net(Dense(), device).status(), kRuntime);
  // A build may have CUDA or not. A model that no node can run is the model's fault wherever it is loaded.
  ModelWriter bad = Dense();
  bad.json()["version"] = "cvm_9.0.0";
  EXPECT_EQ(Net(bad, CVMAPI_GPU).status(), kLogic);
  const int status = Net(Dense(), CVMAPI_GPU).status();
  EXPECT_TRUE(status == kOk || status == kRuntime) << status;
}

TEST(CvmApi, NullIsRefusedEverywhereAndFreedNowhere) {
  const std::string graph = Dense().Text();
  const std::vector<uint8_t> params = Dense().Params();
  const auto* bytes = reinterpret_cast<const char*>(params.data());
  const int graph_size = static_cast<int>(graph.size()), params_size = static_cast<int>(params.size());
  void* none = nullptr;
  EXPECT_EQ(CVMAPILoadModel(nullptr, graph_size, bytes, params_size, &none, CVMAPI_CPU, 0), kRuntime);
  EXPECT_EQ(CVMAPILoadModel(graph.data(), graph_size, nullptr, params_size, &none, CVMAPI_CPU, 0), kRuntime);
  EXPECT_EQ(CVMAPILoadModel(graph.data(), graph_size, bytes, params_size, nullptr, CVMAPI_CPU, 0), kRuntime);
  EXPECT_EQ(none, nullptr);

  const Net net(Dense());
  char in[3] = {}, out[64];
  EXPECT_EQ(CVMAPIInference(nullptr, in, 3, out), kRuntime);
  EXPECT_EQ(CVMAPIInference(net.get(), nullptr, 3, out), kRuntime);
  EXPECT_EQ(CVMAPIInference(net.get(), in, 3, nullptr), kRuntime);
  for (const auto get : {CVMAPIGetVersion, CVMAPIGetPreprocessMethod}) {
    EXPECT_EQ(get(nullptr, out), kRuntime);
    EXPECT_EQ(get(net.get(), nullptr), kRuntime);
  }
  Number number = kUntouched;
  for (const auto get : {CVMAPIGetInputLength, CVMAPIGetOutputLength, CVMAPIGetInputTypeSize,
                         CVMAPIGetOutputTypeSize, CVMAPIGetStorageSize, CVMAPIGetGasFromModel}) {
    EXPECT_EQ(get(nullptr, &number), kRuntime);
    EXPECT_EQ(get(net.get(), nullptr), kRuntime);
  }
  EXPECT_EQ(CVMAPIGetGasFromGraphFile(nullptr, &number), kRuntime);
  EXPECT_EQ(CVMAPIGetGasFromGraphFile(graph.c_str(), nullptr), kRuntime);
  EXPECT_EQ(number, kUntouched);
  EXPECT_EQ(CVMAPIFreeModel(nullptr), kOk);
}

TEST(CvmApi, OneModelServesManyThreads) {
  for (const int device : {CVMAPI_CPU, CVMAPI_FORMAL}) {
    const Net net(Dense(), device);
    std::vector<std::thread> threads;
    std::array<int, 8> wrong{};
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        for (int8_t x = -50; x < 50; ++x) {
          char in[3] = {static_cast<char>(x), static_cast<char>(t), 0};
          int32_t out[2];
          wrong[static_cast<size_t>(t)] += CVMAPIInference(net.get(), in, 3, reinterpret_cast<char*>(out));
          wrong[static_cast<size_t>(t)] +=
              out[0] != 1000 + x + 2 * t || out[1] != -1000 - 4 * x + 5 * t ? 1 : 0;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, (std::array<int, 8>{}));
  }
}

// Standard output stays empty, and standard error too unless it is asked for.
TEST(CvmApi, SaysWhyOnlyWhereItIsAsked) {
  ModelWriter bad = Dense();
  bad.json()["version"] = "cvm_9.0.0";
  const auto written = [&](const char* variable) {
    setenv("TALLY_CVM_LOG", variable, 1);
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Net(bad).status();
    CVMAPIFreeModel(nullptr);
    const Net good(Dense());
    good.Get(CVMAPIGetGasFromModel);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
    unsetenv("TALLY_CVM_LOG");
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(written(""), "");
  EXPECT_EQ(
      written("1"),
      "tally_cvm: CVMAPILoadModel: error[cvm_version]: 'cvm_9.0.0' is neither cvm_1.0.0 nor cvm_1.1.0\n");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these need address space of their own
TEST(CvmApi, MemoryThatIsNotThereIsTheNodesFault) {
  const auto infer_without_memory = [] {
    const Net net(Negative(8, {16, 1 << 24}));
    std::vector<char> in(net.Get(CVMAPIGetInputLength), 1), out(net.Get(CVMAPIGetOutputLength));
    const rlimit limit = {size_t{700} << 20,
                          size_t{700} << 20};  // input and output, and half of what a copy needs
    setrlimit(RLIMIT_AS, &limit);
    std::_Exit(CVMAPIInference(net.get(), in.data(), static_cast<int>(in.size()), out.data()));
  };
  EXPECT_EXIT(infer_without_memory(), testing::ExitedWithCode(kRuntime), "");
}
#endif

}  // namespace
}  // namespace tally::cvm
