// SPDX-License-Identifier: Apache-2.0
#include "../catalogue.hpp"

namespace linn::tool {
namespace {

#if defined(__aarch64__)
constexpr std::string_view sonames[]{"libclang_rt.scudo_standalone-aarch64.so"};
#else
constexpr std::string_view sonames[]{"libclang_rt.scudo_standalone-x86_64.so"};
#endif

const registered<known_allocator> here{{.place = 120,
                                        .name = "scudo",
                                        .title = "scudo",
                                        .licence = "Apache-2.0 WITH LLVM-exception",
                                        .sonames = sonames,
                                        .package = "libclang-rt-19-dev",
                                        .remark = "hardened: it trades speed for checks"}};

} // namespace
} // namespace linn::tool
