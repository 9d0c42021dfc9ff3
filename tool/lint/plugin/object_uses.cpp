// SPDX-License-Identifier: Apache-2.0
#include "object_uses.hpp"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/StmtCXX.h"
#include "known_functions.hpp"

#include <set>

namespace linn_tidy {

namespace {

/// Following more than these gains nothing.
constexpr std::size_t most_aliases = 8;

bool transparent(const clang::Stmt* statement) {
    return clang::isa<clang::ParenExpr, clang::ExprWithCleanups, clang::MaterializeTemporaryExpr,
                      clang::CXXBindTemporaryExpr, clang::ConstantExpr>(statement);
}

bool smart_pointer(clang::QualType type) {
    static const std::set<std::string> names{"unique_ptr",   "shared_ptr",   "scoped_ptr",
                                             "scoped_array", "shared_array", "local_shared_ptr",
                                             "intrusive_ptr"};
    const clang::CXXRecordDecl* record = type.getNonReferenceType()->getAsCXXRecordDecl();
    return record != nullptr && names.count(record->getNameAsString()) != 0;
}

bool named(const clang::NamedDecl* declaration, std::initializer_list<const char*> names) {
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

bool is_std_array(const clang::CXXRecordDecl* record) {
    return named(record, {"array"}) && outermost_namespace(*record) == "std";
}

/// What may be done to the thing that a parameter points to.
bool only_reads(clang::QualType parameter) {
    if (parameter->isReferenceType() || parameter->isPointerType()) {
        return parameter->getPointeeType().isConstQualified();
    }
    return true;
}

} // namespace

bool contains(const clang::Stmt* statement, const clang::Stmt* part) {
    if (statement == nullptr || statement == part) {
        return statement == part;
    }
    for (const clang::Stmt* child : statement->children()) {
        if (child != nullptr && contains(child, part)) {
            return true;
        }
    }
    return false;
}

bool object_uses::find() {
    const clang::ValueDecl* holder = find_holder();
    if (holder == nullptr) {
        return false;
    }
    outlives_ = clang::isa<clang::FieldDecl>(holder);
    tracked_.push_back({holder, {}});
    // More are appended while these are looked at.
    for (std::size_t i = 0; i < tracked_.size(); ++i) {
        const tracked what = tracked_[i];
        if (const auto* constructor = clang::dyn_cast<clang::CXXConstructorDecl>(&function_)) {
            for (const clang::CXXCtorInitializer* initialiser : constructor->inits()) {
                look_for(what, initialiser->getInit());
            }
        }
        look_for(what, function_.getBody());
    }
    check_loops();
    return true;
}

const clang::ValueDecl* object_uses::find_holder() const {
    clang::DynTypedNode node = clang::DynTypedNode::create(*made_.expression);
    for (;;) {
        const auto parents = context_.getParents(node);
        if (parents.empty()) {
            return nullptr;
        }
        const clang::DynTypedNode parent = parents[0];
        if (const auto* variable = parent.get<clang::VarDecl>()) {
            const clang::QualType type = variable->getType();
            return variable->hasLocalStorage() && (type->isPointerType() || smart_pointer(type)) &&
                           !type->isReferenceType()
                       ? variable
                       : nullptr;
        }
        if (parent.get<clang::FunctionDecl>() != nullptr ||
            parent.get<clang::CXXCtorInitializer>() != nullptr) {
            const auto* constructor = clang::dyn_cast<clang::CXXConstructorDecl>(&function_);
            if (constructor == nullptr) {
                return nullptr;
            }
            for (const clang::CXXCtorInitializer* initialiser : constructor->inits()) {
                if (initialiser->isMemberInitializer() &&
                    contains(initialiser->getInit(), made_.expression)) {
                    return initialiser->getMember();
                }
            }
            return nullptr;
        }
        const auto* statement = parent.get<clang::Stmt>();
        const auto* child = node.get<clang::Stmt>();
        if (statement == nullptr) {
            return nullptr;
        }
        const clang::Expr* target = nullptr;
        if (const auto* construction = clang::dyn_cast<clang::CXXConstructExpr>(statement)) {
            if (!smart_pointer(construction->getType()) || construction->getNumArgs() == 0 ||
                construction->getArg(0) != child) {
                return nullptr;
            }
        } else if (const auto* list = clang::dyn_cast<clang::InitListExpr>(statement)) {
            if (list->getNumInits() != 1) {
                return nullptr;
            }
        } else if (const auto* assignment = clang::dyn_cast<clang::BinaryOperator>(statement)) {
            if (assignment->getOpcode() != clang::BO_Assign || assignment->getRHS() != child) {
                return nullptr;
            }
            target = assignment->getLHS();
        } else if (const auto* operation = clang::dyn_cast<clang::CXXOperatorCallExpr>(statement)) {
            if (operation->getOperator() != clang::OO_Equal || operation->getArg(1) != child) {
                return nullptr;
            }
            target = operation->getArg(0);
        } else if (const auto* call = clang::dyn_cast<clang::CXXMemberCallExpr>(statement)) {
            if (!named(call->getMethodDecl(), {"reset"}) || call->getNumArgs() == 0 ||
                call->getArg(0) != child) {
                return nullptr;
            }
            target = call->getImplicitObjectArgument();
        } else if (!transparent(statement) && !clang::isa<clang::CastExpr>(statement)) {
            return nullptr;
        }
        if (target != nullptr) {
            target = target->IgnoreParenImpCasts();
            if (const auto* reference = clang::dyn_cast<clang::DeclRefExpr>(target)) {
                const auto* variable = clang::dyn_cast<clang::VarDecl>(reference->getDecl());
                return variable != nullptr && variable->hasLocalStorage() &&
                               !variable->getType()->isReferenceType()
                           ? variable
                           : nullptr;
            }
            const auto* member = clang::dyn_cast<clang::MemberExpr>(target);
            const auto* field =
                member != nullptr ? clang::dyn_cast<clang::FieldDecl>(member->getMemberDecl()) : nullptr;
            return field != nullptr &&
                           clang::isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts())
                       ? field
                       : nullptr;
        }
        node = parent;
    }
}

void object_uses::look_for(const tracked& what, const clang::Stmt* in) {
    if (in == nullptr) {
        return;
    }
    if (const auto* reference = clang::dyn_cast<clang::DeclRefExpr>(in)) {
        if (reference->getDecl() == what.declaration) {
            mention_ = reference;
            classify(reference, what.start);
        }
    } else if (const auto* member = clang::dyn_cast<clang::MemberExpr>(in)) {
        if (member->getMemberDecl() == what.declaration &&
            clang::isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts())) {
            mention_ = member;
            classify(member, what.start);
        }
    }
    if (clang::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr>(in)) {
        return;
    }
    for (const clang::Stmt* child : in->children()) {
        look_for(what, child);
    }
}

