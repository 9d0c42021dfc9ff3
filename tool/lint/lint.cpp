// SPDX-License-Identifier: Apache-2.0
#include "lint.hpp"

#include "../measure/machine.hpp"
#include "compile_commands.hpp"
#include "selection.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace linn::tool {

std::uint64_t lint_result::bytes() const {
    std::uint64_t sum = 0;
    for (const lint_finding& f : findings) {
        if (kind_of(f.fill) == fill_kind::now) {
            sum += f.fill.bytes;
        }
    }
    return sum;
}

std::size_t lint_result::count(fill_kind kind) const {
    return static_cast<std::size_t>(std::count_if(
        findings.begin(), findings.end(), [=](const lint_finding& f) { return kind_of(f.fill) == kind; }));
}

std::size_t lint_result::with_fix() const {
    return static_cast<std::size_t>(
        std::count_if(findings.begin(), findings.end(), [](const lint_finding& f) {
            return is_certain(kind_of(f.fill)) &&
                   (f.state == fix_state::offered || f.state == fix_state::applied);
        }));
}

std::size_t lint_result::left(std::uint64_t least) const {
    return static_cast<std::size_t>(
        std::count_if(findings.begin(), findings.end(), [=](const lint_finding& f) {
            return f.state != fix_state::applied && is_certain(kind_of(f.fill)) &&
                   (f.fill.per_element || f.fill.bytes >= least);
        }));
}

lint_result lint(const lint_options& options, const interrupt_guard& guard,
                 const std::function<void(const work_progress&)>& on_progress) {
    lint_result result;
    result.options = options;
    result.started = time_stamp();
    result.read_at = std::filesystem::file_time_type::clock::now();

    const compile_database database = read_compile_database(find_compile_database(options.build));
    const project the_project{database, options.scope};
    lint_selection selection = select_units(database, the_project, options.files);
    result.database = database.path.string();
    result.root = the_project.root();
    result.units = selection.units.size() + selection.gone.size();
    result.not_cxx = selection.not_cxx;
    result.excluded = selection.excluded;
    result.compiled_again = selection.compiled_again;
    result.remarks = selection.remarks;
    for (const std::string& file : selection.gone) {
        result.failed.push_back(
            {file, fmt::format("there is no such file; {} is older than the sources", result.database)});
    }

    result.program = find_tidy_program(options.tidy, guard);
    std::vector<unit_outcome> outcomes =
        run_tidy(result.program, selection.units, options.checks, options.jobs, guard, on_progress);
    finding_collector collector;
    for (std::size_t i = 0; i != outcomes.size(); ++i) {
        unit_outcome& o = outcomes[i];
        result.seconds += o.seconds;
        result.not_run += o.was_run ? 0U : 1U;
        result.checked += o.was_run && o.failure.empty() ? 1U : 0U;
        if (failed_file f{selection.units[i].file, o.failure};
            !f.reason.empty() && std::ranges::count(result.failed, f) == 0) {
            result.failed.push_back(std::move(f));
        }
        const lint_unit& unit = selection.units[i];
        collector.add(std::move(o.diagnostics), o.failure.empty(), [&](const std::string& file) {
            return std::ranges::count(selection.headers, file) != 0 ||
                   (unit.is_whole && (file == unit.file || the_project.reports_header(file)));
        });
    }
    result.findings = collector.take(result.texts);
    result.signal = interrupt_guard::pending();
    return result;
}

} // namespace linn::tool
