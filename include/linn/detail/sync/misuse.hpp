// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_DETAIL_SYNC_MISUSE_HPP
#define LINN_DETAIL_SYNC_MISUSE_HPP

#include <linn/config.hpp>
#include <linn/detail/core/call_trace.hpp>
#include <linn/detail/core/element.hpp>
#include <linn/detail/core/slot_checks.hpp>
#include <linn/detail/core/slot_guard.hpp>
#include <linn/detail/core/type_name.hpp>
#include <linn/detail/os/backtrace.hpp>
#include <linn/detail/os/module_image.hpp>
#include <linn/detail/os/program_end.hpp>
#include <linn/detail/os/symbols.hpp>
#include <linn/detail/os/uncancelled.hpp>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

namespace linn::inline LINN_ABI {

enum class misuse_kind : unsigned char {
    double_free,        ///< the object is free already
    foreign_pointer,    ///< the memory never came from a pool
    interior_pointer,   ///< the pointer does not point at the start of an object
    misaligned_pointer, ///< the same, and the type could not be there for its alignment
    wrong_pool,         ///< the object belongs to another pool
    wrong_size,         ///< freed as of another size or alignment than it was allocated with
    write_after_free,   ///< the memory changed while it was free; checked builds only
    overrun,            ///< the memory behind the object changed; checked builds only
    underrun,           ///< the memory before the object changed; checked builds only
    objects_alive,      ///< a local_pool was destroyed before its objects
};

/// What went wrong, for a misuse handler. What it refers to is valid during the call of the handler.
struct misuse {
    misuse_kind kind;
    std::string_view type; ///< the type of the pool that noticed
    const void* address;   ///< the offending pointer or object; for objects_alive the local_pool
    std::size_t count;     ///< how many objects

