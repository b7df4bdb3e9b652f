//! A bot for a chat: each line of the input is `CHANNEL TEXT`, each answer is printed.

mod bot;

use std::io::{BufRead, Write};

fn main() -> std::io::Result<()> {
    let mut bot = bot::Bot::new(casebook::built_in());
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (channel, text) = line.split_once(' ').unwrap_or((&line, ""));
        if let Some(reply) = bot.reply(channel, text) {
            writeln!(
                out,
                "{channel}: {}",
                reply.trim_end().replace('\n', &format!("\n{channel}: "))
            )?;
        }
    }
    Ok(())
}
