//! Dice that can be checked: a seed whose hash is known before the first throw, and that is revealed at the end.
//!
//! The secret is random and its hash (SHA-256) is given away first, so its owner can't exchange it afterwards. Then the other side may
//! give a half of its own, which it can't fit to a secret that it does not know. The seed of the dice is a hash of both.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// A commitment as a journal states it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commitment {
    /// The hash of the secret: 64 hexadecimal digits.
    pub hash: String,
    /// The half of the other side; `None` until it is known, empty if there is none.
    pub half: Option<String>,
    /// The secret; `None` until the end.
    pub secret: Option<String>,
}

fn hash(kind: &str, parts: &[&str]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    hasher.update(kind);
    for part in parts {
        hasher.update("\n");
        hasher.update(part);
    }
    hasher.finalize().into()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns the hash of a text.
pub fn digest(text: &str) -> String {
    hex(&Sha256::digest(text))
}

/// Returns a secret of random bytes as text.
pub fn secret_of(bytes: &[u8; 32]) -> String {
    hex(bytes)
}

/// Returns the hash of a secret: SHA-256 of the line `casebook dice 1` and the secret.
pub fn hash_of(secret: &str) -> String {
    hex(&hash("casebook dice 1", &[secret]))
}

/// Returns the seed of a secret and the half of the other side: the first 64 bits of SHA-256 of the line `casebook seed 1` and of both.
pub fn seed_of(secret: &str, half: &str) -> u64 {
    let hash = hash("casebook seed 1", &[secret, half]);
    hash[..8]
        .iter()
        .fold(0, |seed, byte| seed << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_standard() {
        // `printf 'casebook dice 1\nabc' | sha256sum`
        assert_eq!(
            hash_of("abc"),
            hex(&Sha256::digest(b"casebook dice 1\nabc"))
        );
        // The test vector of FIPS 180-2 for "abc".
        assert_eq!(
            hex(&Sha256::digest(b"abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_ne!(seed_of("a", "b"), seed_of("a", "c"));
    }
}
