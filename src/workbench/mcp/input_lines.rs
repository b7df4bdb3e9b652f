//! The lines between an agent and the server. A line that is too long or too deep for the SDK, which would drop it, is answered here with an
//! error of its id; no more of it than a line may have is kept in memory.

use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;

/// Longest line, in bytes.
const MAX_LINE: usize = 8 << 20;
/// How deep lists and objects may lie in each other.
const MAX_DEPTH: usize = 64;
/// Longest part of a line in which an id is looked for: a key with its value.
const MAX_ID: usize = 200;

/// Hands the lines of the input on, except those out of bounds, until the input ends or nobody reads.
pub async fn forward_requests<W: AsyncWrite + Unpin>(
    input: impl AsyncRead + Unpin,
    mut to_server: impl AsyncWrite + Unpin,
    output: Arc<Mutex<W>>,
) {
    let mut input = BufReader::new(input);
    loop {
        let (mut line, mut scan) = (Vec::new(), LineScan::default());
        let ends = loop {
            let Ok(chunk) = input.fill_buf().await else {
                return;
            };
            if chunk.is_empty() {
                break true;
            }
            let end = chunk.iter().position(|byte| *byte == b'\n');
            let part = &chunk[..end.map_or(chunk.len(), |end| end + 1)];
            scan.read(part);
            line.extend_from_slice(&part[..part.len().min(MAX_LINE.saturating_sub(line.len()))]);
            let length = part.len();
            input.consume(length);
            if end.is_some() {
                break false;
            }
        };
        let sent = match scan.fault() {
            None => to_server.write_all(&line).await,
            Some(answer) => write_line(&output, answer.to_string().as_bytes()).await,
        };
        if sent.is_err() || to_server.flush().await.is_err() || ends {
            return;
        }
    }
}

/// Hands the server's answers on, each in one piece.
pub async fn forward_answers<W: AsyncWrite + Unpin>(
    from_server: impl AsyncRead + Unpin,
    output: Arc<Mutex<W>>,
) {
    let mut lines = BufReader::new(from_server);
    let mut line = Vec::new();
    while lines
        .read_until(b'\n', &mut line)
        .await
        .is_ok_and(|length| length > 0)
    {
        if write_line(&output, line.strip_suffix(b"\n").unwrap_or(&line))
            .await
            .is_err()
        {
            return;
        }
        line.clear();
    }
}

async fn write_line<W: AsyncWrite + Unpin>(output: &Mutex<W>, line: &[u8]) -> std::io::Result<()> {
    let mut output = output.lock().await;
    output.write_all(line).await?;
    output.write_all(b"\n").await?;
    output.flush().await
}

/// What is known of a line of JSON without keeping it.
#[derive(Default)]
struct LineScan {
    length: usize,
    depth: usize,
    deepest: usize,
    is_in_text: bool,
    is_escaped: bool,
    /// The key of the outermost object that is being read, with its value.
    entry: Vec<u8>,
    id: Option<Value>,
}

impl LineScan {
    fn read(&mut self, part: &[u8]) {
        self.length += part.len();
        for &byte in part {
            let (was_escaped, in_text) = (std::mem::take(&mut self.is_escaped), self.is_in_text);
            match byte {
                b'\\' if in_text => self.is_escaped = !was_escaped,
                b'"' if !was_escaped => self.is_in_text = !in_text,
                b'{' | b'[' if !in_text => {
                    self.depth += 1;
                    self.deepest = self.deepest.max(self.depth);
                    continue;
                }
                b'}' | b']' if !in_text => {
                    if self.depth == 1 {
                        self.end_entry();
                    }
                    self.depth = self.depth.saturating_sub(1);
                    continue;
                }
                b',' if !in_text && self.depth == 1 => {
                    self.end_entry();
                    continue;
                }
                _ => {}
            }
            if self.depth == 1 && self.entry.len() < MAX_ID {
                self.entry.push(byte);
            }
        }
    }

    /// Keeps the value of the entry if its key is `id`.
    fn end_entry(&mut self) {
        let entry = String::from_utf8_lossy(&self.entry).into_owned();
        self.entry.clear();
        let value = entry
            .trim_start()
            .strip_prefix("\"id\"")
            .and_then(|rest| rest.trim_start().strip_prefix(':'));
        let id = value.and_then(|value| serde_json::from_str(value).ok());
        self.id = id
            .filter(|id: &Value| id.is_string() || id.is_number())
            .or(self.id.take());
    }

    /// Returns the answer to a line that is out of bounds.
    fn fault(&self) -> Option<Value> {
        let message = match (self.length > MAX_LINE, self.deepest > MAX_DEPTH) {
            (true, _) => format!("this message is too long: {} MB at most", MAX_LINE >> 20),
            (_, true) => format!(
                "this message is too deep: lists and objects may be nested {MAX_DEPTH} deep"
            ),
            _ => return None,
        };
        Some(
            json!({ "jsonrpc": "2.0", "id": self.id, "error": { "code": -32600, "message": message } }),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(line: &str) -> Option<Value> {
        let mut scan = LineScan::default();
        line.as_bytes().chunks(7).for_each(|part| scan.read(part));
        scan.fault()
    }

    #[test]
    fn a_line_out_of_bounds_is_answered_with_its_id() {
        let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(fault(r#"{"id":1,"params":"[[[[\"{"}"#), None);
        assert_eq!(
            fault(&format!(r#"{{"id":1,"params":{}}}"#, deep(MAX_DEPTH - 1))),
            None
        );
        for (line, id) in [
            (
                format!(
                    r#"{{"jsonrpc":"2.0", "id" : 17 ,"params":{}}}"#,
                    deep(3_000)
                ),
                json!(17),
            ),
            (
                format!(r#"{{"params":{{"id":5,"x":{}}},"id":"a\"b"}}"#, deep(3_000)),
                json!("a\"b"),
            ),
            (
                format!(r#"{{"params":"{}","id":2}}"#, "x".repeat(MAX_LINE)),
                json!(2),
            ),
            (format!(r#"{{"params":{}"#, "[".repeat(100)), Value::Null),
        ] {
            let answer = fault(&line).expect("it is out of bounds");
            assert_eq!(answer["id"], id, "{answer}");
        }
    }
}
