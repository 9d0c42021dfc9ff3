// SPDX-License-Identifier: Apache-2.0
#include "../catalogue.hpp"

namespace linn::tool {
namespace {

constexpr std::string_view sonames[]{"libjemalloc.so.2"};

const registered<known_allocator> here{{.place = 20,
                                        .name = "jemalloc",
                                        .title = "jemalloc",
                                        .licence = "BSD-2-Clause",
                                        .sonames = sonames,
                                        .package = "libjemalloc2",
                                        .can_install = true}};

} // namespace
} // namespace linn::tool
