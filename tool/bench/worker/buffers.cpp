// SPDX-License-Identifier: Apache-2.0
// What is used again: the scenarios buffers, zero-fill and recycled.
#include "measure.hpp"
#include "works.hpp"

#include <linn/allocator.hpp>
#include <linn/buffer_pool.hpp>
#include <linn/memory.hpp>
#include <linn/recycler.hpp>
#include <linn/zero_fill.hpp>

#include <cstring>
#include <mutex>

namespace linn::tool::worker {

namespace {

template <std::size_t Bytes>
struct make_unique_array : array_source<Bytes> {
    static std::unique_ptr<char[]> acquire() { return std::make_unique<char[]>(Bytes); }
};

template <std::size_t Bytes>
struct for_overwrite_array : array_source<Bytes> {
    static std::unique_ptr<char[]> acquire() { return std::make_unique_for_overwrite<char[]>(Bytes); }
};

template <std::size_t Bytes>
struct unmap {
    void operator()(void* p) const noexcept { ::munmap(p, Bytes); }
};

/// What an allocator does that returns every large block to the system.
template <std::size_t Bytes>
struct mapping {
    using handle = std::unique_ptr<void, unmap<Bytes>>;
    static constexpr std::size_t bytes = Bytes;

    static handle acquire() {
        void* p = ::mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) {
            throw std::bad_alloc{};
        }
        return handle{p};
    }
    static void* data(const handle& h) { return h.get(); }
};

/// The object of the published table, without and with a constructor that does nothing.
template <std::size_t Bytes>
struct plain_block {
    char data[Bytes];
};
template <std::size_t Bytes>
struct constructed_block {
    char data[Bytes];
    constructed_block() {} // not defaulted: a user-provided constructor ends the zero fill
};

constexpr std::size_t small_bytes = 100;
constexpr std::size_t large_bytes = 100'000'000;
constexpr std::size_t line_bytes = std::size_t{8} << 20;

/// The published cache line of a database: room for a download, and what guards it.
struct plain_line {
    char data[line_bytes];
    std::mutex guard;
    std::atomic<std::size_t> size{0};
};
struct constructed_line {
    char data[line_bytes];
    std::mutex guard;
    std::atomic<std::size_t> size{0};
    constructed_line() {} // as above
};

/// What creates an object and lets it go, again and again; so many bytes of it are written in between. The escape stands between
/// the hidden fill and the wanted one, since compilers make one of two that follow each other.
template <auto Way, class T, std::size_t Filled = 0>
auto creates() {
    return [create = Way.template operator()<T>()](std::size_t operations) mutable {
        for (std::size_t i = 0; i != operations; ++i) {
            auto h = create();
            void* p = h.get();
            escape(p);
            if constexpr (Filled != 0) {
                std::memset(p, static_cast<int>(i % 255) + 1, Filled);
                escape(p);
            }
        }
    };
}

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
    result.phases.back().metrics.emplace_back("threads", threads);

    add_passes(result, "line", 1, line_count, creates<Way, Line>);
    add_passes(result, "line_memset", 1, line_count, creates<Way, Line, line_bytes>);
    return result;
}

// What a way returns makes an object of the type and returns what holds it.
constexpr auto by_make_shared = []<class T> { return [] { return std::make_shared<T>(); }; };
constexpr auto for_overwrite = []<class T> { return [] { return std::make_shared_for_overwrite<T>(); }; };
constexpr auto linn_for_overwrite = []<class T> {
    return [] { return linn::make_shared_for_overwrite<T>(); };
};

/// Objects that stay constructed; one recycler a type for all threads.
constexpr auto linn_recycler = []<class T> {
    static linn::recycler<T>& source = *new linn::recycler<T>{{.capacity = 64}};
    return [] { return source.acquire_shared(); };
};

/// Raw buffers of the same sizes.
constexpr auto linn_buffers = []<class T> {
    static linn::buffer_pool& source = *new linn::buffer_pool{sizeof(T::data)};
    return [] { return source.acquire_shared(); };
};