void object_uses::add(use_kind kind, const clang::Stmt* at, const member_path& path,
                      const clang::ForStmt* loop) {
    // What T's own initialisation writes is no part of the fill, whatever is done to it.
    for (const clang::FieldDecl* field : path) {
        if (!sizes_.leaves_alone(*field, made_.form)) {
            return;
        }
    }
    uses_.push_back({kind, at, mention_, path, loop});
}

void object_uses::classify(const clang::Expr* mention, standing place) {
    const clang::Expr* node = mention;
    while (node != nullptr) {
        const auto parents = context_.getParents(*node);
        if (parents.empty()) {
            add(use_kind::escape, node, place.path);
            return;
        }
        if (const auto* variable = parents[0].get<clang::VarDecl>()) {
            initialises(*variable, node, place);
            return;
        }
        const auto* parent = parents[0].get<clang::Stmt>();
        if (parent == nullptr) {
            add(use_kind::escape, node, place.path);
            return;
        }
        if (transparent(parent)) {
            node = clang::cast<clang::Expr>(parent);
            continue;
        }
        node = step(node, parent, place);
    }
}

/// The next expression outwards, or null when the use is known.
const clang::Expr* object_uses::step(const clang::Expr* node, const clang::Stmt* parent, standing& place) {
    if (const auto* cast = clang::dyn_cast<clang::CastExpr>(parent)) {
        return through_cast(node, *cast, place);
    }
    if (!clang::isa<clang::Expr>(parent)) {
        // A statement of its own has no effect; a return gives it away.
        if (clang::isa<clang::ReturnStmt, clang::CoreturnStmt>(parent)) {
            add(use_kind::escape, parent, place.path);
        }
        return nullptr;
    }
    if (clang::isa<clang::CXXRewrittenBinaryOperator>(parent)) {
        return nullptr; // a comparison
    }
    switch (place.at) {
    case level::holder:
        return step_holder(node, parent, place);
    case level::pointer:
        return step_pointer(node, parent, place);
    case level::object:
        return step_object(node, parent, place);
    }
    return nullptr;
}

