// SPDX-License-Identifier: Apache-2.0
#include "apart.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>

namespace linn::tool::worker {

std::string run_apart(const std::function<void()>& work) {
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) {
        return "it cannot fork";
    }
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) { // which ended before the line above
            ::_exit(1);
        }
        try {
            work();
        } catch (const std::exception&) {
        }
        ::_exit(0);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFSIGNALED(status)) {
        ::raise(WTERMSIG(status)); // as if the work had run here
    }
    return {};
}

} // namespace linn::tool::worker
