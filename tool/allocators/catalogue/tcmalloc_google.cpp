// SPDX-License-Identifier: Apache-2.0
#include "../catalogue.hpp"

namespace linn::tool {
namespace {

const registered<known_allocator> here{
    {.place = 60,
     .name = "tcmalloc-google",
     .title = "tcmalloc (Google)",
     .licence = "Apache-2.0",
     .can_install = true,
     // The C library registers restartable sequences first, and there can be one owner.
     .environment = "GLIBC_TUNABLES=glibc.pthread.rseq=0",
     .remark = hangs_after_fork}};

} // namespace
} // namespace linn::tool