const clang::Expr* object_uses::through_cast(const clang::Expr* node, const clang::CastExpr& cast,
                                             standing& place) {
    switch (cast.getCastKind()) {
    case clang::CK_LValueToRValue:
        if (place.at == level::object) {
            add(use_kind::read, &cast, place.path);
            return nullptr;
        }
        place.at = level::pointer;
        return &cast;
    case clang::CK_ArrayToPointerDecay:
        place.at = level::pointer;
        return &cast;
    case clang::CK_BitCast:
    case clang::CK_LValueBitCast:
        place.recast = place.recast || !cast.getType()->isVoidPointerType();
        return &cast;
    case clang::CK_NoOp:
    case clang::CK_DerivedToBase:
    case clang::CK_UncheckedDerivedToBase:
    case clang::CK_BaseToDerived:
    case clang::CK_ConstructorConversion:
        return &cast;
    case clang::CK_UserDefinedConversion:
        return &cast;
    case clang::CK_PointerToBoolean:
    case clang::CK_PointerToIntegral:
    case clang::CK_ToVoid:
        return nullptr;
    default:
        add(use_kind::escape, node, place.path);
        return nullptr;
    }
}

const clang::Expr* object_uses::step_holder(const clang::Expr* node, const clang::Stmt* parent,
                                            standing& place) {
    if (const auto* member = clang::dyn_cast<clang::MemberExpr>(parent)) {
        const clang::ValueDecl* what = member->getMemberDecl();
        const auto outer = context_.getParents(*member);
        const auto* call = outer.empty() ? nullptr : outer[0].get<clang::CXXMemberCallExpr>();
        if (call != nullptr && named(what, {"get", "release"})) {
            place.at = level::pointer;
            return call;
        }
        if (clang::isa<clang::CXXConversionDecl>(what) ||
            named(what, {"use_count", "unique", "get_deleter"})) {
            return nullptr;
        }
        if (call != nullptr && named(what, {"reset"})) {
            if (!holds_creation(call)) {
                add(use_kind::end, call, {});
            }
            return nullptr;
        }
    } else if (const auto* operation = clang::dyn_cast<clang::CXXOperatorCallExpr>(parent)) {
        switch (operation->getOperator()) {
        case clang::OO_Star:
            place.at = level::object;
            place.element = place.element || made_.array;
            return operation;
        case clang::OO_Arrow:
            place.at = level::pointer;
            return operation;
        case clang::OO_Subscript:
            if (operation->getNumArgs() == 2 && operation->getArg(0)->IgnoreParenImpCasts() == node) {
                place.at = level::object;
                place.element = true;
                place.index = operation->getArg(1);
                return operation;
            }
            break;
        case clang::OO_Equal:
            if (operation->getArg(0)->IgnoreParenImpCasts() == node) {
                if (!holds_creation(operation)) {
                    add(use_kind::end, operation, {});
                }
                return nullptr;
            }
            break;
        case clang::OO_EqualEqual:
        case clang::OO_ExclaimEqual:
            return nullptr;
        default:
            break;
        }
    } else if (const auto* assignment = clang::dyn_cast<clang::BinaryOperator>(parent)) {
        if (assignment->getOpcode() == clang::BO_Assign && assignment->getLHS()->IgnoreParens() == node &&
            !place.alias) {
            if (!holds_creation(assignment)) {
                add(use_kind::end, assignment, {});
            }
            return nullptr;
        }
    }
    add(use_kind::escape, parent, {});
    return nullptr;
}

