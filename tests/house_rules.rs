//! House rules of the kind that is argued about: each in one line, with the odds of the same rule as somebody writes it by hand.

use crate::common::Folder;
use serde_json::Value;

/// A rule, as it is typed and as a script has it.
struct HouseRule {
    name: &'static str,
    game: &'static str,
    /// The battle that it moves, and what else is in force there.
    battle: &'static [&'static str],
    rule: &'static str,
    /// The script: where it stands, how it amends the case, and its functions.
    file: &'static str,
    kind: &'static str,
    functions: &'static str,
}

const RULES: [HouseRule; 11] = [
    HouseRule {
        name: "no leader moves the die by more than one row",
        game: "wbts",
        battle: &["lee-attacks-porter", "--with", "second-edition,dye"],
        rule: "26.2 answer: shift, part: rows = at_most 1",
        file: "26-optional-rules/26.2-shift.rhai",
        kind: "addition",
        functions: "fn shift(attack_rating, defence_rating) { let by = prior(); by.rows = min(by.rows, 1); by }",
    },
    HouseRule {
        name: "a leader is lost on doubles only",
        game: "wbts",
        battle: &["lee-attacks-porter", "--with", "hardy,dye"],
        rule: "leader-losses let: first = 12 when faces[0] != faces[1]",
        file: "26-optional-rules/leader-losses.rhai",
        kind: "correction",
        functions: r#"
fn check_leader(leader) {
    let dice = faces("2d6", "leader loss", leader);
    let first = if dice[0] == dice[1] { dice[0] + dice[1] } else { 12 };
    let post = post_of(leader);
    let stars = if is_known(leader, "stars") { leader.stars } else { () };
    if !is_in_danger(stars, post, first) { result(leader.name, "unhurt"); return true; }
    let second = roll("2d6", "leader loss", leader);
    let fate = leader_fate(stars, post, first, second);
    switch fate {
        "killed" => kill(leader),
        "wounded" => wound(leader),
        _ => result(leader.name, "unhurt"),
    }
    fate == "no effect"
}"#,
    },
    HouseRule {
        name: "cavalry may always fall back before a battle",
        game: "wbts",
        battle: &["cavalry-before-infantry", "--with", "second-edition"],
        rule: "15.2 answer: cavalry_may_retreat = yes",
        file: "15-cavalry/15.2-cavalry-in-combat.rhai",
        kind: "correction",
        functions: "fn cavalry_may_retreat(attack, attackers, unit) { true }",
    },
    HouseRule {
        name: "defenders behind a river count double",
        game: "wbts",
        battle: &["lee-crosses-the-pamunkey"],
        rule: r#"combat-result let: defence = double when between(battle.from[0], battle.target).water == "river""#,
        file: "08-combat/combat-result.rhai",
        kind: "correction",
        functions: r#"
fn work_out_odds(battle) {
    step("Odds");
    let attack = battle.attack_strength;
    let defence = battle.defence_strength;
    if between(battle.from[0], battle.target).water == "river" { defence *= 2; }
    if !battle.attack_supplied { attack = strength_without_supply(attack, battle.attackers); }
    if !battle.defence_supplied { defence = strength_without_supply(defence, battle.defenders); }
    battle.ratio = ratio_percent(attack, defence);
    battle_result(battle, "ratio", battle.ratio);
}"#,
    },
    HouseRule {
        name: "support adds one at most",
        game: "tmag",
        battle: &["macdougall-assaults"],
        rule: "attack-sum let: support = at_most 1",
        file: "combat/attack-sum.rhai",
        kind: "correction",
        functions: r#"
fn attack_sum(lead, supporting) {
    let support = min(supporting.len(), 1);
    let integrity = integrity_bonus(units_counted_for_integrity(lead, supporting));
    #{ lead: lead.combat, support: support, integrity: integrity, OT: lead.combat + support + integrity }
}"#,
    },
    HouseRule {
        name: "exhausted units attack at half",
        game: "tmag",
        battle: &[
            "macdougall-assaults",
            "--set",
            "MacDougall a: spent=true",
            "--set",
            "MacDougall b: spent=true",
            "--set",
            "Lockwood a: spent=true",
        ],
        rule: "attack-sum let: own = half when lead.spent",
        file: "combat/attack-sum.rhai",
        kind: "correction",
        functions: r#"
fn attack_sum(lead, supporting) {
    let own = if lead.spent { lead.combat / 2 } else { lead.combat };
    let integrity = integrity_bonus(units_counted_for_integrity(lead, supporting));
    #{ lead: own, support: supporting.len(), integrity: integrity, OT: own + supporting.len() + integrity }
}"#,
    },
    HouseRule {
        name: "a 6 never hurts the attacker",
        game: "wbts",
        battle: &["lee-attacks-porter", "--with", "second-edition,dye"],
        rule: "combat-result answer: combat_result, part: attacker = 0 when row == 6",
        file: "08-combat/combat-result.rhai",
        kind: "addition",
        functions: "fn combat_result(intensity, ratio, row) { let cell = prior(); if row == 6 { cell.attacker = 0; } cell }",
    },
    HouseRule {
        name: "two columns to the left in summer",
        game: "wbts",
        battle: &["lee-attacks-porter", "--with", "second-edition,dye"],
        rule: r#"combat-result look_up: combat-results = 2 left when track("cycle") == "6/62""#,
        file: "08-combat/combat-result.rhai",
        kind: "correction",
        functions: r#"
fn combat_result(intensity, ratio, row) {
    let column = if track("cycle") == "6/62" { label("combat-results", "columns", ratio, -2) } else { ratio };
    table("combat-results", combat_sheet(intensity), column, row)
}"#,
    },
    HouseRule {
        name: "a division breaks at its first loss",
        game: "wbts",
        battle: &["lee-attacks-porter", "--with", "second-edition,dye"],
        rule: r#"losses let: left = 0 when unit.kind == "infantry""#,
        file: "08-combat/losses.rhai",
        kind: "correction\n//! procedure: losses",
        functions: r#"
fn allocate(units, loss, side) {
    if loss < 1 { return; }
    let shares = share_losses(side, units, loss);
    for (unit, index) in units { if shares[index] > 0 { take_points(unit, shares[index]); } }
}
fn take_points(unit, points) {
    let left = if unit.kind == "infantry" { 0 } else { unit.strength - points };
    if is_a(unit, "naval") {
        sink(unit);
    } else if left > 0 {
        set(unit, "strength", left);
        result(unit.name, "" + left + " left");
    } else {
        result(unit.name, "destroyed");
        leave_supply(unit);
        remove(unit, "lost in battle");
    }
}"#,
    },
    HouseRule {
        name: "troops eat in each third cycle",
        game: "wbts",
        battle: &["supply-consumption"],
        rule: r#"12.12 answer: points_eaten = 0 when position("cycle", track("cycle")) % 3 != 0"#,
        file: "12-supply/12.12-supply-consumption.rhai",
        kind: "addition",
        functions: r#"fn points_eaten(strength, die, modifier) { let need = prior(); if position("cycle", track("cycle")) % 3 == 0 { need } else { 0 } }"#,
    },
    HouseRule {
        name: "the difference of ratings counts half",
        game: "wbts",
        battle: &["lee-attacks-porter", "--with", "second-edition,dye"],
        rule: "26.2 answer: shift, part: rows = half",
        file: "26-optional-rules/26.2-shift.rhai",
        kind: "addition",
        functions: "fn shift(attack_rating, defence_rating) { let by = prior(); by.rows = by.rows / 2; by }",
    },
];

