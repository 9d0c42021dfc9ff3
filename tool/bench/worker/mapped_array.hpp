// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace linn::tool::worker {

/// A fixed array straight from the system, every page touched. The benchmark's own bookkeeping lives here, so
/// that it neither comes from the allocator under test nor costs page faults while the clock runs.
template <class T>
class mapped_array {
public:
    explicit mapped_array(std::size_t size) : size_{size} {
        void* p = ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
                         -1, 0);
        if (p == MAP_FAILED) {
            throw std::bad_alloc{};
        }
        data_ = static_cast<T*>(p);
    }
    mapped_array(const mapped_array&) = delete;
    mapped_array& operator=(const mapped_array&) = delete;
    ~mapped_array() { ::munmap(data_, bytes()); }

    T& operator[](std::size_t i) noexcept { return data_[i]; }
    T* begin() noexcept { return data_; }
    T* end() noexcept { return data_ + size_; }
    std::size_t size() const noexcept { return size_; }

private:
    std::size_t bytes() const noexcept { return (size_ == 0 ? 1 : size_) * sizeof(T); }

    T* data_ = nullptr;
    std::size_t size_;
};

} // namespace linn::tool::worker
