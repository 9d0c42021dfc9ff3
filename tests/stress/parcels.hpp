// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_STRESS_PARCELS_HPP
#define LINN_TESTS_STRESS_PARCELS_HPP

/// @file
/// What changes hands: owners of memory of every component of the library. `intact()` says whether what they
/// own is still what was put there; the destructor gives it back.

#include "random.hpp"

#include <linn/linn.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace linn_stress {

using linn_test::random_source;

/// Where memory comes from that is not a pool of the process.
struct sources {
    linn::pool_resource resource;
    linn::buffer_pool buffers{std::size_t{256} << 10, {.retain_bytes = std::size_t{2} << 20}};
};
inline sources& common() {
    static sources all;
    return all;
}

/// A number of its own for each object: the thread's, and how many it made.
using serial_number = std::uint64_t;

/// Marks memory as one object's. It depends on the object, the address and the place, so memory that two have,
/// that was moved, or that was written to, shows.
class cookie {
public:
    explicit cookie(std::uint64_t serial) noexcept : serial_{serial} {}

    /// @pre bytes >= 8
    void write(void* p, std::size_t bytes) const noexcept {
        each_place(bytes, [&](std::size_t at) {
            const std::uint64_t word = word_at(p, at);
            std::memcpy(static_cast<std::byte*>(p) + at, &word, sizeof word);
            return true;
        });
    }

    [[nodiscard]] bool is_in(const void* p, std::size_t bytes) const noexcept {
        return each_place(bytes, [&](std::size_t at) {
            std::uint64_t word = 0;
            std::memcpy(&word, static_cast<const std::byte*>(p) + at, sizeof word);
            return word == word_at(p, at);
        });
    }

private:
    /// The first word, the last one, and one in each 256 bytes: a large object costs no more than it must.
    template <class F>
    static bool each_place(std::size_t bytes, F&& f) noexcept {
        bool good = true;
        for (std::size_t at = 0; at + 16 <= bytes; at += 256) {
            good = f(at) && good;
        }
        return f(bytes - 8) && good;
    }

    [[nodiscard]] std::uint64_t word_at(const void* p, std::size_t at) const noexcept {
        return random_source{serial_ + at + (reinterpret_cast<std::uintptr_t>(p) << 16)}();
    }

    std::uint64_t serial_;
};

/// Storage from a pool.
template <std::size_t Bytes>
class single {
    struct block {
        alignas(8) std::byte bytes[Bytes];
    };
    using pool = linn::pool<block>;
    struct give_back {
        serial_number serial;
        void operator()(block* p) const {
            cookie{~serial}.write(p, Bytes); // a second owner finds this
            pool::deallocate(p);
        }
    };

public:
    single(random_source&, serial_number n) : block_{pool::allocate(), {n}} {
        cookie{n}.write(block_.get(), Bytes);
    }
    [[nodiscard]] bool intact() const {
        return cookie{block_.get_deleter().serial}.is_in(block_.get(), Bytes);
    }
    void corrupt() { block_->bytes[Bytes - 1] ^= std::byte{1}; }

private:
    std::unique_ptr<block, give_back> block_;
};

/// Many at once.
class run {
public:
    run(random_source& random, serial_number n) : serial_{n}, items_(1 + random.below(150)) {
        linn::pool<item>::allocate_n(items_);
        for (item* i : items_) {
            cookie{n}.write(i, sizeof *i);
        }
    }
    run(run&&) = default;
    run& operator=(run&& other) noexcept {
        std::swap(serial_, other.serial_);
        items_.swap(other.items_);
        return *this;
    }
    ~run() { linn::pool<item>::deallocate_n(items_); }
    [[nodiscard]] bool intact() const {
        bool good = true;
        for (const item* i : items_) {
            good = good && cookie{serial_}.is_in(i, sizeof *i);
        }
        return good;
    }

private:
    struct item {
        alignas(8) std::byte bytes[40];
    };
    serial_number serial_;
    std::vector<item*> items_;
};

/// An object that knows its number.
template <std::size_t Bytes>
struct content {
    explicit content(serial_number n) : serial{n} { cookie{n}.write(bytes, Bytes); }
    content(const content&) = delete;
    content& operator=(const content&) = delete;
    ~content() { cookie{~serial}.write(bytes, Bytes); }
    [[nodiscard]] bool intact() const { return cookie{serial}.is_in(bytes, Bytes); }
    serial_number serial;
    alignas(8) std::byte bytes[Bytes];
};

/// shared_ptr, of which a weak_ptr may be what is left last.
class shared {
public:
    shared(random_source&, serial_number n) : object_{linn::make_shared<content<300>>(n)}, weak_{object_} {}
    [[nodiscard]] bool intact() const { return object_->intact() && !weak_.expired(); }

private:
    std::shared_ptr<content<300>> object_;
    std::weak_ptr<content<300>> weak_;
};

class unique {
public:
    unique(random_source&, serial_number n) : object_{linn::make_unique<content<1500>>(n)} {}
    [[nodiscard]] bool intact() const { return object_->intact(); }

private:
    linn::unique_ptr<content<1500>> object_;
};

/// `new` of a class of a hierarchy, deleted through its base.
class derived {
    struct base : linn::pooled<base> {
        base() = default;
        base(const base&) = delete;
        base& operator=(const base&) = delete;
        virtual ~base() = default;
        [[nodiscard]] virtual bool intact() const = 0;
    };
    template <std::size_t Bytes>
    struct of_size final : base {
        explicit of_size(serial_number n) : inside{n} {}
        [[nodiscard]] bool intact() const override { return inside.intact(); }
        content<Bytes> inside;
    };

public:
    derived(random_source& random, serial_number n) {
        if (random.below(2) == 0) {
            object_.reset(new of_size<24>{n});
        } else {
            object_.reset(new of_size<700>{n});
        }
    }
    [[nodiscard]] bool intact() const { return object_->intact(); }

private:
    std::unique_ptr<base> object_;
};

