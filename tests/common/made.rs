//! Generates functions in the language of cases from bytes.

/// Generates functions from bytes; when they run out, the simplest choice is taken.
pub struct Made<'a> {
    bytes: std::slice::Iter<'a, u8>,
    /// Variables in scope by type: number, flag, text, list, map, a closure of a number, or a closure that changes a captured variable.
    names: Vec<(String, char)>,
    count: usize,
}

impl Made<'_> {
    /// A generator over these bytes.
    pub fn new(bytes: &[u8]) -> Made<'_> {
        Made { bytes: bytes.iter(), names: Vec::new(), count: 0 }
    }

    fn number_below(&mut self, below: usize) -> usize {
        self.bytes.next().map_or(0, |byte| *byte as usize % below)
    }

    fn pick(&mut self, list: &[&str]) -> String {
        list[self.number_below(list.len())].into()
    }

    fn variable(&mut self, sort: char) -> Option<String> {
        let names: Vec<String> = self.names.iter().filter(|(_, own)| *own == sort).map(|(name, _)| name.clone()).collect();
        (!names.is_empty()).then(|| names[self.number_below(names.len())].clone())
    }

    fn leaf(&mut self, sort: char) -> String {
        if let (Some(name), 1..) = (self.variable(sort), self.number_below(4)) {
            return name;
        }
        match sort {
            'n' => self.pick(&["0", "1", "2", "3", "(-4)", "7", "63", "1_000_000_007", "9_223_372_036_854_775_807"]),
            'f' => self.pick(&["true", "false"]),
            't' => self.pick(&["\"\"", "\"a\"", "\"Fox\"", "\"über\"", "\"a-b\""]),
            'l' => self.pick(&["[]", "[1]", "[3, 1, 2]", "[2, 2, 5, -1]"]),
            _ => self.pick(&["#{}", "#{ a: 1 }", "#{ b: 2, a: 3 }"]),
        }
    }

    /// The body of a closure over its parameter.
    fn closure(&mut self, sort: char, deep: usize) -> String {
        self.names.push(("p".into(), 'n'));
        let body = self.expression(sort, deep.min(1));
        self.names.pop();
        if self.number_below(4) == 1 { format!("|p| {{ if p > 2 {{ return {body}; }} {body} }}") } else { format!("|p| {body}") }
    }

    fn expression(&mut self, kind: char, deep: usize) -> String {
        // Sometimes of another type: places of faults are compared too.
        let kind = match (self.number_below(50), kind) {
            (48, _) => return "()".into(),
            (49, 'n') => 'f',
            (49, 'f') => 'n',
            _ => kind,
        };
        if deep == 0 {
            return self.leaf(kind);
        }
        let d = deep - 1;
        macro_rules! e {
            ($kind:expr) => {
                self.expression($kind, d)
            };
        }
        match (kind, self.number_below(12)) {
            (_, 1) => format!("(if {} {{ {} }} else {{ {} }})", e!('f'), e!(kind), e!(kind)),
            (_, 2) => {
                format!("(switch {} {{ 0 => {}, 7 | 9 => {}, 1..4 => {}, _ => {} }})", e!('n'), e!(kind), e!(kind), e!(kind), e!(kind))
            }
            ('n', 3..=5) => format!("({} {} {})", e!('n'), self.pick(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]), e!('n')),
            ('n', 6) => format!("({} ** {})", e!('n'), self.pick(&["0", "2", "3", "(-1)", "40"])),
            ('n', 7) => format!("{}.len()", e!('l')),
            ('n', 8) => format!("{}.reduce(|sum, p| sum + p, {})", e!('l'), e!('n')),
            ('n', 9) => format!("{}[{}]", e!('l'), e!('n')),
            ('n', 10) => match self.variable('c') {
                Some(name) => format!("{name}.call({})", e!('n')),
                None => format!("({}.{} ?? {})", e!('m'), self.pick(&["a", "b"]), e!('n')),
            },
            ('n', 11) => match self.number_below(4) {
                0 => format!("helper({}, {})", e!('n'), e!('l')),
                1 => format!("{}.index_of({})", e!('l'), e!('n')),
                2 => format!("{}({}, {})", self.pick(&["min", "max"]), e!('n'), e!('n')),
                _ => format!("{}({})", self.pick(&["abs", "sign", "-"]), e!('n')),
            },
            ('f', 3..=5) => format!("({} {} {})", e!('n'), self.pick(&["==", "!=", "<", "<=", ">", ">="]), e!('n')),
            ('f', 6 | 7) => format!("({} {} {})", e!('f'), self.pick(&["&&", "||", "^", "==", "<"]), e!('f')),
            ('f', 8) => format!("(!{})", e!('f')),
            ('f', 9) => format!("({} in {})", e!('n'), e!('l')),
            ('f', 10) => format!("{}.{}({})", e!('l'), self.pick(&["some", "all"]), self.closure('f', d)),
            ('f', 11) => format!("({} {} {})", e!('t'), self.pick(&["==", "<", "in"]), e!('t')),
            ('t', 3..=5) => {
                let other_prefix = ['t', 'n', 'f'][self.number_below(3)];
                format!("({} + {})", e!('t'), e!(other_prefix))
            }
            ('t', 6 | 7) => format!("`{}${{{}}}-${{{}}}`", self.pick(&["", "x"]), e!('n'), e!('t')),
            ('t', 8) => format!("{}.sub_string({}, {})", e!('t'), self.pick(&["0", "1", "-2", "9"]), self.pick(&["0", "1", "5"])),
            ('t', 9) => format!("{}.{}()", e!('t'), self.pick(&["to_upper", "to_lower", "to_string"])),
            ('l', 3 | 4) => format!("[{}, {}]", e!('n'), e!('n')),
            ('l', 5) => format!("({} + {})", e!('l'), e!('l')),
            ('l', 6) => format!("{}.where({})", e!('l'), self.closure('f', d)),
            ('l', 7) => format!("{}.map({})", e!('l'), self.closure('n', d)),
            ('l', 8) => format!("{}.extract({}, {})", e!('l'), self.pick(&["0", "1", "-2", "9"]), self.pick(&["0", "1", "5"])),
            ('l', 9) => format!("{}.values()", e!('m')),
            ('m', 3 | 4) => format!("#{{ a: {}, b: {} }}", e!('n'), e!('n')),
            ('m', 5) => format!("({} + {})", e!('m'), e!('m')),
            _ => self.leaf(kind),
        }
    }

    fn block(&mut self, deep: usize) -> String {
        let name_count = self.names.len();
        let body = (0..1 + self.number_below(3)).map(|_| self.statement(deep)).collect::<Vec<_>>().join(" ");
        self.names.truncate(name_count);
        format!("{{ {body} }}")
    }

    fn fresh_variable(&mut self, sort: char) -> String {
        self.count += 1;
        let name = format!("{sort}{}", self.count);
        self.names.push((name.clone(), sort));
        name
    }

    fn statement(&mut self, deep: usize) -> String {
        let kind = ['n', 'l', 'f', 't', 'm'][self.number_below(5)];
        let (list, map, number) = (self.variable('l'), self.variable('m'), self.variable('n'));
        match (self.number_below(if deep == 0 { 12 } else { 20 }), list, map, number) {
            (4, Some(list), ..) => {
                let change = self.pick(&[
                    "push(§)",
                    "insert(1, §)",
                    "insert(-1, §)",
                    "remove(1)",
                    "truncate(2)",
                    "reverse()",
                    "dedup()",
                    "append([§, 1])",
                    "sort()",
                    "sort(|a, b| a > b)",
                    // No difference of the two: an overflow is a fault, after which Rhai goes on sorting.
                    "sort(|a, b| if a == b { 0 } else if a < b { 1 } else { -1 })",
                    "clear()",
                    "pop()",
                ]);
                format!("{list}.{};", change.replace('§', &self.expression('n', 1)))
            }
            (5, Some(list), ..) => {
                format!("{list}[{}] {} {};", self.expression('n', 1), self.pick(&["=", "+=", "-="]), self.expression('n', 2))
            }
            (6, _, Some(map), _) => format!("{map}.{} = {};", self.pick(&["a", "b", "c"]), self.expression('n', 2)),
            (7 | 8, .., Some(number)) => {
                format!("{number} {} {};", self.pick(&["=", "+=", "-=", "*=", "/=", "<<="]), self.expression('n', 2))
            }
            (9, ..) => {
                let body = self.closure('n', 2);
                format!("let {} = {body};", self.fresh_variable('c'))
            }
            (10, .., Some(number)) => {
                // A closure that changes a captured variable is called alone: Rhai reads a variable that is the first argument after
                // the other arguments.
                format!("let {} = |p| {{ {number} += p; {number} }};", self.fresh_variable('d'))
            }
            (18, ..) if self.variable('d').is_some() => {
                let (name, value) = (self.variable('d').unwrap_or_default(), self.expression('n', 1));
                format!("let {} = {name}.call({value});", self.fresh_variable('n'))
            }
            (11, ..) => format!("if {} {{ return {}; }}", self.expression('f', 2), self.expression(kind, 1)),
            (12 | 13, ..) => format!("if {} {} else {}", self.expression('f', 2), self.block(deep - 1), self.block(deep - 1)),
            (14 | 15, ..) => {
                let iterated = if self.number_below(2) == 0 {
                    self.expression('l', 1)
                } else {
                    format!("{}..{}", self.number_below(3), self.number_below(6))
                };
                let name = self.fresh_variable('n');
                let (exit, body) = (self.pick(&["", "if § { break; }", "if § { continue; }"]), self.block(deep - 1));
                let exit = exit.replace('§', &self.expression('f', 1));
                self.names.retain(|(own, _)| *own != name);
                format!("for {name} in {iterated} {{ {exit} {body} }}")
            }
            (16, ..) => {
                let name = self.fresh_variable('n');
                let body = self.block(deep - 1);
                self.count += 1;
                // The body may set `name`, but not the counter, so the loop ends.
                let turns = format!("turns{}", self.count);
                format!(
                    "let {name} = 3; let {turns} = 0; while {name} > 0 {{ {name} -= 1; {turns} += 1; {body} if {name} > 5 || {turns} > 5 {{ break; }} }}"
                )
            }
            (17, ..) => format!(
                "switch {} {{ 1 => {}, 2..5 => {}, _ => {} }}",
                self.expression('n', 1),
                self.block(deep - 1),
                self.block(deep - 1),
                self.block(deep - 1)
            ),
            _ => {
                let value = self.expression(kind, 3);
                format!("let {} = {value};", self.fresh_variable(kind))
            }
        }
    }

    /// The body of a function, with the values of all its variables at its end.
    pub fn function(&mut self) -> String {
        let body = (0..2 + self.number_below(9)).map(|_| format!("    {}\n", self.statement(2))).collect::<String>();
        let names: Vec<&str> = self.names.iter().filter(|(_, sort)| !matches!(sort, 'c' | 'd')).map(|(name, _)| name.as_str()).collect();
        format!("{body}    [{}]\n", names.join(", "))
    }
}
