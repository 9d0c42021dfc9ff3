// SPDX-License-Identifier: Apache-2.0
#include "given_seed.hpp"

#include <fmt/format.h>

#include <charconv>
#include <random>
#include <system_error>

namespace linn::tool {

std::string read_seed(const std::string& text, std::uint64_t& seed) {
    if (text.empty()) {
        seed = std::random_device{}();
        return {};
    }
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, seed);
    if (error != std::errc{} || stop != end) {
        return fmt::format("--seed must be a whole number that is not negative, not '{}'", text);
    }
    return {};
}

} // namespace linn::tool
