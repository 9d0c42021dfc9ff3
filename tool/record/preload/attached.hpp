// SPDX-License-Identifier: Apache-2.0
#pragma once

// The recorder in a program that runs already: linn has the program open this library, and calls the two functions of
// attach::door in one of its threads. docs/design/attach.md tells the whole way.
namespace linn::tool::preload {

/// Takes the hooks out without being asked, because linn is gone or has closed the recording. Any thread, outside of the recorder;
/// at most half a second, usually some microseconds.
void leave_by_ourselves() noexcept;

/// In a forked child.
void attached_after_fork() noexcept;

} // namespace linn::tool::preload
