//! Renders the table of contents of the rulebook and single chapters.

use crate::serve::book::Rulebook;
use crate::serve::book::index::{Chapter, chapters};
use crate::serve::switches::render_switches;
use casebook_engine::complaint::{Error, counted, nearest_names};
use casebook_engine::data::status::Status;
use casebook_view::references::References;
use maud::{Markup, html};
use std::collections::BTreeSet;

impl Rulebook<'_> {
    /// Renders the sidebar of every rulebook page: the ruleset in force and the chapters.
    pub fn render_sidebar(&self, current: Option<&str>) -> Markup {
        html! {
            aside.beside {
                @if self.links.is_live() {
                    form.search role="search" aria-label="The rules" method="get" action=(self.links.page_address("search", "").split('?').next().unwrap_or_default()) data-keep {
                        label { span.hidden { "Words to look for" } input type="search" name="q" placeholder="Search the rules"; }
                        button.hidden { "Search" }
                    }
                    form method="get" data-switch {
                        @if let Some((name, title)) = self.rules_of { p.rules-of { "The rules of " a href=(self.links.situation_address(name)) { (title) } } }
                        (render_switches(self.ruleset, self.default_variants, None))
                        button { "Put in force" }
                    }
                } @else {
                    p.force {
                        "In force: "
                        @if self.ruleset.variants().next().is_none() { "the printed game alone" }
                        @for layer in self.ruleset.variants() { (self.layer_chip(&layer.name)) " " }
                    }
                }
                nav aria-label="Chapters" {
                    ol.chapters {
                        @for chapter in chapters(self.ruleset) {
                            li {
                                a href=(self.links.page_address("chapter", &chapter.slug)) aria-current=[(current == Some(&chapter.slug)).then_some("page")] {
                                    span.number { (chapter.number) } (chapter.title)
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Renders the table of contents: every chapter with its cases, and the tables.
    pub fn render_contents(&self) -> Markup {
        let chapters = chapters(self.ruleset);
        let amendments = self
            .ruleset
            .cases
            .iter()
            .filter(|case| self.is_variant(&case.layer))
            .count();
        html! {
            header.title {
                h1 { (self.ruleset.game.title) }
                p.lead {
                    (self.ruleset.cases.len() - amendments) " cases"
                    @if amendments > 0 { ", " (counted(amendments, "amendment")) " in force" }
                    ", " (self.ruleset.table_names().count()) " tables"
                }
            }
            section.toc {
                @for chapter in &chapters { (self.render_chapter_entry(chapter)) }
            }
            section.tables {
                h2 { "Tables" }
                ul {
                    @for id in self.ruleset.table_names() {
                        @if let Ok(Some(table)) = self.ruleset.table(id) {
                            @let doubtful = table.cells.iter().filter(|cell| cell.status == Status::Reconstructed).count();
                            li {
                                a href=(self.links.page_address("table", id)) { (table.title) }
                                @for layer in table.layers.iter().skip(1) { " " (self.layer_chip(&layer.name)) }
                                @if doubtful > 0 { " " span.status.reconstructed title={ (doubtful) " of " (table.cells.len()) " cells are reconstructed" } { "~" } }
                            }
                        }
                    }
                }
            }
        }
    }

    fn render_chapter_entry(&self, chapter: &Chapter) -> Markup {
        html! {
            section {
                h2 { a href=(self.links.page_address("chapter", &chapter.slug)) { span.number { (chapter.number) } " " (chapter.title) } }
                ul {
                    @for number in &chapter.cases {
                        @let layers: Vec<_> = self.ruleset.cases.iter().filter(|case| case.number == *number).collect();
                        li.unwritten[layers.is_empty()] {
                            a href=(self.links.page_address("case", number)) { span.number { (number) } " " (self.title_of(number)) }
                            // A variant that amends a case several times has one chip.
                            @let amended: BTreeSet<&str> = layers.iter().map(|case| &*case.layer).filter(|layer| self.is_variant(layer)).collect();
                            @for layer in amended { " " (self.layer_chip(layer)) }
                        }
                    }
                }
            }
        }
    }

    /// Renders a chapter with all its cases.
    pub fn render_chapter(&self, slug: &str, references: &References) -> Result<Markup, Error> {
        let chapters = chapters(self.ruleset);
        let Some(chapter_index) = chapters.iter().position(|chapter| chapter.slug == slug) else {
            let similar_slugs =
                nearest_names(slug, chapters.iter().map(|chapter| chapter.slug.as_str()));
            return Err(Error::Unknown {
                kind: "chapter in force",
                name: slug.into(),
                suggestions: similar_slugs,
            });
        };
        let chapter = &chapters[chapter_index];
        let written = |number: &&String| {
            self.ruleset
                .cases
                .iter()
                .any(|case| case.number == **number)
        };
        let (written, unwritten): (Vec<&String>, Vec<&String>) =
            chapter.cases.iter().partition(written);
        let beside = |chapter: Option<&Chapter>| {
            chapter.map(|chapter| {
                (
                    self.links.page_address("chapter", &chapter.slug),
                    chapter.title.clone(),
                )
            })
        };
        let (previous, following) = (
            chapter_index
                .checked_sub(1)
                .and_then(|i| beside(chapters.get(i))),
            beside(chapters.get(chapter_index + 1)),
        );
        Ok(html! {
            header.title { h1 { span.number { (chapter.number) } " " (chapter.title) } }
            @for number in written { (self.render_case(number, references, false)) }
            @if !unwritten.is_empty() {
                section.unwritten {
                    h2 { "Known by number and title" }
                    ul { @for number in unwritten { li { span.number { (number) } " " (self.title_of(number)) } } }
                }
            }
            nav.turn aria-label="Chapters beside" {
                @if let Some((href, title)) = previous { a rel="prev" href=(href) { "← " (title) } }
                @if let Some((href, title)) = following { a rel="next" href=(href) { (title) " →" } }
            }
        })
    }
}