const clang::Expr* object_uses::step_pointer(const clang::Expr* node, const clang::Stmt* parent,
                                             standing& place) {
    if (const auto* operation = clang::dyn_cast<clang::UnaryOperator>(parent)) {
        if (operation->getOpcode() == clang::UO_Deref) {
            place.at = level::object;
            place.element =
                place.element || place.offset || place.recast || (made_.array && place.path.empty());
            return operation;
        }
        if (operation->getOpcode() == clang::UO_LNot) {
            return nullptr;
        }
    } else if (const auto* subscript = clang::dyn_cast<clang::ArraySubscriptExpr>(parent)) {
        if (subscript->getBase()->IgnoreParens() == node || subscript->getBase() == node) {
            place.at = level::object;
            place.index = place.element || place.offset || place.recast ? nullptr : subscript->getIdx();
            place.element = true;
            return subscript;
        }
    } else if (const auto* member = clang::dyn_cast<clang::MemberExpr>(parent)) {
        const auto* field = clang::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
        place.at = level::object;
        if (field == nullptr) {
            return method(*member, place);
        }
        if (!place.recast && !field->getType()->isReferenceType()) {
            place.path.push_back(field);
            return member;
        }
    } else if (const auto* binary = clang::dyn_cast<clang::BinaryOperator>(parent)) {
        if (binary->isAdditiveOp() && binary->getType()->isPointerType()) {
            place.offset = true;
            return binary;
        }
        if (binary->isComparisonOp() || binary->isAdditiveOp()) {
            return nullptr;
        }
    } else if (clang::isa<clang::CXXDeleteExpr>(parent)) {
        add(use_kind::end, parent, {});
        return nullptr;
    } else if (clang::isa<clang::CallExpr, clang::CXXConstructExpr>(parent)) {
        argument(node, parent, place);
        return nullptr;
    } else if (const auto* choice = clang::dyn_cast<clang::ConditionalOperator>(parent)) {
        if (choice->getCond() == node) {
            return nullptr;
        }
    }
    add(use_kind::escape, parent, place.path);
    return nullptr;
}

const clang::Expr* object_uses::step_object(const clang::Expr* node, const clang::Stmt* parent,
                                            standing& place) {
    if (const auto* binary = clang::dyn_cast<clang::BinaryOperator>(parent)) {
        if (binary->isAssignmentOp() && binary->getLHS()->IgnoreParens() == node->IgnoreParens()) {
            if (binary->isCompoundAssignmentOp()) {
                add(use_kind::read, binary, place.path);
            } else {
                assigned(binary, place);
            }
            return nullptr;
        }
        if (binary->getOpcode() == clang::BO_Comma) {
            return binary->getRHS() == node ? binary : nullptr;
        }
    } else if (const auto* operation = clang::dyn_cast<clang::UnaryOperator>(parent)) {
        if (operation->getOpcode() == clang::UO_AddrOf) {
            place.at = level::pointer;
            return operation;
        }
        if (operation->isIncrementDecrementOp()) {
            add(use_kind::read, operation, place.path);
            return nullptr;
        }
    } else if (const auto* member = clang::dyn_cast<clang::MemberExpr>(parent)) {
        const auto* field = clang::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
        if (field == nullptr) {
            return method(*member, place);
        }
        if (!field->getType()->isReferenceType()) {
            place.path.push_back(field);
            return member;
        }
    } else if (const auto* call = clang::dyn_cast<clang::CXXOperatorCallExpr>(parent)) {
        const bool first =
            call->getNumArgs() != 0 && call->getArg(0)->IgnoreParenImpCasts() == node->IgnoreParens();
        if (first && call->getOperator() == clang::OO_Equal) {
            assigned(call, place);
            return nullptr;
        }
        if (first && call->getOperator() == clang::OO_Subscript &&
            is_std_array(node->getType()->getAsCXXRecordDecl())) {
            place.index = place.element ? nullptr : call->getArg(1);
            place.element = true;
            return call;
        }
        if (first && call->isAssignmentOp()) {
            add(use_kind::read, call, place.path);
            return nullptr;
        }
        argument(node, call, place);
        return nullptr;
    } else if (clang::isa<clang::CallExpr, clang::CXXConstructExpr>(parent)) {
        argument(node, parent, place);
        return nullptr;
    } else if (clang::isa<clang::UnaryExprOrTypeTraitExpr, clang::CXXTypeidExpr>(parent)) {
        return nullptr;
    }
    add(use_kind::escape, parent, place.path);
    return nullptr;
}

