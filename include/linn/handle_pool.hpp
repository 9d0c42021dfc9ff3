// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_HANDLE_POOL_HPP
#define LINN_HANDLE_POOL_HPP

#include <linn/config.hpp>
#ifdef LINN_ABI // C++20

#include <linn/detail/core/element.hpp>
#include <linn/detail/core/handle_table.hpp>
#include <linn/detail/core/slab_set.hpp>
#include <linn/detail/os/pages_heap.hpp>
#include <linn/detail/sanitizer/asan.hpp>
#include <linn/detail/sanitizer/valgrind.hpp>
#include <linn/detail/sync/handlers.hpp>
#include <linn/options.hpp>
#include <linn/types/pool_statistics.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

namespace linn::inline LINN_ABI {

/// Options of a `handle_pool`: how a handle divides its bits. Together at most 32 bits make a handle of 4 bytes,
/// up to 63 one of 8 bytes.
struct handle_options {
    /// The pool holds up to 2^index_bits objects at once. From 1 to 31.
    unsigned index_bits = 20;
    /// An index is used for 2^generation_bits - 1 objects, one after the other, and then no more. From 1 to 32.
    unsigned generation_bits = 12;
    /// Largest slab, as in `pool_options`. 0: 256 KiB, or what one object needs.
    std::size_t slab_bytes = 0;

    friend constexpr bool operator==(const handle_options&, const handle_options&) = default;
};

/// A number that stands for an object of a `handle_pool`, and for no other object ever. One that is default
/// initialised is null and stands for none. It compares and hashes as a number; it is valid for the pool that
/// made it only.
/// @complexity constant
/// @threads as a number
template <class T, handle_options O = handle_options{}>
class pool_handle {
public:
    using value_type =
        std::conditional_t<O.index_bits + O.generation_bits <= 32, std::uint32_t, std::uint64_t>;

    constexpr pool_handle() noexcept = default;

    /// The handle with this `value()`; any number will do, and one that was never a handle finds nothing.
    [[nodiscard]] static constexpr pool_handle from_value(value_type value) noexcept {
        pool_handle h;
        h.value_ = value;
        return h;
    }
    /// For files and messages. 0 for null.
    [[nodiscard]] constexpr value_type value() const noexcept { return value_; }

    /// Whether it is not null. Its object may be gone all the same.
    constexpr explicit operator bool() const noexcept { return value_ != 0; }

    friend constexpr bool operator==(pool_handle, pool_handle) noexcept = default;
    friend constexpr auto operator<=>(pool_handle, pool_handle) noexcept = default;

private:
    value_type value_ = 0;
};

namespace detail {

/// Instantiated by each handle_pool: refuses options outside their range.
template <handle_options O>
struct checked_handle_options {
    static_assert(O.index_bits >= 1 && O.index_bits <= 31,
                  "linn::handle_options: index_bits must be from 1 to 31");
    static_assert(O.generation_bits >= 1 && O.generation_bits <= 32,
                  "linn::handle_options: generation_bits must be from 1 to 32");
    static constexpr bool done = checked_options<pool_options{.slab_bytes = O.slab_bytes}>::done;
};

/// A slot: the object, and the index of its handle.
template <class T>
struct handle_cell {
    /// Until the constructor has returned, and from the destructor on: `handle_of` is null then.
    static constexpr std::uint32_t not_live = UINT32_MAX;
    /// Whole granules, or AddressSanitizer could not tell the end of the object from the index.
    static constexpr std::size_t poisoned_bytes = round_up(sizeof(sized<T>), poison_granule);

    alignas(sized<T>) std::byte object[sizeof(sized<T>)];
    alignas(sanitizer_poison ? poison_granule : alignof(std::uint32_t)) std::uint32_t index;

    [[nodiscard]] T* get() noexcept { return std::launder(typed<T>(object)); }

    /// The cell of an object, also where its class overloads `&`.
    static handle_cell* of(const volatile T& object) noexcept {
        return reinterpret_cast<handle_cell*>(
            const_cast<char*>(&reinterpret_cast<const volatile char&>(object)));
    }
};

} // namespace detail

/// A pool that is an object with one owner, and names its objects by handles: numbers of 32 bits that know
/// whether their object still exists. `get` of a handle whose object was destroyed gives null, also after the
/// memory has been used for other objects, and for as long as the pool lives.
///
/// Objects never move. Iteration visits them by index. The destructor destroys those that are left, and so does `clear()`.
///
/// A handle is an index and a generation. An index whose generations are used up is retired, so that no handle is
/// ever made twice: with 20 and 12 bits a pool creates 2^32 - 2^20 objects in its life, then `create` throws
/// `std::bad_alloc`. Where that is not enough take more bits: `handle_pool<T, {.generation_bits = 32}>` has handles
/// of 8 bytes and creates 2^52 objects.
///
/// A class with a private constructor or destructor makes this class its friend. Constructors and destructors may
/// use the pool; they do not see their own object in it.
///
/// @complexity O(1) unless stated otherwise, and the constructors and destructors of T
/// @threads one at a time; while no thread creates, destroys or trims, any number may `get` and iterate
/// @source slot maps: S. Barrett, A. Kelley, handles by index and generation; docs/reference/handle_pool.md
/// @snippet examples/35_handles.cpp
template <class T, handle_options O = handle_options{}>
class handle_pool {
    static_assert(detail::checked_handle_options<O>::done);

