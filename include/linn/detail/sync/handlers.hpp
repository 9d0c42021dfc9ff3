// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_HANDLERS_HPP
#define LINN_DETAIL_SYNC_HANDLERS_HPP

#include <linn/config.hpp>
#include <linn/detail/core/element.hpp>
#include <linn/detail/core/slab_states.hpp>
#include <linn/detail/core/slot_guard.hpp>
#include <linn/detail/os/backtrace.hpp>
#include <linn/detail/os/threads.hpp>
#include <linn/detail/sync/race_checks.hpp>
#include <linn/types/misuse.hpp>
#include <linn/types/pool_event.hpp>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

// What the handlers of the program are told: misuse, and what pools do.

namespace linn::inline LINN_ABI::detail {

[[LINN_DETAIL_COLD]] inline void print_callers(std::FILE* file, const char* title,
                                               std::span<const void* const> callers) noexcept {
    if (callers.empty()) {
        return;
    }
    std::fprintf(file, "linn:   %s\n", title);
    for (std::size_t i = 0; i != callers.size(); ++i) {
        char text[512];
        describe_caller(text, sizeof text, callers[i]);
        std::fprintf(file, "linn:     #%zu %s\n", i, text);
    }
}

/// What `print_misuse` writes.
[[LINN_DETAIL_COLD]] inline void write_misuse(std::FILE* file, const misuse& m) noexcept {
    const uncancelled until_the_end;
    std::fprintf(file, "linn: %zu object%s of type %.*s at %p: %s\n", m.count, m.count == 1 ? "" : "s",
                 static_cast<int>(m.type.size()), m.type.data(), m.address, to_string(m.kind));
    switch (m.kind) {
    case misuse_kind::write_after_free:
    case misuse_kind::overrun:
    case misuse_kind::underrun:
        std::fprintf(file, "linn:   first changed byte: %td, of an object of %zu bytes\n", m.offset,
                     m.object_bytes);
        break;
    case misuse_kind::interior_pointer:
    case misuse_kind::misaligned_pointer:
        if (m.object != nullptr) {
            std::fprintf(file, "linn:   it points to byte %td of the object of %zu bytes at %p\n", m.offset,
                         m.object_bytes, m.object);
        }
        break;
    case misuse_kind::wrong_pool:
        if (!m.belongs_to.empty()) {
            std::fprintf(file, "linn:   it belongs to the pool of %.*s\n",
                         static_cast<int>(m.belongs_to.size()), m.belongs_to.data());
        }
        break;
    default:
        break;
    }
    print_callers(file, "freed by", m.freed_by);
    print_callers(file, "allocated by", m.allocated_by);
}

/// Prints to standard error without allocating, and ends the program unless going on is harmless.
[[LINN_DETAIL_COLD]] inline void default_misuse_handler(const misuse& m) noexcept {
    write_misuse(stderr, m);
    if (m.kind != misuse_kind::objects_alive) {
        std::abort();
    }
}

/// Null: the default one, each module's own.
inline constinit std::atomic<misuse_handler> current_misuse_handler{nullptr};

inline void report(const misuse& m) noexcept {
    // What the handler uses is there: see exchange_handler.
    const misuse_handler handler = read_published(current_misuse_handler);
    (handler != nullptr ? handler : &default_misuse_handler)(m);
}

/// The callers of `first`, the return address of a function that the user's code calls; nothing in builds that
/// are not checked.
inline call_trace trace_from([[maybe_unused]] const void* first) noexcept {
    call_trace trace;
    if constexpr (checked_build) {
        capture_callers(trace.frames, call_trace::depth, first);
    }
    return trace;
}

inline std::span<const void* const> callers(const call_trace& trace) noexcept {
    return {trace.frames, trace.size()};
}

inline void add_evidence(misuse& m, const slot_evidence& e) noexcept {
    m.object = e.object;
    m.offset = e.offset;
    m.allocated_by = callers(e.allocated);
    m.freed_by = callers(e.freed);
}

/// A misuse that slabs noticed: in release builds all that is known is why.
struct refusal { // without initialisers: many of them lie in the frames of slow paths, mostly unused
    void* object;
    misuse_kind why;
#if LINN_CHECKED
    slot_evidence evidence = {};

