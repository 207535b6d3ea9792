//! Tokens to events: the grammar of YAML 1.1, accepting and refusing what go-yaml does, in its words.

use std::borrow::Cow;

use super::input::{At, Fault, Input};
use super::scan::{Kind, Scanned, Scanner, Token};

#[derive(Clone, Debug)]
pub(super) enum Event<'a> {
    DocumentStart { explicit: bool },
    DocumentEnd,
    StreamEnd,
    Scalar { text: Cow<'a, str>, plain: bool, anchor: Option<&'a str>, tag: Option<String> },
    SequenceStart { anchor: Option<&'a str> },
    SequenceEnd,
    MappingStart { anchor: Option<&'a str> },
    MappingEnd,
    Alias(&'a str),
}

/// An event and the source it stands for.
pub(super) type Placed<'a> = (Event<'a>, At, At);

/// What the parser expects next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    ImplicitDocumentStart,
    DocumentStart,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequence { first: bool },
    IndentlessSequence,
    BlockMappingKey { first: bool },
    BlockMappingValue,
    FlowSequence { first: bool },
    FlowPairKey,
    FlowPairValue,
    FlowPairEnd,
    FlowMappingKey { first: bool },
    FlowMappingValue { empty: bool },
    End,
}

/// Where a node stands.
#[derive(Clone, Copy, PartialEq)]
enum Around {
    Block,
    /// A block in which a sequence need not be indented.
    BlockOrIndentless,
    Flow,
}