    using cell = detail::handle_cell<T>;
    using table_type = detail::handle_table<detail::heap_pages, O.index_bits, O.generation_bits>;

    template <bool Const>
    class basic_iterator;

public:
    using value_type = T;
    using handle = pool_handle<T, O>;
    using iterator = basic_iterator<false>;
    using const_iterator = basic_iterator<true>;
    static constexpr handle_options options = O;

    /// Allocates nothing.
    handle_pool() noexcept = default;
    handle_pool(const handle_pool&) = delete;
    handle_pool& operator=(const handle_pool&) = delete;

    /// Destroys all objects, in order of their indices. @complexity O(objects + indices / 64 + slabs)
    ~handle_pool() {
        clear();
        (check)();
        slabs_.unmap_all();
    }

    /// A new object, constructed from `args` as `T(args...)`.
    /// @throws std::bad_alloc when there is no memory or no handle left, and what the constructor throws; the pool
    ///         is unchanged then
    /// @complexity O(1) amortised; rarely a slab, or the table grows and is copied
    template <class... Args>
    [[nodiscard]] handle create(Args&&... args) {
        const handle h = try_create(std::forward<Args>(args)...);
        if (!h) [[LINN_DETAIL_UNLIKELY]] {
            detail::throw_bad_alloc();
        }
        return h;
    }

    /// As `create`, but null when there is no memory or no handle left.
    /// @throws what the constructor throws; the pool is unchanged then
    LINN_DETAIL_FEW_VALUES_BEGIN
    template <class... Args>
    [[nodiscard]] handle try_create(Args&&... args) {
        if constexpr (detail::creatable<T>) {
            cell* c = take();
            if (c == nullptr) [[LINN_DETAIL_UNLIKELY]] {
                return {};
            }
            const std::uint32_t index = indices_[cached_];
            detail::start_or(
                [&] { return ::new (static_cast<void*>(c->object)) T(std::forward<Args>(args)...); },
                [this, c, index] { give(c, index); });
            c->index = index;
            ++size_;
            return handle::from_value(table_.use(index, c));
        } else {
            detail::refuse_to_create<T>();
            return {};
        }
    }
    LINN_DETAIL_FEW_VALUES_END

    /// The object; null when it was destroyed, and for null. @complexity nine instructions, two loads
    [[nodiscard]] T* get(handle h) noexcept {
        void* p = table_.find(h.value());
        return static_cast<T*>(p); // a cell begins with its object
    }
    [[nodiscard]] const T* get(handle h) const noexcept {
        return static_cast<const T*>(table_.find(h.value()));
    }

    /// Whether the object exists. @complexity as `get`
    [[nodiscard]] bool contains(handle h) const noexcept { return table_.find(h.value()) != nullptr; }

    /// The handle of an object of this pool. @complexity O(1)
    [[nodiscard]] handle handle_of(const T& object) const noexcept {
        return handle::from_value(table_.number_of(cell::of(object)->index));
    }

    /// Destroys the object. @returns false when it was destroyed before, and for null @complexity O(1)
    bool destroy(handle h) noexcept {
        auto* c = static_cast<cell*>(table_.find(h.value()));
        if (c == nullptr) {
            return false;
        }
        const std::uint32_t index = table_type::index_of(h.value());
        if (c->index != index) [[LINN_DETAIL_UNLIKELY]] {
            detail::refuse<T>(misuse_kind::overrun, c->object,
                              {static_cast<std::ptrdiff_t>(sizeof(cell::object)), c->object, {}, {}});
        }
        const bool again = table_.invalidate(index); // first: the destructor must not find its object
        c->index = cell::not_live;
        --size_;
        c->get()->~T();
        give(c, index);
        if (!again) [[LINN_DETAIL_UNLIKELY]] {
            give_back(cached_); // none of those cached is spent
        }
        return true;
    }

    /// Destroys all objects, in order of their indices; all handles are stale then. Keeps the memory. What destructors
    /// create meanwhile is destroyed too. @complexity O(objects + indices / 64)
    void clear() noexcept {
        for (bool more = true; more && size_ != 0;) {
            more = false;
            for_each([&](handle h, T&) { more = destroy(h) || more; });
        }
    }

