//! Figures that grow with something, as a table: each at every size, how many times the first the last is, and
//! by which power it grew.

use std::fmt::Write as _;

/// One figure at each size.
pub(super) struct GrowthCurve {
    pub(super) what: String,
    pub(super) unit: &'static str,
    /// Nothing where it was not measured.
    pub(super) figures: Vec<Option<f64>>,
}

/// What grew, and how far.
pub(super) struct GrowthTable {
    pub(super) of: &'static str,
    pub(super) sizes: Vec<usize>,
    pub(super) curves: Vec<GrowthCurve>,
    /// What is to be known besides.
    pub(super) note: String,
}

impl GrowthTable {
    pub(super) fn new(of: &'static str, sizes: &[usize]) -> Self {
        Self { of, sizes: sizes.to_vec(), curves: Vec::new(), note: String::new() }
    }

    /// The figure at the next size, in the curve of this name.
    pub(super) fn add(&mut self, what: &str, unit: &'static str, figure: f64) {
        match self.curves.iter_mut().find(|curve| curve.what == what) {
            Some(curve) => curve.figures.push(Some(figure)),
            None => {
                let (what, figures) = (what.to_owned(), vec![Some(figure)]);
                self.curves.push(GrowthCurve { what, unit, figures });
            }
        }
    }

    pub(super) fn page(&self) -> String {
        let sizes: Vec<String> = self.sizes.iter().map(|size| grouped(*size)).collect();
        let mut page = format!(
            "| {} | {} | ratio | slope |\n|---|{}---|---|\n",
            self.of,
            sizes.join(" | "),
            "---|".repeat(sizes.len())
        );
        for curve in &self.curves {
            // Writing to a text cannot fail.
            let _ = write!(page, "| {} |", curve.what);
            for figure in &curve.figures {
                let _ = match figure {
                    Some(figure) => write!(page, " {} |", shown(*figure, curve.unit)),
                    None => write!(page, " – |"),
                };
            }
            let _ = match self.ratio(curve) {
                Some((ratio, slope)) => writeln!(page, " {ratio:.2} | {slope:.2} |"),
                None => writeln!(page, " – | – |"),
            };
        }
        if !self.note.is_empty() {
            let _ = writeln!(page, "\n{}", self.note);
        }
        page
    }

    /// From the first figure there is to the last.
    fn ratio(&self, curve: &GrowthCurve) -> Option<(f64, f64)> {
        let there = self.sizes.iter().zip(&curve.figures);
        let there: Vec<(f64, f64)> =
            there.filter_map(|(size, figure)| Some((*size as f64, (*figure)?))).collect();
        let ((from, first), (to, last)) = (*there.first()?, *there.last()?);
        let ratio = last / first;
        (there.len() > 1 && first > 0.0 && last > 0.0)
            .then(|| (ratio, ratio.ln() / (to / from).ln()))
    }
}

fn shown(figure: f64, unit: &str) -> String {
    let digits = match figure {
        figure if figure >= 100.0 => 0,
        figure if figure >= 1.0 => 1,
        _ => 2,
    };
    format!("{figure:.digits$} {unit}")
}

fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}
