#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "server/labels.h"
#include "server/protocol/json_elements.h"
#include "server/protocol/json_request.h"
#include "server/protocol/json_response.h"

namespace tally::server {
namespace {

std::string LabelOf(const std::string& body, std::optional<size_t> header = std::nullopt) {
  return ErrorLabel(InferRequestOfJson(body, header).status());
}

std::string OneInput(const std::string& datatype, const std::string& data) {
  return R"({"inputs":[{"name":"x","shape":[2],"datatype":")" + datatype + R"(","data":)" + data + "}]}";
}

TEST(JsonRequest, ElementsBecomeBytesOfTheirDatatype) {
  const auto request = *InferRequestOfJson(OneInput("INT16", "[[1],[-2]]"), std::nullopt);
  EXPECT_EQ(request.inputs[0].data, std::string("\1\0\xfe\xff", 4));
  EXPECT_EQ(request.inputs[0].shape, std::vector<int64_t>{2});
  EXPECT_EQ(InferRequestOfJson(OneInput("BOOL", "[true,false]"), std::nullopt)->inputs[0].data,
            std::string("\1\0", 2));
  EXPECT_EQ(InferRequestOfJson(OneInput("UINT64", "[18446744073709551615]"), std::nullopt)->inputs[0].data,
            std::string(8, '\xff'));
}

TEST(JsonRequest, ElementsOfAnotherKindAreRefused) {
  for (const auto& [datatype, data] : {std::pair{"INT8", "[128]"},
                                       {"UINT8", "[-1]"},
                                       {"INT8", "[1.5]"},
                                       {"INT64", "[9223372036854775808]"},
                                       {"BOOL", "[1]"},
                                       {"FP32", "[true]"},
                                       {"FP32", "[1e39]"},
                                       {"INT8", "[1,2,3]"},
                                       {"INT8", "7"},
                                       {"BYTES", "[\"a\"]"}}) {
    EXPECT_EQ(LabelOf(OneInput(datatype, data)), "request_form") << datatype << data;
  }
}

TEST(JsonRequest, BytesFollowTheJson) {
  const std::string json =
      R"({"inputs":[{"name":"a","shape":[1],"datatype":"INT8","parameters":{"binary_data_size":1}},)"
      R"({"name":"b","shape":[1],"datatype":"INT16","parameters":{"binary_data_size":2}}]})";
  const auto request = *InferRequestOfJson(json + "abc", json.size());
  EXPECT_EQ(request.inputs[0].data, "a");
  EXPECT_EQ(request.inputs[1].data, "bc");
  EXPECT_EQ(LabelOf(json + "ab", json.size()), "request_form");
  EXPECT_EQ(LabelOf(json + "abcd", json.size()), "request_form");
  EXPECT_EQ(LabelOf(json, json.size() + 1), "request_form");
}

TEST(JsonRequest, ParametersAreRead) {
  const auto request = *InferRequestOfJson(
      R"({"id":"7","parameters":{"receipt":"trace","nonce":")" + std::string(64, 'a') +
          R"(","timeout":5,"binary_data_output":true,"other":[1]},"inputs":[],)"
          R"("outputs":[{"name":"y","parameters":{"binary_data":false,"datatype":"FP32"}}]})",
      std::nullopt);
  EXPECT_EQ(request.id, "7");
  EXPECT_EQ(request.receipt, ReceiptKind::kTrace);
  EXPECT_EQ((*request.nonce)[31], 0xaa);
  EXPECT_EQ(request.timeout_us, 5);
  EXPECT_TRUE(request.binary_outputs);
  EXPECT_EQ(request.outputs[0].binary, false);
  EXPECT_EQ(request.outputs[0].datatype, Datatype::kFp32);
}

TEST(JsonRequest, OtherFormsAreRefused) {
  for (const char* body :
       {"",
        "[]",
        "{",
        "{}",
        R"({"inputs":7})",
        R"({"inputs":[7]})",
        R"({"inputs":[],"id":7})",
        R"({"inputs":[],"outputs":[7]})",
        R"({"inputs":[],"outputs":7})",
        R"({"inputs":[],"parameters":7})",
        R"({"inputs":[],"parameters":{"receipt":"all"}})",
        R"({"inputs":[],"parameters":{"nonce":"12"}})",
        R"({"inputs":[],"parameters":{"timeout":0}})",
        R"({"inputs":[],"parameters":{"timeout":"1"}})",
        R"({"inputs":[],"parameters":{"binary_data_output":1}})",
        R"({"inputs":[{"name":"x","shape":[-1],"datatype":"INT8","data":[]}]})",
        R"({"inputs":[{"name":"x","shape":[18446744073709551615],"datatype":"INT8","data":[]}]})",
        R"({"inputs":[{"name":"x","datatype":"INT8","data":[]}]})",
        R"({"inputs":[{"name":"x","shape":[1],"datatype":"INT8"}]})",
        R"({"inputs":[{"name":"x","shape":[1],"datatype":"INT8","parameters":{"binary_data_size":-1}}]})"}) {
    EXPECT_EQ(LabelOf(body), "request_form") << body;
  }
  EXPECT_EQ(LabelOf(OneInput("INT8", std::string(40, '[') + std::string(40, ']'))), "request_form");
  EXPECT_EQ(LabelOf(std::string(kMostJsonBytes + 1, ' ')), "request_size");
}

TEST(JsonResponse, HasTensorsInJsonAndInBytes) {
  InferResponse response{.model = "m", .version = "1", .id = "\"", .claim = "c", .receipt = "{}\n"};
  response.outputs.push_back({"y", Datatype::kInt8, {2}, std::string("\1\xff", 2), false});
  response.outputs.push_back({"z", Datatype::kUint16, {1}, std::string("\1\1", 2), true});
  const InferBody body = ToJson(response);
  const std::string json =
      R"({"model_name":"m","model_version":"1","id":"\"","parameters":{"claim":"c","receipt":"{}\n"},)"
      R"("outputs":[{"name":"y","datatype":"INT8","shape":[2],"data":[1,-1]},)"
      R"({"name":"z","datatype":"UINT16","shape":[1],"parameters":{"binary_data_size":2}}]})";
  EXPECT_EQ(body.bytes, json + "\1\1");
  EXPECT_EQ(body.header_length, json.size());
}

TEST(JsonResponse, RealsAreWrittenInFull) {
  std::string json;
  const float reals[] = {0.1f, -3, 1e-40f};
  AppendJson(Datatype::kFp32, {reinterpret_cast<const char*>(reals), sizeof reals}, json);
  EXPECT_EQ(json, "[0.1,-3,1e-40]");
}

}  // namespace
}  // namespace tally::server
