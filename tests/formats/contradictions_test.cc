// A file that states something twice, and differently, is refused in every format: one of the two is wrong,
// and nobody can say which. Each model of write_cases.py is altered at a place that is drawn.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "coreml.pb.h"
#include "tests/formats/case_files.h"
#include "third_party/onnx/onnx.pb.h"

namespace tally {
namespace {

using Json = nlohmann::json;
using Draw = std::mt19937;

// Where `text` occurs in a file.
std::vector<size_t> PlacesOf(const std::string& file, const std::string& text) {
  std::vector<size_t> places;
  for (size_t at = file.find(text); at != std::string::npos; at = file.find(text, at + 1))
    places.push_back(at);
  return places;
}

template <typename T>
const T& OneOf(const std::vector<T>& all, Draw& draw) {
  return all[draw() % all.size()];
}

// The number at `at`, and one more.
void Raise(std::string& file, size_t at) {
  const size_t end = file.find_first_not_of("0123456789", at);
  file.replace(at, end - at, std::to_string(std::stoll(file.substr(at, end - at)) + 1));
}

// Alters a file so that it contradicts itself; false where it has nothing to alter.
using Alteration = std::function<bool(const Json&, std::string&, Draw&)>;

// The text after `before`, which a number follows.
Alteration RaisedAfter(const std::string& before) {
  return [before](const Json&, std::string& file, Draw& draw) {
    const std::vector<size_t> places = PlacesOf(file, before);
    if (places.empty()) return false;
    Raise(file, OneOf(places, draw) + before.size());
    return true;
  };
}

// The count of bytes of a constant. Layers of the branch that a constant condition leaves out are not read.
bool OtherConstantSize(const Json& test, std::string& file, Draw& draw) {
  return test["name"] != "If" && RaisedAfter(" size=\"")(test, file, draw);
}

// `text`, which is there, and again.
Alteration Repeated(const std::string& text) {
  return [text](const Json&, std::string& file, Draw& draw) {
    const std::vector<size_t> places = PlacesOf(file, text);
    if (places.empty()) return false;
    file.insert(OneOf(places, draw), text);
    return true;
  };
}

// The type that the port of a Parameter or a Const has.
bool OtherPrecision(const Json&, std::string& file, Draw& draw) {
  std::vector<size_t> places = PlacesOf(file, "type=\"Const\"");
  for (const size_t at : PlacesOf(file, "type=\"Parameter\"")) places.push_back(at);
  const size_t at = file.find("precision=\"", OneOf(places, draw)) + 11;
  const bool is_float = file.compare(at, 3, "f32") == 0;
  file.replace(at, file.find('"', at) - at, is_float ? "i64" : "f32");
  return true;
}

// Number `index` of line `line` of a .param: counts of layers and blobs, and those of a layer.
Alteration RaisedNumber(bool is_layer, int index) {
  return [=](const Json&, std::string& file, Draw& draw) {
    std::vector<size_t> lines = {0};
    for (const size_t at : PlacesOf(file, "\n")) {
      if (at + 1 < file.size()) lines.push_back(at + 1);
    }
    if (lines.size() < 3) return false;
    size_t at = is_layer ? lines[2 + draw() % (lines.size() - 2)] : lines[1];
    for (int i = 0; i < index; ++i) at = file.find_first_not_of(' ', file.find(' ', at));
    Raise(file, at);
    return true;
  };
}

// The shape that an Input states for its blob.
bool OtherStatedShape(const Json&, std::string& file, Draw&) {
  const size_t input = file.find("\nInput ");
  if (input == std::string::npos) return false;
  file.insert(file.find('\n', input + 1), " -23330=4,1,1001,1,1");
  return true;
}

template <typename Model>
Alteration InModel(std::function<bool(const Json&, Model&, Draw&)> alter) {
  return [alter](const Json& test, std::string& file, Draw& draw) {
    Model model;
    if (!model.ParseFromString(file) || !alter(test, model, draw)) return false;
    file = model.SerializeAsString();
    return true;
  };
}

bool OtherOutputType(const Json&, ::onnx::ModelProto& model, Draw&) {
  auto* type = model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type();
  type->set_elem_type(type->elem_type() == ::onnx::TensorProto::INT64 ? ::onnx::TensorProto::FLOAT
                                                                      : ::onnx::TensorProto::INT64);
  return true;
}

bool OtherOutputShape(const Json& test, ::onnx::ModelProto& model, Draw& draw) {
  const auto dims = test["outputs"][0]["shape"].get<std::vector<int64_t>>();
  if (dims.empty()) return false;
  auto* shape =
      model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape->clear_dim();
  for (const int64_t dim : dims) shape->add_dim()->set_dim_value(dim);
  auto* dim = shape->mutable_dim(static_cast<int>(draw() % dims.size()));
  dim->set_dim_value(dim->dim_value() + 1);
  return true;
}

// An initializer that is an input of another shape too.
bool OtherInitializer(const Json&, ::onnx::ModelProto& model, Draw& draw) {
  const auto& all = model.graph().initializer();
  if (all.empty()) return false;
  const auto& tensor = all[static_cast<int>(draw() % static_cast<uint32_t>(all.size()))];
  auto* input = model.mutable_graph()->add_input();
  input->set_name(tensor.name());
  auto* type = input->mutable_type()->mutable_tensor_type();
  type->set_elem_type(tensor.data_type());
  for (const int64_t dim : tensor.dims()) type->mutable_shape()->add_dim()->set_dim_value(dim);
  type->mutable_shape()->add_dim()->set_dim_value(1);
  return true;
}

bool OtherInitializerSize(const Json&, ::onnx::ModelProto& model, Draw& draw) {
  auto* all = model.mutable_graph()->mutable_initializer();
  if (all->empty()) return false;
  auto* tensor = all->Mutable(static_cast<int>(draw() % static_cast<uint32_t>(all->size())));
  tensor->add_dims(2);
  return true;
}

// All messages of a type within one.
void Collect(google::protobuf::Message& message, const std::string& type,
             std::vector<google::protobuf::Message*>& found) {
  if (message.GetDescriptor()->name() == type) found.push_back(&message);
  const auto* reflection = message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      Collect(*reflection->MutableMessage(&message, field), type, found);
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i)
      Collect(*reflection->MutableRepeatedMessage(&message, field, i), type, found);
  }
}

