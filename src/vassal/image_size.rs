//! Width and height of an image, read from the first bytes: boards are as large as their pictures.

/// Number of bytes that the header of an image may take; photographs carry much before their size.
pub const HEADER_BYTES: u64 = 1 << 20;

/// Number of bytes of an SVG image in which its outermost element begins.
const SVG_HEAD: usize = 4096;

/// Returns width and height of a PNG, GIF, JPEG or SVG image.
pub fn image_size(bytes: &[u8]) -> Option<(i32, i32)> {
    let big = |at: usize| Some(i32::from(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?])));
    let little = |at: usize| Some(i32::from(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?])));
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        // No board has a side of 65,536 dots.
        return if big(16)? == 0 && big(20)? == 0 { Some((big(18)?, big(22)?)) } else { None };
    }
    if bytes.starts_with(b"GIF8") {
        return Some((little(6)?, little(8)?));
    }
    if bytes.starts_with(&[0xff, 0xd8]) {
        return jpeg_size(bytes);
    }
    // The size stands at the beginning; further on the bytes may end within a character.
    svg_size(&String::from_utf8_lossy(&bytes[..bytes.len().min(SVG_HEAD)]))
}

/// Walks over the segments of a JPEG image to the one with its size.
fn jpeg_size(bytes: &[u8]) -> Option<(i32, i32)> {
    let big = |at: usize| Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
    let mut at = 2;
    loop {
        match *bytes.get(at..at + 2)? {
            [0xff, 0xff] => at += 1,
            [0xff, mark @ (0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf)] if mark != 0 => {
                return Some((big(at + 7)?.into(), big(at + 5)?.into()));
            }
            [0xff, _] => at += 2 + usize::from(big(at + 2)?.max(2)),
            _ => return None,
        }
    }
}

/// Returns width and height of the outermost element of an SVG image.
fn svg_size(text: &str) -> Option<(i32, i32)> {
    let head = &text[text.find("<svg")?..];
    let head = &head[..head.find('>')?];
    let side = |name: &str| {
        let value = head.split_once(&format!(" {name}=\""))?.1;
        let number = value.trim_start().split(|c: char| !c.is_ascii_digit() && c != '.').next()?;
        number.parse::<f64>().ok().map(|side| side.ceil() as i32)
    };
    Some((side("width")?, side("height")?))
}
