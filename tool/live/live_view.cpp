// SPDX-License-Identifier: Apache-2.0
#include "live_view.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace linn::tool::live {
namespace {

using namespace std::chrono_literals;

constexpr auto between_updates = 1s;
/// The first figures come sooner: most programs are short.
constexpr auto first_update = 250ms;
/// How long a key, a new size or the end may wait.
constexpr auto nap = 100ms;
/// The program's output is shown no more often.
constexpr auto between_drawings = 250ms;
/// Names that are asked for at once, so that the largest sites come first.
constexpr std::size_t most_asked = 64;

sigset_t stop_signal() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTSTP);
    return set;
}

} // namespace

live_view::live_view(std::string program) : program_{std::move(program)} {}

live_view::~live_view() {
    end();
}

/// Ctrl-Z reaches this process too: it has to leave the screen before it stops. Blocked here, the signal waits for the view's thread.
child_streams live_view::prepare() {
    has_terminal_ = screen_.open();
    if (!has_terminal_) {
        return {};
    }
    const sigset_t set = stop_signal();
    is_masked_ = ::pthread_sigmask(SIG_BLOCK, &set, &mask_before_) == 0;
    return output_.open(screen_.descriptor());
}

void live_view::begin(const ring_file& ring, const recording_start& start, std::uint32_t only_pid) {
    output_.program_runs();
    counts_ = std::make_unique<live_counts>(start.clock == "tsc", sample_weight{start.sample_bytes});
    counts_->leave_out_all_but(only_pid);
    ring_ = &ring;
    begun_ = clock::now();
    looks_.store(counts_.get(), std::memory_order_release); // pairs with look()
    wakes_ = ::eventfd(0, EFD_CLOEXEC);
    thread_ = std::thread{[this] { work(); }};
}

chunk_frame live_view::look(std::span<unsigned char> chunk) {
    live_counts* const counts = looks_.load(std::memory_order_acquire); // pairs with begin()
    return counts == nullptr ? frame_of_chunk(chunk) : counts->look(chunk);
}

void live_view::end() {
    looks_.store(nullptr, std::memory_order_relaxed);
    stops_.store(true, std::memory_order_relaxed);
    if (thread_.joinable()) {
        ::eventfd_write(wakes_, 1);
        thread_.join();
    }
    if (wakes_ >= 0) {
        ::close(std::exchange(wakes_, -1));
    }
    output_.pump();
    leave_screen();
    if (std::exchange(is_masked_, false)) {
        ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
    }
}

void live_view::leave_screen() {
    screen_.close();
    output_.pass_on();
    has_screen_ = false;
}

void live_view::update() {
    const std::chrono::duration<double> since = clock::now() - begun_;
    counts_->update(*ring_, since.count());
    if (choice_.is_paused) {
        return; // what is shown stays; what is counted does not wait
    }
    rows_.take(counts_->figures(), since.count());
    take_names();
    if (namer_->waiting() != 0) {
        return;
    }
    for (const site_key& site : rows_.unnamed(most_asked)) {
        if (std::optional<site_place> place = counts_->place(site)) {
            namer_->ask(site, std::move(*place));
        }
    }
}

bool live_view::take_names() {
    const std::vector<site_name> names = namer_->take();
    for (const site_name& named : names) {
        rows_.name(named.site, named.type, named.place, named.kept_by_runtime);
    }
    return !names.empty();
}

void live_view::draw() {
    const screen_text text = lay_out(program_, rows_.table(choice_.sort, choice_.window), choice_,
                                     output_.lines(), screen_.columns(), screen_.lines());
    choice_.first_row = text.first_row;
    page_ = std::max<std::size_t>(text.rows, 1);
    screen_.draw(text);
    drawn_ = clock::now();
}

void live_view::press(key pressed) {
    std::size_t& first = choice_.first_row;
    switch (pressed) {
    case key::quit:
        looks_.store(nullptr, std::memory_order_relaxed); // nobody looks any more
        leave_screen();
        std::fputs("linn record: the view has ended, the recording goes on\n", stderr);
        return;
    case key::pause:
        choice_.is_paused = !choice_.is_paused;
        break;
    case key::next_sort:
        choice_.sort = choice_.sort == sort_key::rate   ? sort_key::live
                       : choice_.sort == sort_key::live ? sort_key::growth
                                                        : sort_key::rate;
        break;
    case key::by_rate:
        choice_.sort = sort_key::rate;
        break;
    case key::by_live:
        choice_.sort = sort_key::live;
        break;
    case key::by_growth:
        choice_.sort = sort_key::growth;
        break;
    case key::window:
        choice_.window = choice_.window < 30                          ? 30
                         : choice_.window < live_rows::longest_window ? live_rows::longest_window
                                                                      : 10;
        break;
    case key::up:
        first -= first != 0 ? 1 : 0;
        break;
    case key::down:
        ++first; // drawing knows the last
        break;
    case key::page_up:
        first -= std::min(first, page_);
        break;
    case key::page_down:
        first += page_;
        break;
    case key::first:
        first = 0;
        break;
    case key::last:
        first = ~std::size_t{0};
        break;
    case key::none:
        return;
    }
    draw();
}

void live_view::stop_if_asked() {
    const sigset_t set = stop_signal();
    const timespec at_once{};
    if (is_masked_ && ::sigtimedwait(&set, nullptr, &at_once) == SIGTSTP) {
        if (has_screen_) {
            screen_.stop_process();
            draw();
        } else {
            ::raise(SIGSTOP);
        }
    }
}

/// Until then, or until the end: keys, sizes, and what the program writes.
void live_view::wait(clock::time_point until) {
    while (!stops_.load(std::memory_order_relaxed)) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now());
        if (left.count() <= 0) {
            return;
        }
        std::array<pollfd, 3> sources{{{wakes_, POLLIN, 0},
                                       {has_screen_ ? screen_.descriptor() : -1, POLLIN, 0},
                                       {output_.source(), POLLIN, 0}}};
        ::poll(sources.data(), sources.size(), static_cast<int>(std::min<long>(left.count(), nap / 1ms)));
        const bool has_output = output_.pump();
        const bool has_names = take_names();
        stop_if_asked();
        if (!has_screen_) {
            continue;
        }
        if (screen_.resize()) {
            output_.resize(screen_.columns(), screen_.lines());
            draw();
        } else if ((has_output || has_names) && clock::now() - drawn_ >= between_drawings) {
            draw();
        }
        while (has_screen_) {
            const key pressed = screen_.pressed();
            if (pressed == key::none) {
                break;
            }
            press(pressed);
        }
    }
}

void live_view::work() {
    has_screen_ = has_terminal_ && screen_.show();
    const bool had_screen = has_screen_;
    if (had_screen) {
        draw();
    } else {
        output_.pass_on();
    }
    namer_.emplace();
    clock::time_point next = begun_ + first_update;
    while (!stops_.load(std::memory_order_relaxed)) {
        wait(next);
        if (stops_.load(std::memory_order_relaxed)) {
            break;
        }
        const bool is_first = next == begun_ + first_update;
        next = clock::now() + between_updates;
        if (has_screen_ || !had_screen) {
            update();
        }
        if (has_screen_) {
            draw();
        } else if (!had_screen && !is_first) { // a line with names
            fmt::print(stderr, "linn record: {}\n", one_line(rows_.table(sort_key::rate, choice_.window)));
        }
    }
    namer_.reset();
}

} // namespace linn::tool::live
