// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace linn::tool::pools {

/// One line on standard error. Allocates nothing, and keeps errno.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) noexcept;

} // namespace linn::tool::pools
