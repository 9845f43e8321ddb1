//! Tables as kubectl prints them: headers, aligned columns, no borders.

use super::style::{Ink, Palette, clean};

/// The space between two columns.
const GAP: usize = 3;

#[derive(Debug)]
pub struct Table {
    headers: Vec<String>,
    rows: Vec<Vec<Cell>>,
}

#[derive(Debug)]
pub struct Cell {
    text: String,
    ink: Option<Ink>,
}

impl Cell {
    pub fn inked(ink: Ink, text: impl AsRef<str>) -> Cell {
        Cell { text: clean(text.as_ref()), ink: Some(ink) }
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell { text: clean(text.as_ref()), ink: None }
    }
}

impl Table {
    pub fn new<'a>(headers: impl IntoIterator<Item = &'a str>) -> Table {
        Table { headers: headers.into_iter().map(clean).collect(), rows: Vec::new() }
    }

    /// Adds a row with one cell for each header.
    pub fn row<const N: usize>(&mut self, cells: [Cell; N]) {
        self.rows.push(cells.into());
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The table with every line indented. Empty columns are left out, and no line has trailing spaces.
    pub fn render(&self, indent: &str, palette: Palette) -> String {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.text.chars().count());
            cells.max().unwrap_or(0)
        };
        let columns: Vec<(usize, usize, &String)> = self
            .headers
            .iter()
            .enumerate()
            .map(|(column, header)| (column, width(column), header))
            .filter(|(_, width, _)| *width > 0)
            .map(|(column, width, header)| (column, width.max(header.chars().count()), header))
            .collect();
        let mut out = String::new();
        let mut line = |cells: &mut dyn Iterator<Item = (usize, &str, Option<Ink>)>| {
            // A gap is written before the next cell, so that no line ends with one.
            let mut gap = 0;
            out.push_str(indent);
            for (width, text, ink) in cells {
                if !text.is_empty() {
                    out.push_str(&" ".repeat(gap));
                    gap = 0;
                    out.push_str(&ink.map_or_else(|| text.to_owned(), |ink| palette.paint(ink, text)));
                }
                gap += width - text.chars().count() + GAP;
            }
            out.push('\n');
        };
        if columns.is_empty() {
            return out;
        }
        line(&mut columns.iter().map(|(_, width, header)| (*width, header.as_str(), Some(Ink::Dim))));
        for row in &self.rows {
            line(
                &mut columns.iter().filter_map(|(column, width, _)| {
                    row.get(*column).map(|cell| (*width, cell.text.as_str(), cell.ink))
                }),
            );
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_empty_ones_are_left_out() {
        let mut table = Table::new(["NAME", "NONE", "VALUE", "WHY"]);
        table.row(["é".into(), "".into(), "1".into(), "".into()]);
        table.row(["longer".into(), "".into(), "".into(), Cell::inked(Ink::Red, "so")]);
        assert_eq!(table.render("  ", Palette::PLAIN), "  NAME     VALUE   WHY\n  é        1\n  longer           so\n");
    }

    #[test]
    fn a_table_without_rows_is_empty() {
        assert_eq!(Table::new(["NAME"]).render("", Palette::PLAIN), "");
    }
}
