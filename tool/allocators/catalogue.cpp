// SPDX-License-Identifier: Apache-2.0
#include "catalogue.hpp"

namespace linn::tool {
namespace {

using namespace std::string_view_literals;

#if defined(__aarch64__)
constexpr std::string_view scudo_soname = "libclang_rt.scudo_standalone-aarch64.so";
#else
constexpr std::string_view scudo_soname = "libclang_rt.scudo_standalone-x86_64.so";
#endif

constexpr std::string_view hangs_after_fork =
    "a child forked while another thread allocates can hang: give the program a time limit";

// Every general allocator that the tool knows how to find, in the order of reports: to add one, add a row, and a
// file of install/ if linn can build it.
constexpr known_allocator all_known[]{
    {.name = "glibc", .title = "glibc", .licence = "LGPL-2.1-or-later", .package = "libc6"},
    {.name = "jemalloc",
     .title = "jemalloc",
     .licence = "BSD-2-Clause",
     .sonames = {"libjemalloc.so.2"},
     .package = "libjemalloc2",
     .can_install = true},
    {.name = "mimalloc2",
     .title = "mimalloc 2",
     .licence = "MIT",
     .sonames = {"libmimalloc.so.2"},
     .package = "libmimalloc2.0",
     .can_install = true,
     .defect = {"2.0.9", "returns misaligned memory: posix_memalign(256, 256) gives 128"}},
    {.name = "mimalloc3",
     .title = "mimalloc 3",
     .licence = "MIT",
     .sonames = {"libmimalloc.so.3"},
     .can_install = true},
    {.name = "tcmalloc",
     .title = "tcmalloc (gperftools)",
     .licence = "BSD-3-Clause",
     .sonames = {"libtcmalloc_minimal.so.4", "libtcmalloc.so.4"},
     .package = "libtcmalloc-minimal4"},
    {.name = "tcmalloc-google",
     .title = "tcmalloc (Google)",
     .licence = "Apache-2.0",
     .can_install = true,
     // The C library registers restartable sequences first, and there can be one owner.
     .environment = "GLIBC_TUNABLES=glibc.pthread.rseq=0",
     .remark = hangs_after_fork},
    {.name = "snmalloc",
     .title = "snmalloc",
     .licence = "MIT",
     .sonames = {"libsnmallocshim.so"},
     .can_install = true},
    {.name = "rpmalloc",
     .title = "rpmalloc",
     .licence = "MIT OR Unlicense",
     .sonames = {"librpmalloc.so"},
     .can_install = true},
    {.name = "tbb",
     .title = "TBB",
     .licence = "Apache-2.0",
     // The proxy replaces malloc and operator new; libtbbmalloc.so itself only offers functions of its own.
     .sonames = {"libtbbmalloc_proxy.so.2"},
     .package = "libtbbmalloc2",
     .remark = hangs_after_fork},
    {.name = "hoard",
     .title = "Hoard",
     .licence = "Apache-2.0",
     .sonames = {"libhoard.so"},
     .can_install = true,
     .remark = hangs_after_fork},
    {.name = "bmalloc",
     .title = "bmalloc",
     .licence = "BSD-2-Clause",
     // What a preload needs besides our own library, which forwards to it: newest interface first.
     .sonames = {"libjavascriptcoregtk-6.0.so.1", "libjavascriptcoregtk-4.1.so.0",
                 "libjavascriptcoregtk-4.0.so.18"},
     .package = "libjavascriptcoregtk-4.1-0",
     .remark = "reached through a library of Linn's that forwards to WebKit's, a few ns slower than linked "
               "in; starts a thread of its own; a child forked while another thread allocates can hang: give "
               "the program a time limit"},
    {.name = "scudo",
     .title = "scudo",
     .licence = "Apache-2.0 WITH LLVM-exception",
     .sonames = {scudo_soname},
     .package = "libclang-rt-19-dev",
     .remark = "hardened: it trades speed for checks"},
};

constexpr std::array both_mimallocs{"mimalloc2"sv, "mimalloc3"sv};
constexpr std::array the_c_library{"glibc"sv};
constexpr std::array aliases{"mimalloc"sv, "ptmalloc"sv};

} // namespace

std::span<const known_allocator> known_allocators() noexcept {
    return all_known;
}

const known_allocator* find_known_allocator(std::string_view name) noexcept {
    for (const known_allocator& a : known_allocators()) {
        if (a.name == name) {
            return &a;
        }
    }
    return nullptr;
}

std::span<const std::string_view> alias_names() noexcept {
    return aliases;
}

std::span<const std::string_view> names_meant_by(std::string_view name) noexcept {
    if (name == "mimalloc") {
        return both_mimallocs;
    }
    if (name == "ptmalloc") {
        return the_c_library;
    }
    const known_allocator* known = find_known_allocator(name);
    return known == nullptr ? std::span<const std::string_view>{} : std::span{&known->name, 1};
}

} // namespace linn::tool
