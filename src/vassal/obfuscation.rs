//! The encodings of a saved game. They keep people from looking, not from attacking: each byte is combined with one key.
//!
//! | written by VASSAL | form |
//! |---|---|
//! | to 3.7 | `!VCSK`, then key and bytes in hex digits |
//! | trial versions of 3.8 | `VOBS` or `!VOBS`, then key and bytes; `!VOXZ`, then key and bytes that are packed |
//! | from 3.8 | packed with XZ, without a key |

use crate::archive::MAX_ENTRY;
use crate::fault::{VassalFault, VassalFaultKind};
use lzma_rust2::XzReader;
use std::io::Read;

/// Begins a text in hex digits: the key, then each byte.
const HEX_HEADER: &[u8] = b"!VCSK";

/// Begin raw bytes: the key, then each byte.
const RAW_HEADERS: [&[u8]; 2] = [b"VOBS", b"!VOBS"];

/// Begins packed bytes: the key, then each byte.
const PACKED_HEADER: &[u8] = b"!VOXZ";

/// Begins every XZ file.
const XZ_HEADER: &[u8] = b"\xfd7zXZ\0";

/// Memory for unpacking in KiB; VASSAL needs 4 MB.
const UNPACK_MEMORY: u32 = 80 << 10;

/// Decodes a saved game. What has no header is plain text, which VASSAL reads too.
pub fn decode(bytes: &[u8], place: &str) -> Result<Vec<u8>, VassalFault> {
    let truncated = || VassalFaultKind::Truncated { bytes: bytes.len() }.at(place);
    let raw = |encoded: &[u8]| -> Result<Vec<u8>, VassalFault> {
        let (key, rest) = encoded.split_first().ok_or_else(truncated)?;
        Ok(rest.iter().map(|byte| byte ^ key).collect())
    };
    if bytes.starts_with(XZ_HEADER) {
        return unpack(bytes, place);
    }
    if let Some(packed) = bytes.strip_prefix(PACKED_HEADER) {
        return unpack(&raw(packed)?, place);
    }
    if let Some(encoded) = RAW_HEADERS
        .iter()
        .find_map(|header| bytes.strip_prefix(*header))
    {
        return raw(encoded);
    }
    let Some(digits) = bytes.strip_prefix(HEX_HEADER) else {
        return Ok(bytes.to_vec());
    };
    if digits.len() < 2 || digits.len() % 2 == 1 {
        return Err(truncated());
    }
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let byte = |(index, pair): (usize, &[u8])| match (digit(pair[0]), digit(pair[1])) {
        (Some(high), Some(low)) => Ok(high << 4 | low),
        _ => Err(VassalFaultKind::NoHexDigit {
            byte: HEX_HEADER.len() + 2 * index + 1,
        }
        .at(place)),
    };
    let mut pairs = digits.chunks_exact(2).enumerate().map(byte);
    let key = pairs.next().unwrap_or(Ok(0))?;
    pairs.map(|byte| byte.map(|byte| byte ^ key)).collect()
}

/// Unpacks an XZ file. It can be thousands of times smaller than what comes out, so that is counted.
fn unpack(bytes: &[u8], place: &str) -> Result<Vec<u8>, VassalFault> {
    let mut text = Vec::new();
    let unpacked = XzReader::new_mem_limit(bytes, true, UNPACK_MEMORY)
        .take(MAX_ENTRY + 1)
        .read_to_end(&mut text);
    unpacked.map_err(|error| {
        VassalFaultKind::Unpacking {
            error: error.to_string(),
        }
        .at(place)
    })?;
    match text.len() as u64 > MAX_ENTRY {
        true => Err(VassalFaultKind::TooLarge {
            megabytes: MAX_ENTRY >> 20,
        }
        .at(place)),
        false => Ok(text),
    }
}

/// Encodes a saved game in hex digits, which every version of VASSAL reads.
pub fn encode(text: &str, key: u8) -> Vec<u8> {
    let hex = |byte: u8| {
        [
            b"0123456789abcdef"[usize::from(byte >> 4)],
            b"0123456789abcdef"[usize::from(byte & 15)],
        ]
    };
    let mut out = HEX_HEADER.to_vec();
    out.extend(hex(key));
    text.bytes().for_each(|byte| out.extend(hex(byte ^ key)));
    out
}
