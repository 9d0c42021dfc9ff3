// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <functional>
#include <new>
#include <string>
#include <type_traits>

namespace linn::tool::worker {

/// Memory that this process shares with its children, for what they report.
template <class Report>
class shared_report {
    static_assert(std::is_trivially_destructible_v<Report>);

public:
    shared_report() {
        void* const p =
            ::mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) {
            throw std::bad_alloc{};
        }
        it_ = new (p) Report{};
    }
    shared_report(const shared_report&) = delete;
    shared_report& operator=(const shared_report&) = delete;
    ~shared_report() { ::munmap(it_, sizeof(Report)); }

    Report& operator*() const noexcept { return *it_; }
    Report* operator->() const noexcept { return it_; }

private:
    Report* it_;
};

/// Runs `work` in a process of its own and waits for it, so that it begins with no memory that other work left. A signal that
/// ends it ends this process too. @returns why it did not run; the work itself must say in shared memory that it ended well
std::string run_apart(const std::function<void()>& work);

} // namespace linn::tool::worker
