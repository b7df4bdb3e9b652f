//! The name that was meant by a mistyped one.

/// So many names are shown where all are told.
const MAX_LISTED: usize = 12;

/// "; did you mean `x`?", or nothing; of many names, which there are.
pub fn suggestion_text(near: &[String]) -> String {
    match near {
        [] => String::new(),
        [one] => format!("; did you mean `{one}`?"),
        // Three are the most that one can have meant.
        [init @ .., last] if init.len() < 3 => format!("; did you mean `{}` or `{last}`?", init.join("`, `")),
        [some @ .., _] if some.len() < MAX_LISTED => format!("; there are `{}`", near.join("`, `")),
        _ => format!("; there are `{}` and {} more", near[..MAX_LISTED].join("`, `"), near.len() - MAX_LISTED),
    }
}

/// The names nearest to a mistyped one, at most three, and none that is further away than another; else names of which it is a part.
pub fn nearest_names<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let name = name.to_lowercase();
    let letters = name.chars().count();
    let mut hits: Vec<(bool, usize, &str)> = known
        .into_iter()
        .filter_map(|k| {
            let low = k.to_lowercase();
            let inside = name.len() > 2 && (low.contains(&name) || (low.len() > 2 && name.contains(&low)));
            let far = edit_distance(&name, &low);
            // A name of which no letter is left is another name.
            let close = far <= 1 + letters / 4 && far < letters.max(low.chars().count());
            (close || inside).then_some((!close, far, k))
        })
        .collect();
    hits.sort();
    hits.dedup();
    let Some(&(parts, nearest, _)) = hits.first() else { return Vec::new() };
    hits.into_iter().take_while(|(part, far, _)| parts || (!part && *far == nearest)).take(3).map(|(.., k)| k.to_string()).collect()
}

/// "; did you mean `x`?" or nothing.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    suggestion_text(&nearest_names(name, known))
}

/// Edits between two words, a swap of neighbours counting as one.
pub fn edit_distance(a: &str, b: &str) -> usize {
    strsim::osa_distance(a, b)
}
