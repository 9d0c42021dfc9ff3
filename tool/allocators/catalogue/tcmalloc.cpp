// SPDX-License-Identifier: Apache-2.0
#include "../catalogue.hpp"

namespace linn::tool {
namespace {

constexpr std::string_view sonames[]{"libtcmalloc_minimal.so.4", "libtcmalloc.so.4"};

const registered<known_allocator> here{{.place = 50,
                                        .name = "tcmalloc",
                                        .title = "tcmalloc (gperftools)",
                                        .licence = "BSD-3-Clause",
                                        .sonames = sonames,
                                        .package = "libtcmalloc-minimal4"}};

} // namespace
} // namespace linn::tool
