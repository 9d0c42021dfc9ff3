// SPDX-License-Identifier: Apache-2.0
// The program that tries an allocator: started under LD_PRELOAD by tool/allocators/catalogue.cpp. It writes one line a
// fact, KEY, a tab and the value, each at once, so that a crash leaves what was known before it.
#include "provider.hpp"

#include <gnu/libc-version.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <barrier>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <thread>

namespace linn::tool::probe {

namespace {

/// One line, written without allocating: what is tried may be unable to.
void tell(std::string_view key, std::string_view value) {
    const auto part = [](std::string_view text) {
        return ::iovec{const_cast<char*>(text.data()), text.size()};
    };
    const ::iovec line[]{part(key), part("\t"), part(value), part("\n")};
    if (::writev(STDOUT_FILENO, line, 4) != static_cast<ssize_t>(key.size() + value.size() + 2)) {
        std::_Exit(3);
    }
}

/// Says what is tried next, so that a crash or a hang can be placed.
void doing(std::string_view what) {
    tell("doing", what);
}

unsigned checks = 0;

/// Checks one promise of the loaded allocator. `harmful`: where it is broken, a correct program may compute something wrong; otherwise
/// it concerns rare calls only.
void expect(bool is_kept, std::string_view otherwise, bool harmful = true) {
    ++checks;
    if (!is_kept) {
        tell(harmful ? "wrong" : "weak", otherwise);
    }
}

/// Keeps the compiler from reasoning about a block, or leaving out its allocation.
template <class T>
T* hidden(T* p) noexcept {
    asm volatile("" : "+r"(p) : : "memory");
    return p;
}

std::size_t hidden(std::size_t n) noexcept {
    asm volatile("" : "+r"(n));
    return n;
}

bool is_aligned(const void* p, std::size_t alignment) noexcept {
    return reinterpret_cast<std::uintptr_t>(p) % alignment == 0;
}

/// A byte that tells blocks and places in them apart.
unsigned char mark(std::size_t block, std::size_t position) noexcept {
    return static_cast<unsigned char>(block * 131 + position * 7 + 1);
}

void fill(void* p, std::size_t size, std::size_t block) noexcept {
    auto* bytes = static_cast<unsigned char*>(p);
    for (std::size_t i = 0; i != size; ++i) {
        bytes[i] = mark(block, i);
    }
}

bool holds(const void* p, std::size_t size, std::size_t block) noexcept {
    const auto* bytes = static_cast<const unsigned char*>(p);
    for (std::size_t i = 0; i != size; ++i) {
        if (bytes[i] != mark(block, i)) {
            return false;
        }
    }
    return true;
}

void check_plain() {
    constexpr std::array<std::size_t, 12> sizes{0,    1,    8,      16,      24,      100,
                                                1000, 4096, 10'000, 100'000, 1 << 20, 5 << 20};
    for (const std::size_t size : sizes) {
        std::array<void*, 8> blocks{};
        bool aligned = true;
        bool writable = true;
        for (std::size_t i = 0; i != blocks.size(); ++i) {
            blocks[i] = hidden(std::malloc(hidden(size)));
            // Small blocks may be aligned for what fits into them only.
            aligned = aligned && is_aligned(blocks[i], size >= 16 ? 16 : size >= 8 ? 8 : 1);
            writable = writable && (blocks[i] != nullptr || size == 0);
            if (blocks[i] != nullptr) {
                fill(blocks[i], size, i);
            }
        }
        bool kept = true;
        for (std::size_t i = 0; i != blocks.size(); ++i) {
            kept = kept && (blocks[i] == nullptr || holds(blocks[i], size, i));
            std::free(blocks[i]);
        }
        const std::string text = "malloc(" + std::to_string(size) + ")";
        expect(writable, text + " returns null");
        expect(aligned, "returns misaligned memory: " + text);
        expect(kept, "blocks overlap: " + text);
    }
}

/// Blocks of an aligned function: `allocate(alignment, size)` and `deallocate(block, alignment)`.
void check_aligned(const char* name, auto allocate, auto deallocate) {
    // Several blocks a size: an allocator that is wrong is right by luck for the first of a page.
    for (const std::size_t alignment :
         std::initializer_list<std::size_t>{16, 64, 256, 1024, 4096, 65'536, 2 << 20}) {
        std::array<void*, 8> blocks{};
        bool there = true;
        bool aligned = true;
        for (void*& p : blocks) {
            p = hidden(static_cast<void*>(allocate(alignment, alignment)));
            there = there && p != nullptr;
            aligned = aligned && is_aligned(p, alignment);
        }
        for (void* p : blocks) {
            deallocate(p, alignment);
        }
        const std::string size = std::to_string(alignment);
        const std::string text = std::string{name} + "(" + size + ", " + size + ")";
        // Beyond a page it is a rare request.
        expect(there, text + " returns null", alignment <= 4096);
        expect(aligned, "returns misaligned memory: " + text, alignment <= 4096);
    }
}

/// A block by malloc, calloc or realloc in turn; `is_kept` becomes false where calloc leaves bytes or realloc loses some.
void* made(std::size_t size, std::size_t turn, bool& is_kept) {
    if (turn % 3 == 0) {
        return hidden(std::malloc(hidden(size)));
    }
    if (turn % 3 == 1) {
        auto* const clean = static_cast<unsigned char*>(hidden(std::calloc(hidden(size), 1)));
        for (std::size_t i = 0; clean != nullptr && i != size; ++i) {
            is_kept = is_kept && clean[i] == 0;
        }
        return clean;
    }
    const std::size_t less = size / 3 + 1;
    void* const small = hidden(std::malloc(hidden(less)));
    if (small != nullptr) {
        fill(small, less, turn);
    }
    void* const grown = hidden(std::realloc(small, hidden(size)));
    is_kept = is_kept && grown != nullptr && holds(grown, less, turn);
    return grown;
}

/// Each thread fills a tray of blocks; the next thread looks at them and frees them.
void check_threads() {
    constexpr std::size_t threads = 4;
    constexpr std::size_t rounds = 30;
    constexpr std::size_t blocks = 100;
    struct parcel {
        void* block;
        std::size_t size;
    };
    std::array<std::array<parcel, blocks>, threads> trays{};
    std::array<bool, threads> kept{};
    std::barrier all_together{std::ptrdiff_t{threads}};
    const auto empty = [&](std::size_t tray) {
        bool is_whole = true;
        for (std::size_t i = 0; i != blocks; ++i) {
            const auto& [block, size] = trays[tray][i];
            is_whole = is_whole && block != nullptr && holds(block, size, tray * blocks + i);
            std::free(block);
        }
        return is_whole;
    };
    const auto work = [&](std::size_t self) {
        kept[self] = true;
        std::size_t state = self * 7919 + 1;
        for (std::size_t round = 0; round != rounds; ++round) {
            if (round != 0) {
                kept[self] = empty((self + round) % threads) && kept[self];
            }
            all_together.arrive_and_wait();
            for (std::size_t i = 0; i != blocks; ++i) {
                state = state * 6364136223846793005u + 1442695040888963407u;
                const std::size_t size = 1 + (state >> 33) % (i % 64 == 0 ? 100'000 : 600);
                trays[self][i] = {made(size, i, kept[self]), size};
                if (trays[self][i].block != nullptr) {
                    fill(trays[self][i].block, size, self * blocks + i);
                }
            }
            all_together.arrive_and_wait();
        }
    };
    std::vector<std::thread> team;
    for (std::size_t t = 0; t != threads; ++t) {
        team.emplace_back(work, t);
    }
    for (std::thread& t : team) {
        t.join();
    }
    bool all = true;
    for (std::size_t t = 0; t != threads; ++t) { // what is left was made by threads that have ended
        all = empty(t) && kept[t] && all;
    }
    expect(all,
           "blocks lose what they held when they grow or other threads free them, or calloc does not zero");
}

/// Tries what programs rely on: alignment, contents after realloc, zeroed calloc, several threads, blocks freed by another thread
/// and after their thread has ended.
void check_conformance() {
    doing("allocating");
    check_plain();
    doing("asking for aligned memory");
    const auto by_free = [](void* p, std::size_t) { std::free(p); };
    check_aligned(
        "posix_memalign",
        [](std::size_t alignment, std::size_t size) {
            void* p = nullptr;
            return ::posix_memalign(&p, alignment, size) == 0 ? p : nullptr;
        },
        by_free);
    check_aligned("aligned_alloc", &std::aligned_alloc, by_free);
    check_aligned(
        "aligned operator new",
        [](std::size_t alignment, std::size_t size) {
            return ::operator new(size, std::align_val_t{alignment}, std::nothrow);
        },
        [](void* p, std::size_t alignment) { ::operator delete(p, std::align_val_t{alignment}); });
    doing("allocating in several threads");
    check_threads();
}

/// The function of that name in the library or what it needs, or null.
template <class F>
F* find(void* library, const char* name) {
    return reinterpret_cast<F*>(::dlsym(library, name));
}

/// mimalloc counts 2.0.9 as 209 and, since the middle number may have two digits, 2.3.2 as 20302.
std::string mimalloc_version(int number) {
    const int unit = number >= 10'000 ? 100 : 10;
    return std::to_string(number / (unit * unit)) + '.' + std::to_string(number / unit % unit) + '.' +
           std::to_string(number % unit);
}

std::string library_version(const std::string& library) {
    if (library.empty()) {
        return ::gnu_get_libc_version();
    }
    void* handle = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) {
        return {};
    }
    if (auto* mallctl = find<int(const char*, void*, std::size_t*, void*, std::size_t)>(handle, "mallctl")) {
        const char* text = nullptr;
        std::size_t size = sizeof text;
        if (mallctl("version", &text, &size, nullptr, 0) == 0 && text != nullptr) {
            return text;
        }
    }
    if (auto* mi_version = find<int()>(handle, "mi_version")) {
        return mimalloc_version(mi_version());
    }
    if (auto* tc_version = find<const char*(int*, int*, const char**)>(handle, "tc_version")) {
        int major = 0;
        int minor = 0;
        const char* patch = "";
        tc_version(&major, &minor, &patch);
        return std::to_string(major) + '.' + std::to_string(minor) + (patch != nullptr ? patch : "");
    }
    return {};
}

int run(int argc, char** argv) {
    // Should the parent die without a chance to clean up, this process must not stay.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (argc != 2) {
        constexpr std::string_view text = "linn-allocator-probe is started by 'linn allocators'\n";
        return ::write(STDERR_FILENO, text.data(), text.size()) < 0 ? 3 : 2;
    }
    const std::string library = argv[1];
    doing("asking who provides memory");
    for (const provider& p : memory_providers()) {
        tell("provider", p.function + '\t' + p.file);
    }
    if (!library.empty()) {
        tell("mapped", is_mapped(library) ? "1" : "0");
    }
    tell("version", library_version(library));
    check_conformance();
    tell("checks", std::to_string(checks));
    return 0;
}

} // namespace

} // namespace linn::tool::probe

int main(int argc, char** argv) {
    return linn::tool::probe::run(argc, argv);
}
