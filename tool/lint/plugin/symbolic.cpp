// SPDX-License-Identifier: Apache-2.0
#include "symbolic.hpp"

#include "syntax.hpp"

#include <algorithm>
#include <sstream>

namespace clang::tidy::linn {
namespace {

/// Nobody writes deeper nests; and what takes longer is not worth it.
constexpr int most_depth = 60;
constexpr int most_work = 200'000;

std::string name_of(const char* what, const void* of) {
    std::ostringstream text;
    text << what << of;
    return text.str();
}

/// A cast that may lose bits which sizes have.
bool is_narrow(QualType to, QualType from, const ASTContext& context) {
    constexpr unsigned bits_of_sizes = 32;
    return context.getIntWidth(to) < std::min<unsigned>(context.getIntWidth(from), bits_of_sizes);
}

bool is_range_variable(const VarDecl* variable) {
    return variable != nullptr && variable->isCXXForRangeDecl();
}

} // namespace

symbolic::symbolic(const FunctionDecl& function, ASTContext& context)
    : function_{function},
      context_{context},
      changes_{function, context} {}

std::string symbolic::start_of(const CXXNewExpr& expression) {
    return name_of("new", &expression);
}

polynomial symbolic::unknown(const Stmt* where) {
    return polynomial::of(name_of("?", where));
}

std::int64_t symbolic::bytes_of(QualType type) const {
    return type.isNull() || type->isIncompleteType() || type->isDependentType() || type->isFunctionType()
               ? 1
               : context_.getTypeSizeInChars(type).getQuantity();
}

const Stmt* symbolic::around(const Stmt* statement) const {
    const auto parents = context_.getParents(*statement);
    if (parents.empty()) {
        return nullptr;
    }
    if (const auto* variable = parents[0].get<VarDecl>()) {
        return parent_of<DeclStmt>(*variable, context_);
    }
    return parents[0].get<Stmt>();
}

bool symbolic::lies_within(const Stmt* part, const Stmt* whole) const {
    while (part != nullptr && part != whole) {
        part = around(part);
    }
    return part != nullptr;
}

polynomial symbolic::value(const Expr* expression) {
    if (expression == nullptr) {
        return polynomial::of("?");
    }
    expression = expression->IgnoreParens();
    const QualType type = expression->getType();
    if (++work_ > most_work || depth_ > most_depth) {
        return unknown(expression);
    }
    if (type->isIntegralOrEnumerationType() && !isa<DeclRefExpr, MemberExpr>(expression)) {
        if (const std::optional<std::uint64_t> number = constant(expression, context_)) {
            return static_cast<std::int64_t>(*number);
        }
    }
    struct deeper {
        explicit deeper(int& levels) : levels_{levels} { ++levels_; }
        ~deeper() { --levels_; }
        int& levels_;
    } const guard{depth_};
    if (const auto* cast = dyn_cast<CastExpr>(expression)) {
        const Expr* inner = cast->getSubExpr();
        switch (cast->getCastKind()) {
        case CK_LValueToRValue:
            return stored(inner);
        case CK_ArrayToPointerDecay:
            return address(inner);
        case CK_IntegralCast:
            return is_narrow(type, inner->getType(), context_) ? unknown(expression) : value(inner);
        case CK_NoOp:
        case CK_BitCast:
        case CK_DerivedToBase:
        case CK_UncheckedDerivedToBase:
        case CK_ConstructorConversion:
        case CK_UserDefinedConversion:
        case CK_LValueBitCast:
            return value(inner);
        default:
            return unknown(expression);
        }
    }
    if (isa<MaterializeTemporaryExpr, ExprWithCleanups, CXXBindTemporaryExpr, ConstantExpr,
            SubstNonTypeTemplateParmExpr>(expression)) {
        return value(cast<Expr>(*expression->child_begin()));
    }
    if (const auto* binary = dyn_cast<BinaryOperator>(expression)) {
        return value_of_binary(*binary);
    }
    if (const auto* unary = dyn_cast<UnaryOperator>(expression)) {
        const Expr* inner = unary->getSubExpr();
        const std::int64_t unit = unit_of(type, context_).value_or(1);
        switch (unary->getOpcode()) {
        case UO_Minus:
            return polynomial{} - value(inner);
        case UO_Plus:
            return value(inner);
        case UO_AddrOf:
            return address(inner);
        case UO_PostInc:
        case UO_PostDec:
            return stored(inner);
        case UO_PreInc:
            return stored(inner) + unit;
        case UO_PreDec:
            return stored(inner) - unit;
        default:
            return unknown(expression);
        }
    }
    if (const auto* by_new = dyn_cast<CXXNewExpr>(expression)) {
        return polynomial::of(start_of(*by_new));
    }
    if (const auto* operation = dyn_cast<CXXOperatorCallExpr>(expression)) {
        return value_of_operator(*operation);
    }
    if (const auto* call = dyn_cast<CallExpr>(expression)) {
        return value_of_call(*call);
    }
    if (const auto* construction = dyn_cast<CXXConstructExpr>(expression)) {
        return construction->getNumArgs() == 1 ? value(construction->getArg(0)) : unknown(expression);
    }
    if (const auto* by_default = dyn_cast<CXXDefaultArgExpr>(expression)) {
        return value(by_default->getExpr());
    }
    if (isa<DeclRefExpr, MemberExpr>(expression)) { // an iterator by reference
        return stored(expression);
    }
    return unknown(expression);
}

polynomial symbolic::value_of_binary(const BinaryOperator& binary) {
    const Expr* left = binary.getLHS();
    const Expr* right = binary.getRHS();
    const auto in_text = [&] {
        return polynomial::of("(" + value(left).text() +
                              BinaryOperator::getOpcodeStr(binary.getOpcode()).str() + value(right).text() +
                              ")");
    };
    const auto unit = [&](const Expr* side) {
        return side->getType()->isPointerType() ? bytes_of(side->getType()->getPointeeType()) : 1;
    };
    switch (binary.getOpcode()) {
    case BO_Add:
        return value(left) * unit(right) + value(right) * unit(left);
    case BO_Sub:
        if (left->getType()->isPointerType() && right->getType()->isPointerType()) {
            const std::optional<polynomial> number = (value(left) - value(right)).divided_by(unit(left));
            return number ? *number : unknown(&binary);
        }
        return value(left) - value(right) * unit(left);
    case BO_Mul:
        return value(left) * value(right);
    case BO_Shl:
        if (const auto bits = constant(right, context_); bits && *bits < 40) {
            return value(left) * (std::int64_t{1} << *bits);
        }
        return in_text();
    case BO_Div:
        if (const auto quotient = value(left).divided_by(value(right)); quotient && !value(right).is_zero()) {
            return *quotient;
        }
        return in_text();
    case BO_Shr:
        if (const auto bits = constant(right, context_); bits && *bits < 40) {
            return polynomial::of("(" + value(left).text() + "/" + std::to_string(std::int64_t{1} << *bits) +
                                  ")");
        }
        return in_text();
    case BO_Comma:
    case BO_Assign:
        return value(right);
    case BO_Rem:
    case BO_And:
    case BO_Or:
    case BO_Xor:
        return in_text();
    default:
        return unknown(&binary);
    }
}

polynomial symbolic::value_of_operator(const CXXOperatorCallExpr& call) {
    const Expr* first = call.getNumArgs() != 0 ? call.getArg(0) : nullptr;
    const std::optional<std::int64_t> unit =
        first != nullptr ? unit_of(first->getType(), context_) : std::nullopt;
    if (!unit) {
        return unknown(&call);
    }
    switch (call.getOperator()) {
    case OO_PlusPlus:
        return value(first) + (call.getNumArgs() == 1 ? *unit : 0);
    case OO_MinusMinus:
        return value(first) - (call.getNumArgs() == 1 ? *unit : 0);
    case OO_Plus:
        return value(first) + value(call.getArg(1)) * *unit;
    case OO_Minus:
        if (unit_of(call.getArg(1)->getType(), context_) == unit &&
            !call.getArg(1)->getType().getNonReferenceType()->isIntegerType()) {
            const std::optional<polynomial> number = (value(first) - value(call.getArg(1))).divided_by(*unit);
            return number ? *number : unknown(&call);
        }
        return call.getNumArgs() == 2 ? value(first) - value(call.getArg(1)) * *unit : unknown(&call);
    default:
        return unknown(&call);
    }
}

polynomial symbolic::value_of_call(const CallExpr& call) {
    const FunctionDecl* function = call.getDirectCallee();
    if (function == nullptr) {
        return unknown(&call);
    }
    if (const auto* member = dyn_cast<CXXMemberCallExpr>(&call)) {
        const Expr* object = member->getImplicitObjectArgument();
        const std::string key = container_key(object, context_);
        const QualType type =
            object->getType()->isPointerType() ? object->getType()->getPointeeType() : object->getType();
        if (key.empty()) {
            return unknown(&call);
        }
        const bool holds = contiguous_container(type) != nullptr || is_smart_pointer(type);
        if (holds && named(function, {"data", "begin", "cbegin", "c_str", "get"})) {
            return polynomial::of(start_of(key));
        }
        if (holds && named(function, {"end", "cend"})) {
            return polynomial::of(start_of(key)) + size(object) * bytes_of(element_type(type, context_));
        }
        if (holds && named(function, {"size", "length"})) {
            return size(object);
        }
        const auto* method = member->getMethodDecl();
        return method != nullptr && method->isConst() && call.getNumArgs() == 0
                   ? before(key + "." + name_of("()", method->getCanonicalDecl()), &call)
                   : unknown(&call);
    }
    if (call.getNumArgs() == 0) {
        return unknown(&call);
    }
    const Expr* first = call.getArg(0);
    if (outermost_namespace(*function) == "std" && call.getNumArgs() <= 2) {
        const QualType element = element_type(first->getType(), context_);
        const std::string key = key_of(first, context_);
        if (named(function, {"begin", "cbegin", "data"}) && !key.empty()) {
            return polynomial::of(start_of(key));
        }
        if (named(function, {"end", "cend"}) && !key.empty()) {
            return polynomial::of(start_of(key)) + size(first) * bytes_of(element);
        }
        if (named(function, {"size", "ssize"})) {
            return size(first);
        }
        if (named(function, {"move", "forward", "addressof"})) {
            return named(function, {"addressof"}) ? address(first) : value(first);
        }
        if (named(function, {"next"})) {
            return value(first) + value(call.getArg(1)) * unit_of(first->getType(), context_).value_or(1);
        }
        if (named(function, {"distance"})) {
            const auto number = (value(call.getArg(1)) - value(first))
                                    .divided_by(unit_of(first->getType(), context_).value_or(1));
            return number ? *number : unknown(&call);
        }
    }
    if (isa<CXXMethodDecl>(function) && !cast<CXXMethodDecl>(function)->isStatic()) {
        return unknown(&call);
    }
    // A function of numbers gives the same for the same.
    std::string text = name_of("f", function->getCanonicalDecl()) + "(";
    for (const Expr* argument : call.arguments()) {
        if (!argument->getType().getNonReferenceType()->isIntegralOrEnumerationType()) {
            return unknown(&call);
        }
        text += value(argument).text() + ",";
    }
    return polynomial::of(text + ")");
}

polynomial symbolic::stored(const Expr* lvalue) {
    lvalue = lvalue->IgnoreParens();
    if (const auto* reference = dyn_cast<DeclRefExpr>(lvalue)) {
        const auto* variable = dyn_cast<VarDecl>(reference->getDecl());
        if (variable != nullptr && is_range_variable(variable)) {
            return unknown(lvalue);
        }
    }
    if (const auto number =
            lvalue->getType()->isIntegralOrEnumerationType() ? constant(lvalue, context_) : std::nullopt) {
        return static_cast<std::int64_t>(*number);
    }
    const std::string key = key_of(lvalue, context_);
    return key.empty() || !unit_of(lvalue->getType(), context_) ? unknown(lvalue) : before(key, lvalue);
}

polynomial symbolic::address(const Expr* lvalue) {
    lvalue = lvalue->IgnoreParens();
    if (++work_ > most_work) {
        return unknown(lvalue);
    }
    if (const auto* subscript = dyn_cast<ArraySubscriptExpr>(lvalue)) {
        return value(subscript->getBase()) + value(subscript->getIdx()) * bytes_of(lvalue->getType());
    }
    if (const auto* member = dyn_cast<MemberExpr>(lvalue)) {
        const auto* field = dyn_cast<FieldDecl>(member->getMemberDecl());
        if (field != nullptr && !field->isBitField() && !field->getType()->isReferenceType() &&
            !field->getParent()->isDependentType() && !field->getParent()->isInvalidDecl()) {
            const Expr* base = member->getBase();
            const std::string key = key_of(lvalue, context_);
            if (!key.empty() && (isa<CXXThisExpr>(base->IgnoreParenImpCasts()) || member->isArrow())) {
                const polynomial start = polynomial::of(start_of(key));
                if (!member->isArrow() || isa<CXXThisExpr>(base->IgnoreParenImpCasts())) {
                    return start;
                }
            }
            const auto bits = static_cast<std::int64_t>(context_.getFieldOffset(field));
            return (member->isArrow() ? value(base) : address(base)) + bits / 8;
        }
        return unknown(lvalue);
    }
    if (const auto* unary = dyn_cast<UnaryOperator>(lvalue)) {
        if (unary->getOpcode() == UO_Deref) {
            return value(unary->getSubExpr());
        }
        return unary->isIncrementDecrementOp() ? address(unary->getSubExpr()) : unknown(lvalue);
    }
    if (const auto* cast = dyn_cast<CastExpr>(lvalue)) {
        return address(cast->getSubExpr());
    }
    if (const auto* reference = dyn_cast<DeclRefExpr>(lvalue)) {
        const auto* variable = dyn_cast<VarDecl>(reference->getDecl());
        if (variable == nullptr) {
            return unknown(lvalue);
        }
        if (variable->getType()->isReferenceType() && is_range_variable(variable)) {
            const auto* declaration = parent_of<DeclStmt>(*variable, context_);
            const auto* loop =
                declaration != nullptr ? dyn_cast_or_null<CXXForRangeStmt>(around(declaration)) : nullptr;
            const std::string key = loop != nullptr ? key_of(loop->getRangeInit(), context_) : std::string{};
            const std::int64_t each = bytes_of(variable->getType().getNonReferenceType());
            return key.empty() ? unknown(lvalue)
                               : polynomial::of(start_of(key)) + polynomial::of(turn_of(loop)) * each;
        }
        if (variable->getType()->isReferenceType() && variable->isLocalVarDecl() && variable->hasInit()) {
            return address(variable->getInit());
        }
        return polynomial::of(start_of(key_of(lvalue, context_)));
    }
    if (const auto* operation = dyn_cast<CXXOperatorCallExpr>(lvalue)) {
        if (operation->getNumArgs() == 2 && operation->getOperator() == OO_Subscript) {
            const Expr* object = operation->getArg(0);
            const polynomial index = value(operation->getArg(1)) * bytes_of(lvalue->getType());
            if (unit_of(object->getType(), context_)) {
                return value(object) + index;
            }
            const std::string key = key_of(object, context_);
            if (contiguous_container(object->getType()) != nullptr &&
                is_std_array(contiguous_container(object->getType()))) {
                return address(object) + index; // the array lies in the object
            }
            return key.empty() ? unknown(lvalue) : polynomial::of(start_of(key)) + index;
        }
        if (operation->getNumArgs() == 1 && operation->getOperator() == OO_Star) {
            const std::string key = key_of(operation->getArg(0), context_);
            return unit_of(operation->getArg(0)->getType(), context_) ? value(operation->getArg(0))
                   : is_smart_pointer(operation->getArg(0)->getType()) && !key.empty()
                       ? polynomial::of(start_of(key))
                       : unknown(lvalue);
        }
        return unknown(lvalue);
    }
    if (const auto* call = dyn_cast<CXXMemberCallExpr>(lvalue)) {
        const Expr* object = call->getImplicitObjectArgument();
        const std::string key = container_key(object, context_);
        const QualType type =
            object->getType()->isPointerType() ? object->getType()->getPointeeType() : object->getType();
        const polynomial start = polynomial::of(start_of(key));
        const std::int64_t each = bytes_of(lvalue->getType());
        if (key.empty() || contiguous_container(type) == nullptr) {
            return unknown(lvalue);
        }
        if (named(call->getMethodDecl(), {"at"}) && call->getNumArgs() == 1) {
            return start + value(call->getArg(0)) * each;
        }
        if (named(call->getMethodDecl(), {"front"})) {
            return start;
        }
        return named(call->getMethodDecl(), {"back"}) ? start + (size(object) - 1) * each : unknown(lvalue);
    }
    if (isa<MaterializeTemporaryExpr, ExprWithCleanups>(lvalue)) {
        return address(cast<Expr>(*lvalue->child_begin()));
    }
    return unknown(lvalue);
}

polynomial symbolic::size(const Expr* container) {
    QualType type = container->getType();
    type = type->isPointerType() ? type->getPointeeType() : type;
    if (const ConstantArrayType* array = context_.getAsConstantArrayType(type.getNonReferenceType())) {
        return static_cast<std::int64_t>(array->getSize().getZExtValue());
    }
    const CXXRecordDecl* record = contiguous_container(type);
    if (is_std_array(record)) {
        const std::int64_t each = bytes_of(element_type(type, context_));
        return each == 0 ? 0 : bytes_of(type.getNonReferenceType()) / each;
    }
    const std::string key = container_key(container, context_);
    return key.empty() ? unknown(container) : before(key + size_suffix, container);
}

polynomial symbolic::initial_size(const VarDecl& variable) {
    const Expr* initialiser = variable.getInit() != nullptr ? variable.getInit()->IgnoreImplicit() : nullptr;
    const auto* construction = dyn_cast_or_null<CXXConstructExpr>(initialiser);
    if (construction == nullptr) {
        return unknown(initialiser);
    }
    if (construction->getNumArgs() == 0 || isa<CXXDefaultArgExpr>(construction->getArg(0))) {
        return 0;
    }
    const Expr* first = construction->getArg(0);
    if (first->getType()->isIntegralOrEnumerationType() && !construction->isListInitialization()) {
        return value(first);
    }
    return construction->getConstructor()->isCopyOrMoveConstructor() ? size(first) : unknown(initialiser);
}

} // namespace clang::tidy::linn
