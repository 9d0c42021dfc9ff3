// SPDX-License-Identifier: Apache-2.0
// Writes made-up reports for the browser to open: write_samples FOLDER.
#include "report/commands/reports.hpp"
#include "report/render/render.hpp"
#include "samples.hpp"

#include <csignal>
#include <cstdio>
#include <fstream>
#include <string>

using namespace linn::tool;

namespace {

bool write(const std::string& path, const std::string& text) {
    std::ofstream file{path, std::ios::binary};
    file << text;
    return static_cast<bool>(file.flush());
}

} // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fputs("usage: write_samples FOLDER\n", stderr);
        return 2;
    }
    const std::string folder = std::string{arguments[1]} + '/';
    const bench_result bench =
        samples::make_bench({.allocators = {"jemalloc", "tcmalloc", samples::hostile}});
    bench_result partial = samples::make_bench({.scenarios = {"object"}, .rounds = 1});
    partial.interrupted_by = SIGINT;
    partial.options.rounds = 10;
    const run_result run = samples::make_run({"jemalloc", "tcmalloc", samples::hostile});
    const try_result trial = samples::make_try();
    const bool done =
        write(folder + "bench.html", report::render_html(report::bench_document(bench))) &&
        write(folder + "partial.html", report::render_html(report::bench_document(partial))) &&
        write(folder + "run.html", report::render_html(report::run_document(run))) &&
        write(folder + "try.html", report::render_html(report::try_document(trial, {"./shop", "7"}))) &&
        write(folder + "advise.html",
              report::render_html(report::advise_document(samples::make_advice(), {})));
    if (!done) {
        std::fprintf(stderr, "cannot write to %s\n", folder.c_str());
    }
    return done ? 0 : 1;
}
