#include "frontends/onnx/model/attributes.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace tally::onnx {
namespace {

using ::onnx::AttributeProto;

AttributeProto* Add(::onnx::NodeProto& node, const std::string& name, AttributeProto::AttributeType type) {
  AttributeProto* attribute = node.add_attribute();
  attribute->set_name(name);
  attribute->set_type(type);
  return attribute;
}

TEST(Attributes, ReadsEachTypeAndFallsBack) {
  ::onnx::NodeProto node;
  Add(node, "i", AttributeProto::INT)->set_i(-3);
  Add(node, "b", AttributeProto::INT)->set_i(1);
  Add(node, "f", AttributeProto::FLOAT)->set_f(0.5f);
  Add(node, "s", AttributeProto::STRING)->set_s("text");
  Add(node, "l", AttributeProto::INTS)->add_ints(7);
  Add(node, "t", AttributeProto::STRINGS)->add_strings("word");
  Add(node, "m", AttributeProto::FLOATS)->add_floats(0.25f);
  Attributes attributes = *Attributes::Of(node);
  EXPECT_EQ(*attributes.Int("i", 0), -3);
  EXPECT_EQ(*attributes.Int("missing", 9), 9);
  EXPECT_EQ(*attributes.Bool("b", false), true);
  EXPECT_EQ(*attributes.Bool("missing", true), true);
  EXPECT_EQ(*attributes.Float("f", 0), 0.5f);
  EXPECT_EQ(*attributes.Float("missing", 2), 2);
  EXPECT_EQ(*attributes.String("s", ""), "text");
  EXPECT_EQ(*attributes.String("missing", "other"), "other");
  EXPECT_EQ(**attributes.Ints("l"), std::vector<int64_t>{7});
  EXPECT_FALSE(attributes.Ints("missing")->has_value());
  EXPECT_EQ(**attributes.Floats("m"), std::vector<float>{0.25f});
  EXPECT_FALSE(attributes.Floats("missing")->has_value());
  EXPECT_EQ(**attributes.Strings("t"), std::vector<std::string>{"word"});
  EXPECT_FALSE(attributes.Strings("missing")->has_value());
  EXPECT_TRUE(attributes.CheckAllRead().ok());
}

TEST(Attributes, OnnxUnsupportedAttribute_WhatNobodyReads) {
  ::onnx::NodeProto node;
  Add(node, "known", AttributeProto::INT);
  Add(node, "ignored", AttributeProto::INT);
  Add(node, "new\n", AttributeProto::INT);
  Attributes attributes = *Attributes::Of(node);
  EXPECT_TRUE(attributes.Int("known", 0).ok());
  attributes.Ignore("ignored");
  const absl::Status status = attributes.CheckAllRead();
  EXPECT_EQ(ErrorLabel(status), "model_unsupported_attribute");
  EXPECT_EQ(status.message(), "attribute new\\u{a} is not known");
}

TEST(Attributes, OnnxMalformed_TypesNamesAndFlags) {
  ::onnx::NodeProto node;
  Add(node, "f", AttributeProto::FLOAT);
  Add(node, "two", AttributeProto::INT)->set_i(2);
  node.add_attribute()->set_name("untyped");
  Attributes attributes = *Attributes::Of(node);
  EXPECT_EQ(ErrorLabel(attributes.Int("f", 0).status()), "model_malformed");
  EXPECT_EQ(ErrorLabel(attributes.Ints("f").status()), "model_malformed");
  EXPECT_EQ(ErrorLabel(attributes.String("f", "").status()), "model_malformed");
  EXPECT_EQ(ErrorLabel(attributes.Float("two", 0).status()), "model_malformed");
  EXPECT_EQ(ErrorLabel(attributes.Bool("two", false).status()), "model_malformed");
  EXPECT_EQ(ErrorLabel(attributes.Int("untyped", 0).status()), "model_malformed");
  Add(node, "f", AttributeProto::FLOAT);
  EXPECT_EQ(ErrorLabel(Attributes::Of(node).status()), "model_malformed");
  ::onnx::NodeProto reference;
  Add(reference, "r", AttributeProto::INT)->set_ref_attr_name("outer");
  EXPECT_EQ(ErrorLabel(Attributes::Of(reference).status()), "model_malformed");
}

}  // namespace
}  // namespace tally::onnx
