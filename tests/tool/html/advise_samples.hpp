// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "advise/advice.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace linn::tool::samples {

/// A made-up advice with four types, one of which is named `hostile`, and as many small ones more.
advice make_advice(std::size_t more_types = 6);

} // namespace linn::tool::samples
