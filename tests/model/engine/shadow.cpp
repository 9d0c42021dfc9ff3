// SPDX-License-Identifier: Apache-2.0
// What is known of plain memory: who wrote and read each byte last, and when. Two accesses of which one is a
// write, and of which neither happens before the other, are a data race: the order that the code relies on is
// not there. Only the memory of the model and the objects that were shared are watched.
// Source: Flanagan, Freund: FastTrack: efficient and precise dynamic race detection, PLDI 2009
#include "engine.hpp"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <new>

namespace model::engine {
namespace {

constexpr std::uintptr_t base = 0x2000'0000'0000; // so that names of addresses outlive the process
constexpr std::size_t memory_bytes = std::size_t{8} << 20;
constexpr std::size_t granule = 8;
constexpr std::size_t block = 512; ///< what is skipped at once where nothing was touched

struct mark {
    std::uint32_t time = 0;
    std::uint8_t bytes = 0; ///< of the granule, a bit each
    const void* code = nullptr;
};

struct cell {
    std::uint32_t generation = 0;
    std::uint8_t writer = 0;
    bool gone = false;
    mark write;
    mark read[most_threads];
};

struct block_state {
    std::uint32_t touched = 0; ///< generation of the last access
    std::uint32_t gone = 0;    ///< generation in which it was given back as a whole
};

struct shared_range {
    std::byte* at;
    std::size_t bytes;
    std::vector<std::byte> start;
    cell* cells;
};

std::byte* memory = nullptr;
cell* cells = nullptr;
block_state* blocks = nullptr;
std::size_t used = 0;
std::uint32_t generation = 0;

std::vector<shared_range>& shared_ranges() {
    static std::vector<shared_range> all;
    return all;
}

template <class T>
T* map(std::size_t n, void* wish = nullptr) {
    void* p = ::mmap(wish, n * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                     -1, 0);
    if (p == MAP_FAILED) {
        std::abort();
    }
    return static_cast<T*>(p);
}

const std::byte* lowest_shared = nullptr;
const std::byte* highest_shared = nullptr;

cell* cell_of(const std::byte* p) {
    if (const auto offset = static_cast<std::size_t>(p - memory); offset < memory_bytes) {
        block_state& b = blocks[offset / block];
        if (b.gone == generation) {
            fail("memory is used after it was given back");
        }
        b.touched = generation;
        return cells + offset / granule;
    }
    if (p < lowest_shared || p >= highest_shared) {
        return nullptr;
    }
    for (const shared_range& r : shared_ranges()) {
        if (const auto offset = static_cast<std::size_t>(p - r.at); offset < r.bytes) {
            return r.cells + (offset + reinterpret_cast<std::uintptr_t>(r.at) % granule) / granule;
        }
    }
    return nullptr;
}

[[noreturn]] void race(const std::byte* p, const char* now, const char* before, unsigned other, const mark& m,
                       const void* code) {
    const own_memory guard;
    static char text[1024];
    std::snprintf(text, sizeof text,
                  "data race: %s of %s, in %s, after a %s by thread %c in %s that does not happen before it",
                  now, name_of_address(p).c_str(), function_at(code).c_str(), before,
                  other == 0 ? '0' : static_cast<char>('a' + other - 1), function_at(m.code).c_str());
    fail(text);
}

void access(cell& c, const std::byte* p, std::uint8_t bytes, bool write, const void* code) {
    if (c.generation != generation) {
        c = {};
        c.generation = generation;
    }
    thread& t = *current;
    if (c.gone) {
        fail("memory is used after it was given back");
    }
    if ((c.write.bytes & bytes) != 0 && c.writer != t.id && c.write.time > t.seen.at[c.writer]) {
        race(p, write ? "write" : "read", "write", c.writer, c.write, code);
    }
    const std::uint32_t now = t.seen.at[t.id];
    if (!write) {
        mark& m = c.read[t.id];
        m.bytes = m.time == now ? static_cast<std::uint8_t>(m.bytes | bytes) : bytes;
        m.time = now;
        m.code = code;
        return;
    }
    for (unsigned i = 0; i < most_threads; ++i) {
        const mark& m = c.read[i];
        if (i != t.id && (m.bytes & bytes) != 0 && m.time > t.seen.at[i]) {
            race(p, "write", "read", i, m, code);
        }
    }
    const bool same = c.writer == t.id && c.write.time == now;
    c.write.bytes = same ? static_cast<std::uint8_t>(c.write.bytes | bytes) : bytes;
    c.write.time = now;
    c.write.code = code;
    c.writer = static_cast<std::uint8_t>(t.id);
}

void begin_memory() {
    if (memory == nullptr) {
        memory = map<std::byte>(memory_bytes, reinterpret_cast<void*>(base));
        cells = map<cell>(memory_bytes / granule);
        blocks = map<block_state>(memory_bytes / block);
    }
}

} // namespace

void plain_access(const void* at, std::size_t bytes, bool write, const void* code) noexcept {
    if (current == nullptr) {
        return;
    }
    const auto* p = static_cast<const std::byte*>(at);
    while (bytes != 0) {
        cell* c = cell_of(p);
        if (c == nullptr) {
            return;
        }
        const std::size_t begin = reinterpret_cast<std::uintptr_t>(p) % granule;
        const std::size_t n = bytes < granule - begin ? bytes : granule - begin;
        access(*c, p, static_cast<std::uint8_t>(((1U << n) - 1) << begin), write, code);
        p += n;
        bytes -= n;
    }
}

void reset_shadow() noexcept {
    begin_memory();
    __builtin_memset(memory, 0, used);
    used = 0;
    ++generation;
}

void remember_shared() noexcept {
    for (shared_range& r : shared_ranges()) {
        r.start.assign(r.at, r.at + r.bytes);
        r.cells = map<cell>(r.bytes / granule + 2);
        lowest_shared = lowest_shared == nullptr || r.at < lowest_shared ? r.at : lowest_shared;
        highest_shared = r.at + r.bytes > highest_shared ? r.at + r.bytes : highest_shared;
    }
}

void restore_shared() noexcept {
    for (const shared_range& r : shared_ranges()) {
        __builtin_memcpy(r.at, r.start.data(), r.bytes);
    }
}

std::string name_of_address(const void* p) {
    const auto* at = static_cast<const std::byte*>(p);
    char text[64] = "-";
    if (const auto offset = static_cast<std::size_t>(at - memory); offset < memory_bytes) {
        std::snprintf(text, sizeof text, "%zx", offset);
    }
    for (std::size_t i = 0; i < shared_ranges().size(); ++i) {
        const shared_range& r = shared_ranges()[i];
        if (const auto offset = static_cast<std::size_t>(at - r.at); offset < r.bytes) {
            std::snprintf(text, sizeof text, "s%zu+%zx", i, offset);
        }
    }
    return text;
}

const void* address_of_name(const std::string& name) {
    begin_memory();
    std::size_t range = 0;
    std::size_t offset = 0;
    if (std::sscanf(name.c_str(), "s%zu+%zx", &range, &offset) == 2 && range < shared_ranges().size()) {
        return shared_ranges()[range].at + offset;
    }
    return std::sscanf(name.c_str(), "%zx", &offset) == 1 ? memory + offset : nullptr;
}

} // namespace model::engine

