// SPDX-License-Identifier: Apache-2.0
#include "../catalogue.hpp"

namespace linn::tool {
namespace {

constexpr std::string_view sonames[]{"libmimalloc.so.2"};

constexpr known_defect defects[]{{"2.0.9", "returns misaligned memory: posix_memalign(256, 256) gives 128"}};

const registered<known_allocator> here{{.place = 30,
                                        .name = "mimalloc2",
                                        .title = "mimalloc 2",
                                        .licence = "MIT",
                                        .sonames = sonames,
                                        .package = "libmimalloc2.0",
                                        .can_install = true,
                                        .defects = defects}};

} // namespace
} // namespace linn::tool
