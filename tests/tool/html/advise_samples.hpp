// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advise/advice.hpp"
#include "replay/results.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace linn::tool::samples {

/// A made-up advice with four types, one of which is named `hostile`, and as many small ones more.
advice make_advice(std::size_t more_types = 6);

/// A made-up replay under the default, these allocators, Linn, one that fails and none at all.
replay_result make_replay(const std::vector<std::string>& allocators);

} // namespace linn::tool::samples
