// SPDX-License-Identifier: Apache-2.0
#include "rtti_probe.hpp"

#include "../../interpose/raw.hpp"
#include "image.hpp"
#include "thread.hpp"

#include <sys/uio.h>

namespace linn::tool::preload {

constinit probe_budget probes{};
constinit probe_options probing{false, false, ~std::size_t{0}, 1};

void set_probe_options(const wire::ring_options& options) noexcept {
    probing.rtti = true;
    probing.ticks_per_ns = options.ticks_per_ns;
    probing.fills_only = options.fills && options.fills_only;
    probing.smallest_fill = options.fills ? options.smallest_fill : ~std::size_t{0};
}

namespace {

std::size_t read(std::uintptr_t from, void* to, std::size_t bytes) noexcept {
    const iovec local{to, bytes};
    // The pages are read one by one: what lies behind the end of a mapping must not hide what lies before it.
    constexpr std::uintptr_t page = 4096;
    const std::size_t first = page - from % page < bytes ? page - from % page : bytes;
    const iovec remote[2] = {{reinterpret_cast<void*>(from), first},
                             {reinterpret_cast<void*>(from + first), bytes - first}};
    // Longs throughout: of an int the upper half would be undefined.
    const long n = ::syscall(SYS_process_vm_readv, static_cast<long>(current_image->kernel_pid), &local, 1L,
                             remote, first == bytes ? 1L : 2L, 0L);
    if (n < 0 && (errno == EPERM || errno == ENOSYS)) {
        probing.rtti = false; // a sandbox
    }
    return n > 0 ? static_cast<std::size_t>(n) : 0;
}

bool is_pointer(std::uintptr_t value) noexcept {
    return value >= 4096 && value % sizeof(void*) == 0 && value >> 56 == 0;
}

bool is_name_character(char c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || c == '$';
}

} // namespace

std::size_t read_type_name(std::uintptr_t block, char* name, std::size_t capacity) noexcept {
    std::uintptr_t table = 0;
    // Virtual tables lie in files. Most blocks begin with something else, and need no further system call.
    if (!is_pointer(block) || read(block, &table, sizeof table) != sizeof table || !is_pointer(table) ||
        !may_be_in_module(table)) {
        return 0;
    }
    struct {
        std::intptr_t offset_to_top;
        std::uintptr_t type;
    } head{};
    // The object begins with the block, so its first virtual table does not point back into it.
    if (read(table - sizeof head, &head, sizeof head) != sizeof head || head.offset_to_top != 0 ||
        !is_pointer(head.type)) {
        return 0;
    }
    std::uintptr_t type[2] = {};
    if (read(head.type, type, sizeof type) != sizeof type || !is_pointer(type[0]) || type[1] < 4096) {
        return 0;
    }
    const std::size_t n = read(type[1], name, capacity);
    std::size_t length = 0;
    // GCC marks the names of local types with a star, which name() leaves out.
    const std::size_t begin = n != 0 && name[0] == '*' ? 1 : 0;
    while (begin + length < n && is_name_character(name[begin + length])) {
        name[length] = name[begin + length];
        ++length;
    }
    const bool is_ended = begin + length < n && name[begin + length] == '\0';
    const char first = name[0];
    const bool is_class = (first >= '0' && first <= '9') || first == 'N' || first == 'S' || first == 'Z';
    return is_ended && is_class ? length : 0;
}

} // namespace linn::tool::preload
