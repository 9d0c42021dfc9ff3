// SPDX-License-Identifier: Apache-2.0
#include "program_view.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace linn::tool::worker {

void* map_memory(std::size_t bytes, bool touched) noexcept {
    void* const p = ::mmap(nullptr, std::max<std::size_t>(bytes, 1), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | (touched ? MAP_POPULATE : MAP_NORESERVE), -1, 0);
    return p == MAP_FAILED ? nullptr : p;
}

const char* program_view::open(const char* path) {
    const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
    struct stat s{};
    if (fd < 0 || ::fstat(fd, &s) != 0 ||
        static_cast<std::size_t>(s.st_size) < sizeof(replay_format::program_header)) {
        return "cannot open the program to replay";
    }
    void* const p =
        ::mmap(nullptr, static_cast<std::size_t>(s.st_size), PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
    ::close(fd);
    if (p == MAP_FAILED) {
        return "cannot map the program to replay";
    }
    file_ = static_cast<const std::byte*>(p);
    header_ = reinterpret_cast<const replay_format::program_header*>(file_);
    if (std::memcmp(header_->magic, replay_format::program_magic, sizeof header_->magic) != 0 ||
        header_->version != replay_format::program_version) {
        return "the program to replay is of another version of linn";
    }
    // All of it zero: null pointers of generation 0, and counts that are filled in below.
    slots_ = static_cast<std::atomic<std::uint64_t>*>(map_memory(header_->slots * sizeof *slots_, true));
    unfinished_ = static_cast<std::atomic<std::uint32_t>*>(
        map_memory((header_->epochs + 1) * sizeof *unfinished_, true));
    complete_ = static_cast<std::atomic<std::uint32_t>*>(map_memory(sizeof *complete_, true));
    if (slots_ == nullptr || unfinished_ == nullptr || complete_ == nullptr) {
        return "there is not enough memory to replay";
    }
    const auto* const streams_of_epoch = table<std::uint32_t>(header_->epochs_at);
    for (std::uint64_t e = 0; e != header_->epochs; ++e) {
        unfinished_[e].store(streams_of_epoch[e], std::memory_order_relaxed); // no other thread is there yet
    }
    // One more, which nobody leaves, ends the search for complete ones.
    unfinished_[header_->epochs].store(1, std::memory_order_relaxed);
    return nullptr;
}

void program_view::leave_epoch(std::uint32_t number) const noexcept {
    // Sequentially consistent, here and below: of two streams that leave two epochs at once, at least one must see both.
    if (unfinished_[number].fetch_sub(1, std::memory_order_seq_cst) != 1) {
        return;
    }
    std::uint32_t complete = complete_->load(std::memory_order_seq_cst);
    while (unfinished_[complete].load(std::memory_order_seq_cst) == 0) {
        // seq_cst, which releases: pairs with the reading in complete_epochs. On failure another stream went on.
        if (complete_->compare_exchange_strong(complete, complete + 1, std::memory_order_seq_cst)) {
            ++complete;
        }
    }
}

} // namespace linn::tool::worker
