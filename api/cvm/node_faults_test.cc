#include "api/cvm/node_faults.h"

#include <gtest/gtest.h>

#include "api/cvm/labels.h"
#include "base/error.h"
#include "frontends/cvm/labels.h"
#include "ops/labels.h"
#include "vm/labels.h"

namespace tally::cvm {
namespace {

TEST(NodeFaults, DevicesAndMemoryAreTheNodes) {
  for (const Label& label :
       {label::device_failed, label::device_memory, label::engine_unavailable, label::cvm_memory,
        label::cvm_exception, label::cvm_device, label::recipe_undecided, label::cvm_null}) {
    EXPECT_TRUE(IsOfTheNode(MakeError(label, ""))) << label.name();
  }
  EXPECT_TRUE(IsOfTheNode(absl::UnknownError("from elsewhere")));
}

TEST(NodeFaults, WhatDependsOnTheBytesAloneIsNot) {
  for (const Label& label : {label::cvm_json, label::cvm_gas_limit, label::cvm_storage_limit,
                             label::cvm_data_length, label::gas_limit_of_module, label::input_interval}) {
    EXPECT_FALSE(IsOfTheNode(MakeError(label, ""))) << label.name();
  }
}

}  // namespace
}  // namespace tally::cvm
