// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_ANY_POOL_HPP
#define LINN_TESTS_FUZZ_ANY_POOL_HPP

#include "expect.hpp"

#include <linn/statistics.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace linn_fuzz {

/// A pool without its type: the operations are compiled once for all of them.
class any_pool {
public:
    const std::size_t bytes;
    const std::size_t align;
    const std::size_t most; ///< objects at a time

    any_pool(std::size_t object_bytes, std::size_t object_align, std::size_t limit)
        : bytes{object_bytes},
          align{object_align},
          most{limit} {}
    virtual ~any_pool() = default;

    /// One object, by `create`, `allocate`, `try_create` or `try_allocate`; null when there is none.
    virtual void* allocate(std::size_t how) = 0;
    /// Creates one whose constructor throws.
    virtual void create_refused(bool tries) = 0;
    virtual void deallocate(void*) = 0;
    virtual void destroy(void*) = 0;
    /// All or none; whether it was all.
    virtual bool allocate_n(std::span<void*>, bool tries) = 0;
    virtual void deallocate_n(std::span<void* const>) = 0;
    virtual bool reserve(std::size_t) = 0;
    virtual std::size_t trim() = 0;
    virtual void release() = 0;
    /// Destroys those that `destroys` is true for.
    virtual std::size_t visit_live(const std::function<bool(std::byte*)>& destroys) = 0;
    [[nodiscard]] virtual bool owns(const void*) const = 0;
    [[nodiscard]] virtual linn::pool_statistics statistics() const = 0;
    /// Ends the pool, which must be empty, and makes another one.
    virtual void renew() = 0;

    /// What must hold of a pool with `live` objects. What is counted never goes back.
    void check(std::size_t live) {
        const linn::pool_statistics s = statistics();
        expect_equal(s.live, live, "live objects");
        expect(s.peak >= s.live && s.peak >= before_.peak, "a peak below what was out");
        expect(s.slot_bytes >= bytes && s.object_bytes == bytes, "sizes");
        expect(s.resident_bytes <= s.reserved_bytes, "more resident than reserved");
        expect(s.reserved_bytes >= (s.live + s.cached) * s.slot_bytes || linn::detail::sanitizer_bypass,
               "objects without memory");
        expect(s.returned_bytes >= before_.returned_bytes && s.depot_visits >= before_.depot_visits,
               "a counter that went back");
        check_itself(s);
        before_ = s;
    }
    [[nodiscard]] const linn::pool_statistics& before() const { return before_; }
    void has_held(std::size_t objects) { highest_ = std::max(highest_, objects); }

protected:
    virtual void check_itself(const linn::pool_statistics&) {}
    linn::pool_statistics before_{};
    std::size_t highest_ = 0; ///< objects that were out at a time
};

/// `Pool` of objects that throwing_object.hpp has.
template <class Pool>
class pool_as : public any_pool {
public:
    using object = typename Pool::value_type;

    explicit pool_as(std::size_t limit = SIZE_MAX) : any_pool{sizeof(object), alignof(object), limit} {
        before_ = statistics();
    }

    void* allocate(std::size_t how) override {
        try {
            object* p = nullptr;
            if (how == 0) {
                p = pool_->create(false);
            } else if (how == 1) {
                p = pool_->allocate();
            } else if (how == 2 && can_try()) {
                return try_create(false);
            } else {
                return pool_->try_allocate();
            }
            expect(p != nullptr, "null in place of bad_alloc");
            return p;
        } catch (const std::bad_alloc&) {
            expect(how < 2, "bad_alloc in place of null");
            return nullptr;
        }
    }
    void create_refused(bool tries) override {
        static_cast<void>(tries && can_try() ? try_create(true) : pool_->create(true));
    }
    void deallocate(void* p) override { pool_->deallocate(static_cast<object*>(p)); }
    void destroy(void* p) override { pool_->destroy(static_cast<object*>(p)); }
    bool allocate_n(std::span<void*> out, bool tries) override {
        std::vector<object*> objects(out.size());
        try {
            if constexpr (requires { pool_->try_allocate_n(objects); }) {
                if (tries && !pool_->try_allocate_n(objects)) {
                    return false;
                }
                if (!tries) {
                    pool_->allocate_n(objects);
                }
            } else {
                pool_->allocate_n(objects);
            }
        } catch (const std::bad_alloc&) {
            return false;
        }
        std::copy(objects.begin(), objects.end(), out.begin());
        return true;
    }
    void deallocate_n(std::span<void* const> all) override {
        std::vector<object*> objects(all.size());
        std::transform(all.begin(), all.end(), objects.begin(),
                       [](void* p) { return static_cast<object*>(p); });
        pool_->deallocate_n(objects);
    }
    bool reserve(std::size_t n) override {
        if constexpr (requires { pool_->reserve(n); }) {
            try {
                pool_->reserve(n);
            } catch (const std::bad_alloc&) {
                return false;
            }
        }
        return true;
    }
    std::size_t trim() override {
        if constexpr (requires { pool_->trim(); }) {
            return pool_->trim();
        }
        return 0;
    }
    void release() override {
        if constexpr (requires { pool_->release(); }) {
            pool_->release();
        }
    }
    std::size_t visit_live(const std::function<bool(std::byte*)>& destroys) override {
        return pool_->for_each_live([&](object& x) {
            if (destroys(reinterpret_cast<std::byte*>(&x))) {
                pool_->destroy(&x);
            }
        });
    }
    [[nodiscard]] bool owns(const void* p) const override { return pool_->owns(p); }
    [[nodiscard]] linn::pool_statistics statistics() const override { return pool_->statistics(); }
    void renew() override {
        pool_.emplace();
        highest_ = 0;
        before_ = statistics();
    }

protected:
    void check_itself(const linn::pool_statistics& s) override {
        if constexpr (requires { pool_->live(); }) {
            expect_equal(pool_->live(), s.live, "live objects of the pool and of its statistics");
            expect(s.peak >= highest_, "a peak below what was out");
        }
        if constexpr (requires { pool_->full(); }) {
            expect(pool_->empty() == (s.live == 0) && pool_->full() == (s.live == most), "empty and full");
            expect(s.live + s.cached <= most, "more objects than room");
            expect_equal(s.peak, highest_, "the peak");
        }
    }

private:
    [[nodiscard]] static constexpr bool can_try() {
        return requires(Pool& pool) { pool.try_create(false); };
    }
    void* try_create([[maybe_unused]] bool throws) {
        if constexpr (can_try()) {
            return pool_->try_create(throws);
        }
        return nullptr;
    }

    std::optional<Pool> pool_{std::in_place};
};

} // namespace linn_fuzz

#endif
