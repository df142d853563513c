// The devices that tests run on: emulated ones, and this machine's GPU if it has one and the build has code for it.
#pragma once

#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "vm/engines/cuda/driver_device.h"
#include "vm/engines/cuda/emulated_device.h"

namespace tally::cuda {

inline const std::vector<std::shared_ptr<Device>>& TestDevices() {
  static const auto* const devices = [] {
    auto* list = new std::vector<std::shared_ptr<Device>>;
    for (const auto& [order, arch] :
         {std::pair(Order::kForward, Arch::kSm80), std::pair(Order::kBackward, Arch::kSm90a)}) {
      list->push_back(std::make_shared<EmulatedDevice>(EmulatedDeviceOptions{.order = order, .arch = arch}));
    }
    if (DriverDevice().ok()) {
      list->push_back(*DriverDevice());
      std::cout << "cuda: on " << (*DriverDevice())->info().name << " too\n";
    } else {
      std::cout << "cuda: on emulated devices alone: " << DriverDevice().status().message() << "\n";
    }
    return list;
  }();
  return *devices;
}

}  // namespace tally::cuda