/// A call of a function of the object, or of a part of it.
const clang::Expr* object_uses::method(const clang::MemberExpr& member, standing& place) {
    const auto outer = context_.getParents(member);
    const auto* call = outer.empty() ? nullptr : outer[0].get<clang::CXXMemberCallExpr>();
    const auto* function = clang::dyn_cast<clang::CXXMethodDecl>(member.getMemberDecl());
    if (call == nullptr || function == nullptr || function->isStatic()) {
        return nullptr;
    }
    if (is_std_array(function->getParent())) {
        if (named(function, {"size", "empty", "max_size"})) {
            return nullptr;
        }
        if (named(function, {"data"})) {
            place.at = level::pointer;
            return call;
        }
        if (named(function, {"fill"}) && !place.element) {
            add(use_kind::write, call, place.path);
            return nullptr;
        }
        if (named(function, {"at", "front", "back"})) {
            place.element = true;
            place.index = nullptr;
            return call;
        }
    }
    const bool looks = function->isConst();
    add(looks ? use_kind::view : use_kind::escape, call, place.path);
    return nullptr;
}

void object_uses::initialises(const clang::VarDecl& variable, const clang::Stmt* at, const standing& place) {
    const clang::QualType type = variable.getType();
    if (variable.isImplicit() && place.at == level::object) { // the range of a for loop
        add(place.element ? use_kind::read : use_kind::escape, at, place.path);
        return;
    }
    const bool follows = variable.hasLocalStorage() && tracked_.size() < most_aliases &&
                         ((type->isPointerType() && place.at == level::pointer) ||
                          (type->isReferenceType() && place.at == level::object));
    if (!follows) {
        add(use_kind::escape, at, place.path);
        return;
    }
    standing start = place;
    start.alias = true;
    start.at = type->isReferenceType() ? level::object : level::holder;
    start.index = nullptr;
    tracked_.push_back({&variable, start});
}

bool object_uses::holds_creation(const clang::Stmt* statement) const {
    return contains(statement, made_.expression);
}

bool object_uses::same(const clang::Expr* one, const clang::Expr* other) const {
    if (one == nullptr || other == nullptr) {
        return false;
    }
    one = one->IgnoreParenImpCasts();
    other = other->IgnoreParenImpCasts();
    if (one->HasSideEffects(context_) || other->HasSideEffects(context_)) {
        return false;
    }
    llvm::FoldingSetNodeID first;
    llvm::FoldingSetNodeID second;
    one->Profile(first, context_, true);
    other->Profile(second, context_, true);
    return first == second;
}

/// Whether an amount of units of so many bytes is at least the whole of the part.
bool object_uses::covers(const clang::Expr* amount, std::uint64_t unit, const standing& place) const {
    if (amount == nullptr || amount->isValueDependent() || place.offset || place.element) {
        return false;
    }
    clang::Expr::EvalResult result;
    const bool constant =
        amount->EvaluateAsInt(result, context_) && result.Val.getInt().getActiveBits() <= 62;
    if (!place.path.empty()) {
        return constant &&
               result.Val.getInt().getZExtValue() * unit >= sizes_.size_of(place.path.back()->getType());
    }
    const std::uint64_t size = sizes_.size_of(made_.object);
    if (made_.count) {
        return constant && result.Val.getInt().getZExtValue() * unit >= size * *made_.count;
    }
    if (unit == size && same(amount, made_.count_expression)) {
        return true;
    }
    const auto* product = clang::dyn_cast<clang::BinaryOperator>(amount->IgnoreParenImpCasts());
    if (product == nullptr || product->getOpcode() != clang::BO_Mul || unit != 1) {
        return false;
    }
    for (const bool swapped : {false, true}) {
        const clang::Expr* count = swapped ? product->getRHS() : product->getLHS();
        const clang::Expr* each = swapped ? product->getLHS() : product->getRHS();
        if (same(count, made_.count_expression) && !each->isValueDependent() &&
            each->EvaluateAsInt(result, context_) && result.Val.getInt().getZExtValue() == size) {
            return true;
        }
    }
    return false;
}

