//! Messages on standard input and output. A malformed message is reported and skipped, because the next
//! message may be valid.
//!
//! A wrong `Content-Length` shifts the boundaries of messages. The reader recovers at the next header, at any
//! position. A line that ends with `Content-Length: N` cannot be part of a valid message, because strings in
//! JSON do not contain line breaks.

use std::io::{self, BufRead, Read as _, Write as _};
use std::sync::mpsc::{Receiver, Sender};
use std::thread;

use lsp_server::Message;

use super::ServerEvent;

/// Maximum length of a message in bytes: the index of a vendor as a single file, with reserve.
const MAX_LENGTH: u64 = 2 << 30;

/// Maximum length of a line outside of messages in bytes. A longer line is read in pieces.
const MAX_LINE: u64 = 4096;

/// Number of bytes kept to detect a header; longer than any header.
const TAIL_BYTES: usize = 128;

/// Name of the header with the length of a message.
const CONTENT_LENGTH: &[u8] = b"content-length";

/// Item of the input.
#[derive(Debug)]
pub(super) enum InputItem {
    /// Valid message.
    Message(Message),
    /// Malformed bytes, with the reason.
    Malformed(String),
    /// End of the input.
    End,
}

/// Forwards messages from standard input until it ends.
pub fn start_reader(events: Sender<ServerEvent>) -> io::Result<()> {
    thread::Builder::new().name("lsp-input".to_owned()).spawn(move || {
        let mut input = MessageReader::new(io::stdin().lock());
        loop {
            let event = match input.next_item() {
                Ok(InputItem::Message(message)) => ServerEvent::Message(message),
                Ok(InputItem::Malformed(why)) => ServerEvent::Malformed(why),
                Ok(InputItem::End) | Err(_) => ServerEvent::InputEnded,
            };
            let is_last = matches!(event, ServerEvent::InputEnded);
            if events.send(event).is_err() || is_last {
                return;
            }
        }
    })?;
    Ok(())
}

/// Writes messages on a separate thread, so that a slow client does not block the server.
pub fn start_writer(messages: Receiver<Message>) -> io::Result<thread::JoinHandle<()>> {
    thread::Builder::new().name("lsp-output".to_owned()).spawn(move || {
        let mut output = io::stdout().lock();
        for message in messages {
            // If the client does not read any more, its input ends too.
            if message.write(&mut output).and_then(|()| output.flush()).is_err() {
                return;
            }
        }
    })
}

/// Reader that recovers from wrong framing.
pub(super) struct MessageReader<R> {
    input: R,
    /// Length in the current header.
    length: Option<u64>,
    /// True if the current header has lines.
    has_lines: bool,
    /// True between a reported malformed message and the next header.
    is_lost: bool,
    /// Bytes before the next line that may begin a header.
    before: Vec<u8>,
    /// True if the next line continues a line that is too long.
    is_within_line: bool,
}

