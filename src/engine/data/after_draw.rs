//! Where a drawn card goes.

/// Where a card goes that is drawn to no hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterDraw {
    /// Laid out beside the stock, until a rule moves it on.
    #[default]
    KeptOut,
    /// Among the discards.
    Discards,
    /// Back into the stock at once.
    Stock,
}

impl AfterDraw {
    /// Places by their keyword.
    pub const NAMES: [(&str, AfterDraw); 3] = [
        ("kept out", AfterDraw::KeptOut),
        ("discarded", AfterDraw::Discards),
        ("put back", AfterDraw::Stock),
    ];
}