void object_uses::argument(const clang::Expr* node, const clang::Stmt* call, const standing& place) {
    const clang::FunctionDecl* function = nullptr;
    unsigned index = ~0U;
    const auto look = [&](unsigned count, const auto& argument_at) {
        for (unsigned i = 0; i < count; ++i) {
            if (contains(argument_at(i), node)) {
                index = i;
            }
        }
    };
    unsigned skipped = 0;
    if (const auto* construction = clang::dyn_cast<clang::CXXConstructExpr>(call)) {
        function = construction->getConstructor();
        look(construction->getNumArgs(), [&](unsigned i) { return construction->getArg(i); });
    } else if (const auto* plain = clang::dyn_cast<clang::CallExpr>(call)) {
        function = plain->getDirectCallee();
        look(plain->getNumArgs(), [&](unsigned i) { return plain->getArg(i); });
        if (index != ~0U && function != nullptr && known_function(*plain, index, place)) {
            return;
        }
        // The object of `a + b` is an argument, but no parameter.
        if (clang::isa<clang::CXXOperatorCallExpr>(plain) &&
            clang::isa_and_nonnull<clang::CXXMethodDecl>(function)) {
            skipped = 1;
            if (index == 0) {
                const bool looks = clang::cast<clang::CXXMethodDecl>(function)->isConst();
                add(looks ? use_kind::view : use_kind::escape, call, place.path);
                return;
            }
        }
    }
    if (function == nullptr || index == ~0U) {
        add(use_kind::escape, call, place.path);
        return;
    }
    if (const auto* constructor = clang::dyn_cast<clang::CXXConstructorDecl>(function)) {
        if (constructor->isCopyOrMoveConstructor() && place.at == level::object) {
            add(use_kind::read, call, place.path);
            return;
        }
    }
    index -= skipped;
    if (index >= function->getNumParams()) {
        add(use_kind::view, call, place.path); // what an ellipsis takes is printed
        return;
    }
    add(only_reads(function->getParamDecl(index)->getType()) ? use_kind::view : use_kind::escape, call,
        place.path);
}

bool object_uses::known_function(const clang::CallExpr& call, unsigned index, const standing& place) {
    const clang::FunctionDecl& function = *call.getDirectCallee();
    if (!function.getDeclName().isIdentifier()) {
        return false;
    }
    const known_function_facts* facts = facts_about(function.getName());
    if (facts == nullptr) {
        return false;
    }
    if (facts->reads && index == facts->argument) {
        add(use_kind::read, &call, place.path);
        return true;
    }
    if (facts->argument != index) {
        return false;
    }
    bool whole = false;
    if (facts->amount < call.getNumArgs()) {
        const clang::Expr* amount = call.getArg(facts->amount);
        std::uint64_t unit = 1;
        if (facts->unit == amount_unit::elements) {
            const clang::QualType pointer = call.getArg(index)->IgnoreParenImpCasts()->getType();
            unit = pointer->isPointerType() ? sizes_.size_of(pointer->getPointeeType())
                                            : sizes_.size_of(made_.object);
        } else if (facts->unit == amount_unit::end) {
            // [p, p + n)
            const auto* sum = clang::dyn_cast<clang::BinaryOperator>(amount->IgnoreParenImpCasts());
            amount = sum != nullptr && sum->getOpcode() == clang::BO_Add ? sum->getRHS() : nullptr;
            unit = sizes_.size_of(made_.object);
        }
        whole = covers(amount, unit, place);
    }
    add(whole ? use_kind::write : use_kind::bulk_write, &call, place.path);
    return true;
}

