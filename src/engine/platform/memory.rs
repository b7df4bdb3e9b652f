//! The memory of this process, as the system counts it.

/// Returns the bytes of memory that the process holds; `None` where the system does not say.
pub fn resident() -> Option<u64> {
    if cfg!(target_os = "linux") {
        resident_of_status(&std::fs::read_to_string("/proc/self/status").ok()?)
    } else {
        None
    }
}

fn resident_of_status(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim()
        .strip_suffix("kB")?
        .trim()
        .parse::<u64>()
        .ok()?
        .checked_mul(1 << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resident_size_is_read() {
        assert_eq!(
            resident_of_status("Name:\tcasebook\nVmHWM:\t   300 kB\nVmRSS:\t   200 kB\n"),
            Some(200 << 10)
        );
        assert_eq!(resident_of_status("Name:\tcasebook\n"), None);
        assert!(resident().is_none_or(|bytes| bytes > 1 << 20));
    }
}
