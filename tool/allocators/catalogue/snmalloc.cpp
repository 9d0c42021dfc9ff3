// SPDX-License-Identifier: Apache-2.0
#include "../catalogue.hpp"

namespace linn::tool {
namespace {

constexpr std::string_view sonames[]{"libsnmallocshim.so"};

const registered<known_allocator> here{{.place = 70,
                                        .name = "snmalloc",
                                        .title = "snmalloc",
                                        .licence = "MIT",
                                        .sonames = sonames,
                                        .can_install = true}};

} // namespace
} // namespace linn::tool
