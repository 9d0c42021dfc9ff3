// SPDX-License-Identifier: Apache-2.0
#include "footprint.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace linn::bench::footprint {

std::size_t resident_bytes() {
    // Plain system calls and a buffer of our own: a stream would allocate.
    static char text[4096];
    const int file = ::open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return 0;
    }
    const ssize_t got = ::read(file, text, sizeof text - 1);
    ::close(file);
    text[got > 0 ? got : 0] = '\0';
    // Anonymous memory: what the process wrote. Pages of code that a contender happens to run first are no
    // memory that it holds.
    const char* line = std::strstr(text, "\nAnonymous:");
    return line != nullptr ? std::strtoull(line + 11, nullptr, 10) * 1024 : 0;
}

} // namespace linn::bench::footprint
