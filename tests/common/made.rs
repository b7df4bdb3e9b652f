//! Generates functions in the language of cases from bytes.

/// Generates functions from bytes; when they run out, the simplest choice is taken.
pub struct Made<'a> {
    bytes: std::slice::Iter<'a, u8>,
    /// Variables in scope by type: number (`N`: a constant), value of a loop (`k`), flag, text, list, map, a closure of a number (`z`: of nothing), or a closure
    /// that changes a captured variable.
    names: Vec<(String, char)>,
    count: usize,
}

impl Made<'_> {
    /// A generator over these bytes.
    pub fn new(bytes: &[u8]) -> Made<'_> {
        Made {
            bytes: bytes.iter(),
            names: Vec::new(),
            count: 0,
        }
    }

    fn number_below(&mut self, below: usize) -> usize {
        self.bytes.next().map_or(0, |byte| *byte as usize % below)
    }

    fn pick(&mut self, list: &[&str]) -> String {
        list[self.number_below(list.len())].into()
    }

    fn variable(&mut self, sort: char) -> Option<String> {
        let names: Vec<String> = self
            .names
            .iter()
            .filter(|(_, own)| *own == sort)
            .map(|(name, _)| name.clone())
            .collect();
        (!names.is_empty()).then(|| names[self.number_below(names.len())].clone())
    }

    fn leaf(&mut self, sort: char) -> String {
        let constant = if sort == 'n' && self.number_below(4) == 3 {
            self.variable('N')
        } else {
            None
        };
        if let (Some(name), 1..) = (
            constant.or_else(|| self.variable(sort)),
            self.number_below(4),
        ) {
            return name;
        }
        match sort {
            'n' => self.pick(&[
                "0",
                "1",
                "2",
                "3",
                "(-4)",
                "7",
                "63",
                "1_000_000_007",
                "9_223_372_036_854_775_807",
            ]),
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
        if self.number_below(4) == 1 {
            format!("|p| {{ if p > 2 {{ return {body}; }} {body} }}")
        } else {
            format!("|p| {body}")
        }
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
        match (kind, self.number_below(14)) {
            (_, 1) => format!(
                "(if {} {{ {} }} else {{ {} }})",
                e!('f'),
                e!(kind),
                e!(kind)
            ),
            (_, 2) => format!("({})", self.switch(d, &mut |made| made.expression(kind, d))),
            (_, 12) => match self.number_below(4) {
                0 => format!(
                    "(for x in {} {{ if x > {} {{ break {}; }} }} ?? {})",
                    e!('l'),
                    e!('n'),
                    e!(kind),
                    e!(kind)
                ),
                1 => format!("(loop {{ break {}; }})", e!(kind)),
                2 => format!(
                    "(while {} {{ break {}; }} ?? {})",
                    e!('f'),
                    e!(kind),
                    e!(kind)
                ),
                _ => format!(
                    "(do {{ if {} {{ break {}; }} }} until true ?? {})",
                    e!('f'),
                    e!(kind),
                    e!(kind)
                ),
            },
            (_, 13) => match self.number_below(3) {
                0 => {
                    let value = e!(kind);
                    let name = self.fresh_variable(kind);
                    let result = self.expression(kind, d);
                    self.names.pop();
                    format!("{{ let {name} = {value}; {result} }}")
                }
                1 => format!(
                    "(({})?.{} ?? {})",
                    self.pick(&["()", "#{ a: () }.a", "#{}.b"]),
                    self.pick(&["a", "b.c"]),
                    e!(kind)
                ),
                _ => format!("(()?[{}] ?? {})", e!('n'), e!(kind)),
            },
            ('n', 3..=5) => {
                let sign = self.pick(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]);
                match sign.as_str() {
                    // What no longer fits is a fault here, and another number in Rhai.
                    "<<" | ">>" => format!("(({} % 1000) {sign} ({} % 40))", e!('n'), e!('n')),
                    _ => format!("({} {sign} {})", e!('n'), e!('n')),
                }
            }
            ('n', 6) => format!(
                "({} ** {})",
                e!('n'),
                self.pick(&["0", "2", "3", "(-1)", "40"])
            ),
            ('n', 7) => format!("{}.len()", e!('l')),
            ('n', 8) => format!("{}.reduce(|sum, p| sum + p, {})", e!('l'), e!('n')),
            ('n', 9) => format!("{}[{}]", e!('l'), e!('n')),
            ('n', 10) => match (self.variable('c'), self.variable('z')) {
                (_, Some(name)) => format!("{name}.call()"),
                (Some(name), _) => format!("{name}.call({})", e!('n')),
                (None, None) => format!(
                    "({}{}{} ?? {})",
                    e!('m'),
                    self.pick(&[".", "?."]),
                    self.pick(&["a", "b"]),
                    e!('n')
                ),
            },
            ('n', 11) => match self.number_below(6) {
                4 => format!(
                    "[{}, {}][{}]{}[{}]",
                    e!('l'),
                    e!('l'),
                    self.pick(&["0", "1", "-1"]),
                    self.pick(&["", "?"]),
                    e!('n')
                ),
                5 => format!(
                    "(#{{ a: {} }}.a.{} ?? {})",
                    e!('m'),
                    self.pick(&["a", "b"]),
                    e!('n')
                ),
                0 => format!("helper({}, {})", e!('n'), e!('l')),
                1 => format!("{}.index_of({})", e!('l'), e!('n')),
                2 => format!("{}({}, {})", self.pick(&["min", "max"]), e!('n'), e!('n')),
                _ => format!("{}({})", self.pick(&["abs", "sign", "-"]), e!('n')),
            },
            ('f', 3..=5) => format!(
                "({} {} {})",
                e!('n'),
                self.pick(&["==", "!=", "<", "<=", ">", ">="]),
                e!('n')
            ),
            ('f', 6 | 7) => format!(
                "({} {} {})",
                e!('f'),
                self.pick(&["&&", "||", "^", "==", "<"]),
                e!('f')
            ),
            ('f', 8) => format!("(!{})", e!('f')),
            ('f', 9) => format!("({} in {})", e!('n'), e!('l')),
            ('f', 10) => format!(
                "{}.{}({})",
                e!('l'),
                self.pick(&["some", "all"]),
                self.closure('f', d)
            ),
            ('f', 11) => format!(
                "({} {} {})",
                e!('t'),
                self.pick(&["==", "<", "in"]),
                e!('t')
            ),
            ('t', 3..=5) => {
                let other_prefix = ['t', 'n', 'f'][self.number_below(3)];
                format!("({} + {})", e!('t'), e!(other_prefix))
            }
            ('t', 6 | 7) => format!(
                "`{}${{{}}}-${{{}}}`",
                self.pick(&["", "x"]),
                e!('n'),
                e!('t')
            ),
            ('t', 8) => format!(
                "{}.sub_string({}, {})",
                e!('t'),
                self.pick(&["0", "1", "-2", "9"]),
                self.pick(&["0", "1", "5"])
            ),
            ('t', 9) => format!(
                "{}.{}()",
                e!('t'),
                self.pick(&["to_upper", "to_lower", "to_string"])
            ),
            ('l', 3 | 4) => format!("[{}, {}]", e!('n'), e!('n')),
            ('l', 5) => format!("({} + {})", e!('l'), e!('l')),
            ('l', 6) => format!("{}.where({})", e!('l'), self.closure('f', d)),
            ('l', 7) => format!("{}.map({})", e!('l'), self.closure('n', d)),
            ('l', 8) => format!(
                "{}.extract({}, {})",
                e!('l'),
                self.pick(&["0", "1", "-2", "9"]),
                self.pick(&["0", "1", "5"])
            ),
            ('l', 9) => format!("{}.values()", e!('m')),
            ('m', 3 | 4) => format!("#{{ a: {}, b: {} }}", e!('n'), e!('n')),
            ('m', 5) => format!("({} + {})", e!('m'), e!('m')),
            _ => self.leaf(kind),
        }
    }

    /// A `switch` whose arms overlap, with and without guards and a default.
    fn switch(&mut self, deep: usize, value: &mut dyn FnMut(&mut Self) -> String) -> String {
        let sort = ['n', 'n', 'n', 't', 'f', 'l'][self.number_below(6)];
        let (constants, ranges): (&[&str], &[&str]) = match sort {
            'n' => (
                &["0", "1", "3", "7", "-4", "()"],
                &["1..4", "2..=3", "-9..=0", "0..100", "3..3"],
            ),
            't' => (&["\"\"", "\"a\"", "\"Fox\"", "1"], &["1..4"]),
            'f' => (&["true", "false", "()"], &[]),
            _ => (&["[]", "[1]", "[3, 1, 2]", "1"], &["1..4"]),
        };
        let mut text = format!("switch {} {{", self.expression(sort, deep.min(1)));
        // A constant below an arm of the same constant without a guard is a fault of the compiler.
        let mut settled: Vec<&str> = Vec::new();
        let arms = self.number_below(6);
        // Rhai has no numbers below ranges.
        let first_range = if ranges.is_empty() {
            arms
        } else {
            self.number_below(arms + 1)
        };
        for arm in 0..arms {
            let pool = if arm < first_range { constants } else { ranges };
            let mut labels: Vec<&str> = (0..1 + self.number_below(2))
                .map(|_| pool[self.number_below(pool.len())])
                .collect();
            labels.dedup();
            labels.retain(|label| !settled.contains(label));
            if labels.is_empty() {
                continue;
            }
            let guard = (self.number_below(2) == 1).then(|| self.expression('f', 1));
            if arm < first_range && guard.as_deref().is_none_or(|guard| guard == "true") {
                settled.extend(&labels);
            }
            let guard = guard
                .map(|guard| format!(" if {guard}"))
                .unwrap_or_default();
            text += &format!(" {}{guard} => {},", labels.join(" | "), value(self));
        }
        if self.number_below(4) < 3 {
            text += &format!(" _ => {}", value(self));
        }
        text + " }"
    }

    fn block(&mut self, deep: usize) -> String {
        let name_count = self.names.len();
        let body = (0..self.number_below(4))
            .map(|_| self.statement(deep))
            .collect::<Vec<_>>()
            .join(" ");
        self.names.truncate(name_count);
        format!("{{ {body} }}")
    }

    fn fresh_variable(&mut self, sort: char) -> String {
        self.count += 1;
        let name = format!("{sort}{}", self.count);
        self.names.push((name.clone(), sort));
        name
    }

    /// A name for a new variable: sometimes that of one in scope, which it hides.
    fn new_variable(&mut self, sort: char) -> String {
        match self.variable(sort) {
            Some(name) if self.number_below(8) == 7 => name,
            _ => self.fresh_variable(sort),
        }
    }

    /// A statement that may leave a loop or a turn of it.
    fn exit(&mut self) -> String {
        let exit = self.pick(&[
            "",
            "if § { break; }",
            "if § { continue; }",
            "if § { break 3; }",
        ]);
        exit.replace('§', &self.expression('f', 1))
    }

    /// A loop that ends, with its counter in front.
    fn counted_loop(&mut self, deep: usize) -> String {
        self.count += 1;
        // The body can't set the counter, so the loop ends.
        let turns = format!("turns{}", self.count);
        let (condition, exit, body) = (self.expression('f', 2), self.exit(), self.block(deep - 1));
        let inner = format!("{turns} += 1; {exit} {body}");
        // In Rhai `continue` skips the condition of a `do`.
        let inner_do = format!("{turns} += 1; {} {body}", exit.replace("continue", "break"));
        let text = match self.number_below(5) {
            0 => format!("while {turns} < 4 && {condition} {{ {inner} }}"),
            1 => format!(
                "loop {{ if {turns} > 2 || {condition} {{ break {}; }} {inner} }}",
                self.expression('n', 1)
            ),
            2 => format!("do {{ {inner_do} }} while {turns} < 4 && {condition}"),
            3 => format!("do {{ {inner_do} }} until {turns} > 3 || {condition}"),
            _ => {
                let (iterated, sort) = match self.number_below(5) {
                    0 | 1 => (self.expression('l', 1), 'n'),
                    2 => (
                        format!("{}..{}", self.number_below(3), self.number_below(6)),
                        'n',
                    ),
                    3 => (
                        format!("{}..={}", self.number_below(3), self.number_below(6)),
                        'n',
                    ),
                    // Rhai's letters are no texts, so they are only appended to one.
                    _ => ("\"añb\"".into(), 'q'),
                };
                let name = self.fresh_variable(sort);
                let letter = self
                    .variable('t')
                    .filter(|_| sort == 'q')
                    .map(|text| format!("{text} += {name};"))
                    .unwrap_or_default();
                let names = if self.number_below(2) == 0 {
                    name.clone()
                } else {
                    format!("({name}, i{name})")
                };
                let body = self.block(deep - 1);
                self.names.retain(|(own, _)| *own != name);
                format!("for {names} in {iterated} {{ {exit} {letter} {body} }}")
            }
        };
        let kept = if self.number_below(3) == 0 {
            format!("let {} = ", self.fresh_variable('k'))
        } else {
            String::new()
        };
        format!("let {turns} = 0; {kept}{text};")
    }

    fn statement(&mut self, deep: usize) -> String {
        let kind = ['n', 'l', 'f', 't', 'm'][self.number_below(5)];
        let (list, map, number) = (self.variable('l'), self.variable('m'), self.variable('n'));
        match (
            self.number_below(if deep == 0 { 14 } else { 24 }),
            list,
            map,
            number,
        ) {
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
                format!(
                    "{list}[{}] {} {};",
                    self.expression('n', 1),
                    self.pick(&["=", "+=", "-="]),
                    self.expression('n', 2)
                )
            }
            (6, _, Some(map), _) => match self.number_below(3) {
                0 => format!(
                    "{map}.d = #{{ e: [1, 2] }}; {map}.d.e[{}] += {};",
                    self.pick(&["0", "1", "5"]),
                    self.expression('n', 1)
                ),
                _ => format!(
                    "{map}.{} = {};",
                    self.pick(&["a", "b", "c"]),
                    self.expression('n', 2)
                ),
            },
            (7 | 8, .., Some(number)) => {
                let signs = [
                    "=", "+=", "-=", "*=", "/=", "%=", "**=", "&=", "|=", "^=", "<<=", ">>=",
                ];
                let (sign, by) = (self.pick(&signs), self.expression('n', 2));
                match sign.as_str() {
                    "<<=" | ">>=" => format!("{number} %= 1000; {number} {sign} ({by} % 40);"),
                    _ => format!("{number} {sign} {by};"),
                }
            }
            (9, ..) => {
                let body = self.closure('n', 2);
                format!("let {} = {body};", self.fresh_variable('c'))
            }
            (10, .., Some(number)) => {
                // A closure that changes a captured variable is called alone: Rhai reads a variable that is the first argument after
                // the other arguments.
                format!(
                    "let {} = |p| {{ {number} += p; {number} }};",
                    self.fresh_variable('d')
                )
            }
            (11, ..) if self.number_below(4) == 3 => {
                format!("if {} {{ return; }}", self.expression('f', 2))
            }
            (11, ..) => format!(
                "if {} {{ return {}; }}",
                self.expression('f', 2),
                self.expression(kind, 1)
            ),
            (12, ..) => match (self.number_below(4), self.variable(kind)) {
                (0, _) => self.pick(&[
                    ";",
                    "while false {}",
                    "do {} until true;",
                    "for x in [1] {}",
                    "loop { break; }",
                    "let unused = || {};",
                ]),
                (1, _) => {
                    let value = self.expression('n', 2);
                    format!("const {} = {value};", self.fresh_variable('N'))
                }
                (2, _) => {
                    let value = self.expression('n', 1);
                    format!("let {} = || {value};", self.fresh_variable('z'))
                }
                (_, Some(name)) => {
                    // In a loop a list or text that is added to itself would grow without bound.
                    let cut = match kind {
                        'l' => ".extract(0, 5)",
                        't' => ".sub_string(0, 9)",
                        _ => "",
                    };
                    format!("{name} = ({}){cut};", self.expression(kind, 2))
                }
                (_, None) => format!("{};", self.expression(kind, 2)),
            },
            (13, ..) if self.variable('d').is_some() => {
                let (name, value) = (
                    self.variable('d').unwrap_or_default(),
                    self.expression('n', 1),
                );
                format!("let {} = {name}.call({value});", self.fresh_variable('n'))
            }
            (14 | 15, ..) => match self.number_below(3) {
                0 => format!("if {} {}", self.expression('f', 2), self.block(deep - 1)),
                1 => format!(
                    "if {} {} else {}",
                    self.expression('f', 2),
                    self.block(deep - 1),
                    self.block(deep - 1)
                ),
                _ => {
                    let (first, second) = (self.expression('f', 2), self.expression('f', 2));
                    let [a, b, c] = [(); 3].map(|()| self.block(deep - 1));
                    format!("if {first} {a} else if {second} {b} else {c}")
                }
            },
            (16..=19, ..) => self.counted_loop(deep),
            (20 | 21, ..) => format!("{};", self.switch(2, &mut |made| made.block(deep - 1))),
            (22, ..) => self.block(deep - 1),
            _ => {
                let value = self.expression(kind, 3);
                format!("let {} = {value};", self.new_variable(kind))
            }
        }
    }

    /// The body of a function, with the values of all its variables at its end.
    pub fn function(&mut self) -> String {
        let body = (0..2 + self.number_below(9))
            .map(|_| format!("    {}\n", self.statement(2)))
            .collect::<String>();
        let names: Vec<&str> = self
            .names
            .iter()
            .filter(|(_, sort)| !matches!(sort, 'c' | 'd' | 'z'))
            .map(|(name, _)| name.as_str())
            .collect();
        format!("{body}    [{}]\n", names.join(", "))
    }
}