pub(super) struct Parser<'a> {
    scanner: Scanner<'a>,
    state: State,
    states: Vec<State>,
    /// Where the open collections begin.
    begun: Vec<At>,
    tag_prefixes: Vec<(Cow<'a, str>, String)>,
    /// Where this parser started.
    from: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(input: Input<'a>) -> Self {
        Parser {
            from: input.at.byte,
            scanner: Scanner::new(input),
            state: State::ImplicitDocumentStart,
            states: Vec::new(),
            begun: Vec::new(),
            tag_prefixes: Vec::new(),
        }
    }

    /// Goes on at the next document after a place, when there is one.
    pub(super) fn resume(&mut self, after: At) -> bool {
        let mut input = self.scanner.input.clone();
        let rest = input.text.get(after.byte..).unwrap_or_default();
        let mut at = after;
        for line in rest.split_inclusive('\n') {
            let marked =
                line.strip_prefix("---").is_some_and(|it| it.trim_start() != it || it.is_empty());
            if at.column == 0 && at.byte > self.from && marked {
                input.restart(at);
                *self = Parser::new(input);
                return true;
            }
            at.byte += line.len();
            at.index += line.chars().count();
            at.line += 1;
            at.column = 0;
        }
        self.state = State::End;
        false
    }

    pub(super) fn next(&mut self) -> Scanned<Placed<'a>> {
        match self.state {
            State::ImplicitDocumentStart => self.document_start(true),
            State::DocumentStart => self.document_start(false),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(Around::Block),
            State::BlockSequence { first } => self.block_sequence(first),
            State::IndentlessSequence => self.indentless_sequence(),
            State::BlockMappingKey { first } => self.block_mapping_key(first),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequence { first } => self.flow_sequence(first),
            State::FlowPairKey => self.flow_pair_key(),
            State::FlowPairValue => self.flow_pair_value(),
            State::FlowPairEnd => {
                let at = self.peek()?.1;
                self.state = State::FlowSequence { first: false };
                Ok((Event::MappingEnd, at, at))
            }
            State::FlowMappingKey { first } => self.flow_mapping_key(first),
            State::FlowMappingValue { empty } => self.flow_mapping_value(empty),
            State::End => {
                let at = self.scanner.input.at;
                Ok((Event::StreamEnd, at, at))
            }
        }
    }

    /// What the next token is and where it stands.
    fn peek(&mut self) -> Scanned<(Sort, At, At)> {
        let token = self.scanner.peek()?;
        Ok((Sort::of(&token.kind), token.start, token.end))
    }

    fn take(&mut self) -> Option<Token<'a>> {
        self.scanner.take()
    }

    fn pop_state(&mut self) {
        self.state = self.states.pop().unwrap_or(State::End);
    }

    /// Parses a node after which the parser is in `then`.
    fn node_then(&mut self, then: State, around: Around) -> Scanned<Placed<'a>> {
        self.states.push(then);
        self.node(around)
    }

    /// A node that is not written.
    fn empty_then(&mut self, then: State, at: At) -> Scanned<Placed<'a>> {
        self.state = then;
        let text = Cow::Borrowed("");
        Ok((Event::Scalar { text, plain: true, anchor: None, tag: None }, at, at))
    }

    fn begin(&mut self, first: bool) {
        if first && let Some(token) = self.take() {
            self.begun.push(token.start);
        }
    }

    fn unexpected(&mut self, problem: &'static str, at: At) -> Fault {
        let began = self.begun.pop().unwrap_or_default();
        fault(began, problem, at)
    }

    fn document_start(&mut self, implicit: bool) -> Scanned<Placed<'a>> {
        let (mut sort, start, _) = self.peek()?;
        while !implicit && sort == Sort::DocumentEnd {
            self.take();
            sort = self.peek()?.0;
        }
        let directive = matches!(sort, Sort::Directive | Sort::DocumentStart);
        if implicit && !directive && sort != Sort::StreamEnd {
            self.directives()?;
            self.states.push(State::DocumentEnd);
            self.state = State::BlockNode;
            return Ok((Event::DocumentStart { explicit: false }, start, start));
        }
        if sort == Sort::StreamEnd {
            self.state = State::End;
            return Ok((Event::StreamEnd, start, start));
        }
        self.directives()?;
        let (sort, start, end) = self.peek()?;
        if sort != Sort::DocumentStart {
            return Err(fault(At::default(), "did not find expected <document start>", start));
        }
        self.take();
        self.states.push(State::DocumentEnd);
        self.state = State::DocumentContent;
        Ok((Event::DocumentStart { explicit: true }, start, end))
    }

    fn document_content(&mut self) -> Scanned<Placed<'a>> {
        let (sort, start, _) = self.peek()?;
        let ends = [Sort::Directive, Sort::DocumentStart, Sort::DocumentEnd, Sort::StreamEnd];
        if ends.contains(&sort) {
            let then = self.states.pop().unwrap_or(State::End);
            return self.empty_then(then, start);
        }
        self.node(Around::Block)
    }

    fn document_end(&mut self) -> Scanned<Placed<'a>> {
        let (sort, start, end) = self.peek()?;
        self.tag_prefixes.clear();
        self.state = State::DocumentStart;
        if sort == Sort::DocumentEnd {
            self.take();
            return Ok((Event::DocumentEnd, start, end));
        }
        Ok((Event::DocumentEnd, start, start))
    }

    fn directives(&mut self) -> Scanned<()> {
        let mut versioned = false;
        while self.peek()?.0 == Sort::Directive {
            let Some(token) = self.take() else { break };
            let refuse = |problem| Err(fault(At::default(), problem, token.start));
            match token.kind {
                Kind::Version(..) if versioned => {
                    return refuse("found duplicate %YAML directive");
                }
                Kind::Version(1, 1) => versioned = true,
                Kind::Version(..) => return refuse("found incompatible YAML document"),
                Kind::TagDirective { handle, prefix } => {
                    if self.tag_prefixes.iter().any(|it| it.0 == handle) {
                        return refuse("found duplicate %TAG directive");
                    }
                    self.tag_prefixes.push((handle.into(), prefix));
                }
                _ => {}
            }
        }
        for (handle, prefix) in [("!", "!"), ("!!", "tag:yaml.org,2002:")] {
            if !self.tag_prefixes.iter().any(|it| it.0 == handle) {
                self.tag_prefixes.push((handle.into(), prefix.to_owned()));
            }
        }
        Ok(())
    }

    fn node(&mut self, around: Around) -> Scanned<Placed<'a>> {
        let (mut sort, start, mut end) = self.peek()?;
        if sort == Sort::Alias {
            self.pop_state();
            let name = match self.take().map(|it| it.kind) {
                Some(Kind::Alias(name)) => name,
                _ => "",
            };
            return Ok((Event::Alias(name), start, end));
        }
        let (mut anchor, mut tag, mut tagged_at) = (None, None, start);
        while matches!(sort, Sort::Anchor if anchor.is_none())
            || matches!(sort, Sort::Tag if tag.is_none())
        {
            if let Some(token) = self.take() {
                end = token.end;
                match token.kind {
                    Kind::Anchor(name) => anchor = Some(name),
                    Kind::Tag { handle, suffix } => {
                        tagged_at = token.start;
                        tag = Some((handle, suffix));
                    }
                    _ => {}
                }
            }
            sort = self.peek()?.0;
        }
        let tag = match tag {
            None => None,
            Some((handle, suffix)) => {
                let whole = self.whole_tag(handle, suffix);
                let undefined = || fault(start, "found undefined tag handle", tagged_at);
                Some(whole.ok_or_else(undefined)?)
            }
        };
        self.content(around, sort, start, end, anchor, tag)
    }

    fn whole_tag(&self, handle: &str, suffix: String) -> Option<String> {
        if handle.is_empty() {
            return Some(suffix);
        }
        let (_, prefix) = self.tag_prefixes.iter().find(|it| it.0 == handle)?;
        Some(format!("{prefix}{suffix}")).filter(|it| !it.is_empty())
    }

    /// What comes after anchor and tag.
    fn content(
        &mut self,
        around: Around,
        sort: Sort,
        start: At,
        end: At,
        anchor: Option<&'a str>,
        tag: Option<String>,
    ) -> Scanned<Placed<'a>> {
        let block = around != Around::Flow;
        let sequence = Event::SequenceStart { anchor };
        let mapping = Event::MappingStart { anchor };
        let (event, state) = match sort {
            Sort::BlockEntry if around == Around::BlockOrIndentless => {
                (sequence, State::IndentlessSequence)
            }
            Sort::FlowSequenceStart => (sequence, State::FlowSequence { first: true }),
            Sort::FlowMappingStart => (mapping, State::FlowMappingKey { first: true }),
            Sort::BlockSequenceStart if block => (sequence, State::BlockSequence { first: true }),
            Sort::BlockMappingStart if block => (mapping, State::BlockMappingKey { first: true }),
            Sort::Scalar => {
                self.pop_state();
                let Some(Token { kind: Kind::Scalar { text, plain }, end, .. }) = self.take()
                else {
                    return Err(fault(start, "did not find expected node content", start));
                };
                return Ok((Event::Scalar { text, plain, anchor, tag }, start, end));
            }
            _ if anchor.is_some() || tag.is_some() => {
                self.pop_state();
                let text = Cow::Borrowed("");
                return Ok((Event::Scalar { text, plain: true, anchor, tag }, start, end));
            }
            _ => {
                let at = self.peek()?.1;
                return Err(fault(start, "did not find expected node content", at));
            }
        };
        self.state = state;
        let end = self.peek()?.2;
        Ok((event, start, end))
    }

    fn block_sequence(&mut self, first: bool) -> Scanned<Placed<'a>> {
        self.begin(first);
        let (sort, start, end) = self.peek()?;
        match sort {
            Sort::BlockEntry => {
                self.take();
                let then = State::BlockSequence { first: false };
                match self.peek()?.0 {
                    Sort::BlockEntry | Sort::BlockEnd => self.empty_then(then, end),
                    _ => self.node_then(then, Around::Block),
                }
            }
            Sort::BlockEnd => Ok(self.end_of(Event::SequenceEnd, start, end)),
            _ => Err(self.unexpected("did not find expected '-' indicator", start)),
        }
    }

    /// Takes the token that closes a collection.
    fn end_of(&mut self, event: Event<'a>, start: At, end: At) -> Placed<'a> {
        self.pop_state();
        self.begun.pop();
        self.take();
        (event, start, end)
    }

    fn indentless_sequence(&mut self) -> Scanned<Placed<'a>> {
        let (sort, start, end) = self.peek()?;
        if sort != Sort::BlockEntry {
            self.pop_state();
            return Ok((Event::SequenceEnd, start, start));
        }
        self.take();
        let then = State::IndentlessSequence;
        match self.peek()?.0 {
            Sort::BlockEntry | Sort::Key | Sort::Value | Sort::BlockEnd => {
                self.empty_then(then, end)
            }
            _ => self.node_then(then, Around::Block),
        }
    }

    fn block_mapping_key(&mut self, first: bool) -> Scanned<Placed<'a>> {
        self.begin(first);
        let (sort, start, end) = self.peek()?;
        match sort {
            Sort::Key => {
                self.take();
                let then = State::BlockMappingValue;
                match self.peek()?.0 {
                    Sort::Key | Sort::Value | Sort::BlockEnd => self.empty_then(then, end),
                    _ => self.node_then(then, Around::BlockOrIndentless),
                }
            }
            Sort::BlockEnd => Ok(self.end_of(Event::MappingEnd, start, end)),
            _ => Err(self.unexpected("did not find expected key", start)),
        }
    }

    fn block_mapping_value(&mut self) -> Scanned<Placed<'a>> {
        let (sort, start, end) = self.peek()?;
        let then = State::BlockMappingKey { first: false };
        if sort != Sort::Value {
            return self.empty_then(then, start);
        }
        self.take();
        match self.peek()?.0 {
            Sort::Key | Sort::Value | Sort::BlockEnd => self.empty_then(then, end),
            _ => self.node_then(then, Around::BlockOrIndentless),
        }
    }

    /// Whether an entry follows; the comma between two is passed.
    fn has_entry(&mut self, first: bool, close: Sort, problem: &'static str) -> Scanned<bool> {
        self.begin(first);
        let (sort, start, _) = self.peek()?;
        if sort == close {
            return Ok(false);
        }
        if !first {
            if sort != Sort::FlowEntry {
                return Err(self.unexpected(problem, start));
            }
            self.take();
        }
        Ok(self.peek()?.0 != close)
    }

    fn flow_sequence(&mut self, first: bool) -> Scanned<Placed<'a>> {
        let problem = "did not find expected ',' or ']'";
        let more = self.has_entry(first, Sort::FlowSequenceEnd, problem)?;
        let (sort, start, end) = self.peek()?;
        if !more {
            return Ok(self.end_of(Event::SequenceEnd, start, end));
        }
        if sort == Sort::Key {
            self.take();
            self.state = State::FlowPairKey;
            return Ok((Event::MappingStart { anchor: None }, start, end));
        }
        self.node_then(State::FlowSequence { first: false }, Around::Flow)
    }

    fn flow_pair_key(&mut self) -> Scanned<Placed<'a>> {
        let (sort, _, end) = self.peek()?;
        if matches!(sort, Sort::Value | Sort::FlowEntry | Sort::FlowSequenceEnd) {
            self.take();
            return self.empty_then(State::FlowPairValue, end);
        }
        self.node_then(State::FlowPairValue, Around::Flow)
    }

    fn flow_pair_value(&mut self) -> Scanned<Placed<'a>> {
        let (sort, start, _) = self.peek()?;
        if sort == Sort::Value {
            self.take();
            let next = self.peek()?.0;
            if !matches!(next, Sort::FlowEntry | Sort::FlowSequenceEnd) {
                return self.node_then(State::FlowPairEnd, Around::Flow);
            }
        }
        self.empty_then(State::FlowPairEnd, start)
    }

    fn flow_mapping_key(&mut self, first: bool) -> Scanned<Placed<'a>> {
        let problem = "did not find expected ',' or '}'";
        let more = self.has_entry(first, Sort::FlowMappingEnd, problem)?;
        let (sort, start, end) = self.peek()?;
        if !more {
            return Ok(self.end_of(Event::MappingEnd, start, end));
        }
        if sort != Sort::Key {
            return self.node_then(State::FlowMappingValue { empty: true }, Around::Flow);
        }
        self.take();
        let then = State::FlowMappingValue { empty: false };
        let (next, start, _) = self.peek()?;
        match next {
            Sort::Value | Sort::FlowEntry | Sort::FlowMappingEnd => self.empty_then(then, start),
            _ => self.node_then(then, Around::Flow),
        }
    }

    fn flow_mapping_value(&mut self, empty: bool) -> Scanned<Placed<'a>> {
        let (mut sort, mut start, _) = self.peek()?;
        let then = State::FlowMappingKey { first: false };
        if !empty && sort == Sort::Value {
            self.take();
            (sort, start, _) = self.peek()?;
            if !matches!(sort, Sort::FlowEntry | Sort::FlowMappingEnd) {
                return self.node_then(then, Around::Flow);
            }
        }
        self.empty_then(then, start)
    }
}

