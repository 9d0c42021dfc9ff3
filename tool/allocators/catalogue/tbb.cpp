// SPDX-License-Identifier: Apache-2.0
#include "../catalogue.hpp"

namespace linn::tool {
namespace {

// The proxy replaces malloc and operator new; libtbbmalloc.so itself only offers functions of its own.
constexpr std::string_view sonames[]{"libtbbmalloc_proxy.so.2"};

const registered<known_allocator> here{{.place = 90,
                                        .name = "tbb",
                                        .title = "TBB",
                                        .licence = "Apache-2.0",
                                        .sonames = sonames,
                                        .package = "libtbbmalloc2",
                                        .remark = hangs_after_fork}};

} // namespace
} // namespace linn::tool
