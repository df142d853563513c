#include "api/cvm/node_faults.h"

#include <gtest/gtest.h>

#include "api/cvm/labels.h"
#include "api/labels.h"
#include "frontends/cvm/labels.h"
#include "ops/labels.h"
#include "vm/labels.h"

namespace tally::cvm {
namespace {

TEST(NodeFaults, DevicesAndMemoryAreTheNodes) {
  for (const Label& label :
       {label::device_failed, label::device_memory, label::engine_unavailable, label::api_memory,
        label::api_exception, label::cvm_device, label::recipe_undecided, label::api_null}) {
    EXPECT_TRUE(IsOfTheNode(api::FailureOf(label, ""))) << label.name();
  }
  EXPECT_TRUE(IsOfTheNode({absl::StatusCode::kUnknown, "", "", "from elsewhere"}));
}

TEST(NodeFaults, WhatDependsOnTheBytesAloneIsNot) {
  for (const Label& label : {label::cvm_json, label::cvm_gas_limit, label::cvm_storage_limit,
                             label::cvm_data_length, label::gas_limit_of_module, label::input_interval}) {
    EXPECT_FALSE(IsOfTheNode(api::FailureOf(label, ""))) << label.name();
  }
}

}  // namespace
}  // namespace tally::cvm
