// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure.hpp"
#include "team.hpp"

#include <linn/buffer_pool.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace linn::tool::worker {

/// What happens to a buffer between acquire and release.
enum class use { untouched, first_page, filled };

/// Acquires a buffer, uses it and releases it, again and again. `Source` has a `handle acquire()` whose destructor
/// releases; `data(handle)` is its memory.
template <use Use, class Source>
void buffer_loop(Source& source, std::size_t operations, std::size_t bytes) {
    for (std::size_t i = 0; i != operations; ++i) {
        auto h = source.acquire();
        void* p = Source::data(h);
        escape(p); // also keeps a hidden fill from merging with the one below
        const int value = static_cast<int>(i % 255) + 1;
        if constexpr (Use == use::first_page) {
            std::memset(p, value, 4'096);
        }
        if constexpr (Use == use::filled) {
            std::memset(p, value, bytes);
        }
        escape(p);
    }
}

template <use Use, class Source>
void add_buffers(outcome& result, std::string name, std::size_t operations) {
    add_passes(result, std::move(name), 1, operations, [] {
        return [source = Source{}](std::size_t n) mutable { buffer_loop<Use>(source, n, Source::bytes); };
    });
}

/// The three uses of buffers of one size.
template <class Source>
void run_size(const options& o, outcome& result, const std::string& name) {
    const std::size_t operations = o.scaled((std::size_t{64} << 20) / Source::bytes) + 2;
    add_buffers<use::untouched, Source>(result, name, operations);
    add_buffers<use::first_page, Source>(result, name + "_page", operations);
    add_buffers<use::filled, Source>(result, name + "_filled", operations);
    result.work_check += operations;
}

/// The scenario buffers for one way; `Source<Bytes>` hands out buffers of that size.
template <template <std::size_t> class Source>
outcome run_buffers(const options& o) {
    outcome result;
    run_size<Source<std::size_t{64} << 10>>(o, result, "64k");
    run_size<Source<std::size_t{1} << 20>>(o, result, "1m");
    run_size<Source<std::size_t{8} << 20>>(o, result, "8m");
    return result;
}

/// The usual handle of a buffer.
template <std::size_t Bytes>
struct array_source {
    static constexpr std::size_t bytes = Bytes;
    static void* data(const std::unique_ptr<char[]>& h) { return h.get(); }
};

template <std::size_t Bytes>
struct new_array : array_source<Bytes> {
    static std::unique_ptr<char[]> acquire() { return std::unique_ptr<char[]>(new char[Bytes]); }
};

template <std::size_t Bytes>
struct make_shared_object {
    struct line {
        char data[Bytes];
    };
    static constexpr std::size_t bytes = Bytes;
    static std::shared_ptr<line> acquire() { return std::make_shared<line>(); }
    static void* data(const std::shared_ptr<line>& h) { return h->data; }
};

/// The process's one pool of buffers of that size.
template <std::size_t Bytes>
struct buffer_pool_source {
    static constexpr std::size_t bytes = Bytes;
    linn::buffer_pool& pool = shared();

    static linn::buffer_pool& shared() {
        static linn::buffer_pool& all = *new linn::buffer_pool{Bytes};
        return all;
    }
};

template <std::size_t Bytes>
struct pool_handle : buffer_pool_source<Bytes> {
    auto acquire() { return this->pool.acquire(); }
    static void* data(const auto& h) { return h.data(); }
};

template <std::size_t Bytes>
struct pool_shared : buffer_pool_source<Bytes> {
    auto acquire() { return this->pool.acquire_shared(); }
    static void* data(const auto& h) { return h.get(); }
};

} // namespace linn::tool::worker