/// An error of the parser: it counts lines from 0 and names none for 0.
fn fault(began: At, problem: &'static str, at: At) -> Fault {
    let line = [at.line, began.line].into_iter().find(|line| *line != 0);
    Fault { problem: problem.into(), line, at }
}

/// A token without what it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Sort {
    StreamEnd,
    Directive,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias,
    Anchor,
    Tag,
    Scalar,
}

impl Sort {
    fn of(kind: &Kind<'_>) -> Sort {
        match kind {
            Kind::StreamEnd => Sort::StreamEnd,
            Kind::Version(..) | Kind::TagDirective { .. } => Sort::Directive,
            Kind::DocumentStart => Sort::DocumentStart,
            Kind::DocumentEnd => Sort::DocumentEnd,
            Kind::BlockSequenceStart => Sort::BlockSequenceStart,
            Kind::BlockMappingStart => Sort::BlockMappingStart,
            Kind::BlockEnd => Sort::BlockEnd,
            Kind::FlowSequenceStart => Sort::FlowSequenceStart,
            Kind::FlowSequenceEnd => Sort::FlowSequenceEnd,
            Kind::FlowMappingStart => Sort::FlowMappingStart,
            Kind::FlowMappingEnd => Sort::FlowMappingEnd,
            Kind::BlockEntry => Sort::BlockEntry,
            Kind::FlowEntry => Sort::FlowEntry,
            Kind::Key => Sort::Key,
            Kind::Value => Sort::Value,
            Kind::Alias(_) => Sort::Alias,
            Kind::Anchor(_) => Sort::Anchor,
            Kind::Tag { .. } => Sort::Tag,
            Kind::Scalar { .. } => Sort::Scalar,
        }
    }
}
