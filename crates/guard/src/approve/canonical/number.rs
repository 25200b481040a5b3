//! A number by its value, whatever its spelling, and without losing a digit: `1`, `1.0` and `10e-1`
//! are one number, `0.1` and `0.10000000000000001` are two.

/// The digits without needless zeros, and the power of ten that they are counted in.
pub(super) fn normal(written: &str) -> String {
    let (sign, unsigned) = match written.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", written),
    };
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0');
    let kept = significant.trim_end_matches('0');
    if kept.is_empty() {
        return "0".to_owned();
    }
    let moved = significant.len() - kept.len();
    let power = i64::try_from(moved).ok().zip(i64::try_from(fraction.len()).ok());
    let power = power
        .zip(exponent.parse::<i64>().ok())
        .and_then(|((moved, after), exponent)| exponent.checked_add(moved)?.checked_sub(after));
    match power {
        Some(power) => format!("{sign}{kept}e{power}"),
        // An exponent beyond counting: equal only where it is spelled alike.
        None => written.to_owned(),
    }
}
