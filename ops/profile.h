// Profiles: which operators and which limits a module declares for itself.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tally {

// A kCvm operator belongs to both profiles, a kCore operator to `core` only. The value is the code in the
// binary format.
enum class Profile : uint8_t { kCvm = 0, kCore = 1 };

inline constexpr std::array kAllProfiles = {Profile::kCvm, Profile::kCore};

constexpr std::string_view ProfileName(Profile profile) { return profile == Profile::kCvm ? "cvm" : "core"; }

constexpr std::optional<Profile> ParseProfile(std::string_view name) {
  for (const Profile profile : kAllProfiles) {
    if (ProfileName(profile) == name) return profile;
  }
  return std::nullopt;
}

}  // namespace tally
