//! The verbs that throw dice, or draw cards or lots.

/// A verb that throws dice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThrowVerb {
    /// `roll`: the total.
    Roll,
    /// `hits`: how many dice show a face or better, or one of a band.
    Hits,
    /// `symbols`: how often each symbol shows.
    Symbols,
    /// `chance_of`: whether something of a given chance happens.
    Chance,
    /// `faces`: the faces.
    Faces,
    /// `draw_card`: one card of a stock.
    DrawCard,
    /// `draw_cards`: several, at once.
    DrawCards,
    /// `peek`: the cards on top of a stock, in their order.
    Peek,
    /// `draw_lot`: one of a list.
    DrawLot,
}

impl ThrowVerb {
    /// Whether the verb takes cards from a stock of the board.
    pub fn takes_cards(self) -> bool {
        matches!(
            self,
            ThrowVerb::DrawCard | ThrowVerb::DrawCards | ThrowVerb::Peek
        )
    }
}