namespace model {

using namespace engine;

void* memory_get(std::size_t bytes, std::size_t align) noexcept {
    begin_memory();
    const std::size_t at = (used + align - 1) / align * align;
    bytes = (bytes + granule - 1) / granule * granule;
    if (at + bytes > memory_bytes) {
        fail("the model has no memory left");
    }
    used = at + bytes;
    return memory + at;
}

void memory_put(void* p, std::size_t bytes) noexcept {
    const void* code = __builtin_return_address(0);
    bytes = (bytes + granule - 1) / granule * granule;
    if (current == nullptr || !in_memory(p)) {
        return;
    }
    for (auto* at = static_cast<std::byte*>(p); bytes != 0;) {
        const std::size_t begin = static_cast<std::size_t>(at - memory) % block;
        const std::size_t n = bytes < block - begin ? bytes : block - begin;
        block_state& b = blocks[static_cast<std::size_t>(at - memory) / block];
        if (n != block || b.touched == generation) {
            plain_access(at, n, true, code);
        }
        for (std::size_t i = 0; n != block && i < n; i += granule) {
            cell_of(at + i)->gone = true;
        }
        b.gone = n == block ? generation : b.gone;
        at += n;
        bytes -= n;
    }
}

void memory_clear(void* p, std::size_t bytes) noexcept {
    plain_access(p, bytes, true, __builtin_return_address(0));
    __builtin_memset(p, 0, bytes);
}

bool in_memory(const void* p) noexcept {
    return static_cast<std::size_t>(static_cast<const std::byte*>(p) - memory) < memory_bytes;
}

void share(void* object, std::size_t bytes) noexcept {
    shared_ranges().push_back({static_cast<std::byte*>(object), bytes, {}, nullptr});
}

} // namespace model
