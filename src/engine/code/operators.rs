//! Operators on values. Values of different types are never equal, and neither is greater.

use crate::code::bytecode::BinaryOperator;
use crate::code::context::{BOUNDS_HELP, NOTHING_ADVICE, VerbResult, fault, within_numbers};
use crate::code::verbs::language::contains_value;
use crate::complaint::DiagnosticCode;
use crate::situation::value::Value;
use std::cmp::Ordering;
use std::sync::Arc;

/// Returns the token of an operator.
pub fn operator_sign(op: BinaryOperator) -> &'static str {
    use BinaryOperator::*;
    match op {
        Add => "+",
        Sub => "-",
        Mul => "*",
        Div => "/",
        Rem => "%",
        Pow => "**",
        Eq => "==",
        Ne => "!=",
        Lt => "<",
        Le => "<=",
        Gt => ">",
        Ge => ">=",
        And => "&",
        Or => "|",
        Xor => "^",
        Shl => "<<",
        Shr => ">>",
        In => "in",
        Range => "..",
        RangeInclusive => "..=",
    }
}

/// Evaluates a condition. Fails if the value is not a bool.
#[inline]
pub fn condition(value: &Value) -> VerbResult<bool> {
    match value {
        Value::True => Ok(true),
        Value::False => Ok(false),
        other => fault(
            DiagnosticCode::Running,
            format!(
                "a condition is true or false; this is {}",
                other.describe_type()
            ),
            "compare it with something: `== nobody`, `> 0`",
        ),
    }
}

/// Applies a binary operator. Fails for unsupported types and on overflow.
#[inline]
pub fn apply_binary(op: BinaryOperator, a: &Value, b: &Value) -> VerbResult {
    if let (Value::Number(a), Value::Number(b)) = (a, b) {
        return apply_to_numbers(op, *a, *b);
    }
    apply_to_others(op, a, b)
}

/// Evaluates a comparison operator.
#[inline]
pub fn compare(op: BinaryOperator, a: &Value, b: &Value) -> VerbResult<bool> {
    use BinaryOperator::*;
    if let (Value::Number(a), Value::Number(b)) = (a, b) {
        return Ok(match op {
            Eq => a == b,
            Ne => a != b,
            Lt => a < b,
            Le => a <= b,
            Gt => a > b,
            _ => a >= b,
        });
    }
    match op {
        Eq => return Ok(a == b),
        Ne => return Ok(a != b),
        _ => {}
    }
    let order = match (a, b, a.as_bool(), b.as_bool()) {
        (Value::Text(a), Value::Text(b), ..) => a.cmp(b),
        (.., Some(a), Some(b)) => a.cmp(&b),
        (Value::Nothing, Value::Nothing, ..) => return Ok(false),
        (a, b, ..) if std::mem::discriminant(a) != std::mem::discriminant(b) => return Ok(false),
        _ => return unsupported(op, a, b),
    };
    Ok(match op {
        Lt => order == Ordering::Less,
        Le => order != Ordering::Greater,
        Gt => order == Ordering::Greater,
        _ => order != Ordering::Less,
    })
}

fn unsupported<T>(op: BinaryOperator, a: &Value, b: &Value) -> VerbResult<T> {
    let message = format!(
        "`{}` can't take {} and {}",
        operator_sign(op),
        a.describe_type(),
        b.describe_type()
    );
    fault(DiagnosticCode::Running, message, NOTHING_ADVICE)
}

fn apply_to_numbers(op: BinaryOperator, a: i64, b: i64) -> VerbResult {
    use BinaryOperator::*;
    let result = match op {
        Add => a.checked_add(b),
        Sub => a.checked_sub(b),
        Mul => a.checked_mul(b),
        Div | Rem if b == 0 => {
            return fault(
                DiagnosticCode::Running,
                format!(
                    "{a} {} 0: a number can't be divided by 0",
                    operator_sign(op)
                ),
                BOUNDS_HELP,
            );
        }
        Div => a.checked_div(b),
        Rem => a.checked_rem(b),
        Pow => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        And => Some(a & b),
        Or => Some(a | b),
        Xor => Some(a ^ b),
        Shl => shift_left(a, b),
        Shr => b.checked_neg().and_then(|b| shift_left(a, b)),
        Range => return Ok(Value::Range(Arc::new((a, b)))),
        RangeInclusive => {
            let end = within_numbers(b.checked_add(1), || format!("the end of {a}..={b}"))?;
            return Ok(Value::Range(Arc::new((a, end))));
        }
        In => return unsupported(op, &Value::Number(a), &Value::Number(b)),
        _ => return compare(op, &Value::Number(a), &Value::Number(b)).map(Value::from),
    };
    within_numbers(result, || format!("{a} {} {b}", operator_sign(op))).map(Value::Number)
}

