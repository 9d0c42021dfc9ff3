// SPDX-License-Identifier: Apache-2.0
#include "block_sample.hpp"

#include <algorithm>

namespace linn::tool::live {
namespace {

/// Rounds that need much less before more blocks are followed again.
constexpr unsigned calm_rounds = 3;
/// Halving further leaves nothing out that is not large.
constexpr unsigned most_shift = 40;
/// How long a release waits for its allocation, which a slow worker still holds.
constexpr std::uint32_t rounds_of_early = 3;

} // namespace

const std::vector<live_sums>& block_sample::sums(std::uint32_t image) const {
    static const std::vector<live_sums> none;
    const auto found = images_.find(image);
    return found == images_.end() ? none : found->second.sums;
}

void block_sample::keep(const block_event& e) {
    waiting_.push_back(e);
    if (e.address != 0 && is_large(e.bytes)) {
        ++large_[place(e.address)];
    }
    while (waiting_.size() >= limits_.waiting && shift_ < most_shift) {
        coarsen();
    }
}

void block_sample::tell_passed(std::uint64_t events) {
    passed_ += events;
    if (passed_ > limits_.passed && shift_ < most_shift) {
        passed_ /= 2; // as if the sample had been this small before
        coarsen();
    }
}

/// Halves the sample.
void block_sample::coarsen() {
    ++shift_;
    calm_rounds_ = 0;
    bound_ = ~std::uint64_t{0} >> shift_;
    std::erase_if(waiting_, [&](const block_event& e) {
        return (e.address == 0 || !wants(e.address, e.bytes)) &&
               (e.old_address == 0 || !wants(e.old_address));
    });
    blocks_ = 0;
    for (auto& [number, image] : images_) {
        basic_live_map<followed_block> kept;
        for (live_sums& sums : image.sums) {
            sums.blocks = sums.bytes = 0;
        }
        image.live.for_each([&](followed_block block) {
            if (wants(block.address, block.bytes)) {
                // One that was let in by a smaller bound stands for more already.
                if (!is_large(block.bytes)) {
                    block.stands_for = std::max(block.stands_for, static_cast<double>(one_in()));
                }
                kept.insert(block);
                add_to_sums(image, block, 1);
            }
        });
        image.live = std::move(kept);
        blocks_ += image.live.size();
    }
}

void block_sample::settle(std::uint64_t until) {
    ++round_;
    order_.clear();
    for (const block_event& e : waiting_) {
        if (e.time <= until) {
            order_.emplace_back(e.time, static_cast<std::uint32_t>(&e - waiting_.data()));
        }
    }
    const std::size_t applied = order_.size();
    // The place decides among equals: those of one thread stay in their order.
    std::sort(order_.begin(), order_.end());
    for (const auto& [time, place] : order_) {
        apply(waiting_[place]);
    }
    std::erase_if(waiting_, [&](const block_event& e) { return e.time <= until; });
    for (auto& [number, image] : images_) {
        std::erase_if(image.early,
                      [&](const auto& entry) { return round_ - entry.second.round >= rounds_of_early; });
    }
    while (blocks_ > limits_.blocks && shift_ < most_shift) {
        coarsen();
    }
    const bool is_calm =
        applied < limits_.waiting / 8 && blocks_ < limits_.blocks / 4 && passed_ < limits_.passed / 4;
    passed_ = 0;
    calm_rounds_ = is_calm ? calm_rounds_ + 1 : 0;
    if (shift_ != 0 && calm_rounds_ >= calm_rounds) {
        --shift_;
        bound_ = ~std::uint64_t{0} >> shift_;
    }
}

void block_sample::forget(std::uint32_t image) {
    const auto found = images_.find(image);
    if (found == images_.end()) {
        return;
    }
    blocks_ -= found->second.live.size();
    found->second.live.for_each([&](const followed_block& block) { forget_large(block); });
    images_.erase(found);
}

void block_sample::forget_large(const followed_block& block) noexcept {
    if (is_large(block.bytes)) {
        --large_[place(block.address)];
    }
}

void block_sample::add_to_sums(image_blocks& of, const followed_block& block, double sign) const {
    live_sums& sums = of.sums[block.site];
    const double blocks = sign * block.stands_for * weight_.of(block.bytes);
    sums.blocks += blocks;
    sums.bytes += blocks * static_cast<double>(block.bytes);
}

void block_sample::erase(image_blocks& image, const followed_block* block) {
    add_to_sums(image, *block, -1);
    forget_large(*block);
    image.live.erase(block);
    --blocks_;
}

void block_sample::apply(const block_event& e) {
    image_blocks& image = images_[e.image];
    std::uint32_t site = e.site;
    if (e.old_address != 0) {
        if (const followed_block* const old = image.live.find(e.old_address); old != nullptr) {
            site = e.address != 0 ? old->site : site; // a realloc does not change who wanted the block
            erase(image, old);
        } else if (e.address == 0) {
            image.early[e.old_address] = {e.time, e.thread, round_};
        }
    }
    if (e.address == 0 || !wants(e.address, e.bytes)) {
        return;
    }
    if (!was_released_early(image, e)) {
        insert(image, e, site);
    } else {
        forget_large({e.address, e.bytes, 1, site});
    }
}

/// Whether this block's release was applied before: it came from another thread whose events were at hand sooner, or whose clock
/// is not exact.
bool block_sample::was_released_early(image_blocks& image, const block_event& e) {
    const auto found = image.early.find(e.address);
    if (found == image.early.end()) {
        return false;
    }
    const early_release release = found->second;
    image.early.erase(found);
    return is_exact_ ? release.time >= e.time : release.thread != e.thread;
}

void block_sample::insert(image_blocks& image, const block_event& e, std::uint32_t site) {
    if (site >= image.sums.size()) {
        image.sums.resize(std::max<std::size_t>(site + std::size_t{1}, 2 * image.sums.size()));
    }
    for (std::uint64_t& size : image.sums[site].sizes) {
        if (size == e.bytes) {
            break;
        }
        if (size == 0) {
            size = e.bytes;
            break;
        }
    }
    // Its release was not seen, or not yet: there is one block at an address.
    if (const followed_block* const older = image.live.find(e.address); older != nullptr) {
        erase(image, older);
    }
    const followed_block block{e.address, e.bytes, is_large(e.bytes) ? 1 : static_cast<double>(one_in()),
                               site};
    image.live.insert(block);
    add_to_sums(image, block, 1);
    ++blocks_;
}

} // namespace linn::tool::live