void object_uses::assigned(const clang::Stmt* at, const standing& place) {
    if (!place.element) {
        add(use_kind::write, at, place.path);
    } else if (const clang::ForStmt* loop = loop_over_all(at, place)) {
        add(use_kind::write, at, place.path, loop);
    }
    // One element of many written says nothing about the others.
}

/// The loop `for (i = 0; i < n; ++i)` whose body assigns to element i each time, n being all.
const clang::ForStmt* object_uses::loop_over_all(const clang::Stmt* assignment, const standing& place) const {
    const auto* index = place.index != nullptr
                            ? clang::dyn_cast<clang::DeclRefExpr>(place.index->IgnoreParenImpCasts())
                            : nullptr;
    if (index == nullptr) {
        return nullptr;
    }
    const clang::Stmt* inner = assignment;
    const clang::ForStmt* loop = nullptr;
    while (loop == nullptr) {
        const auto parents = context_.getParents(*inner);
        const auto* outer = parents.empty() ? nullptr : parents[0].get<clang::Stmt>();
        if (outer == nullptr) {
            return nullptr;
        }
        loop = clang::dyn_cast<clang::ForStmt>(outer);
        if (loop == nullptr && !clang::isa<clang::CompoundStmt, clang::ExprWithCleanups>(outer)) {
            return nullptr;
        }
        inner = outer;
    }
    const auto* declaration = clang::dyn_cast_or_null<clang::DeclStmt>(loop->getInit());
    const auto* counter = declaration != nullptr && declaration->isSingleDecl()
                              ? clang::dyn_cast<clang::VarDecl>(declaration->getSingleDecl())
                              : nullptr;
    const auto* condition = clang::dyn_cast_or_null<clang::BinaryOperator>(loop->getCond());
    const auto* step = clang::dyn_cast_or_null<clang::UnaryOperator>(loop->getInc());
    clang::Expr::EvalResult start;
    if (counter == nullptr || counter != index->getDecl() || condition == nullptr || step == nullptr ||
        !step->isIncrementOp() || counter->getInit() == nullptr ||
        !counter->getInit()->EvaluateAsInt(start, context_) || !start.Val.getInt().isZero() ||
        (condition->getOpcode() != clang::BO_LT && condition->getOpcode() != clang::BO_NE)) {
        return nullptr;
    }
    standing whole = place;
    whole.element = false;
    std::uint64_t unit = sizes_.size_of(made_.object);
    if (!place.path.empty()) {
        const clang::QualType type = place.path.back()->getType();
        const auto* array = context_.getAsConstantArrayType(type);
        if (array == nullptr) {
            return nullptr;
        }
        unit = sizes_.size_of(array->getElementType());
    }
    return covers(condition->getRHS(), unit, whole) ? loop : nullptr;
}

namespace {

bool leaves_early(const clang::Stmt* statement) {
    if (statement == nullptr) {
        return false;
    }
    if (clang::isa<clang::BreakStmt, clang::ContinueStmt, clang::ReturnStmt, clang::GotoStmt>(statement)) {
        return true;
    }
    for (const clang::Stmt* child : statement->children()) {
        if (leaves_early(child)) {
            return true;
        }
    }
    return false;
}

} // namespace

/// A loop that fills everything does so only when it ends, and only if nothing else touches the object in
/// it.
void object_uses::check_loops() {
    std::vector<object_use> kept;
    for (object_use use : uses_) {
        if (use.loop != nullptr) {
            bool alone = !leaves_early(use.loop->getBody());
            for (const object_use& other : uses_) {
                alone = alone && (other.reference == use.reference || !contains(use.loop, other.reference));
            }
            if (!alone) {
                continue;
            }
            use.at = use.loop->getCond();
        }
        kept.push_back(use);
    }
    uses_ = std::move(kept);
}

} // namespace linn_tidy
