// SPDX-License-Identifier: Apache-2.0
#include "../catalogue.hpp"

namespace linn::tool {
namespace {

const registered<known_allocator> here{
    {.place = 10, .name = "glibc", .title = "glibc", .licence = "LGPL-2.1-or-later", .package = "libc6"}};

} // namespace
} // namespace linn::tool
