// SPDX-License-Identifier: Apache-2.0
#include "tidy_report.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>

namespace linn::tool {
namespace {

namespace fs = std::filesystem;

class report_reader {
public:
    explicit report_reader(std::string directory) : directory_{std::move(directory)} {}

    tidy_diagnostic diagnostic(const YAML::Node& node) {
        tidy_diagnostic d;
        d.name = node["DiagnosticName"].as<std::string>();
        d.level = node["Level"].as<std::string>("Warning");
        if (const YAML::Node folder = node["BuildDirectory"]; folder && !folder.Scalar().empty()) {
            directory_ = folder.Scalar();
        }
        d.message = message(node["DiagnosticMessage"]);
        if (const YAML::Node notes = node["Notes"]; notes && notes.IsSequence()) {
            for (const YAML::Node& note : notes) {
                d.notes.push_back(message(note));
            }
        }
        return d;
    }

private:
    std::string absolute(const std::string& file) const {
        return file.empty() ? file : (fs::path{directory_} / file).lexically_normal().string();
    }

    tidy_message message(const YAML::Node& node) const {
        tidy_message m;
        m.text = node["Message"].as<std::string>();
        m.file = absolute(node["FilePath"].as<std::string>(""));
        m.offset = node["FileOffset"].as<std::size_t>(0);
        if (const YAML::Node list = node["Replacements"]; list && list.IsSequence()) {
            for (const YAML::Node& r : list) {
                m.fix.push_back({absolute(r["FilePath"].as<std::string>()), r["Offset"].as<std::size_t>(),
                                 r["Length"].as<std::size_t>(), r["ReplacementText"].as<std::string>("")});
            }
        }
        return m;
    }

    std::string directory_;
};

} // namespace

std::vector<tidy_diagnostic> read_tidy_report(const std::string& yaml, const std::string& directory) {
    std::vector<tidy_diagnostic> list;
    try {
        const YAML::Node root = YAML::Load(yaml);
        if (root.IsNull()) {
            return list;
        }
        report_reader one{directory};
        if (const YAML::Node diagnostics = root["Diagnostics"]; diagnostics && diagnostics.IsSequence()) {
            for (const YAML::Node& node : diagnostics) {
                list.push_back(one.diagnostic(node));
            }
        }
    } catch (const YAML::Exception& error) {
        throw unreadable_report{fmt::format("clang-tidy's file of fixes cannot be read: {}", error.what())};
    }
    return list;
}

} // namespace linn::tool
