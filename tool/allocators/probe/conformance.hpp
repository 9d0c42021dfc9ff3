// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace linn::tool::probe {

/// Told what is tried next, so that a crash or a hang can be placed.
using announce = void (*)(std::string_view what);

/// Told of a promise that the loaded allocator breaks, in words. `harmful`: a correct program may compute something
/// wrong; otherwise it concerns rare calls only.
using complain = void (*)(std::string_view what, bool harmful);

/// Tries what programs rely on: alignment, contents after realloc, zeroed calloc, every form of new and delete, several
/// threads, blocks freed by another thread and after their thread has ended. Returns how many promises were checked.
unsigned check_conformance(announce doing, complain wrong);

/// Asks for more than any machine has. Apart from the rest, because some allocators end the process.
void check_huge_request(announce doing, complain wrong);

} // namespace linn::tool::probe
