//! `casebook compare`: rulesets side by side, and the amendments that make the difference.

use crate::command::args::{Format, RulesetArgs};
use crate::command::counting::{stop, threads};
use crate::command::meant::situation;
use crate::command::print_json;
use crate::compare::causes::{Question, Readings, View, differing, readings, same};
use crate::compare::search::search;
use crate::complaint::Error;
use crate::data::library::Library;
use crate::odds::bars::percent;
use crate::odds::distribution::{NOTHING, Odds};
use crate::odds::fraction::Fraction;
use crate::ruleset::compose::Wish;
use crate::ruleset::laws;
use crate::ruling::page::{Page, plain};
use crate::ruling::resolve::{self, Order};
use crate::ruling::situation::Situation;
use crate::situation::dice::{Seeded, Stream, Typed};

use serde_json::{Value, json};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// What is asked of `compare`.
pub struct Ask {
    /// Rulesets, each a list of variants.
    pub with: Vec<String>,
    /// A case whose readings are compared.
    pub readings: Option<String>,
    /// Answers to choices.
    pub choose: Vec<(String, String)>,
    /// The seed of the dice played side by side.
    pub seed: u64,
    /// Dice typed in instead.
    pub dice: Option<Vec<u32>>,
    /// How many situations to try, if any.
    pub search: Option<u64>,
    /// Seconds for each count.
    pub limit: u64,
}