    /// Takes the memory for objects up to `objects` in all. @throws std::bad_alloc; no object is affected then
    /// @complexity O(slabs + handles so far)
    void reserve(std::size_t objects) {
        const std::size_t more = objects > size_ ? objects - size_ : 0;
        const std::size_t fresh = more > cached_ ? more - cached_ : 0;
        if (!(table_.reserve(fresh) && slabs_.reserve(fresh))) {
            detail::throw_bad_alloc();
        }
    }

    /// Frees the slabs that no object lies in. Handles and other objects are not affected.
    /// @returns the bytes freed, which `returned_bytes` of the statistics counts @complexity O(slabs + slots / 64)
    std::size_t trim() noexcept {
        std::size_t bytes = 0;
        give_back(cached_);
        slabs_.begin_trim();
        for (detail::cold_pages leaving; slabs_.trim_next(bytes, leaving, false); leaving = {}) {
            if (detail::slab* const s = leaving.of; s != nullptr) {
                const std::size_t mapped = s->mapped_bytes;
                slabs_.disown(s, mapped);
                detail::heap_pages::unmap(s, mapped, sizes.slab_align);
                bytes += mapped;
            }
        }
        return bytes;
    }

    /// Calls `f(T&)`, or `f(handle, T&)` if it takes two, for each object in order of their indices.
    /// `f` may destroy any object: those that are gone when their turn comes are not visited. It may create objects;
    /// whether these are visited is not said.
    /// @throws what `f` throws
    /// @complexity O(objects + indices / 64)
    template <class F>
    void for_each(F&& f) {
        visit(*this, f);
    }
    /// As `for_each`, for a pool that is const.
    template <class F>
    void for_each(F&& f) const {
        visit(*this, f);
    }

    /// Objects in order of their indices. All functions leave an iterator valid, also one whose object was destroyed: it can be
    /// incremented.
    /// @complexity to increment: amortised constant, and one step for 64 indices that are free or retired
    [[nodiscard]] iterator begin() noexcept { return iterator{table_}; }
    [[nodiscard]] iterator end() noexcept { return {}; }
    [[nodiscard]] const_iterator begin() const noexcept { return const_iterator{table_}; }
    [[nodiscard]] const_iterator end() const noexcept { return {}; }

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

    /// Indices that are left: how many objects the pool can hold at once. It starts as 2^index_bits, and each index
    /// that has had all its generations is one less.
    [[nodiscard]] std::size_t capacity() const noexcept { return table_type::most - table_.retired(); }

    /// Whether `p`, which may be any pointer, points into memory of this pool. @complexity O(slabs)
    [[nodiscard]] bool owns(const volatile void* p) const noexcept {
        return slabs_.find(detail::untyped(p)) != nullptr;
    }

    // In parentheses, since headers of Apple and of Unreal define a macro check(condition).
    /// In checked builds, looks for free objects that were written to and for live ones whose surroundings
    /// changed, and reports each to the misuse handler, once. Does nothing in other builds.
    /// @returns the number of reports
    /// @complexity O(bytes of the pool)
    std::size_t(check)() noexcept { return detail::check_slabs<T>(slabs_); }

    /// The numbers of this pool; the table of handles counts as memory. @complexity O(slabs)
    [[nodiscard]] pool_statistics statistics() const noexcept {
        pool_statistics s;
        s.type = type_name;
        s.object_bytes = sizeof(cell::object);
        s.slot_bytes = sizes.slot_bytes;
        s.live = size_;
        s.cached = cached_;
        s.threads = 1;
        s.reserved_bytes = s.resident_bytes = table_.bytes();
        slabs_.add_to(s);
        return s;
    }

private:
    static constexpr std::string_view type_name = detail::type_name<T>();
    static constexpr std::size_t cache_cells = 32;

    static constexpr detail::geometry sizes =
        detail::geometry_for(sizeof(cell), alignof(cell), {.slab_bytes = O.slab_bytes}, true);

    /// Goes from one entry of the table to the next that has an object, so nothing that happens between two steps leads it
    /// astray.
    template <bool Const>
    class basic_iterator {
    public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = std::conditional_t<Const, const T*, T*>;
        using reference = std::conditional_t<Const, const T&, T&>;

        constexpr basic_iterator() noexcept = default;
        template <bool Other>
            requires(Const && !Other)
        basic_iterator(const basic_iterator<Other>& other) noexcept
            : table_{other.table_},
              index_{other.index_} {}

        [[nodiscard]] reference operator*() const noexcept { return *operator->(); }
        [[nodiscard]] pointer operator->() const noexcept {
            return static_cast<T*>(table_->object_at(index_)); // a cell begins with its object
        }
        basic_iterator& operator++() noexcept {
            index_ = table_->used_from(index_ + 1);
            return *this;
        }
        basic_iterator operator++(int) noexcept {
            basic_iterator before = *this;
            ++*this;
            return before;
        }
        friend bool operator==(const basic_iterator& a, const basic_iterator& b) noexcept {
            return a.index_ == b.index_;
        }

