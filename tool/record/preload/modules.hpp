// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "thread.hpp"

#include <cstdint>

namespace linn::tool::preload {

/// Tells of the files that new return addresses lie in, each once an image. False where there was no room.
bool tell_modules(thread_state& thread, thread_writer& writer, const std::uintptr_t* frames,
                  unsigned count) noexcept;

/// False where no file is mapped, as far as the dynamic loader can say. Takes no lock.
bool may_be_in_module(std::uintptr_t address) noexcept;

/// Tells which of them are not mapped any more.
void tell_unloaded(thread_state& thread, thread_writer& writer) noexcept;

/// Another recording begins, in which nothing has been told.
void forget_modules() noexcept;

/// Tells what this process is.
bool tell_process(thread_state& thread, thread_writer& writer) noexcept;

} // namespace linn::tool::preload
