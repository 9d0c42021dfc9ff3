// SPDX-License-Identifier: Apache-2.0
// A preload library that serves a program from bmalloc, the allocator of WebKit, out of Debian's JavaScriptCore library.
// It defines malloc, operator new and their kin; each forwards. Two things can serve a block: WebKit's allocator, and the boot
// arena, before that is there and for what it allocates itself (it would take its own locks twice). A process in which WebKit's
// heap does not serve malloc ends before main.
#include <dlfcn.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
void* __libc_malloc(std::size_t size);
void __libc_free(void* block);
}

namespace linn::bmalloc {

namespace {

/// The functions of WebKit's allocator, as its library exports them. The last argument says how pointers to the block
/// may be stored; zero means as they are.
struct functions {
    void* (*allocate)(std::size_t size, int mode) = nullptr;
    void* (*allocate_zeroed)(std::size_t size, int mode) = nullptr;
    void* (*allocate_aligned)(std::size_t size, std::size_t alignment, int mode) = nullptr;
    void (*deallocate)(void* block) = nullptr;
    std::size_t (*size_of)(void* block) = nullptr; ///< 0 for what is not its own
};

// Newest interface first; all of them carry the same allocator.
constexpr const char* sonames[] = {"libjavascriptcoregtk-6.0.so.1", "libjavascriptcoregtk-4.1.so.0",
                                   "libjavascriptcoregtk-4.0.so.18"};

functions found;
void* library = nullptr;

template <class F>
bool find(F*& function, const char* name) {
    function = reinterpret_cast<F*>(::dlsym(library, name));
    return function != nullptr;
}

/// Allocates and frees blocks of every kind, so that everything that is set up at first use is.
void warm_up() {
    for (std::size_t size = 16; size <= std::size_t{1} << 20; size *= 2) {
        found.deallocate(found.allocate(size, 0));
        found.deallocate(found.allocate_zeroed(size, 0));
        found.deallocate(found.allocate_aligned(size, 64, 0));
    }
}

/// Loads the library and makes the allocator ready, so that later calls need neither the loader nor the environment. False when there
/// is no such library, or one without these functions. @pre no other thread allocates from it meanwhile
bool load_webkit() {
    for (const char* soname : sonames) {
        if (library = ::dlopen(soname, RTLD_NOW | RTLD_LOCAL); library != nullptr) {
            break;
        }
    }
    if (library == nullptr || !find(found.allocate, "bmalloc_try_allocate") ||
        !find(found.allocate_zeroed, "bmalloc_try_allocate_zeroed") ||
        !find(found.allocate_aligned, "bmalloc_try_allocate_with_alignment") ||
        !find(found.deallocate, "bmalloc_deallocate") ||
        !find(found.size_of, "bmalloc_get_allocation_size")) {
        return false;
    }
    warm_up();
    return true;
}

/// Whether WebKit's heap knows a block that malloc gives, and does not know one of the C library.
bool is_served_by_webkit() {
    constexpr std::size_t size = 1000;
    // One block through the name that every program calls, and one that cannot be WebKit's.
    void* block = std::malloc(size);
    void* foreign = ::__libc_malloc(size);
    asm volatile("" : "+r"(block), "+r"(foreign) : : "memory");
    const bool is_its_own = block != nullptr && found.size_of(block) >= size;
    const bool tells_apart = foreign != nullptr && found.size_of(foreign) == 0;
    std::free(block);
    ::__libc_free(foreign);
    return is_its_own && tells_apart;
}

constinit std::atomic<const functions*> webkit{nullptr};

/// Memory for the time before WebKit's allocator is there, and for what it allocates itself while it works. Blocks are
/// never reused: what lives here is small, and mostly lives as long as the process.
class boot_arena {
public:
    /// A zeroed block, or null when the arena is used up. Any thread, also inside a signal handler.
    void* allocate(std::size_t size, std::size_t alignment) noexcept {
        if (size > capacity || alignment > capacity) {
            return nullptr;
        }
        alignment = std::max(alignment, header);
        const std::size_t room = (size + header + alignment + header - 1) / header * header;
        const std::size_t start = used_.fetch_add(room, std::memory_order_relaxed);
        if (start > capacity - header || room > capacity - start) {
            used_.store(capacity, std::memory_order_relaxed);
            return nullptr;
        }
        std::uintptr_t address = reinterpret_cast<std::uintptr_t>(memory_) + start + header;
        address = (address + alignment - 1) / alignment * alignment;
        auto* block = reinterpret_cast<char*>(address);
        *reinterpret_cast<std::size_t*>(block - header) = size;
        return block;
    }

    bool owns(const void* block) const noexcept {
        return reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(memory_) < capacity;
    }

    /// The size that the block was asked for with. @pre owns(block)
    std::size_t size_of(const void* block) const noexcept {
        return *reinterpret_cast<const std::size_t*>(static_cast<const char*>(block) - header);
    }

private:
    static constexpr std::size_t capacity = std::size_t{64} << 20;
    static constexpr std::size_t header = 16; // holds the size