    private:
        friend class handle_pool;
        template <bool>
        friend class basic_iterator;

        explicit basic_iterator(const table_type& table) noexcept
            : table_{&table},
              index_{table.used_from(0)} {}

        const table_type* table_ = nullptr;
        std::size_t index_ = table_type::no_index;
    };

    template <class Pool, class F>
    static void visit(Pool& pool, F& f) {
        const auto end = pool.end();
        for (auto i = pool.begin(); i != end; ++i) {
            if constexpr (std::is_invocable_v<F&, handle, decltype(*i)>) {
                f(handle::from_value(pool.table_.number_of(static_cast<std::uint32_t>(i.index_))), *i);
            } else {
                f(*i);
            }
        }
    }

    /// A cell that is not live; null when there is no memory.
    cell* take() noexcept {
        if (cached_ == 0 && !refill()) [[LINN_DETAIL_UNLIKELY]] {
            return nullptr;
        }
        cell* c = static_cast<cell*>(cache_[--cached_]);
        detail::unpoison(c->object, cell::poisoned_bytes);
        detail::open_slot(c->object, sizeof(cell::object));
        if (memcheck_) [[LINN_DETAIL_UNLIKELY]] {
            detail::ask_memcheck(detail::memcheck_request::make_undefined, c->object, sizeof(cell::object));
        }
        return c;
    }

    /// Takes some cells from the slabs, and an index for each; as few as there are objects, so that a small pool stays
    /// small. A checked build caches none, so that its slabs know of each whether it is free.
    [[LINN_DETAIL_NOINLINE]] bool refill() noexcept {
        if (table_.ready() == 0 && !table_.reserve(1)) {
            return false;
        }
        const std::size_t most =
            detail::clamp(table_.ready(), 1, detail::checked_build ? 1 : cache_cells / 2);
        const std::size_t want = detail::clamp(size_, 1, most);
        cached_ = detail::take_slots<T>(slabs_, cache_, want, LINN_DETAIL_RETURN_ADDRESS());
        for (std::size_t i = 0; i != cached_; ++i) {
            static_cast<cell*>(cache_[i])->index = cell::not_live;
        }
        table_.take(indices_ + cached_, cached_);
        return cached_ != 0;
    }

    void give(cell* c, std::uint32_t index) noexcept {
        if (!detail::checked_build && cached_ == cache_cells) [[LINN_DETAIL_UNLIKELY]] {
            give_back(cache_cells / 2);
        }
        detail::poison(c->object, cell::poisoned_bytes);
        if (memcheck_) [[LINN_DETAIL_UNLIKELY]] {
            detail::ask_memcheck(detail::memcheck_request::make_noaccess, c->object, sizeof(cell::object));
        }
        indices_[cached_] = index;
        cache_[cached_++] = c;
        if constexpr (detail::checked_build) {
            give_back(1);
        }
    }

    /// Gives the `n` cells that were freed longest ago back to their slabs, and `n` indices to the table.
    [[LINN_DETAIL_NOINLINE]] void give_back(std::size_t n) noexcept {
        slabs_.give(cache_, n, &detail::refuse<T>, detail::trace_from(LINN_DETAIL_RETURN_ADDRESS()));
        table_.give(indices_, n);
        cached_ -= n;
        for (std::size_t i = 0; i != cached_; ++i) {
            cache_[i] = cache_[i + n];
            indices_[i] = indices_[i + n];
        }
    }

    table_type table_;
    std::size_t size_ = 0;
    std::size_t cached_ = 0;
    /// A checked build writes into free objects, which Memcheck must not take for the user's doing.
    bool memcheck_ = !detail::checked_build && detail::running_on_memcheck();
    detail::slab_set<detail::heap_pages> slabs_{sizes};
    void* cache_[cache_cells];           ///< cells that are out of their slabs and not live
    std::uint32_t indices_[cache_cells]; ///< as many, taken from the table
};

/// Not a pool: what cannot be an object is refused.
template <class T, handle_options O>
    requires(!detail::object_type<T>)
class handle_pool<T, O> {
    static_assert(
        detail::object_type<T>,
        "linn::handle_pool holds objects: its type must not be a reference, void, a function or an array");
};

} // namespace linn::inline LINN_ABI

/// @cond
template <class T, linn::handle_options O>
struct std::hash<linn::pool_handle<T, O>> {
    std::size_t operator()(linn::pool_handle<T, O> h) const noexcept {
        return std::hash<typename linn::pool_handle<T, O>::value_type>{}(h.value());
    }
};
/// @endcond

#endif
#endif
