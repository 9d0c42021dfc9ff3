// SPDX-License-Identifier: Apache-2.0
#include "modules.hpp"

#include "../../interpose/mapped_file.hpp"
#include "../../interpose/raw.hpp"
#include "image.hpp"
#include "thread.hpp"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/auxv.h>
#include <sys/uio.h>

#include <cstring>

namespace linn::tool::preload {

constinit probe_budget probes{};
constinit bool reads_types = true;

namespace {

struct known_module {
    enum : std::uint32_t { unused, mapped, unloaded };
    std::atomic<std::uint32_t> state;
    std::uint32_t image;
    std::uintptr_t begin;
    std::uintptr_t end;
    const link_map* map;
};

// A child's own are told again: a file of the parent's may be gone by then. Entries of a cut-off hook stay unused.
constexpr std::uint32_t most_modules = 4096;
constinit known_module known[most_modules]{};
constinit std::atomic<std::uint32_t> known_count{0};
/// The one that was looked for last: of a stack's frames most lie in the same as the one before.
constinit std::atomic<std::uint32_t> last_found{0};

bool covers(const known_module& m, std::uintptr_t address) noexcept {
    return m.state.load(std::memory_order_acquire) == known_module::mapped && // pairs with tell()
           address - m.begin < m.end - m.begin && m.image == current_image->id;
}

bool is_known(std::uintptr_t address) noexcept {
    const std::uint32_t count = known_count.load(std::memory_order_acquire); // pairs with tell()
    if (const std::uint32_t last = last_found.load(std::memory_order_relaxed);
        last < count && covers(known[last], address)) {
        return true;
    }
    for (std::uint32_t i = count < most_modules ? count : most_modules; i != 0; --i) {
        if (covers(known[i - 1], address)) {
            last_found.store(i - 1, std::memory_order_relaxed);
            return true;
        }
    }
    return false;
}

std::uintptr_t begin_of(const dl_find_object& m) noexcept {
    return reinterpret_cast<std::uintptr_t>(m.dlfo_map_start);
}
std::uintptr_t end_of(const dl_find_object& m) noexcept {
    return reinterpret_cast<std::uintptr_t>(m.dlfo_map_end);
}

/// The executable's program headers are where the kernel says. glibc tells the segments of one that has a hole between
/// them apart, so its first bytes may lie in another range than the code. Other files begin with theirs.
mapped_file headers_of(const dl_find_object& m) noexcept {
    constexpr std::size_t page = 4096;
    const link_map& file = *m.dlfo_link_map;
    if (*file.l_name == '\0') {
        return {file.l_addr, reinterpret_cast<const ElfW(Phdr)*>(::getauxval(AT_PHDR)),
                ::getauxval(AT_PHNUM)};
    }
    const auto* const header = static_cast<const ElfW(Ehdr)*>(m.dlfo_map_start);
    if (begin_of(m) % page != 0 || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_phoff + header->e_phnum * sizeof(ElfW(Phdr)) > page) {
        return {};
    }
    return {file.l_addr, reinterpret_cast<const ElfW(Phdr)*>(begin_of(m) + header->e_phoff), header->e_phnum};
}

/// The path as the collector can open it: the executable has none of its own, and some were opened by relative ones.
std::size_t write_path(const char* name, char* into) noexcept {
    if (*name == '\0') {
        const ssize_t n = ::readlink("/proc/self/exe", into, PATH_MAX);
        return n > 0 ? static_cast<std::size_t>(n) : 0;
    }
    std::size_t used = 0;
    if (*name != '/' && std::strchr(name, '/') != nullptr) {
        if (const long n = ::syscall(SYS_getcwd, into, PATH_MAX); n > 1) {
            used = static_cast<std::size_t>(n - 1);
            into[used++] = '/';
        }
    }
    const std::size_t length = ::strnlen(name, PATH_MAX - used);
    std::memcpy(into + used, name, length);
    return used + length;
}

bool tell(thread_writer& writer, const dl_find_object& m) noexcept {
    if (!ensure_room(writer, PATH_MAX + 256)) {
        return false;
    }
    const std::uint32_t number = known_count.fetch_add(1, std::memory_order_relaxed);
    constexpr std::size_t most_id_bytes = 64;
    const build_id id = build_id_of(headers_of(m));
    const std::size_t id_bytes = id.count < most_id_bytes ? id.count : most_id_bytes;
    unsigned char* p = writer.out.begin_record(ticks());
    p = wire::encoder::put_varint(p, number);
    p = wire::encoder::put_varint(p, m.dlfo_link_map->l_addr);
    p = wire::encoder::put_varint(p, begin_of(m));
    p = wire::encoder::put_varint(p, end_of(m));
    *p++ = static_cast<unsigned char>(id_bytes);
    p = id_bytes != 0 ? wire::encoder::put_bytes(p, id.bytes, id_bytes) : p;
    p += write_path(m.dlfo_link_map->l_name, reinterpret_cast<char*>(p));
    writer.out.end_record(wire::entry::module_loaded, p);
    if (number < most_modules) {
        known_module& k = known[number];
        k.image = writer.state.image;
        k.begin = begin_of(m);
        k.end = end_of(m);
        k.map = m.dlfo_link_map;
        k.state.store(known_module::mapped, std::memory_order_release); // pairs with covers()
    }
    return true;
}

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
        reads_types = false; // a sandbox
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
    dl_find_object file{};
    if (!is_pointer(block) || read(block, &table, sizeof table) != sizeof table || !is_pointer(table) ||
        !find_loaded(table, file)) {
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

bool tell_modules(thread_writer& writer, const std::uintptr_t* frames, unsigned count) noexcept {
    for (unsigned i = 0; i != count; ++i) {
        dl_find_object m{};
        // The call is before the return address, and that can be the first address of the next function.
        const std::uintptr_t call = frames[i] - 1;
        if (!is_known(call) && find_loaded(call, m) && !tell(writer, m)) {
            return false;
        }
    }
    return true;
}

void tell_unloaded(thread_writer& writer) noexcept {
    const std::uint32_t count = known_count.load(std::memory_order_acquire); // pairs with tell()
    for (std::uint32_t i = 0; i != count && i != most_modules; ++i) {
        known_module& k = known[i];
        if (k.state.load(std::memory_order_acquire) != known_module::mapped ||
            k.image != writer.state.image) {
            continue;
        }
        dl_find_object m{};
        if (find_loaded(k.begin, m) && m.dlfo_link_map == k.map && begin_of(m) == k.begin &&
            end_of(m) == k.end) {
            continue;
        }
        std::uint32_t expected = known_module::mapped;
        if (!k.state.compare_exchange_strong(expected, known_module::unloaded) || !ensure_room(writer, 64)) {
            continue;
        }
        writer.out.end_record(wire::entry::module_unloaded,
                              wire::encoder::put_varint(writer.out.begin_record(ticks()), i));
    }
}

void forget_modules() noexcept {
    const std::uint32_t count = known_count.exchange(0, std::memory_order_relaxed);
    for (std::uint32_t i = 0; i != count && i != most_modules; ++i) {
        known[i].state.store(known_module::unused, std::memory_order_relaxed);
    }
}

bool tell_process(thread_writer& writer) noexcept {
    constexpr std::size_t most_arguments = 16 << 10;
    if (!ensure_room(writer, PATH_MAX + most_arguments + 256)) {
        return false;
    }
    const process_image& image = *current_image;
    unsigned char* p = writer.out.begin_record(ticks());
    *p++ = image.origin;
    p = wire::encoder::put_varint(p, image.parent);
    p = wire::encoder::put_varint(p, image.pid);
    p = wire::encoder::put_varint(p, static_cast<std::uint32_t>(::getppid()));
    const ssize_t n = ::readlink("/proc/self/exe", reinterpret_cast<char*>(p), PATH_MAX);
    p += n > 0 ? n : 0;
    *p++ = '\0';
    if (const int fd = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC); fd >= 0) {
        for (std::size_t used = 0; used != most_arguments;) {
            const ssize_t got = ::read(fd, p, most_arguments - used);
            if (got <= 0) {
                break;
            }
            p += got;
            used += static_cast<std::size_t>(got);
        }
        ::close(fd);
    }
    writer.out.end_record(wire::entry::process, p);
    return true;
}

} // namespace linn::tool::preload