// The first weights of a layer, with a number less than it has. Others may be there that its flags turn off.
bool FewerWeights(const Json&, coreml_schema::Model& model, Draw&) {
  std::vector<google::protobuf::Message*> all;
  Collect(model, "Weights", all);
  std::erase_if(all, [](const auto* weights) {
    return static_cast<const coreml_schema::Weights*>(weights)->float_value_size() < 2;
  });
  if (all.empty()) return false;
  static_cast<coreml_schema::Weights*>(all[0])->mutable_float_value()->RemoveLast();
  return true;
}

struct Kind {
  std::string format, name;
  Alteration alter;
};

const std::vector<Kind>& Kinds() {
  using ::onnx::ModelProto;
  static const std::vector<Kind> kinds = {
      {"openvino", "a dimension of a port", RaisedAfter("<dim>")},
      {"openvino", "the size of a constant", OtherConstantSize},
      {"openvino", "the type of a port", OtherPrecision},
      {"openvino", "an attribute twice", Repeated(" id=\"0\"")},
      {"openvino", "an element twice", Repeated("<data />")},
      {"ncnn", "the count of layers", RaisedNumber(false, 0)},
      {"ncnn", "the count of blobs", RaisedNumber(false, 1)},
      {"ncnn", "the count of a layer's inputs", RaisedNumber(true, 2)},
      {"ncnn", "the count of a layer's outputs", RaisedNumber(true, 3)},
      {"ncnn", "the shape of an input", OtherStatedShape},
      {"nhwc", "the type of an output", InModel<ModelProto>(OtherOutputType)},
      {"nhwc", "the shape of an output", InModel<ModelProto>(OtherOutputShape)},
      {"nhwc", "an initializer and its input", InModel<ModelProto>(OtherInitializer)},
      {"nhwc", "the shape of an initializer", InModel<ModelProto>(OtherInitializerSize)},
      {"coreml", "the count of weights", InModel<coreml_schema::Model>(FewerWeights)},
  };
  return kinds;
}

TEST(Contradictions, AreRefusedInEveryFormat) {
  Draw draw(64);
  std::map<std::string, int> altered;
  for (const Json& test : Cases()) {
    const std::vector<uint8_t> model = Bytes(test["model"]);
    for (const Kind& kind : Kinds()) {
      if (kind.format != test["format"]) continue;
      std::string file(model.begin(), model.end());
      if (!kind.alter(test, file, draw)) continue;
      const auto network = ImportFiles(test, {file.begin(), file.end()});
      EXPECT_FALSE(network.ok()) << test["format"] << " " << test["name"] << ": " << kind.name;
      EXPECT_TRUE(network.ok() || ErrorLabel(network.status()).starts_with("model_")) << network.status();
      ++altered[kind.format + ", " + kind.name];
    }
  }
  for (const Kind& kind : Kinds()) {
    const int count = altered[kind.format + ", " + kind.name];
    EXPECT_GE(count, 4) << kind.format << ", " << kind.name;
    RecordProperty(kind.format + ", " + kind.name, count);
  }
}

}  // namespace
}  // namespace tally