impl<R: BufRead> MessageReader<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            length: None,
            has_lines: false,
            is_lost: false,
            before: Vec::new(),
            is_within_line: false,
        }
    }

    /// Reads up to the end of a message, or of malformed input.
    pub(super) fn next_item(&mut self) -> io::Result<InputItem> {
        loop {
            let mut line = Vec::new();
            if self.input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
                return Ok(InputItem::End);
            }
            let mut text = std::mem::take(&mut self.before);
            let start = text.len();
            text.extend_from_slice(&line);
            let is_fresh = !std::mem::replace(&mut self.is_within_line, !line.ends_with(b"\n"));
            if self.is_within_line {
                self.has_lines = true;
                self.keep_tail(&text);
            } else if let Some(header) = LengthHeader::at_end(&text)
                && (self.is_lost || !header.is_of_longer_name(&text))
            {
                if let Some(why) = self.begin_message(header, is_fresh && header.start == start) {
                    return Ok(InputItem::Malformed(why));
                }
            } else if is_fresh && line.trim_ascii().is_empty() {
                if let Some(length) = self.length.take() {
                    self.has_lines = false;
                    return self.read_body(length);
                }
                if std::mem::take(&mut self.has_lines) && !std::mem::replace(&mut self.is_lost, true) {
                    return Ok(InputItem::Malformed("a message without Content-Length".to_owned()));
                }
            } else {
                self.has_lines = true;
                if is_fresh && is_content_length(&line) {
                    self.length = None;
                    if !std::mem::replace(&mut self.is_lost, true) {
                        let value =
                            String::from_utf8_lossy(line.get(CONTENT_LENGTH.len()..).unwrap_or(&line));
                        let value = value.trim_start_matches([' ', '\t', ':']).trim();
                        let value: String = value.chars().take(40).collect();
                        return Ok(InputItem::Malformed(format!("Content-Length is not a number: {value}")));
                    }
                }
            }
        }
    }

    /// Starts a message with the length of a header, and returns the error before or in it. `is_own_line` is
    /// true if the line contains nothing else.
    fn begin_message(&mut self, header: LengthHeader, is_own_line: bool) -> Option<String> {
        let was_lost = std::mem::take(&mut self.is_lost);
        let previous = std::mem::replace(&mut self.length, header.length);
        self.has_lines = true;
        match header.length {
            None => {
                self.is_lost = true;
                Some(format!("Content-Length is larger than {MAX_LENGTH} bytes"))
            }
            Some(_) if was_lost => None,
            Some(_) if !is_own_line => {
                Some("something that is not a header before Content-Length".to_owned())
            }
            Some(length) => previous
                .filter(|previous| *previous != length)
                .map(|previous| format!("two lengths of a message, {previous} and {length}")),
        }
    }

    /// Reads the body of a message. A header within it begins the next message.
    fn read_body(&mut self, length: u64) -> io::Result<InputItem> {
        let mut body = Vec::new();
        loop {
            let left = length.saturating_sub(body.len() as u64);
            if left == 0 {
                break;
            }
            if self.input.by_ref().take(left).read_until(b'\n', &mut body)? == 0 {
                return Ok(InputItem::End);
            }
            let kept = body.len().saturating_sub(TAIL_BYTES);
            if let Some(header) = body.get(kept..).and_then(LengthHeader::at_end) {
                let why = format!("a message of less than {length} bytes, which its Content-Length says");
                let more = self.begin_message(header, true);
                return Ok(InputItem::Malformed(more.map_or(why.clone(), |more| format!("{why}; {more}"))));
            }
        }
        match serde_json::from_slice(&body) {
            Ok(message) => {
                self.is_lost = false;
                Ok(InputItem::Message(message))
            }
            Err(error) => {
                self.is_lost = true;
                self.keep_tail(&body);
                Ok(InputItem::Malformed(format!("no message: {error}")))
            }
        }
    }

    /// Keeps the end of some bytes in case a header begins in it.
    fn keep_tail(&mut self, bytes: &[u8]) {
        self.before = bytes.get(bytes.len().saturating_sub(TAIL_BYTES)..).unwrap_or_default().to_vec();
    }
}

/// `Content-Length: N` at the end of a line, after any text.
#[derive(Clone, Copy, Debug)]
struct LengthHeader {
    /// Position of the first byte.
    start: usize,
    /// Parsed length; `None` if it is too large.
    length: Option<u64>,
}

impl LengthHeader {
    /// Finds a header that ends with the last byte, a line break.
    fn at_end(bytes: &[u8]) -> Option<Self> {
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
        let line = bytes.strip_suffix(b"\n")?;
        let line = trim_end(line.strip_suffix(b"\r").unwrap_or(line), is_blank);
        let name = trim_end(line, u8::is_ascii_digit);
        let digits = line.get(name.len()..).filter(|digits| !digits.is_empty())?;
        let name = trim_end(trim_end(name, is_blank).strip_suffix(b":")?, is_blank);
        let start = name.len().checked_sub(CONTENT_LENGTH.len())?;
        let is_it = name.get(start..)?.eq_ignore_ascii_case(CONTENT_LENGTH);
        let length = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
        is_it.then_some(Self { start, length: length.filter(|length| *length <= MAX_LENGTH) })
    }

    /// Returns true if the header is the end of a longer name, as in `X-Content-Length`.
    fn is_of_longer_name(self, bytes: &[u8]) -> bool {
        self.start.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'-')
    }
}

fn trim_end(bytes: &[u8], goes: impl Fn(&u8) -> bool) -> &[u8] {
    let end = bytes.iter().rposition(|byte| !goes(byte)).map_or(0, |last| last + 1);
    bytes.get(..end).unwrap_or_default()
}

