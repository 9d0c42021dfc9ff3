// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../support/flat_text.hpp"

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <doctest/doctest.h>

#include <sstream>
#include <string>

// What tests ask of a page that was written.
namespace linn::tool::testing {

/// True when an XML parser reads the text to its end.
inline bool is_well_formed(const std::string& page) {
    std::istringstream stream{page};
    boost::property_tree::ptree tree;
    try {
        boost::property_tree::read_xml(stream, tree);
    } catch (const boost::property_tree::xml_parser_error& e) {
        MESSAGE(e.what());
        return false;
    }
    return true;
}

} // namespace linn::tool::testing