/// Carries out `compare`.
pub fn compare(library: &Arc<Library>, wanted: &str, args: &RulesetArgs, ask: &Ask, format: Format, page: Page) -> Result<ExitCode, Error> {
    let (game, name, variant) = situation(library, wanted, &args.game)?;
    let quiet = |_: f64, _: u64| {};
    let question = Question {
        library,
        name: &name,
        choices: &ask.choose,
        time: Duration::from_secs(ask.limit),
        stop: stop(),
        progress: &quiet,
        threads: threads(),
    };
    if let Some(case) = &ask.readings {
        let default = library.default_with(&game, &name, variant.as_deref());
        let with = ask.with.first().map_or(default, |text| split(text));
        let wish = Wish { game, with, options: args.option.clone(), readings: args.reading.clone(), ..Wish::default() };
        return by_reading(&question, &wish, case, format, page);
    }
    if ask.with.len() < 2 {
        return Err(Error::Usage("compare takes two rulesets or more: --with '' --with hardy; or --readings CASE".into()));
    }
    let wishes: Vec<Wish> = ask
        .with
        .iter()
        .map(|text| Wish { game: game.clone(), with: split(text), options: options_of(library, &split(text), args), ..Wish::default() })
        .collect();
    if let Some(count) = ask.search {
        return searched(library, &wishes, &name, ask, count, format, page);
    }
    let played: Vec<Played> = wishes.iter().map(|wish| play(library, wish, &name, ask)).collect::<Result<_, _>>()?;
    let views: Vec<View> = wishes.iter().map(|wish| question.view(wish)).collect::<Result<_, _>>()?;
    let mut partings = Vec::new();
    for i in 1..views.len() {
        partings.push(parting(&question, &wishes, &views, i)?);
    }
    match format {
        Format::Json => {
            let rulesets: Vec<Value> = views
                .iter()
                .zip(&played)
                .map(|(v, p)| json!({ "ruleset": v.title, "ruling": p.0, "odds": crate::odds::bars::data(&v.odds, None) }))
                .collect();
            print_json(&json!({ "situation": name, "rulesets": rulesets, "partings": partings.iter().map(|p| &p.1).collect::<Vec<_>>() }));
        }
        Format::Text => {
            println!("{}", page.paint("1", &applied_title(library, &wishes[0], &name)?));
            let dice = ask.dice.as_ref().map_or(format!("seed {}", ask.seed), |d| format!("dice {d:?}"));
            print!("{}", side_by_side(&views, &played, &dice, page));
            partings.iter().for_each(|(text, _)| print!("{text}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn split(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|t| !t.is_empty()).map(String::from).collect()
}

/// The options typed, as far as a ruleset has them.
fn options_of(library: &Library, with: &[String], args: &RulesetArgs) -> Vec<(String, bool)> {
    let has = |name: &str| {
        with.iter().filter_map(|v| library.variants.get(v)).any(|v| v.options.iter().any(|o| format!("{}.{}", v.name, o.name) == name))
    };
    args.option.iter().filter(|(name, _)| has(name)).cloned().collect()
}

fn applied_title(library: &Arc<Library>, wish: &Wish, name: &str) -> Result<String, Error> {
    Ok(crate::compare::causes::applies(library, wish, name)?.title)
}

/// What the same dice come to: outcomes, or why not.
struct Played(Value);

fn play(library: &Arc<Library>, wish: &Wish, name: &str, ask: &Ask) -> Result<Played, Error> {
    let situation = Situation::of(library, wish, name)?;
    let stream: Box<dyn Stream> = match &ask.dice {
        Some(faces) => Box::new(Typed::new(faces.clone())),
        None => Box::new(Seeded::new(ask.seed)),
    };
    let order =
        Order { stream, dice_from: String::new(), choices: ask.choose.clone(), policies: Arc::default(), strict: false, trace: false };
    let ruling = resolve::resolve(&mut situation.machine(), &situation, order)?.ruling;
    let refused = ruling.refused.map(|line| format!("{} [{}]", line.text, line.cites.join(", ")));
    Ok(Played(refused.map_or(Value::Object(ruling.results), |why| json!({ "refused": why }))))
}

/// Outcomes of the same dice, and the odds, ruleset beside ruleset.
fn side_by_side(views: &[View], played: &[Played], dice: &str, page: Page) -> String {
    let mut rows: Vec<(String, Vec<String>)> = vec![(format!("the same dice ({dice})"), vec![String::new(); views.len()])];
    let mut names: Vec<String> = Vec::new();
    for one in played {
        names.extend(one.0.as_object().into_iter().flat_map(|o| o.keys().cloned()));
    }
    let mut seen = Vec::new();
    names.retain(|n| {
        !seen.contains(n) && {
            seen.push(n.clone());
            true
        }
    });
    for name in names {
        rows.push((format!("  {name}"), played.iter().map(|p| p.0.get(&name).map_or(NOTHING.into(), plain)).collect()));
    }
    rows.push(("odds".into(), vec![String::new(); views.len()]));
    let mut order: Vec<String> = Vec::new();
    views.iter().flat_map(|v| &v.odds.order).for_each(|n| {
        if !order.contains(n) {
            order.push(n.clone())
        }
    });
    for name in order {
        rows.push((format!("  {name}"), views.iter().map(|v| brief(&v.odds, &name)).collect()));
    }
    let first = rows.iter().map(|(n, _)| n.chars().count()).max().unwrap_or(0);
    let titles: Vec<String> =
        views.iter().map(|v| if v.complete { v.title.clone() } else { format!("{} (not counted whole)", v.title) }).collect();
    let width = |i: usize| rows.iter().map(|(_, c)| c[i].chars().count()).chain([titles[i].chars().count()]).max().unwrap_or(0);
    let widths: Vec<usize> = (0..views.len()).map(width).collect();
    let line = |name: &str, cells: &[String]| {
        let cells: Vec<String> = cells.iter().zip(&widths).map(|(c, w)| format!("{c:<w$}")).collect();
        format!("{name:<first$}  {}\n", cells.join("  ")).trim_end().to_string() + "\n"
    };
    let mut out = format!("\n{}", page.paint("1", &line("", &titles)));
    for (name, cells) in &rows {
        let differ = cells.windows(2).any(|pair| pair[0] != pair[1]);
        let text = line(name, cells);
        out.push_str(&if cells.iter().all(String::is_empty) {
            page.paint("1", &text)
        } else if differ {
            page.paint("33", &text)
        } else {
            text
        });
    }
    out
}

/// An outcome in one cell: the mean of numbers, else the likeliest value.
fn brief(odds: &Odds, name: &str) -> String {
    let Some(distribution) = odds.of(name) else { return "?".into() };
    let mut named = distribution.clone();
    named.0.remove(NOTHING);
    let whole = named.0.values().fold(Fraction::ZERO, |sum, chance| &sum + chance);
    if let (Some(sum), true) = (named.mean(), named.0.len() > 1) {
        let mean = sum.over(&whole).map_or(0.0, |mean| mean.share());
        return if whole.share() < 1.0 { format!("mean {mean:.2} in {}", percent(whole.share())) } else { format!("mean {mean:.2}") };
    }
    let mut list: Vec<_> = distribution.0.iter().collect();
    list.sort_by(|(a, x), (b, y)| y.cmp(x).then_with(|| a.cmp(b)));
    list.iter().take(2).map(|(value, chance)| format!("{value} {}", percent(chance.share()))).collect::<Vec<_>>().join(", ")
}

/// Where one ruleset parts from the one before it, and by which amendments.
fn parting(question: &Question, wishes: &[Wish], views: &[View], i: usize) -> Result<(String, Value), Error> {
    let (a, b) = (&views[i - 1], &views[i]);
    let mut out = format!("\n{} and {}\n", a.title, b.title);
    if same(&a.odds, &b.odds) {
        out.push_str("  the same odds\n");
        return Ok((out, json!({ "from": a.title, "to": b.title, "differing": [], "causes": [] })));
    }
    let outcomes = differing(&a.odds, &b.odds);
    out.push_str(&format!("  part on {}\n", outcomes.join(", ")));
    let mut causes = Vec::new();
    for (wish, view, other) in [(&wishes[i], b, &wishes[i - 1]), (&wishes[i - 1], a, &wishes[i])] {
        // What both have in force makes no difference between them.
        let shared: Vec<&String> = wish.with.iter().filter(|v| other.with.contains(v)).collect();
        for cause in question.causes(wish, view)? {
            if !shared.iter().any(|v| **v == cause.layer) {
                let source = if cause.source.is_empty() { String::new() } else { format!(", {}", cause.source) };
                out.push_str(&format!("  by {} {} {}{source}   {}\n", cause.layer, cause.what, cause.title, cause.path));
                causes.push(cause);
            }
        }
    }
    Ok((out, json!({ "from": a.title, "to": b.title, "differing": outcomes, "causes": causes })))
}

fn by_reading(question: &Question, wish: &Wish, case: &str, format: Format, page: Page) -> Result<ExitCode, Error> {
    let Readings { default, changed, idle } = readings(question, wish, if case == "all" { "" } else { case })?;
    if format == Format::Json {
        let list: Vec<Value> =
            changed.iter().map(|(n, w, v)| json!({ "reading": n, "way": w, "odds": crate::odds::bars::data(&v.odds, None) })).collect();
        print_json(&json!({ "default": crate::odds::bars::data(&default.odds, None), "changed": list, "idle": idle }));
        return Ok(ExitCode::SUCCESS);
    }
    println!("{}", page.paint("1", &default.title));
    for (name, way, view) in &changed {
        println!("\n{name} = {way}");
        for outcome in differing(&default.odds, &view.odds) {
            println!("  {outcome}: {} instead of {}", brief(&view.odds, &outcome), brief(&default.odds, &outcome));
        }
    }
    if !idle.is_empty() {
        println!("\nchange nothing here: {}", idle.join("; "));
    }
    Ok(ExitCode::SUCCESS)
}

/// Situations in which the first two rulesets part.
fn searched(
    library: &Arc<Library>,
    wishes: &[Wish],
    name: &str,
    ask: &Ask,
    count: u64,
    format: Format,
    page: Page,
) -> Result<ExitCode, Error> {
    let (a, b) = (laws::enact(library, &wishes[0])?.0, laws::enact(library, &wishes[1])?.0);
    let (left, right) = (a.title(), b.title());
    let found = search(a, b, name, &ask.choose, count)?;
    if format == Format::Json {
        print_json(&json!(found));
        return Ok(ExitCode::SUCCESS);
    }
    println!("{}", page.paint("1", &format!("{left} and {right}, {name} with other figures and dice")));
    if found.classes.is_empty() {
        println!("no difference in {} situations", found.tried);
    }
    for class in &found.classes {
        let share = percent(class.times as f64 / found.tried as f64);
        println!("\n{} part in {} of {} situations ({share})", class.outcomes.join(", "), class.times, found.tried);
        let witness = if class.witness.is_empty() { "the situation as it is".into() } else { class.witness.join("; ") };
        print!("{}", page.line(&format!("smallest: {witness}; seed {}", class.seed), &[]));
        for (outcome, l, r) in &class.pairs {
            println!("    {outcome}: {l} and {r}");
        }
    }
    Ok(ExitCode::SUCCESS)
}
