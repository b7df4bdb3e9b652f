//! Messages between the editor and the server over standard input and output, each within bounds: a length that the editor states is not
//! believed.

use casebook_engine::complaint::Error;
use casebook_engine::platform::parallel::spawn;
use lsp_server::{Connection, Message};
use std::io::{BufRead, Read};
use std::sync::mpsc::{Receiver, channel};

/// Longest message, and longest line of its head, in bytes.
const MAX_LENGTH: (u64, u64) = (64 << 20, 1 << 10);

/// The other side of a connection.
pub struct EditorStream {
    /// Ends when all answers are written.
    written: Receiver<()>,
    /// Why the editor could not be read any further.
    broken: Receiver<Error>,
}

/// Connects to the editor over standard input and output.
pub fn connect() -> (Connection, EditorStream) {
    let (connection, Connection { sender, receiver }) = Connection::memory();
    let (done, written) = channel();
    let (fail, broken) = channel();
    let read = move || {
        let mut input = std::io::stdin().lock();
        loop {
            match read_message(&mut input) {
                Ok(Some(message)) => {
                    let is_exit = matches!(&message, Message::Notification(notification) if notification.method == "exit");
                    if sender.send(message).is_err() || is_exit {
                        return;
                    }
                }
                Ok(None) => return,
                Err(error) => return drop(fail.send(error)),
            }
        }
    };
    let write = move || {
        let _done: std::sync::mpsc::Sender<()> = done;
        let mut output = std::io::stdout().lock();
        receiver
            .into_iter()
            .take_while(|message| message.clone().write(&mut output).is_ok())
            .for_each(drop);
    };
    let _ = spawn(read) && spawn(write);
    (connection, EditorStream { written, broken })
}

impl EditorStream {
    /// Waits until all answers are written, once the connection is dropped. What could not be read goes before what came of it.
    pub fn finish(self, outcome: Result<(), Error>) -> Result<(), Error> {
        let _ = self.written.recv();
        self.broken.try_recv().map_or(outcome, Err)
    }
}

/// Reads a message; `None` at the end of the input.
fn read_message(input: &mut impl BufRead) -> Result<Option<Message>, Error> {
    let broken = |reason: String| Error::Usage(format!("the editor broke off: {reason}"));
    let failed = |source| Error::File {
        path: "(standard input)".into(),
        source,
    };
    let mut length: Option<u64> = None;
    loop {
        let mut line = Vec::new();
        input
            .by_ref()
            .take(MAX_LENGTH.1)
            .read_until(b'\n', &mut line)
            .map_err(failed)?;
        if line.is_empty() {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let Some(line) = line.strip_suffix('\n') else {
            return Err(broken(format!(
                "a line of the head of a message is cut off, or has more than {} letters",
                MAX_LENGTH.1
            )));
        };
        match line.trim_end().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.trim().parse().ok()
            }
            Some(_) => {}
            None => break,
        }
    }
    let length = length.ok_or_else(|| broken("a message does not say its length".into()))?;
    if length > MAX_LENGTH.0 {
        return Err(broken(format!(
            "a message of {length} bytes; {} MB are read at most",
            MAX_LENGTH.0 >> 20
        )));
    }
    let mut body = Vec::new();
    // The memory grows with what comes, not with what was announced.
    if input
        .by_ref()
        .take(length)
        .read_to_end(&mut body)
        .map_err(failed)? as u64
        != length
    {
        return Err(broken("a message is cut off".into()));
    }
    serde_json::from_slice(&body)
        .map(Some)
        .map_err(|error| broken(format!("a message can't be read: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<Message>, Error> {
        read_message(&mut text.as_bytes())
    }

    #[test]
    fn a_stated_length_is_not_believed() {
        let body = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        let whole = format!(
            "content-length: {}\r\nContent-Type: x\r\n\r\n{body}",
            body.len()
        );
        assert!(matches!(read(&whole), Ok(Some(Message::Notification(_)))));
        assert!(matches!(read(""), Ok(None)));
        for (text, why) in [
            (
                "Content-Length: 10000000000\r\n\r\n{}",
                "64 MB are read at most",
            ),
            ("Content-Length: 60000000\r\n\r\n{}", "cut off"),
            (
                "Content-Length: 99999999999999999999999\r\n\r\n{}",
                "does not say its length",
            ),
            ("Content-Length: -1\r\n\r\n{}", "does not say its length"),
            ("Content-Length: 2\r\n\r\n[}", "can't be read"),
            (&"x".repeat(2_000), "letters"),
        ] {
            assert!(
                read(text).is_err_and(|error| error.to_string().contains(why)),
                "{text}"
            );
        }
    }
}
