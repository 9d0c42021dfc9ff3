// SPDX-License-Identifier: Apache-2.0
// What is used again: the scenarios buffers, zero-fill and recycled.
#include "measure.hpp"
#include "works.hpp"

#include <mutex>

namespace linn::tool::worker {

namespace {

constexpr auto make_unique = []<class T> { return [] { return std::make_unique<char[]>(sizeof(T)); }; };
constexpr auto unique_for_overwrite = []<class T> {
    return [] { return std::make_unique_for_overwrite<char[]>(sizeof(T)); };
};

template <std::size_t Bytes>
struct unmap {
    void operator()(void* p) const noexcept { ::munmap(p, Bytes); }
};

/// What an allocator does that returns every large block to the system.
constexpr auto mapping = []<class T> {
    return [] {
        void* p = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) {
            throw std::bad_alloc{};
        }
        return std::unique_ptr<void, unmap<sizeof(T)>>{p};
    };
};

/// The scenario buffers for one way: three uses of buffers of three sizes.
template <auto Way>
outcome run_buffers(const options& o) {
    outcome result;
    const auto add = [&]<std::size_t Bytes>(const std::string& name) {
        using buffer = plain_block<Bytes>;
        const std::size_t operations = o.scaled((std::size_t{64} << 20) / Bytes) + 2;
        add_passes(result, name, 1, operations, creates<Way, buffer>);
        add_passes(result, name + "_page", 1, operations, creates<Way, buffer, 4'096>);
        add_passes(result, name + "_filled", 1, operations, creates<Way, buffer, Bytes>);
        result.work_check += operations;
    };
    add.template operator()<std::size_t{64} << 10>("64k");
    add.template operator()<std::size_t{1} << 20>("1m");
    add.template operator()<std::size_t{8} << 20>("8m");
    return result;
}

/// A type of these scenarios with a constructor that does nothing.
template <class T>
struct constructed : T {
    constructed() {} // not defaulted: a user-provided constructor ends the zero fill
};
template <std::size_t Bytes>
using constructed_block = constructed<plain_block<Bytes>>;

constexpr std::size_t small_bytes = 100;
constexpr std::size_t large_bytes = 100'000'000;
constexpr std::size_t line_bytes = std::size_t{8} << 20;

/// The published cache line of a database: room for a download, and what guards it.
struct plain_line {
    char data[line_bytes];
    std::mutex guard;
    std::atomic<std::size_t> size{0};
};

/// Threads for "all cores": each has an object of 100 MB, and half of the free memory must do.
unsigned threads_for_large() {
    const auto fitting =
        static_cast<unsigned>(proc_bytes("/proc/meminfo", "MemAvailable:") / 2 / large_bytes);
    return std::max(1u, std::min(usable_cpus(), fitting));
}

/// The scenario zero-fill for one way. A pool of pages has no business with 100 bytes: `HasSmall` is false.
template <auto Way, bool HasSmall = true, template <std::size_t> class Block = plain_block,
          class Line = plain_line>
outcome run_zero_fill(const options& o) {
    const std::size_t small_count = o.scaled(200'000);
    const std::size_t large_count = o.scaled(4);
    const std::size_t line_count = o.scaled(8);
    outcome result;
    result.work_check = small_count + line_count;

    if constexpr (HasSmall) {
        using small = Block<small_bytes>;
        add_passes(result, "small", 1, small_count, creates<Way, small>);
        add_passes(result, "small_memset", 1, small_count, creates<Way, small, small_bytes>);
    } else {
        result.phases.push_back({"small", 0, 0, {}});
        result.phases.push_back({"small_memset", 0, 0, {}});
    }
    // One pass over fresh objects, as published: one that warms up would only take longer.
    using large = Block<large_bytes>;
    const unsigned threads = threads_for_large();
    add_passes(result, "large", 1, large_count, creates<Way, large>, one_cold_pass);
    add_passes(result, "large_memset", 1, large_count, creates<Way, large, large_bytes>, one_cold_pass);
    add_passes(result, "large_all_cores", threads, large_count, creates<Way, large, large_bytes>,
               one_cold_pass);

    add_passes(result, "line", 1, line_count, creates<Way, Line>);
    add_passes(result, "line_memset", 1, line_count, creates<Way, Line, line_bytes>);
    return result;
}

constexpr auto for_overwrite = []<class T> { return [] { return std::make_shared_for_overwrite<T>(); }; };

/// What a request, a row or a packet with its parsed fields looks like: it owns two buffers.
template <std::size_t Bytes>
struct message {
    std::vector<unsigned char> payload;
    std::string from;

    void fill() {
        payload.assign(Bytes, 7);
        from.assign(100, 'x');
    }
    void clear() noexcept {
        payload.clear();
        from.clear();
    }
};

/// A message as a program makes it without a recycler.
template <std::size_t Bytes>
struct filled_message : message<Bytes> {
    filled_message() { this->fill(); }
};

/// The scenario recycled for one way: in a process with one thread, with an idle one next to it, and on two. The standard
/// library counts without locked instructions until there is a second.
template <auto Way, template <std::size_t> class Message = filled_message>
outcome run_recycled(const options& o) {
    const std::size_t operations = o.scaled(40'000);
    outcome result;
    result.work_check = operations;
    const auto add = [&](const std::string& state, unsigned threads) {
        add_passes(result, state + "_1500", threads, operations, creates<Way, Message<1500>>);
        add_passes(result, state + "_400", threads, operations, creates<Way, Message<400>>);
    };
    add("single", 1);
    const std::jthread second = start_idle_thread();
    add("multi", 1);
    add("two", 2);
    return result;
}

/// Room for one control block, without a check whether it is free.
template <class Block>
struct one_block {
    using value_type = Block;

    one_block() noexcept = default;
    template <class Other>
    one_block(const one_block<Other>& /* stateless */) noexcept {}

    Block* allocate(std::size_t) noexcept {
        alignas(std::max_align_t) static thread_local std::byte room[sizeof(Block)];
        return reinterpret_cast<Block*>(room);
    }
    void deallocate(Block*, std::size_t) noexcept {}
    friend bool operator==(const one_block&, const one_block&) noexcept { return true; }
};

/// What the standard library itself does to make and release a shared_ptr.
constexpr auto control_block = []<class T> {
    return [] {
        static thread_local T object;
        return std::shared_ptr<T>{&object, [](T*) {}, one_block<T>{}};
    };
};

/// Messages that are cleared when they come back, and filled at each use.
constexpr auto acquire_and_fill = []<class T> {
    static auto& all = *new recycler<T>{{.reset = [](T& m) { m.clear(); }}};
    return [] {
        std::shared_ptr<T> m = all.acquire_shared();
        m->fill();
        return m;
    };
};

constexpr variant all[] = {
    {"buffers", "new_array", &run_buffers<new_array>},
    {"buffers", "make_unique", &run_buffers<make_unique>},
    {"buffers", "make_unique_for_overwrite", &run_buffers<unique_for_overwrite>},
    {"buffers", "make_shared", &run_buffers<std_make_shared>},
    {"buffers", "mmap", &run_buffers<mapping>},
    {"buffers", "linn_buffer_pool", &run_buffers<linn_buffer>},
    {"buffers", "linn_buffer_pool_shared", &run_buffers<linn_buffer_shared>},
    {"zero-fill", "make_shared", &run_zero_fill<std_make_shared>},
    {"zero-fill", "make_shared_constructor",
     &run_zero_fill<std_make_shared, true, constructed_block, constructed<plain_line>>},
    {"zero-fill", "make_shared_for_overwrite", &run_zero_fill<for_overwrite>},
    {"zero-fill", "linn_make_shared_for_overwrite", &run_zero_fill<linn_for_overwrite>},
    {"zero-fill", "linn_recycler", &run_zero_fill<linn_recycler_shared>},
    {"zero-fill", "linn_buffer_pool", &run_zero_fill<linn_buffer_shared, false>},
    {"recycled", "make_shared", &run_recycled<std_make_shared>},
    {"recycled", "control_block", &run_recycled<control_block>},
    {"recycled", "linn_recycler_shared", &run_recycled<linn_recycler_shared>},
    {"recycled", "linn_recycler_filled", &run_recycled<acquire_and_fill, message>},
    {"recycled", "linn_recycler", &run_recycled<linn_recycler>},
    {"recycled", "linn_allocate_shared", &run_recycled<linn_allocate_shared>},
};

const variants here{all};

} // namespace

} // namespace linn::tool::worker
