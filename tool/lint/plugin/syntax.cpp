// SPDX-License-Identifier: Apache-2.0
#include "analysis.hpp"
#include "clang/AST/DeclTemplate.h"

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
    return declaration != nullptr && declaration->getDeclName().isIdentifier() &&
           std::any_of(names.begin(), names.end(),
                       [&](const char* name) { return declaration->getName() == name; });
}

bool is_std_array(const CXXRecordDecl* record) {
    return named(record, {"array"}) && outermost_namespace(*record) == "std";
}

bool is_smart_pointer(QualType type) {
    return named(type.getNonReferenceType()->getAsCXXRecordDecl(),
                 {"unique_ptr", "shared_ptr", "scoped_ptr", "scoped_array", "shared_array",
                  "local_shared_ptr", "intrusive_ptr"});
}

std::uint64_t size_of(QualType type, const ASTContext& context) {
    return static_cast<std::uint64_t>(context.getTypeSizeInChars(type).getQuantity());
}

std::string type_name(QualType type, const ASTContext& context) {
    PrintingPolicy policy = context.getPrintingPolicy();
    policy.SuppressTagKeyword = true;
    return type.getAsString(policy);
}

const CXXConstructorDecl* default_constructor(const CXXRecordDecl& record) {
    for (const CXXConstructorDecl* constructor : record.ctors()) {
        if (constructor->isDefaultConstructor() && !constructor->isDeleted()) {
            return constructor;
        }
    }
    return nullptr;
}

std::optional<std::uint64_t> constant(const Expr* expression, const ASTContext& context) {
    Expr::EvalResult result;
    if (expression == nullptr || expression->isValueDependent() ||
        !expression->EvaluateAsInt(result, context) || result.Val.getInt().isNegative() ||
        result.Val.getInt().getActiveBits() > 62) {
        return std::nullopt;
    }
    return result.Val.getInt().getZExtValue();
}

const FieldDecl* member_of_this(const Stmt& expression) {
    const auto* member = dyn_cast<MemberExpr>(&expression);
    return member != nullptr && isa<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts())
               ? dyn_cast<FieldDecl>(member->getMemberDecl())
               : nullptr;
}

const CXXRecordDecl* contiguous_container(QualType type) {
    const CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
    return named(record, {"vector", "array", "basic_string", "span", "basic_string_view"}) &&
                   outermost_namespace(*record) == "std"
               ? record
               : nullptr;
}

QualType element_type(QualType type, const ASTContext& context) {
    type = type.getNonReferenceType();
    if (type->isPointerType()) {
        return type->getPointeeType();
    }
    if (const ArrayType* array = context.getAsArrayType(type)) {
        return array->getElementType();
    }
    const auto* record = dyn_cast_or_null<ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
    if (record == nullptr || (contiguous_container(type) == nullptr && !is_smart_pointer(type)) ||
        record->getTemplateArgs().size() == 0 ||
        record->getTemplateArgs()[0].getKind() != TemplateArgument::Type) {
        return {};
    }
    const QualType first = record->getTemplateArgs()[0].getAsType();
    const ArrayType* array = is_smart_pointer(type) ? context.getAsArrayType(first) : nullptr;
    return array != nullptr ? array->getElementType() : first;
}

} // namespace clang::tidy::linn
