//! A minimal web host: files of a folder below a path, and a page for unknown addresses.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A host that answers until it is switched off.
pub struct StaticFiles {
    /// The address of the folder, with a slash at its end.
    pub base: String,
    off: Arc<AtomicBool>,
    sent: Arc<AtomicU64>,
}

impl StaticFiles {
    /// Serves a folder below a path such as `/` or `/casebook/`.
    pub fn start(folder: PathBuf, below: &str) -> StaticFiles {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let base = format!(
            "http://{}{below}",
            listener.local_addr().expect("it has an address")
        );
        let (off, below) = (Arc::new(AtomicBool::new(false)), below.to_string());
        let sent = Arc::<AtomicU64>::default();
        let (is_off, counter) = (off.clone(), sent.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if is_off.load(Ordering::Relaxed) {
                    continue;
                }
                let (folder, below, counter) = (folder.clone(), below.clone(), counter.clone());
                std::thread::spawn(move || {
                    let mut lines = BufReader::new(&stream).lines().map_while(Result::ok);
                    let line = lines.next().unwrap_or_default();
                    lines
                        .by_ref()
                        .take_while(|line| !line.is_empty())
                        .for_each(drop);
                    let path = line
                        .split(' ')
                        .nth(1)
                        .unwrap_or("/")
                        .split('?')
                        .next()
                        .unwrap_or_default()
                        .to_string();
                    let name = path.strip_prefix(&below).unwrap_or("(elsewhere)");
                    let name = if name.is_empty() { "index.html" } else { name };
                    let (status, body) = match fs::read(folder.join(name)) {
                        Ok(body) => ("200 OK", body),
                        Err(_) => (
                            "404 Not Found",
                            fs::read(folder.join("404.html")).unwrap_or_default(),
                        ),
                    };
                    let kind = match name.rsplit('.').next() {
                        Some("js") => "text/javascript",
                        Some("json") => "application/json",
                        Some("bin") => "application/octet-stream",
                        _ => "text/html",
                    };
                    let head = format!(
                        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                        body.len()
                    );
                    counter.fetch_add((head.len() + body.len()) as u64, Ordering::Relaxed);
                    let mut stream = &stream;
                    let _ = stream
                        .write_all(head.as_bytes())
                        .and_then(|()| stream.write_all(&body));
                });
            }
        });
        StaticFiles { base, off, sent }
    }

    /// Returns the number of bytes of all answers so far.
    pub fn bytes_sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Stops answering.
    pub fn switch_off(&self) {
        self.off.store(true, Ordering::Relaxed);
    }
}
