//! Suggests the intended name for a misspelt one.

/// Maximum number of names listed in full.
const MAX_LISTED: usize = 12;

/// Formats "; did you mean `x`?", or a list of names if there are many; empty without suggestions.
pub fn suggestion_text(near: &[String]) -> String {
    match near {
        [] => String::new(),
        [one] => format!("; did you mean `{one}`?"),
        // Four or more names are an enumeration, not a suggestion.
        [init @ .., last] if init.len() < 3 => format!("; did you mean `{}` or `{last}`?", init.join("`, `")),
        [some @ .., _] if some.len() < MAX_LISTED => format!("; there are `{}`", near.join("`, `")),
        _ => format!("; there are `{}` and {} more", near[..MAX_LISTED].join("`, `"), near.len() - MAX_LISTED),
    }
}

/// Returns at most three names at the smallest edit distance from a misspelt one; if none is close, names that contain it.
pub fn nearest_names<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let name = name.to_lowercase();
    let letters = name.chars().count();
    let mut hits: Vec<(bool, usize, &str)> = known
        .into_iter()
        .filter_map(|k| {
            let low = k.to_lowercase();
            let inside = name.len() > 2 && (low.contains(&name) || (low.len() > 2 && name.contains(&low)));
            let far = edit_distance(&name, &low);
            // A name without a letter in common is not a misspelling.
            let close = far <= 1 + letters / 4 && far < letters.max(low.chars().count());
            (close || inside).then_some((!close, far, k))
        })
        .collect();
    hits.sort();
    hits.dedup();
    let Some(&(parts, nearest, _)) = hits.first() else { return Vec::new() };
    hits.into_iter().take_while(|(part, far, _)| parts || (!part && *far == nearest)).take(3).map(|(.., k)| k.to_string()).collect()
}

/// Returns "; did you mean `x`?" or an empty text.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    suggestion_text(&nearest_names(name, known))
}

/// Returns the edit distance between two words, where a swap of adjacent letters counts as one edit.
pub fn edit_distance(a: &str, b: &str) -> usize {
    strsim::osa_distance(a, b)
}