/// The first variant also says what the library finds in the types.
outcome run_for_overwrite(const options& o) {
    outcome result = run_zero_fill<linn_for_overwrite>(o);
    for (phase& p : result.phases) {
        if (p.name == "line") {
            p.metrics = {{"fill_bytes", static_cast<double>(linn::value_initialization_fill<plain_line>())},
                         {"fill_bytes_constructor",
                          static_cast<double>(linn::value_initialization_fill<constructed_line>())}};
        }
    }
    return result;
}

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
template <auto Way>
outcome run_recycled(const options& o) {
    const std::size_t operations = o.scaled(40'000);
    outcome result;
    result.work_check = operations;
    const auto add = [&](const char* state, unsigned threads) {
        const auto measure = [&]<std::size_t Bytes> {
            add_passes(result, std::string{state} + '_' + std::to_string(Bytes), threads, operations, [] {
                return [way = Way.template operator()<Bytes>()](std::size_t n) mutable {
                    for (std::size_t i = 0; i != n; ++i) {
                        way();
                    }
                };
            });
        };
        measure.template operator()<1500>();
        measure.template operator()<400>();
    };
    add("single", 1);
    const idle_thread second;
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

/// One for all threads, as a program would have it.
template <class Message>
recycler<Message>& messages() {
    static auto& all = *new recycler<Message>;
    return all;
}

/// Cleared when they come back.
template <std::size_t Bytes>
recycler<message<Bytes>>& empty_messages() {
    static auto& all = *new recycler<message<Bytes>>{{.reset = [](message<Bytes>& m) { m.clear(); }}};
    return all;
}

// What a way returns makes a message of so many bytes and lets it go.
constexpr auto make_shared_message = []<std::size_t Bytes> {
    return [] { escape(std::make_shared<filled_message<Bytes>>().get()); };
};
/// What the standard library itself does to make and release a shared_ptr.
constexpr auto control_block = []<std::size_t Bytes> {
    return [] {
        using type = filled_message<Bytes>;
        static thread_local type object;
        escape(std::shared_ptr<type>{&object, [](type*) {}, one_block<type>{}}.get());
    };
};
constexpr auto acquire_shared = []<std::size_t Bytes> {
    return [from = &messages<filled_message<Bytes>>()] { escape(from->acquire_shared().get()); };
};
constexpr auto acquire = []<std::size_t Bytes> {
    return [from = &messages<filled_message<Bytes>>()] { escape(from->acquire().get()); };
};
/// Fills the message at each use.
constexpr auto acquire_and_fill = []<std::size_t Bytes> {
    return [from = &empty_messages<Bytes>()] {
        const std::shared_ptr<message<Bytes>> m = from->acquire_shared();
        m->fill();
        escape(m.get());
    };
};
constexpr auto allocate_shared_message = []<std::size_t Bytes> {
    return [] {
        using type = filled_message<Bytes>;
        escape(std::allocate_shared<type>(allocator<type>{}).get());
    };
};

constexpr variant all[] = {
    {"buffers", "new_array", &run_buffers<new_array>},
    {"buffers", "make_unique", &run_buffers<make_unique_array>},
    {"buffers", "make_unique_for_overwrite", &run_buffers<for_overwrite_array>},
    {"buffers", "make_shared", &run_buffers<make_shared_object>},
    {"buffers", "mmap", &run_buffers<mapping>},
    {"buffers", "linn_buffer_pool", &run_buffers<pool_handle>},
    {"buffers", "linn_buffer_pool_shared", &run_buffers<pool_shared>},
    {"zero-fill", "make_shared", &run_zero_fill<by_make_shared>},
    {"zero-fill", "make_shared_constructor",
     &run_zero_fill<by_make_shared, true, constructed_block, constructed_line>},
    {"zero-fill", "make_shared_for_overwrite", &run_zero_fill<for_overwrite>},
    {"zero-fill", "linn_make_shared_for_overwrite", &run_for_overwrite},
    {"zero-fill", "linn_recycler", &run_zero_fill<linn_recycler>},
    {"zero-fill", "linn_buffer_pool", &run_zero_fill<linn_buffers, false>},
    {"recycled", "make_shared", &run_recycled<make_shared_message>},
    {"recycled", "control_block", &run_recycled<control_block>},
    {"recycled", "linn_recycler_shared", &run_recycled<acquire_shared>},
    {"recycled", "linn_recycler_filled", &run_recycled<acquire_and_fill>},
    {"recycled", "linn_recycler", &run_recycled<acquire>},
    {"recycled", "linn_allocate_shared", &run_recycled<allocate_shared_message>},
};

const variants here{all};

} // namespace

} // namespace linn::tool::worker
