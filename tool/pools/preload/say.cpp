// SPDX-License-Identifier: Apache-2.0
#include "say.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>

namespace linn::tool::pools {

void say(const char* format, ...) noexcept {
    const int before = errno;
    char text[512];
    int n = std::snprintf(text, sizeof text, "linn-try: ");
    std::va_list arguments;
    va_start(arguments, format);
    const int more = std::vsnprintf(text + n, sizeof text - static_cast<unsigned>(n) - 1, format, arguments);
    va_end(arguments);
    const int room = static_cast<int>(sizeof text) - n - 2;
    n += more < 0 ? 0 : more < room ? more : room;
    text[n++] = '\n';
    const ssize_t written = ::write(STDERR_FILENO, text, static_cast<unsigned>(n));
    static_cast<void>(written); // a closed error stream is not reported
    errno = before;
}

} // namespace linn::tool::pools
