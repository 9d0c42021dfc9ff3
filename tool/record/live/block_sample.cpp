// SPDX-License-Identifier: Apache-2.0
#include "block_sample.hpp"

#include <algorithm>

namespace linn::tool::live {
namespace {

/// Rounds that need much less before more blocks are followed again.
constexpr unsigned calm_rounds = 3;
/// Halving further leaves nothing out that is not large.
constexpr unsigned most_shift = 40;
/// No blocks are larger.
constexpr std::uint64_t most_large = std::uint64_t{1} << 48;
/// How long a release waits for its allocation, which a slow worker still holds.
constexpr std::uint32_t rounds_of_early = 3;

} // namespace

const std::vector<live_sums>& block_sample::sums(std::uint32_t image) const {
    static const std::vector<live_sums> none;
    const auto found = images_.find(image);
    return found == images_.end() ? none : found->second.sums;
}

void block_sample::keep(block_event e) {
    if (e.address != 0 && is_large(e.bytes)) {
        e.is_noted = true;
        note_large(e.address);
    }
    waiting_.push_back(e);
    while (waiting_.size() >= (shift_ == 0 ? limits_.waiting : limits_.waiting_of_sample()) &&
           shift_ < most_shift) {
        coarsen();
    }
}

void block_sample::tell_passed(std::uint64_t events, std::uint64_t for_size) {
    passed_ += events;
    if (passed_ > (shift_ == 0 ? limits_.passed : limits_.passed_of_sample()) && shift_ < most_shift) {
        passed_ /= 2; // as if the sample had been this small before
        coarsen();
    }
    passed_for_size_ += for_size;
    if (passed_for_size_ > limits_.passed_of_sample() && large_from_ < most_large) {
        passed_for_size_ /= 2;
        large_from_ *= 2;
        large_calm_rounds_ = 0;
        leave_out();
    }
}

void block_sample::note_large(std::uint64_t address) {
    const std::size_t place = sample_filter::place(address);
    ++large_[address];
    ++large_in_[place];
    marks_[place] = true;
}

void block_sample::forget_large(std::uint64_t address) noexcept {
    const std::size_t place = sample_filter::place(address);
    if (const auto noted = large_.find(address); --noted->second == 0) {
        large_.erase(noted);
    }
    --large_in_[place];
    marks_[place] = may_pass(place);
}

void block_sample::take_one_in(unsigned shift) noexcept {
    shift_ = shift;
    bound_ = ~std::uint64_t{0} >> shift;
    for (std::size_t place = 0; place != marks_.size(); ++place) {
        marks_[place] = may_pass(place);
    }
}

/// Halves the sample.
void block_sample::coarsen() {
    take_one_in(shift_ + 1);
    calm_rounds_ = 0;
    leave_out();
}

/// What is not wanted any more.
void block_sample::leave_out() {
    for (block_event& e : waiting_) {
        if (e.is_noted && !is_large(e.bytes)) {
            e.is_noted = false;
            forget_large(e.address);
        }
    }
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
            if (block.is_noted && !is_large(block.bytes)) {
                block.is_noted = false;
                forget_large(block.address);
            }
            if (block.is_noted || wants_address(block.address)) {
                // One that was let in by a smaller bound stands for more already.
                if (!block.is_noted) {
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
    const bool is_calm = applied < limits_.waiting_of_sample() / 4 && blocks_ < limits_.blocks / 4 &&
                         passed_ < limits_.passed_of_sample() / 4;
    const bool is_large_calm =
        passed_for_size_ < limits_.passed_of_sample() / 4 && large_.size() < limits_.blocks / 16;
    passed_ = passed_for_size_ = 0;
    calm_rounds_ = is_calm ? calm_rounds_ + 1 : 0;
    if (shift_ != 0 && calm_rounds_ >= calm_rounds) {
        take_one_in(shift_ - 1);
    }
    large_calm_rounds_ = is_large_calm ? large_calm_rounds_ + 1 : 0;
    if (large_from_ != sample_filter::large && large_calm_rounds_ >= calm_rounds) {
        large_from_ /= 2;
    }
}

void block_sample::forget(std::uint32_t image) {
    const auto found = images_.find(image);
    if (found == images_.end()) {
        return;
    }
    blocks_ -= found->second.live.size();
    found->second.live.for_each([&](const followed_block& block) {
        if (block.is_noted) {
            forget_large(block.address);
        }
    });
    images_.erase(found);
}

void block_sample::add_to_sums(image_blocks& of, const followed_block& block, double sign) const {
    live_sums& sums = of.sums[block.site];
    const double blocks = sign * block.stands_for * weight_.of(block.bytes);
    sums.blocks += blocks;
    sums.bytes += blocks * static_cast<double>(block.bytes);
}

void block_sample::erase(image_blocks& image, const followed_block* block) {
    add_to_sums(image, *block, -1);
    if (block->is_noted) {
        forget_large(block->address);
    }
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
    if (e.address == 0 || (!e.is_noted && !wants_address(e.address))) {
        return;
    }
    if (!was_released_early(image, e)) {
        insert(image, e, site);
    } else if (e.is_noted) {
        forget_large(e.address);
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
    const followed_block block{e.address, e.bytes, e.is_noted ? 1 : static_cast<double>(one_in()), site,
                               e.is_noted};
    image.live.insert(block);
    add_to_sums(image, block, 1);
    ++blocks_;
}

} // namespace linn::tool::live
