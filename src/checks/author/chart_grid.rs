//! The rows of a chart in any form: CSV, copied cells, a table of Markdown or of HTML, or a list of rows in JSON.

use casebook_engine::complaint::Error;
use serde_json::Value;

/// Why a chart of several sheets is not read.
pub const SEVERAL_SHEETS: &str = "of several sheets, or two columns of labels, import each sheet by itself, and put their rows under `sheets:` in one file";

/// Why merged cells are not read.
pub const MERGED: &str =
    "of merged cells, write label and figure into each of those that are merged";

/// Reads the fields of each row; rows without any are left out.
pub fn read_rows(text: &str) -> Result<Vec<Vec<String>>, Error> {
    let text = text.trim_start_matches('\u{feff}');
    let start = text.trim_start();
    let mut rows = if start.starts_with('<') && start.to_lowercase().contains("<tr") {
        html_rows(start)?
    } else if start.starts_with(['[', '{']) {
        json_rows(start)?
    } else if text.lines().any(is_rule) {
        let lines = text.lines().filter(|line| !is_rule(line));
        lines.map(markdown_row).collect()
    } else {
        csv_rows(text)?
    };
    // Numbers have a hyphen for a minus sign.
    let digits: Vec<(String, String)> = (0..10)
        .map(|n| (format!("−{n}"), format!("-{n}")))
        .collect();
    for field in rows.iter_mut().flatten() {
        *field = field.trim().to_string();
        digits
            .iter()
            .for_each(|(minus, hyphen)| *field = field.replace(minus, hyphen));
    }
    rows.retain(|row| row.iter().any(|field| !field.is_empty()));
    Ok(rows)
}

/// Reads fields separated by tabs, semicolons or commas, whichever is most frequent in the first line.
fn csv_rows(text: &str) -> Result<Vec<Vec<String>>, Error> {
    let first = text.lines().next().unwrap_or_default();
    let delimiter = [b'\t', b';', b',']
        .into_iter()
        .max_by_key(|d| (first.bytes().filter(|b| b == d).count(), *d == b'\t'));
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter.unwrap_or(b','))
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let row = |record: csv::StringRecord| record.iter().map(String::from).collect();
    let rows = reader.records().map(|record| record.map(row));
    let rows: Result<_, csv::Error> = rows.collect();
    rows.map_err(|error| Error::Usage(format!("the chart can't be read: {error}")))
}

/// Whether a line is the rule below the head of a table in Markdown.
fn is_rule(line: &str) -> bool {
    line.contains('-') && line.contains('|') && line.chars().all(|c| "|-: \t\r".contains(c))
}

fn markdown_row(line: &str) -> Vec<String> {
    // A sign that is part of a field is escaped.
    let line = line.trim().replace("\\|", "\u{0}");
    let line = line.strip_prefix('|').unwrap_or(&line);
    let fields = line.strip_suffix('|').unwrap_or(line).split('|');
    fields.map(|field| field.replace('\u{0}', "|")).collect()
}

fn json_rows(text: &str) -> Result<Vec<Vec<String>>, Error> {
    let rows: Vec<Value> = serde_json::from_str(text)
        .map_err(|error| Error::Usage(format!("this is no list of rows in JSON: {error}")))?;
    let keys = |row: &Value| row.as_object().map(|row| row.keys().cloned().collect());
    let head: Vec<String> = rows.first().and_then(keys).unwrap_or_default();
    let field = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let row = |row: &Value| match row {
        Value::Array(fields) => fields.iter().map(field).collect(),
        // Values of other keys than those of the first row have no label.
        Value::Object(fields) => {
            let others = fields.iter().filter(|(key, _)| !head.contains(key));
            let own = head
                .iter()
                .map(|key| fields.get(key).map_or(String::new(), field));
            own.chain(others.map(|(_, value)| field(value))).collect()
        }
        other => vec![field(other)],
    };
    Ok([head.clone()]
        .into_iter()
        .chain(rows.iter().map(row))
        .collect())
}

fn html_rows(text: &str) -> Result<Vec<Vec<String>>, Error> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut in_cell = false;
    for piece in text.split('<').skip(1) {
        let (tag, body) = piece.split_once('>').unwrap_or((piece, ""));
        let tag = tag.to_lowercase().replace("=\"1\"", "");
        match tag.split_whitespace().next().unwrap_or_default() {
            "table" if !rows.is_empty() => return Err(Error::Usage(SEVERAL_SHEETS.into())),
            _ if tag.contains("span=") => return Err(Error::Usage(MERGED.into())),
            "tr" => rows.push(Vec::new()),
            "td" | "th" => {
                in_cell = true;
                rows.last_mut()
                    .into_iter()
                    .for_each(|row| row.push(String::new()));
            }
            "/td" | "/th" | "/tr" => in_cell = false,
            _ => {}
        }
        let field = rows.last_mut().and_then(|row| row.last_mut());
        if let Some(field) = field.filter(|_| in_cell) {
            let space = if tag.starts_with("br") { " " } else { "" };
            *field = [field.as_str(), body].join(space);
        }
    }
    for field in rows.iter_mut().flatten() {
        *field = unescaped(&field.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    Ok(rows)
}

/// Replaces the character references of HTML by the characters.
fn unescaped(text: &str) -> String {
    const NAMED: [(&str, u32); 8] = [
        ("lt", 60),
        ("gt", 62),
        ("quot", 34),
        ("apos", 39),
        ("nbsp", 32),
        ("minus", 0x2212),
        ("ndash", 0x2013),
        ("amp", 38),
    ];
    let mut parts = text.split('&');
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (name, rest) = part.split_once(';').unwrap_or(("", part));
        let named = NAMED
            .iter()
            .find(|(entity, _)| *entity == name)
            .map(|(_, code)| *code);
        let hex = name
            .strip_prefix("#x")
            .and_then(|hex| u32::from_str_radix(hex, 16).ok());
        let code = named
            .or(hex)
            .or_else(|| name.strip_prefix('#')?.parse().ok());
        match code.and_then(char::from_u32) {
            Some(letter) => (out.push(letter), out.push_str(rest)),
            None => (out.push('&'), out.push_str(part)),
        };
    }
    out
}
