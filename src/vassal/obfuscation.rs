//! The encodings of a saved game. They keep people from looking, not from attacking: each byte is combined with one key.

use crate::complaint::Complaints;
use crate::vassal::fault::{DAMAGED, fault};

/// Begins a text in hex digits: the key, then each byte.
const HEX_HEADER: &[u8] = b"!VCSK";

/// Begins raw bytes, as VASSAL writes since September 2026: the key, then each byte.
const RAW_HEADER: &[u8] = b"VOBS";

/// Decodes a saved game. What has neither header is plain text, which VASSAL reads too.
pub fn decode(bytes: &[u8], place: &str) -> Result<Vec<u8>, Complaints> {
    let truncated = || fault(place, format!("the saved game ends too early, after {} bytes", bytes.len()), DAMAGED);
    if let Some(rest) = bytes.strip_prefix(RAW_HEADER) {
        let (key, rest) = rest.split_first().ok_or_else(truncated)?;
        return Ok(rest.iter().map(|byte| byte ^ key).collect());
    }
    let Some(rest) = bytes.strip_prefix(HEX_HEADER) else { return Ok(bytes.to_vec()) };
    if rest.len() < 2 || rest.len() % 2 == 1 {
        return Err(truncated());
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let byte = |(index, pair): (usize, &[u8])| match (digit(pair[0]), digit(pair[1])) {
        (Some(high), Some(low)) => Ok(high << 4 | low),
        _ => Err(fault(place, format!("byte {} of the saved game is no hex digit", HEX_HEADER.len() + 2 * index + 1), DAMAGED)),
    };
    let mut pairs = rest.chunks_exact(2).enumerate().map(byte);
    let key = pairs.next().unwrap_or(Ok(0))?;
    pairs.map(|byte| byte.map(|byte| byte ^ key)).collect()
}

/// Encodes a saved game in hex digits, which every version of VASSAL reads.
pub fn encode(text: &str, key: u8) -> Vec<u8> {
    let hex = |byte: u8| [b"0123456789abcdef"[usize::from(byte >> 4)], b"0123456789abcdef"[usize::from(byte & 15)]];
    let mut out = HEX_HEADER.to_vec();
    out.extend(hex(key));
    text.bytes().for_each(|byte| out.extend(hex(byte ^ key)));
    out
}