/// Shifts left, or right if `by` is negative; `None` if the result is no number: a shift to the left multiplies.
fn shift_left(a: i64, by: i64) -> Option<i64> {
    match by.unsigned_abs() {
        n if by < 0 || a == 0 => Some(a >> n.min(63)),
        n @ 0..64 => i64::try_from(i128::from(a) << n).ok(),
        _ => None,
    }
}

fn apply_to_others(op: BinaryOperator, a: &Value, b: &Value) -> VerbResult {
    use BinaryOperator::*;
    match op {
        Add => concatenate(a, b),
        Eq | Ne | Lt | Le | Gt | Ge => compare(op, a, b).map(Value::from),
        In => contains_value(a, b).map_or_else(|| unsupported(op, b, a), |holds| Ok(holds.into())),
        And => apply_to_bools(op, a, b, |a, b| a & b),
        Or => apply_to_bools(op, a, b, |a, b| a | b),
        Xor => apply_to_bools(op, a, b, |a, b| a ^ b),
        _ => unsupported(op, a, b),
    }
}

fn apply_to_bools(
    op: BinaryOperator,
    a: &Value,
    b: &Value,
    join: fn(bool, bool) -> bool,
) -> VerbResult {
    match (a.as_bool(), b.as_bool()) {
        (Some(a), Some(b)) => Ok(join(a, b).into()),
        _ => unsupported(op, a, b),
    }
}

fn concatenate(a: &Value, b: &Value) -> VerbResult {
    match (a, b) {
        (Value::List(a), Value::List(b)) => {
            let mut sum = a.clone();
            sum.modify(|items| items.extend_from_slice(b));
            Ok(Value::List(sum))
        }
        (Value::Map(a), Value::Map(b)) if !a.is_cell() && !b.is_cell() => {
            let mut sum = a.clone();
            b.entries()
                .iter()
                .for_each(|(name, value)| sum.insert(name.clone(), value.clone()));
            Ok(Value::Map(sum))
        }
        (Value::Text(_), _) | (_, Value::Text(_)) => match (plain_text(a), plain_text(b)) {
            (Some(a), Some(b)) => Ok((a + b.as_str()).into()),
            _ => unsupported(BinaryOperator::Add, a, b),
        },
        _ => unsupported(BinaryOperator::Add, a, b),
    }
}

/// Formats a scalar as interpolation does; `None` for other values.
fn plain_text(value: &Value) -> Option<String> {
    Some(match value {
        Value::Nothing => String::new(),
        Value::True => "true".into(),
        Value::False => "false".into(),
        Value::Number(n) => n.to_string(),
        Value::Text(text) => text.to_string(),
        _ => return None,
    })
}

/// `a += b`: the same as `a + b`, but also appends a single value to a list.
pub fn add_assign(a: &mut Value, b: &Value) -> VerbResult<()> {
    if let Value::List(list) = a {
        match b {
            Value::List(more) => list.modify(|items| items.extend_from_slice(more)),
            one => list.push(one.clone()),
        }
        return Ok(());
    }
    *a = apply_binary(BinaryOperator::Add, a, b)?;
    Ok(())
}

/// Negates a bool. Fails for other values.
pub fn not(value: &Value) -> VerbResult {
    match value {
        Value::True => Ok(Value::False),
        Value::False => Ok(Value::True),
        other => fault(
            DiagnosticCode::Running,
            format!("`!` can't take {}", other.describe_type()),
            "it turns true into false",
        ),
    }
}

/// Negates a number. Fails for other values and on overflow.
pub fn negate(value: &Value) -> VerbResult {
    match value.as_number().map(i64::checked_neg) {
        Some(Some(n)) => Ok(Value::Number(n)),
        Some(None) => {
            within_numbers(None, || "this number with another sign".into()).map(Value::Number)
        }
        None => fault(
            DiagnosticCode::Running,
            format!("`-` can't take {}", value.describe_type()),
            BOUNDS_HELP,
        ),
    }
}