fn is_content_length(line: &[u8]) -> bool {
    line.split_at_checked(CONTENT_LENGTH.len()).is_some_and(|(name, value)| {
        name.eq_ignore_ascii_case(CONTENT_LENGTH) && value.trim_ascii_start().starts_with(b":")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the methods of messages, and `malformed` for each malformed item.
    fn read_all(text: &str) -> Vec<String> {
        // The result must not depend on how the bytes are split.
        let mut whole = MessageReader::new(text.as_bytes());
        let mut pieces = MessageReader::new(io::BufReader::with_capacity(7, text.as_bytes()));
        let (whole, pieces) = (read_items(&mut whole), read_items(&mut pieces));
        assert_eq!(whole, pieces);
        whole
    }

    fn read_items(reader: &mut MessageReader<impl BufRead>) -> Vec<String> {
        let mut out = Vec::new();
        loop {
            match reader.next_item().unwrap() {
                InputItem::Message(Message::Notification(message)) => out.push(message.method),
                InputItem::Message(_) => out.push("other".to_owned()),
                InputItem::Malformed(_) => out.push("malformed".to_owned()),
                InputItem::End => return out,
            }
        }
    }

    fn frame_message(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn messages_with_unusual_headers_are_read() {
        let good = frame_message("{\"method\":\"a\"}");
        assert_eq!(read_all(&format!("{good}{good}")), ["a", "a"]);
        assert_eq!(read_all(&format!("content-length:14\nX: y\n\n{{\"method\":\"b\"}}{good}")), ["b", "a"]);
        assert_eq!(read_all(&format!("Content-Type: x\r\n{good}{good}")), ["a", "a"]);
        assert_eq!(read_all(&format!("X-Content-Length: 3\r\n{good}{good}")), ["a", "a"]);
        assert_eq!(read_all(&format!("Content-Length: 14\r\n{good}")), ["a"], "the same length twice");
        let pretty = frame_message("{\n\n  \"method\":\r\n  \"c\"\n}\n");
        assert_eq!(read_all(&format!("{pretty}{good}")), ["c", "a"]);
        assert_eq!(read_all("Content-Length: 50\r\n\r\n{}"), Vec::<String>::new(), "cut off");
    }

    #[test]
    fn text_that_looks_like_a_header_stays_part_of_its_message() {
        let good = frame_message("{\"method\":\"a\"}");
        let typed = frame_message(r#"{"method":"b","params":"Content-Length: 5\r\n\r\n Content-Length: 7"}"#);
        assert_eq!(read_all(&format!("{typed}{good}")), ["b", "a"]);
    }

    #[test]
    fn messages_after_a_wrong_content_length_are_read() {
        let body = "{\"jsonrpc\":\"2.0\",\"method\":\"lost\"}";
        let length = body.len();
        let good = frame_message("{\"method\":\"a\"}") + &frame_message("{\"method\":\"b\"}");
        let mut wrong: Vec<String> = [
            "abc",
            "",
            "-5",
            "+33x",
            "1.5",
            "0x10",
            "99999999999999999999",
            "4611686018427387904",
            "33 bytes",
        ]
        .map(|value| format!("Content-Length: {value}\r\n\r\n{body}"))
        .to_vec();
        // Lengths that are too small, too large by part of the next header, by all of it, and by far.
        let lengths = (0..length).chain(length + 1..length + 80).chain([length + 1000, 1 << 30]);
        wrong.extend(lengths.map(|length| format!("Content-Length: {length}\r\n\r\n{body}")));
        wrong.extend([
            format!("Content-Length: 3\r\nContent-Length: 2\r\n\r\n{body}"),
            format!("Content-Length: 2\r\nContent-Length: 3\r\n\r\n{body}"),
            format!("Content-Length: 9\r\nContent-Length: abc\r\n\r\n{body}"),
            format!("Content-Length: abc\r\nContent-Length: 9\r\n\r\n{body}"),
            format!("Content-Length {length}\r\n\r\n{body}"),
            format!("X: y\r\n\r\n{body}"),
            "X: y\r\n\r\n".to_owned(),
            "Nothing\r\n\r\n".to_owned(),
            body.to_owned(),
            format!("Content-Length: abc\r\n\r\n{}", "x".repeat(100_000)),
            format!("X: {}\r\n\r\n", "y".repeat(100_000)),
            "\u{0}\u{1}".to_owned(),
            "Content-Length: abc\r\n".to_owned(),
            "Content-Length: 3\r\n".to_owned(),
            "Content-Le".to_owned(),
            frame_message("{]"),
            frame_message(""),
        ]);
        for wrong in wrong {
            let read = read_all(&format!("{wrong}{good}"));
            let (last, first) = read.split_last_chunk::<2>().map(|(first, last)| (last, first)).unwrap();
            assert_eq!(last, &["a", "b"], "{wrong:.60}: {read:?}");
            assert!(!first.is_empty() && first.len() <= 2, "{wrong:.60}: {read:?}");
            assert!(first.iter().all(|item| item == "malformed"), "{wrong:.60}: {read:?}");
        }
    }

    #[test]
    fn message_that_arrives_after_a_length_that_is_far_too_large_is_read_at_once() {
        let wrong = "Content-Length: 1000000\r\n\r\n{\"method\":\"lost\"}";
        let good = frame_message("{\"method\":\"a\"}");
        let text = format!("{wrong}{good}");
        // No more input arrives, and the end of the input is not needed.
        let mut reader = MessageReader::new(text.as_bytes());
        assert!(matches!(reader.next_item().unwrap(), InputItem::Malformed(_)));
        assert!(matches!(reader.next_item().unwrap(), InputItem::Message(_)));
    }
}
