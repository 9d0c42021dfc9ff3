// SPDX-License-Identifier: Apache-2.0
#include "../catalogue.hpp"

namespace linn::tool {
namespace {

// What a preload needs besides our own library, which forwards to it: newest interface first.
constexpr std::string_view sonames[]{"libjavascriptcoregtk-6.0.so.1", "libjavascriptcoregtk-4.1.so.0",
                                     "libjavascriptcoregtk-4.0.so.18"};

const registered<known_allocator> here{{.place = 110,
                                        .name = "bmalloc",
                                        .title = "bmalloc",
                                        .licence = "BSD-2-Clause",
                                        .sonames = sonames,
                                        .package = "libjavascriptcoregtk-4.1-0",
                                        .remark = "reached through a library of Linn's that forwards to "
                                                  "WebKit's, a few ns slower than linked in; starts "
                                                  "a thread of its own; a child forked while another thread "
                                                  "allocates can hang: give the program a time limit"}};

} // namespace
} // namespace linn::tool