    void note(const slot_evidence& e) noexcept { evidence = e; }
    void add_to(misuse& m) const noexcept { add_evidence(m, evidence); }
#else
    void note(const slot_evidence&) noexcept {}
    void add_to(misuse&) const noexcept {}
#endif
};

/// Misuses noted while a lock is held, to be reported when it is released. More than fit are only counted: the
/// first one has told that the program is broken.
struct refusals {
    static constexpr std::size_t most = checked_build ? 8 : 16;
    refusal all[most];
    std::size_t count = 0;
    std::size_t dropped = 0;

    [[LINN_DETAIL_COLD]] void operator()(misuse_kind why, void* object,
                                         const slot_evidence& evidence = {}) noexcept {
        if (count == most) {
            ++dropped;
            return;
        }
        all[count].object = object;
        all[count].why = why;
        all[count].note(evidence);
        ++count;
    }
};

/// Tells the handler what the slabs of a pool that is an object noticed. Such a pool knows no other pools.
[[LINN_DETAIL_COLD]] inline void report_refusal(std::string_view type, std::size_t object_bytes,
                                                misuse_kind why, void* object,
                                                const slot_evidence& evidence) noexcept {
    misuse m{why == misuse_kind::wrong_pool ? misuse_kind::foreign_pointer : why, type, object, 1};
    m.object_bytes = object_bytes;
    add_evidence(m, evidence);
    report(m);
}

/// The same for a pool of T.
template <class T>
[[LINN_DETAIL_COLD]] void refuse(misuse_kind why, void* object, const slot_evidence& evidence) noexcept {
    report_refusal(type_name<T>(), sizeof(sized<T>), why, object, evidence);
}

/// Takes slots out of the slabs of a pool of T that is an object, to `begin`; in checked builds for the caller at `caller`.
template <class T, class Slabs>
std::size_t take_slots(Slabs& slabs, void** begin, std::size_t want,
                       [[maybe_unused]] const void* caller) noexcept {
    if constexpr (checked_build) {
        return slabs.fill(begin, want, Slabs::growth::allowed, trace_from(caller), &refuse<T>);
    } else {
        return slabs.fill(begin, want);
    }
}

/// Reports what the slabs of a pool of T find when they look at all slots. @returns how many reports
template <class T, class Slabs>
std::size_t check_slabs(Slabs& slabs) noexcept {
    std::size_t found = 0;
    slabs.check_objects([&found](misuse_kind why, void* object, const slot_evidence& evidence) {
        ++found;
        refuse<T>(why, object, evidence);
    });
    return found;
}

inline constinit std::atomic<pool_observer> current_pool_observer{nullptr};

/// Set while this thread is in the observer, whose own use of pools is not told to it.
inline constinit thread_local bool inside_observer = false;

/// Calls the observer, if there is one. @pre no lock is held
[[LINN_DETAIL_COLD]] inline void tell_observer(const pool_event& e) noexcept {
    // What the observer uses is there: see exchange_handler.
    const pool_observer observer = read_published(current_pool_observer);
    if (observer == nullptr || inside_observer) {
        return;
    }
    inside_observer = true;
    observer(e);
    inside_observer = false;
}

[[LINN_DETAIL_COLD]] inline void tell_some_news(const slab_news& news, std::size_t refused,
                                                std::size_t object_bytes, std::string_view type,
                                                const void* pool) noexcept {
    if (news.slabs != 0) {
        tell_observer({pool_event_kind::slab_mapped, type, pool, news.slabs, news.bytes});
    }
    if (refused != 0) {
        const auto kind =
            news.why == shortage::limit ? pool_event_kind::limit_reached : pool_event_kind::out_of_memory;
        const bool overflows = refused > static_cast<std::size_t>(-1) / object_bytes;
        tell_observer(
            {kind, type, pool, refused, overflows ? static_cast<std::size_t>(-1) : refused * object_bytes});
    }
}

/// Tells what a set of slabs did under a lock, now that it is released.
/// @param refused of how many objects a request failed; 0: it did not
inline void tell_news(const slab_news& news, std::size_t refused, std::size_t object_bytes,
                      std::string_view type, const void* pool = nullptr) noexcept {
    if (news.slabs != 0 || refused != 0) [[LINN_DETAIL_UNLIKELY]] {
        tell_some_news(news, refused, object_bytes, type, pool);
    }
}

} // namespace linn::inline LINN_ABI::detail

#endif
