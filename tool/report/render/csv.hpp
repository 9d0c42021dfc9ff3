// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../document/document.hpp"

#include <initializer_list>
#include <span>
#include <string>

namespace linn::tool::report {

/// The field as RFC 4180 wants it, quoted where it must be. Numbers have every digit that distinguishes them and a point in
/// every locale; what is no finite number is empty. Text that a spreadsheet would take for a formula gets an apostrophe in
/// front.
std::string field_text(const datum& field);

/// The fields as one line, ended by CR and LF. @source RFC 4180, sections 2.1 to 2.7
std::string csv_line(std::span<const datum> fields);
std::string csv_line(std::initializer_list<datum> fields);

/// The data of the document with a line of headings.
std::string render_csv(const document& d);

} // namespace linn::tool::report
