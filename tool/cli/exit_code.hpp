// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace linn::tool {

/// What the tool tells its caller. A run stopped by a signal exits with 128 + its number, as shells expect.
enum exit_code : int {
    exit_success = 0,
    exit_failure = 1, ///< it was asked something sensible and could not do it
    exit_usage = 2,   ///< it was asked something it does not understand
};

} // namespace linn::tool
