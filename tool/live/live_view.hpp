// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../record/live/live_counts.hpp"
#include "../record/watcher.hpp"
#include "layout.hpp"
#include "namer.hpp"
#include "program_output.hpp"
#include "rows.hpp"
#include "screen.hpp"

#include <signal.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace linn::tool::live {

/// `linn record --live`: shows what the program allocates while it runs. On the terminal that standard error is on, as a screen of
/// its own; elsewhere as a line a second on standard error.
class live_view final : public recording_watcher {
public:
    /// `program`: its command line, for the title.
    explicit live_view(std::string program);
    ~live_view() override;

    child_streams prepare() override;
    void begin(const ring_file& ring, const recording_start& start, std::uint32_t only_pid) override;
    chunk_frame look(std::span<unsigned char> chunk) override;
    void end() override;

private:
    using clock = std::chrono::steady_clock;

    void work();
    void wait(clock::time_point until);
    void update();
    bool take_names();
    void draw();
    void press(key pressed);
    void leave_screen();
    void stop_if_asked();

    std::string program_;
    terminal_screen screen_;
    program_output output_;
    std::unique_ptr<live_counts> counts_;
    std::atomic<live_counts*> looks_{nullptr}; ///< for the workers; null: not begun
    const ring_file* ring_ = nullptr;
    live_rows rows_;
    std::optional<site_namer> namer_;
    view_choice choice_;
    std::size_t page_ = 1; ///< rows that are shown
    clock::time_point begun_;
    clock::time_point drawn_;
    bool has_terminal_ = false;
    bool has_screen_ = false;
    sigset_t mask_before_{};
    bool is_masked_ = false;
    std::atomic<bool> stops_{false};
    int wakes_ = -1; ///< an event for the thread: it shall end
    std::thread thread_;
};

} // namespace linn::tool::live
