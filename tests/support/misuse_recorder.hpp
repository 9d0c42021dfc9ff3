// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_SUPPORT_MISUSE_RECORDER_HPP
#define LINN_TESTS_SUPPORT_MISUSE_RECORDER_HPP

#include <linn/misuse.hpp>

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace linn_test {

/// Collects what the pools report while it lives, instead of ending the program.
class misuse_recorder {
public:
    struct entry {
        linn::misuse_kind kind;
        std::string type;
        const void* address;
        std::size_t count;
        std::size_t object_bytes;
        const void* object;
        std::ptrdiff_t offset;
        std::string belongs_to;
    };

    misuse_recorder() {
        entries().clear();
        before_ = linn::set_misuse_handler(&record);
    }
    misuse_recorder(const misuse_recorder&) = delete;
    misuse_recorder& operator=(const misuse_recorder&) = delete;
    ~misuse_recorder() { linn::set_misuse_handler(before_); }

    /// What was reported since the last call.
    std::vector<entry> take() {
        const std::lock_guard<std::mutex> guard{mutex()};
        std::vector<entry> all;
        all.swap(entries());
        return all;
    }

private:
    static void record(const linn::misuse& m) noexcept {
        const std::lock_guard<std::mutex> guard{mutex()};
        entries().push_back({m.kind, std::string{m.type}, m.address, m.count, m.object_bytes, m.object,
                             m.offset, std::string{m.belongs_to}});
    }
    static std::vector<entry>& entries() {
        static std::vector<entry> all;
        return all;
    }
    static std::mutex& mutex() {
        static std::mutex m;
        return m;
    }

    linn::misuse_handler before_ = nullptr;
};

} // namespace linn_test

#endif