/// Returns the outcomes of a battle with the rules of a folder.
fn odds(folder: &Folder, battle: &[&str]) -> Value {
    let mut args = [&["odds"], battle, &["--format", "json"]].concat();
    let with;
    match args.iter().position(|arg| *arg == "--with") {
        Some(at) => {
            with = format!("{},ours", args[at + 1]);
            args[at + 1] = &with;
        }
        None => args.extend(["--with", "ours"]),
    }
    let said = folder.run(&args).expect_success();
    let report: Value = serde_json::from_str(&said.out).expect("odds");
    assert_eq!(report["complete"], true, "{battle:?}");
    report["outcomes"].clone()
}

#[test]
fn a_rule_in_one_line_has_the_odds_of_its_script() {
    for rule in RULES {
        let (typed, by_hand) = (Folder::empty(), Folder::empty());
        let args = [
            &["what-if"],
            rule.battle,
            &["--rule", rule.rule, "--keep", "ours"],
        ];
        // It succeeds where the rule moves the battle.
        typed.run(&args.concat()).expect_success();
        let number = rule.rule.split(' ').next().expect("a case");
        let manifest = format!(
            "variant: ours\ntitle: Ours\ngame: {}\nafter: [{}]\n",
            rule.game,
            match rule.game {
                "wbts" => "hardy, dye, second-edition",
                _ => "perla-1997",
            }
        );
        by_hand.write("variants/ours/variant.yaml", &manifest);
        let card = format!(
            "//! case: \"{number}\"\n//! title: {}\n//! kind: {}\n//! text: {}.\n\n{}\n",
            rule.name,
            rule.kind,
            rule.name,
            rule.functions.trim()
        );
        by_hand.write(&format!("variants/ours/rules/{}", rule.file), &card);
        let [mine, scripted] = [&typed, &by_hand].map(|folder| odds(folder, rule.battle));
        assert_eq!(mine, scripted, "{}", rule.name);
    }
}
