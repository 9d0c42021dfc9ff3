// SPDX-License-Identifier: Apache-2.0
#include "webkit.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(std::size_t size);
void __libc_free(void* block);
}

namespace linn::bmalloc {
namespace {

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

/// While it lives, the environment has no variable Malloc: with it WebKit's allocator looks for the system's, which
/// is this library, and dies.
class without_malloc_variable {
public:
    without_malloc_variable() noexcept {
        for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
            if (std::strncmp(*entry, "Malloc=", 7) == 0) {
                hidden_ = *entry;
                hidden_[0] = 'm';
            }
        }
    }
    without_malloc_variable(const without_malloc_variable&) = delete;
    without_malloc_variable& operator=(const without_malloc_variable&) = delete;
    ~without_malloc_variable() {
        if (hidden_ != nullptr) {
            hidden_[0] = 'M';
        }
    }

private:
    char* hidden_ = nullptr;
};

/// Allocates and frees blocks of every kind, so that everything that is set up at first use is.
void warm_up() {
    for (std::size_t size = 16; size <= std::size_t{1} << 20; size *= 2) {
        found.deallocate(found.allocate(size, 0));
        found.deallocate(found.allocate_zeroed(size, 0));
        found.deallocate(found.allocate_aligned(size, 64, 0));
    }
}

} // namespace

const functions* load_webkit() {
    const without_malloc_variable hidden;
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
        return nullptr;
    }
    warm_up();
    return &found;
}

const char* prove_webkit(const functions& webkit) {
    constexpr std::size_t size = 1000;
    // One block through the name that every program calls, and one that cannot be WebKit's.
    void* block = std::malloc(size);
    void* foreign = ::__libc_malloc(size);
    asm volatile("" : "+r"(block), "+r"(foreign) : : "memory");
    const bool is_its_own = block != nullptr && webkit.size_of(block) >= size;
    const bool tells_apart = foreign != nullptr && webkit.size_of(foreign) == 0;
    std::free(block);
    ::__libc_free(foreign);
    Dl_info info{};
    const bool is_named = ::dladdr(reinterpret_cast<const void*>(webkit.allocate), &info) != 0;
    return is_its_own && tells_apart && is_named ? info.dli_fname : nullptr;
}

} // namespace linn::bmalloc
