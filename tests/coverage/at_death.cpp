// SPDX-License-Identifier: Apache-2.0
// Linked into every test of a coverage build. GCC's counters are written by exit(); tests of misuse and of forks end by
// abort() and _exit(), and what they ran would count as not run. These take the C library's place in the program.
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

extern "C" void __gcov_dump();
extern "C" ::pid_t __gcov_fork();

/// What GCC makes of a call of fork(). Its own forgets in the child what the handlers of the fork have counted there.
extern "C" ::pid_t __gcov_fork() {
    return ::fork();
}

extern "C" [[noreturn]] void _exit(int status) {
    ::__gcov_dump();
    ::syscall(SYS_exit_group, status);
    __builtin_trap();
}

extern "C" [[noreturn]] void abort() noexcept {
    ::__gcov_dump();
    std::raise(SIGABRT);
    std::signal(SIGABRT, SIG_DFL); // a handler that returns does not save the process
    std::raise(SIGABRT);
    __builtin_trap();
}
