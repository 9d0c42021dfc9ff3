// SPDX-License-Identifier: Apache-2.0
#include "../catalogue.hpp"

namespace linn::tool {
namespace {

constexpr std::string_view sonames[]{"libmimalloc.so.3"};

const registered<known_allocator> here{{.place = 40,
                                        .name = "mimalloc3",
                                        .title = "mimalloc 3",
                                        .licence = "MIT",
                                        .sonames = sonames,
                                        .can_install = true}};

} // namespace
} // namespace linn::tool
