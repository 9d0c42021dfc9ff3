// SPDX-License-Identifier: Apache-2.0
#include "real.hpp"

#include "mapped_file.hpp"
#include "raw.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <optional>

namespace linn::tool::preload {

constinit operators next_operators{};

namespace {

constinit std::atomic<bool> are_known{false};

/// Looks for the real functions, and calls one.
template <auto Function, typename Result, typename... Arguments>
Result first_call(Arguments... arguments) noexcept {
    find_real_functions();
    return (real.*Function)(arguments...);
}
} // namespace

constinit real_functions real{.malloc = first_call<&real_functions::malloc>,
                              .calloc = first_call<&real_functions::calloc>,
                              .realloc = first_call<&real_functions::realloc>,
                              .free = first_call<&real_functions::free>};

namespace {

using enum operator_name;

static_assert(sizeof(std::size_t) == 8); // its letter is m
constexpr const char* names[operator_count] = {"_Znwm",
                                               "_Znam",
                                               "_ZnwmRKSt9nothrow_t",
                                               "_ZnamRKSt9nothrow_t",
                                               "_ZnwmSt11align_val_t",
                                               "_ZnamSt11align_val_t",
                                               "_ZnwmSt11align_val_tRKSt9nothrow_t",
                                               "_ZnamSt11align_val_tRKSt9nothrow_t",
                                               "_ZdlPv",
                                               "_ZdaPv",
                                               "_ZdlPvm",
                                               "_ZdaPvm",
                                               "_ZdlPvRKSt9nothrow_t",
                                               "_ZdaPvRKSt9nothrow_t",
                                               "_ZdlPvSt11align_val_t",
                                               "_ZdaPvSt11align_val_t",
                                               "_ZdlPvmSt11align_val_t",
                                               "_ZdaPvmSt11align_val_t",
                                               "_ZdlPvSt11align_val_tRKSt9nothrow_t",
                                               "_ZdaPvSt11align_val_tRKSt9nothrow_t"};

/// What the standard's default version of each calls; itself: malloc or free.
constexpr operator_name built_on[operator_count] = {
    new_plain,      new_plain,           new_plain,      new_array,      new_aligned,    new_aligned,
    new_aligned,    new_array_aligned,   delete_plain,   delete_plain,   delete_plain,   delete_array,
    delete_plain,   delete_array,        delete_aligned, delete_aligned, delete_aligned, delete_array_aligned,
    delete_aligned, delete_array_aligned};

/// Behind the operators: the functions of real_functions, in that order.
constexpr const char* c_names[] = {
    "malloc",        "calloc",         "realloc", "free",    "memalign",
    "aligned_alloc", "posix_memalign", "valloc",  "pvalloc", "malloc_usable_size",
    "malloc_trim",   "dlclose",        "dlopen",  "mlockall"};
static_assert(sizeof(real_functions) == sizeof c_names);
constexpr std::size_t malloc_index = operator_count;
constexpr std::size_t free_index = operator_count + 3;
constexpr std::size_t symbol_count = operator_count + std::size(c_names);
const char* symbol_name(std::size_t index) noexcept {
    return index < operator_count ? names[index] : c_names[index - operator_count];
}

struct search {
    void* rest;                          ///< where dlsym looks: RTLD_NEXT or RTLD_DEFAULT
    bool is_behind;                      ///< our own file has been passed
    bool is_taken[symbol_count] = {};    ///< a library before ours defines it: ours is never called
    void* next[symbol_count] = {};       ///< the first definition behind us
    bool is_standard[symbol_count] = {}; ///< it is a standard library's
};

bool is_standard_library(const char* path) noexcept {
    const char* const slash = std::strrchr(path, '/');
    const char* const file = slash != nullptr ? slash + 1 : path;
    return std::strncmp(file, "libstdc++.so", 12) == 0 || std::strncmp(file, "libc++.so", 9) == 0 ||
           std::strncmp(file, "libc++abi.so", 12) == 0;
}

int look_at(dl_phdr_info* file, std::size_t, void* data) noexcept {
    search& s = *static_cast<search*>(data);
    if (is_own_file(*file)) {
        s.is_behind = true;
        return 0;
    }
    const dynamic_symbols symbols{mapped_file{*file}};
    const bool is_standard = is_standard_library(file->dlpi_name);
    for (std::size_t i = 0; i != symbol_count; ++i) {
        if (s.is_behind ? s.next[i] != nullptr : s.is_taken[i]) {
            continue;
        }
        if (const std::optional<void*> found = symbols.find(symbol_name(i))) {
            if (s.is_behind) {
                s.next[i] = *found != nullptr ? *found : ::dlsym(s.rest, symbol_name(i));
                s.is_standard[i] = is_standard;
            } else {
                s.is_taken[i] = true;
            }
        }
    }
    return 0;
}

void take(std::size_t index, void* found) noexcept {
    if (found != nullptr) {
        std::memcpy(reinterpret_cast<unsigned char*>(&real) + index * sizeof found, &found, sizeof found);
    }
}

operator_way way_of(const search& s, std::size_t index) noexcept {
    if (s.next[index] != nullptr && !s.is_standard[index]) {
        return operator_way::foreign;
    }
    for (std::size_t i = index;;) {
        const auto base = static_cast<std::size_t>(built_on[i]);
        if (s.is_taken[base] || (s.next[base] != nullptr && !s.is_standard[base])) {
            return s.next[index] != nullptr ? operator_way::passed : operator_way::malloc;
        }
        if (base == i) {
            break;
        }
        i = base;
    }
    // The program's own malloc is not ours: its memory comes through the library, unseen but for this.
    if ((s.is_taken[malloc_index] || s.is_taken[free_index]) && s.next[index] != nullptr) {
        return operator_way::foreign;
    }
    return operator_way::malloc;
}

} // namespace

const char* mangled_name(operator_name name) noexcept {
    return names[static_cast<std::size_t>(name)];
}

bool is_own_file(const dl_phdr_info& file) noexcept {
    return mapped_file{file}.holds(reinterpret_cast<std::uintptr_t>(&names), 1, 0);
}

void* aligned_block(std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t rounded = ((bytes != 0 ? bytes : 1) + alignment - 1) & ~(alignment - 1);
    if (!is_alignment(alignment) || rounded < bytes || real.aligned_alloc == nullptr) {
        return nullptr;
    }
    return real.aligned_alloc(alignment, rounded);
}

void find_functions(own_place place) noexcept {
    const kept_errno saved;
    if (place == own_place::first) {
        // The program may bring a dl_iterate_phdr that allocates. Where dlsym finds a function, it allocates nothing.
        for (std::size_t i = 0; i != 4; ++i) {
            take(i, ::dlsym(RTLD_NEXT, c_names[i]));
        }
    }
    search s = place == own_place::first ? search{RTLD_NEXT, false} : search{RTLD_DEFAULT, true};
    ::dl_iterate_phdr(look_at, &s);
    // Two threads that look at the same time find the same.
    for (std::size_t i = 0; i != std::size(c_names); ++i) {
        take(i, s.next[operator_count + i]);
    }
    ::dlerror(); // otherwise the program would read our error
    next_operators.is_malloc_taken =
        std::ranges::count(s.is_taken + malloc_index, s.is_taken + free_index + 1, true) != 0;
    for (std::size_t i = 0; i != operator_count; ++i) {
        next_operators.next[i] = s.next[i];
        next_operators.is_any_taken = next_operators.is_any_taken || s.is_taken[i];
    }
    std::atomic_signal_fence(std::memory_order_seq_cst); // who sees a way sees the function
    for (std::size_t i = 0; i != operator_count; ++i) {
        next_operators.ways[i] = way_of(s, i);
    }
    are_known.store(true, std::memory_order_release);
}

void find_real_functions() noexcept {
    if (!are_known.load(std::memory_order_acquire)) {
        find_functions(own_place::first);
    }
}

void* find_anywhere(const char* mangled) noexcept {
    struct wanted {
        const char* name;
        void* found;
    } w{mangled, nullptr};
    ::dl_iterate_phdr(
        [](dl_phdr_info* file, std::size_t, void* data) {
            auto& want = *static_cast<wanted*>(data);
            if (!is_own_file(*file)) {
                want.found = dynamic_symbols{mapped_file{*file}}.find(want.name).value_or(nullptr);
            }
            return want.found != nullptr ? 1 : 0;
        },
        &w);
    return w.found;
}

} // namespace linn::tool::preload
