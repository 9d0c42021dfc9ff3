// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../measure/process.hpp"
#include "launcher/protocol.hpp"

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace linn::tool {

/// What a supervisor starts. Standard input, output and error are given by their descriptors; -1: /dev/null.
struct supervised_program {
    std::filesystem::path program; ///< absolute
    std::vector<std::string> arguments;
    std::vector<std::string> environment;
    std::filesystem::path directory;
    std::string preload; ///< the value of LD_PRELOAD
    std::string cpus;    ///< that it may run on; empty: all
    int input = -1;
    int output = -1;
    int errors = -1;
};

/// A running linn-launcher, and through it a program and everything that this starts. The destructor ends all of them.
class supervisor {
public:
    explicit supervisor(const supervised_program& what);
    supervisor(const supervisor&) = delete;
    supervisor& operator=(const supervisor&) = delete;
    ~supervisor();

    /// Readable when the report is there, or when the launcher died.
    int fd() const noexcept { return reports_.get(); }
    /// Takes the report if it is there, and reaps the launcher. True from then on.
    bool is_finished();
    void wait(); ///< until it is finished

    void ask_to_end() noexcept; ///< SIGTERM to the program alone
    void end_all() noexcept;    ///< SIGTERM to everything, and soon SIGKILL

    /// Valid once finished. When the launcher itself could not be started or died, `failed` is `step::fork` and
    /// `launcher_problem()` says why.
    const launcher::report& report() const noexcept { return report_; }
    const std::string& launcher_problem() const noexcept { return problem_; }

private:
    pid_t launcher_ = -1;
    owned_fd reports_;
    launcher::report report_;
    std::string problem_;
    bool finished_ = false;
};

} // namespace linn::tool
