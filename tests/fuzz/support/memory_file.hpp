// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_FUZZ_MEMORY_FILE_HPP
#define LINN_TESTS_FUZZ_MEMORY_FILE_HPP

#include "expect.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace linn_fuzz {

/// A file without a disk, for readers that want a path.
class memory_file {
public:
    explicit memory_file(std::span<const unsigned char> content)
        : descriptor_{::memfd_create("fuzz", MFD_CLOEXEC)} {
        expect(descriptor_ >= 0, "memfd_create failed");
        for (std::size_t done = 0; done != content.size();) {
            const ssize_t n = ::write(descriptor_, content.data() + done, content.size() - done);
            expect(n > 0, "writing to a memfd failed");
            done += static_cast<std::size_t>(n);
        }
    }
    ~memory_file() { ::close(descriptor_); }

    [[nodiscard]] std::filesystem::path path() const {
        return "/proc/self/fd/" + std::to_string(descriptor_);
    }

private:
    int descriptor_;
};

/// Ends the program when it ever took more memory than this, in KiB.
inline void expect_memory_below(long kib) {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    expect(used.ru_maxrss < kib, "a small file took much memory");
}

} // namespace linn_fuzz

#endif
