// SPDX-License-Identifier: Apache-2.0
#include "../catalogue.hpp"

namespace linn::tool {
namespace {

constexpr std::string_view sonames[]{"libhoard.so"};

const registered<known_allocator> here{{.place = 100,
                                        .name = "hoard",
                                        .title = "Hoard",
                                        .licence = "Apache-2.0",
                                        .sonames = sonames,
                                        .can_install = true,
                                        .remark = hangs_after_fork}};

} // namespace
} // namespace linn::tool
