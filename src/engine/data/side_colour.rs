//! The colours of sides on pages: one of six words, or two colours of the game's own, for light pages and for dark ones.

use crate::complaint::{Defect, DiagnosticCode};
use std::fmt;

/// The words for colours, in the order in which pages number them.
pub const COLOUR_WORDS: [&str; 6] = ["blue", "brown", "green", "purple", "red", "grey"];

/// The paper of a page, light and dark, as pages have it.
pub const PAPER: [Rgb; 2] = [Rgb([0xfb, 0xf9, 0xf4]), Rgb([0x17, 0x16, 0x14])];
/// Letters on a counter.
const WHITE: Rgb = Rgb([0xff; 3]);
/// The least contrast of letters, as the WCAG has it.
pub const LEAST_CONTRAST: f64 = 4.5;
/// The share of a colour in that of words on dark paper; the rest is white.
const SHARE_IN_WORDS: f64 = 0.45;

/// A colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub [u8; 3]);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideColour {
    /// The index of one of the words.
    Word(usize),
    /// Its counters on light pages, and on dark ones.
    Own([Rgb; 2]),
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

impl Rgb {
    /// Parses `#2c5291`.
    fn parse(text: &str) -> Option<Rgb> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        let part = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
        Some(Rgb([part(0)?, part(2)?, part(4)?]))
    }

    fn luminance(self) -> f64 {
        let linear = |part: u8| match f64::from(part) / 255.0 {
            part if part <= 0.04045 => part / 12.92,
            part => ((part + 0.055) / 1.055).powf(2.4),
        };
        let [red, green, blue] = self.0.map(linear);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// Returns the contrast to another colour, from 1 to 21.
    pub fn contrast(self, other: Rgb) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Returns the colour of words on dark paper.
    fn lightened(self) -> Rgb {
        Rgb(self.0.map(|part| {
            (f64::from(part) * SHARE_IN_WORDS + 255.0 * (1.0 - SHARE_IN_WORDS)).round() as u8
        }))
    }
}

impl SideColour {
    /// Parses a word, or two colours; fails with what is wrong and how it is mended.
    pub fn parse(text: &str) -> Result<SideColour, Defect> {
        if let Some(word) = COLOUR_WORDS.iter().position(|word| *word == text) {
            return Ok(SideColour::Word(word));
        }
        let parts: Option<Vec<Rgb>> = text.split_whitespace().map(Rgb::parse).collect();
        let Some(&[light, dark]) = parts.as_deref() else {
            let message = format!("`{text}` is not a colour of a side");
            let help = format!(
                "write one of {}, or two colours for light pages and dark ones: \"#2c5291 #3a68b4\"",
                COLOUR_WORDS.join(", ")
            );
            return Err(Defect::new(DiagnosticCode::Notation, message, help));
        };
        let colour = SideColour::Own([light, dark]);
        let pairs = [
            (light, WHITE, "white letters on"),
            (dark, WHITE, "white letters on"),
            (light, PAPER[0], "words on light paper in"),
            (dark.lightened(), PAPER[1], "words on dark paper in"),
        ];
        for (letters, behind, whose) in pairs {
            let contrast = letters.contrast(behind);
            if contrast < LEAST_CONTRAST {
                let message = format!(
                    "{whose} {} can't be read: their contrast is {contrast:.1}",
                    letters
                );
                let help = format!("take a darker colour: {LEAST_CONTRAST} is the least");
                return Err(Defect::new(DiagnosticCode::Notation, message, help));
            }
        }
        Ok(colour)
    }

    /// Returns the colours of words on light paper and on dark, of a colour of the game's own.
    pub fn words(self) -> Option<[Rgb; 2]> {
        let SideColour::Own([light, dark]) = self else {
            return None;
        };
        Some([light, dark.lightened()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_that_can_be_read_are_taken() {
        assert_eq!(SideColour::parse("grey"), Ok(SideColour::Word(5)));
        assert!(SideColour::parse("#2c5291 #3a68b4").is_ok());
        let error_of = |text| SideColour::parse(text).expect_err(text).message.text;
        assert!(error_of("orange").contains("not a colour"));
        assert!(error_of("#2c5291").contains("not a colour"));
        assert!(error_of("#ffcc00 #3a68b4").contains("white letters on #ffcc00"));
        assert!(error_of("#2c5291 #88aaff").contains("white letters on #88aaff"));
        assert!((Rgb([0; 3]).contrast(WHITE) - 21.0).abs() < 1e-9);
    }
}