    // Only the pages touched cost memory. As a static array, it is there before any constructor and has fixed bounds.
    alignas(4096) static inline char memory_[capacity];
    static inline std::atomic<std::size_t> used_{0};
};

constinit boot_arena boot;

/// True while this thread is inside WebKit's allocator.
[[gnu::tls_model("initial-exec")]] constinit thread_local bool inside = false;

/// Marks this thread for the time of one call.
class entry {
public:
    entry() noexcept : before_{inside} { inside = true; }
    entry(const entry&) = delete;
    entry& operator=(const entry&) = delete;
    ~entry() { inside = before_; }

private:
    bool before_;
};

/// The allocator to forward to, or null for the boot arena.
const functions* usable() noexcept {
    return inside ? nullptr : webkit.load(std::memory_order_acquire);
}

void* or_no_memory(void* block) noexcept {
    if (block == nullptr) [[unlikely]] {
        errno = ENOMEM;
    }
    return block;
}

/// By `forward(functions)` from WebKit's allocator, or from the boot arena.
template <class Forward>
void* take_by(std::size_t size, std::size_t alignment, Forward forward) noexcept {
    if (size > PTRDIFF_MAX || alignment > PTRDIFF_MAX) [[unlikely]] {
        return nullptr;
    }
    if (const functions* f = usable()) [[likely]] {
        const entry mark;
        return forward(*f);
    }
    return boot.allocate(size, alignment);
}

void* take(std::size_t size) noexcept {
    return take_by(size, 0, [&](const functions& f) { return f.allocate(size, 0); });
}

void* take_zeroed(std::size_t size) noexcept {
    return take_by(size, 0, [&](const functions& f) { return f.allocate_zeroed(size, 0); });
}

void* take_aligned(std::size_t alignment, std::size_t size) noexcept {
    // Sizes below the alignment have no class of their own.
    return take_by(size, alignment, [&](const functions& f) {
        return f.allocate_aligned(std::max(size, alignment), alignment, 0);
    });
}

void give(void* block) noexcept {
    if (block == nullptr || boot.owns(block)) {
        return;
    }
    if (const functions* f = usable()) [[likely]] {
        const entry mark;
        f->deallocate(block);
    }
    // Otherwise WebKit's allocator frees a block of its own through another allocator, and the block is lost.
}

std::size_t size_of(void* block) noexcept {
    if (block == nullptr) {
        return 0;
    }
    if (boot.owns(block)) {
        return boot.size_of(block);
    }
    if (const functions* f = webkit.load(std::memory_order_acquire)) {
        const entry mark;
        return f->size_of(block);
    }
    return 0;
}

void* resize(void* block, std::size_t size) noexcept {
    if (block == nullptr) {
        return take(size);
    }
    if (size == 0) {
        give(block);
        return nullptr;
    }
    const std::size_t old = size_of(block);
    if (size <= old && size >= old / 2) {
        return block;
    }
    void* moved = take(size);
    if (moved == nullptr) {
        return nullptr;
    }
    std::memcpy(moved, block, old < size ? old : size);
    give(block);
    return moved;
}

void* take_or_throw(std::size_t size) {
    for (;;) {
        if (void* block = take(size)) [[likely]] {
            return block;
        }
        const std::new_handler handler = std::get_new_handler();
        if (handler == nullptr) {
            throw std::bad_alloc{};
        }
        handler();
    }
}

/// Loads WebKit's library before main and, with that, before there is a second thread.
[[gnu::constructor]] void start() {
    bool is_loaded = false;
    {
        const entry mark;
        is_loaded = load_webkit();
    }
    if (is_loaded) {
        webkit.store(&found,
                     std::memory_order_release); // pairs with the acquire loads of usable() and size_of()
    }
    if (!is_loaded || !is_served_by_webkit()) {
        constexpr char text[] =
            "liblinn-bmalloc.so: there is no JavaScriptCore library whose bmalloc can be used\n";
        static_cast<void>(!::write(STDERR_FILENO, text, sizeof text - 1));
        std::_Exit(127);
    }
}

} // namespace

} // namespace linn::bmalloc

using namespace linn::bmalloc;

#pragma GCC visibility push(default)

extern "C" {

void* malloc(std::size_t size) noexcept {
    return or_no_memory(take(size));
}

void free(void* block) noexcept {
    const int kept = errno;
    give(block);
    errno = kept;
}

void* calloc(std::size_t count, std::size_t size) noexcept {
    std::size_t total = 0;
    return or_no_memory(__builtin_mul_overflow(count, size, &total) ? nullptr : take_zeroed(total));
}

void* realloc(void* block, std::size_t size) noexcept {
    void* moved = resize(block, size);
    return size == 0 ? moved : or_no_memory(moved);
}

int posix_memalign(void** result, std::size_t alignment, std::size_t size) noexcept {
    if (!std::has_single_bit(alignment) || alignment % sizeof(void*) != 0) {
        return EINVAL;
    }
    void* block = take_aligned(alignment, size);
    if (block == nullptr) {
        return ENOMEM;
    }
    *result = block;
    return 0;
}

void* memalign(std::size_t alignment, std::size_t size) noexcept {
    if (!std::has_single_bit(alignment)) {
        errno = EINVAL;
        return nullptr;
    }
    return or_no_memory(take_aligned(alignment, size));
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
    return memalign(alignment, size);
}

void* valloc(std::size_t size) noexcept {
    return or_no_memory(take_aligned(static_cast<std::size_t>(::getpagesize()), size));
}

void* pvalloc(std::size_t size) noexcept {
    const auto page = static_cast<std::size_t>(::getpagesize());
    return or_no_memory(size > PTRDIFF_MAX ? nullptr : take_aligned(page, (size + page - 1) / page * page));
}

std::size_t malloc_usable_size(void* block) noexcept {
    return size_of(block);
}

} // extern "C"

// reallocarray is the C library's, which calls realloc. The forms that do not throw, and those of aligned memory, are the C++
// runtime's: they call these and aligned_alloc and free.
void* operator new(std::size_t size) {
    return take_or_throw(size);
}
void* operator new[](std::size_t size) {
    return take_or_throw(size);
}

void operator delete(void* block) noexcept {
    give(block);
}
void operator delete[](void* block) noexcept {
    give(block);
}
void operator delete(void* block, std::size_t) noexcept {
    give(block);
}
void operator delete[](void* block, std::size_t) noexcept {
    give(block);
}

#pragma GCC visibility pop
