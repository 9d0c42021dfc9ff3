// SPDX-License-Identifier: Apache-2.0
#ifndef LINN_TESTS_STRESS_SETTINGS_HPP
#define LINN_TESTS_STRESS_SETTINGS_HPP

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace linn_stress {

/// What the command line says. Each number may be set: `--threads 8`. `--usual-seconds` is `--seconds` unless the
/// environment has LINN_SOAK_SECONDS.
struct settings {
    std::size_t threads = 4;    ///< at work at any moment; each is replaced when it ends
    std::size_t objects = 4000; ///< places in which objects change hands; as many again are with the threads
    std::size_t seconds = 10;   ///< after the memory has reached its size
    std::size_t operations = 0; ///< ends after so many instead, if not 0: the same work on a slow machine
    std::size_t seed = 1;       ///< of what threads do; when they do it nobody can repeat
    std::size_t life = 3000;    ///< operations of a thread at most, until another takes its place
    std::size_t slack_mib = 16; ///< by which memory may be more at the end than in the beginning
    std::size_t chaos = 0;      ///< stumbles between operations: 1 yes, 0 no
    std::size_t lose = 0;       ///< negative control: each n-th object is forgotten
    std::size_t corrupt = 0;    ///< negative control: the n-th object is written to by a stranger
    std::string_view only = {}; ///< names of the only components to use, with commas between; empty: all
    std::string_view mix = "both"; ///< sizes: small, large or both

    static settings parse(int argc, char** argv) {
        settings s;
        const struct {
            std::string_view name;
            std::size_t& value;
        } numbers[] = {{"--threads", s.threads},
                       {"--objects", s.objects},
                       {"--seconds", s.seconds},
                       {"--operations", s.operations},
                       {"--seed", s.seed},
                       {"--life", s.life},
                       {"--slack-mib", s.slack_mib},
                       {"--chaos", s.chaos},
                       {"--lose", s.lose},
                       {"--corrupt", s.corrupt},
                       {"--usual-seconds", s.seconds}};
        for (int i = 1; i + 1 < argc; i += 2) {
            const std::string_view name = argv[i];
            bool known = name == "--only" || name == "--mix";
            if (known) {
                (name == "--only" ? s.only : s.mix) = argv[i + 1];
            }
            for (const auto& each : numbers) {
                if (each.name == name) {
                    known = true;
                    const char* set = name == "--usual-seconds" ? std::getenv("LINN_SOAK_SECONDS") : nullptr;
                    each.value = number(set != nullptr ? set : argv[i + 1]);
                }
            }
            if (!known) {
                refuse(argv[i]);
            }
        }
        if (argc % 2 == 0) {
            refuse(argv[argc - 1]);
        }
        return s;
    }

    [[nodiscard]] bool uses(std::string_view component) const {
        for (std::string_view rest = only; !rest.empty();) {
            const std::size_t comma = rest.find(',');
            if (rest.substr(0, comma) == component) {
                return true;
            }
            rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
        }
        return only.empty();
    }

private:
    static std::size_t number(std::string_view text) {
        std::size_t n = 0;
        const auto end = text.data() + text.size();
        if (const auto read = std::from_chars(text.data(), end, n);
            read.ec != std::errc{} || read.ptr != end) {
            refuse(text.data());
        }
        return n;
    }
    [[noreturn]] static void refuse(const char* what) {
        std::fprintf(stderr, "soak: what is %s?\n", what);
        std::exit(2);
    }
};

} // namespace linn_stress

#endif
