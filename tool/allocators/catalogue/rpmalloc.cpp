// SPDX-License-Identifier: Apache-2.0
#include "../catalogue.hpp"

namespace linn::tool {
namespace {

constexpr std::string_view sonames[]{"librpmalloc.so"};

const registered<known_allocator> here{{.place = 80,
                                        .name = "rpmalloc",
                                        .title = "rpmalloc",
                                        .licence = "MIT OR Unlicense",
                                        .sonames = sonames,
                                        .can_install = true}};

} // namespace
} // namespace linn::tool
