// The devices that tests run on: this machine's GPU if it has one and the build has code for it, and emulated
// ones. The GPU is first, for tests that take one device. TALLY_TEST_DEVICES=gpu leaves the GPU alone,
// and tests fail without one; TALLY_TEST_DEVICES=emulated leaves it out.
#pragma once

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/ran.h"
#include "engines/cuda/driver_device.h"
#include "engines/testing/emulated_device.h"

namespace tally::cuda {

using DeviceList = std::vector<std::shared_ptr<Device>>;

[[noreturn]] inline void FailForLackOfDevices(const std::string& why) {
  std::cerr << "TALLY_TEST_DEVICES: " << why << "\n";
  std::exit(1);
}

inline DeviceList MakeTestDevices() {
  const char* const set = std::getenv("TALLY_TEST_DEVICES");
  const std::string wanted = set == nullptr ? "" : set;
  DeviceList list;
  if (wanted != "" && wanted != "gpu" && wanted != "emulated") {
    FailForLackOfDevices("it is '" + wanted + "'; there are gpu and emulated");
  }
  if (wanted != "emulated") {
    const auto& gpu = DriverDevice();
    if (gpu.ok()) {
      list.push_back(*gpu);
      SayRan("cuda", "a GPU", kHere);
    } else if (wanted == "gpu") {
      FailForLackOfDevices("it is 'gpu', but " + std::string(gpu.status().message()));
    } else {
      SayRan("cuda", "a GPU", "not run: " + std::string(gpu.status().message()));
    }
  }
  if (wanted != "gpu") {
    for (const auto& [order, arch] :
         {std::pair(Order::kForward, Arch::kSm80), std::pair(Order::kBackward, Arch::kSm90a)}) {
      list.push_back(std::make_shared<EmulatedDevice>(EmulatedDeviceOptions{.order = order, .arch = arch}));
    }
    SayRan("cuda", "emulated devices", kByModels);
  }
  for (const auto& device : list) std::cout << "cuda: on " << device->info().name << "\n";
  return list;
}

inline const DeviceList& TestDevices() {
  static const auto* const devices = new DeviceList(MakeTestDevices());
  return *devices;
}

}  // namespace tally::cuda
