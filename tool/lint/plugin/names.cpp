// SPDX-License-Identifier: Apache-2.0
#include "names.hpp"

#include <set>

namespace clang::tidy::linn {

std::string outermost_namespace(const Decl& declaration) {
    std::string name;
    for (const DeclContext* around = declaration.getDeclContext(); around != nullptr;
         around = around->getParent()) {
        if (const auto* space = dyn_cast<NamespaceDecl>(around)) {
            name = space->getNameAsString();
        }
    }
    return name;
}

bool named(const NamedDecl* declaration, std::initializer_list<const char*> names) {
    if (declaration == nullptr || !declaration->getDeclName().isIdentifier()) {
        return false;
    }
    for (const char* name : names) {
        if (declaration->getName() == name) {
            return true;
        }
    }
    return false;
}

bool is_std_array(const CXXRecordDecl* record) {
    return named(record, {"array"}) && outermost_namespace(*record) == "std";
}

bool is_smart_pointer(QualType type) {
    static const std::set<std::string> names{"unique_ptr",   "shared_ptr",   "scoped_ptr",
                                             "scoped_array", "shared_array", "local_shared_ptr",
                                             "intrusive_ptr"};
    const CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
    return record != nullptr && names.count(record->getNameAsString()) != 0;
}

std::string type_name(QualType type, const ASTContext& context) {
    PrintingPolicy policy = context.getPrintingPolicy();
    policy.SuppressTagKeyword = true;
    return type.getAsString(policy);
}

} // namespace clang::tidy::linn
