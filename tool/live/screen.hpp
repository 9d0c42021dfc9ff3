// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "layout.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace linn::tool::live {

/// What the user pressed.
enum class key : std::uint8_t {
    none,
    quit,
    pause,
    next_sort,
    by_rate,
    by_live,
    by_growth,
    window,
    up,
    down,
    page_up,
    page_down,
    first,
    last,
};

/// The terminal that standard error is on, with a screen of the tool's own in place of what stands there. Whatever happens to the
/// program, close() brings back what was there before. Not thread-safe.
class terminal_screen {
public:
    terminal_screen();
    terminal_screen(const terminal_screen&) = delete;
    terminal_screen& operator=(const terminal_screen&) = delete;
    ~terminal_screen();

    /// Opens the terminal, which is left as it is; false where it can show no screen: standard error is none, TERM names none that
    /// is known, or another job has it.
    bool open();
    /// Shows the screen. False: the terminal does not allow it after all.
    bool show();
    /// Ends it.
    void close();

    int descriptor() const noexcept; ///< of the terminal, to be polled
    /// Looks at the terminal's size; true if it has changed.
    bool resize();
    std::size_t columns() const noexcept;
    std::size_t lines() const noexcept;

    void draw(const screen_text& text);
    key pressed(); ///< does not wait

    /// Leaves the screen, stops this process as Ctrl-Z stops a program, and shows the screen again when it goes on. Draws
    /// nothing while another job has the terminal.
    void stop_process();

private:
    class state;
    std::unique_ptr<state> state_;
};

} // namespace linn::tool::live
