//! Rows and numbers for a reader.

use toolgate_types::visible;

/// The most of somebody's words that a cell shows.
const LONGEST: usize = 72;

/// A number and what it counts: `1 server`, `2 servers`.
pub fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// A number of bytes as people say it.
pub fn byte_count(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    let (mut value, mut unit) = (bytes as f64 / 1000.0, 0);
    while value >= 999.95 && unit + 1 < UNITS.len() {
        (value, unit) = (value / 1000.0, unit + 1);
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// The first line of somebody's words, short and with nothing hidden in it.
pub fn one_line(words: &str) -> String {
    let line = words.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", visible(line[..end].trim_end())),
        None => visible(line),
    }
}

/// Rows under a header, padded to columns. A cell is one line, whatever is in it.
pub fn table(header: &[&str], rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| visible(cell)).collect()).collect();
    let mut widths: Vec<usize> = header.iter().map(|title| title.chars().count()).collect();
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut out = String::new();
    let header = header.iter().map(|title| (*title).to_owned()).collect();
    for row in std::iter::once(&header).chain(&rows) {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        out.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_said_in_the_unit_that_fits() {
        let said =
            [0, 1_500, 999_949, 999_950, 45_200_000, 3_000_000_000, u64::MAX].map(byte_count);
        let expected =
            ["0.0 kB", "1.5 kB", "999.9 kB", "1.0 MB", "45.2 MB", "3.0 GB", "18446744.1 TB"];
        assert_eq!(said, expected);
    }

    #[test]
    fn words_become_one_short_line() {
        assert_eq!(one_line("\n  first \u{1b}[2J\nsecond"), "first \\u{1b}[2J");
        assert_eq!(one_line(&"ä".repeat(80)), format!("{}…", "ä".repeat(72)));
        assert_eq!(one_line(""), "");
    }
}