/// Containers over pools, whose nodes may come from another one, and over the resource of the process.
class nodes {
public:
    nodes(random_source& random, serial_number n) : serial_{n} {
        const std::size_t count = random.below(40);
        linn::map<std::size_t, serial_number> other;
        for (std::size_t i = 0; i < count; ++i) {
            list_.push_back(n + i);
            hashed_.emplace(n + i, i);
            (i % 2 == 0 ? map_ : other).emplace(i, n + i);
            texts_.emplace(n + i, std::pmr::string(8 * i + 1, 'x'));
        }
        map_.merge(other);
    }
    [[nodiscard]] bool intact() const {
        serial_number expected = serial_;
        for (const serial_number each : list_) {
            const auto found = map_.find(each - serial_);
            if (each != expected || !hashed_.contains(each) || found == map_.end() || found->second != each ||
                texts_.at(each).size() != 8 * (each - serial_) + 1) {
                return false;
            }
            ++expected;
        }
        return map_.size() == list_.size() && hashed_.size() == list_.size();
    }

private:
    serial_number serial_;
    linn::list<serial_number> list_;
    linn::map<std::size_t, serial_number> map_;
    linn::unordered_map<serial_number, std::size_t> hashed_;
    std::pmr::map<serial_number, std::pmr::string> texts_{linn::default_pool_resource()};
};

/// Bytes of any size and alignment from a pool_resource.
class bytes {
    struct give_back {
        serial_number serial;
        std::size_t size;
        std::size_t align;
        void operator()(void* p) const {
            cookie{~serial}.write(p, size);
            common().resource.deallocate(p, size, align);
        }
    };

public:
    bytes(random_source& random, serial_number n)
        : bytes{{n, 8 + random.below(std::size_t{1} << (3 + random.below(14))),
                 std::size_t{1} << random.below(8)}} {}
    [[nodiscard]] bool intact() const {
        const give_back& how = block_.get_deleter();
        return cookie{how.serial}.is_in(block_.get(), how.size) &&
               reinterpret_cast<std::uintptr_t>(block_.get()) % how.align == 0;
    }

private:
    explicit bytes(const give_back& how) : block_{common().resource.allocate(how.size, how.align), how} {
        cookie{how.serial}.write(block_.get(), how.size);
    }
    std::unique_ptr<void, give_back> block_;
};

/// A large buffer, of the common pool or of one that is gone already.
class large {
public:
    large(random_source& random, serial_number n) : serial_{n} {
        if (random.below(8) == 0) {
            linn::buffer_pool brief{std::size_t{16} << 10};
            buffer_ = brief.acquire();
        } else {
            buffer_ = common().buffers.acquire();
        }
        cookie{n}.write(buffer_.data(), buffer_.size());
    }
    [[nodiscard]] bool intact() const { return cookie{serial_}.is_in(buffer_.data(), buffer_.size()); }

private:
    serial_number serial_;
    linn::buffer buffer_;
};

/// An object that keeps its memory from use to use.
struct record {
    serial_number serial = 0;
    std::vector<std::uint32_t> numbers;
    std::string name;

    void fill(serial_number n) {
        serial = n;
        numbers.assign(n % 50, static_cast<std::uint32_t>(n));
        name.assign(n % 30, 'r');
    }
    void clear() {
        serial = 0;
        numbers.clear();
        name.clear();
    }
    [[nodiscard]] bool empty() const { return serial == 0 && numbers.empty() && name.empty(); }
    [[nodiscard]] bool holds(serial_number n) const {
        return serial == n && numbers.size() == n % 50 && name.size() == n % 30 &&
               (numbers.empty() || numbers.back() == static_cast<std::uint32_t>(n));
    }
};

inline linn::recycler<record>& records() {
    static linn::recycler<record> all{{.capacity = 300, .reset = [](record& r) { r.clear(); }}};
    return all;
}

/// A record by a handle or a shared_ptr, some of a recycler that ends before its object.
template <class Owner>
class recycled {
public:
    recycled(random_source& random, serial_number n) : serial_{n} {
        if (random.below(8) == 0) {
            linn::recycler<record> brief{4};
            owner_ = acquire(brief);
        } else {
            owner_ = acquire(records());
        }
        was_empty_ = owner_->empty();
        owner_->fill(n);
    }
    [[nodiscard]] bool intact() const { return was_empty_ && owner_->holds(serial_); }

private:
    static Owner acquire(linn::recycler<record>& from) {
        if constexpr (std::is_same_v<Owner, std::shared_ptr<record>>) {
            return from.acquire_shared();
        } else {
            return from.acquire();
        }
    }

    serial_number serial_;
    bool was_empty_ = false;
    Owner owner_;
};
using recycled_alone = recycled<linn::recycler<record>::handle>;
using recycled_shared = recycled<std::shared_ptr<record>>;

using parcel =
    std::variant<std::monostate, single<24>, single<64>, single<1500>, single<9000>, single<70'000>, run,
                 shared, unique, derived, nodes, bytes, large, recycled_alone, recycled_shared>;

[[nodiscard]] inline bool intact(const parcel& p) {
    return std::visit(
        []<class P>(const P& each) {
            if constexpr (std::is_same_v<P, std::monostate>) {
                return true;
            } else {
                return each.intact();
            }
        },
        p);
}

} // namespace linn_stress

#endif