    std::size_t object_bytes = 0; ///< size of an object of the pool that noticed
    /// Where the object starts that `address` points to or into; null where there is none, or where
    /// release builds do not know.
    const void* object = nullptr;
    /// From the start of the object: of the first changed byte (write_after_free, overrun; negative
    /// for underrun), or of `address` (interior_pointer, misaligned_pointer).
    std::ptrdiff_t offset = 0;
    /// For wrong_pool: the type of the pool that the object belongs to, where that is known.
    std::string_view belongs_to = {};
    /// Who allocated the object last, and who freed it last: return addresses, the innermost first.
    /// Checked builds only, and empty where nobody knows.
    std::span<const void* const> allocated_by = {};
    std::span<const void* const> freed_by = {};
};

/// A sentence for people. @returns a static string
constexpr const char* to_string(misuse_kind kind) noexcept {
    switch (kind) {
    case misuse_kind::double_free:
        return "freed twice";
    case misuse_kind::foreign_pointer:
        return "freed, but it never came from a pool";
    case misuse_kind::interior_pointer:
        return "freed, but no object starts at this address";
    case misuse_kind::misaligned_pointer:
        return "freed, but no object can start at this address, which is not aligned for one";
    case misuse_kind::wrong_pool:
        return "freed to a pool that it does not belong to";
    case misuse_kind::wrong_size:
        return "freed with another size or alignment than it was allocated with";
    case misuse_kind::write_after_free:
        return "written to after it was freed";
    case misuse_kind::overrun:
        return "written to beyond its end";
    case misuse_kind::underrun:
        return "written to before its start";
    case misuse_kind::objects_alive:
        return "still alive when their pool is destroyed";
    }
    return "misused";
}

using misuse_handler = void (*)(const misuse&) noexcept;

/// Writes a report of several lines to `file`, as the default handler does to standard error. Allocates
/// nothing.
inline void print_misuse(std::FILE* file, const misuse& m) noexcept;

namespace detail {

inline void print_callers(std::FILE* file, const char* title, std::span<const void* const> callers) noexcept {
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

/// Prints to standard error without allocating, and ends the program unless going on is harmless.
inline void default_misuse_handler(const misuse& m) noexcept {
    print_misuse(stderr, m);
    if (m.kind != misuse_kind::objects_alive) {
        std::abort();
    }
}

/// Null: the default one, each module's own.
inline constinit std::atomic<misuse_handler> current_misuse_handler{nullptr};

inline void report(const misuse& m) noexcept {
    // acquire: pairs with the release in set_misuse_handler, so that what the handler uses is there
    const misuse_handler handler = current_misuse_handler.load(std::memory_order_acquire);
    (handler != nullptr ? handler : &default_misuse_handler)(m);
}

/// Who called `first`, the return address of a function that the user's code calls; nothing in builds that
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

/// A misuse that slabs noticed: in release builds all that is known is why.
template <bool Evidence = checked_build>
struct refusal { // without initialisers: many of them lie in the frames of slow paths, mostly unused
    void* object;
    rejection why;

    void note(const slot_evidence&) noexcept {}
    void add_to(misuse&) const noexcept {}
};

template <>
struct refusal<true> {
    void* object;
    rejection why;
    slot_evidence evidence = {};

    void note(const slot_evidence& e) noexcept { evidence = e; }
    void add_to(misuse& m) const noexcept {
        m.object = evidence.object;
        m.offset = evidence.offset;
        m.allocated_by = callers(evidence.allocated);
        m.freed_by = callers(evidence.freed);
    }
};

/// Misuses noted while a lock is held, to be reported when it is released. More than fit are only counted: the
/// first one has told that the program is broken.
struct refusals {
    static constexpr std::size_t most = checked_build ? 8 : 16;
    refusal<> all[most];
    std::size_t count = 0;
    std::size_t dropped = 0;

    void operator()(rejection why, void* object, const slot_evidence& evidence = {}) noexcept {
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

constexpr misuse_kind kind_of(rejection why) noexcept {
    switch (why) {
    case rejection::not_from_a_slab:
        break;
    case rejection::other_owner:
        return misuse_kind::wrong_pool;
    case rejection::not_a_slot:
        return misuse_kind::interior_pointer;
    case rejection::misaligned:
        return misuse_kind::misaligned_pointer;
    case rejection::already_free:
        return misuse_kind::double_free;
    case rejection::written_while_free:
        return misuse_kind::write_after_free;
    case rejection::overrun:
        return misuse_kind::overrun;
    case rejection::underrun:
        return misuse_kind::underrun;
    }
    return misuse_kind::foreign_pointer;
}

/// Tells the handler what the slabs of a pool that is an object noticed. Such a pool knows no other pools.
inline void report_refusal(std::string_view type, std::size_t object_bytes, rejection why, void* object,
                           const slot_evidence& evidence) noexcept {
    misuse m{why == rejection::other_owner ? misuse_kind::foreign_pointer : kind_of(why), type, object, 1};
    m.object_bytes = object_bytes;
    refusal<> r{object, why};
    r.note(evidence);
    r.add_to(m);
    report(m);
}

/// The same for a pool of T.
template <class T>
void refuse(rejection why, void* object, const slot_evidence& evidence) noexcept {
    report_refusal(type_name<T>(), sizeof(sized<T>), why, object, evidence);
}

/// Reports what the slabs of a pool of T find when they look at all slots. @returns how many reports
template <class T, class Slabs>
std::size_t check_slabs(Slabs& slabs) noexcept {
    std::size_t found = 0;
    slabs.check([&found](rejection why, void* object, const slot_evidence& evidence) {
        ++found;
        refuse<T>(why, object, evidence);
    });
    return found;
}

} // namespace detail

inline void print_misuse(std::FILE* file, const misuse& m) noexcept {
    const detail::uncancelled until_the_end;
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
    detail::print_callers(file, "freed by", m.freed_by);
    detail::print_callers(file, "allocated by", m.allocated_by);
}

/// Installs what is called on misuse; null brings the default back, which prints to standard error
/// and aborts (for `objects_alive` it prints only). A handler that returns makes the pool ignore
/// the offending call. It is called without any lock held and may use pools. When the shared library that calls this is
/// unloaded and the handler lies in it, the default is back.
/// @returns the handler before
/// @threads any thread
inline misuse_handler set_misuse_handler(misuse_handler handler) noexcept {
    static_cast<void>(
        &detail::at_program_end<&detail::take_along<detail::current_misuse_handler>>); // odr-use registers it
    // acq_rel: pairs with the acquire in report
    const misuse_handler before = detail::current_misuse_handler.exchange(
        handler != &detail::default_misuse_handler ? handler : nullptr, std::memory_order_acq_rel);
    return before != nullptr ? before : &detail::default_misuse_handler;
}

} // namespace linn::inline LINN_ABI

#endif
