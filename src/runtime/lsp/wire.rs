//! Messages on standard input and output. One that cannot be read is passed over: the next one may be good.

use std::{
    io::{self, BufRead, Read as _, Write as _},
    sync::mpsc::{Receiver, Sender},
    thread,
};

use lsp_server::Message;

use super::Event;

/// The largest message, in bytes: an index of a vendor as one file, and room.
const MOST: u64 = 2 << 30;
/// The longest line of a header.
const HEADER: u64 = 4096;

/// What was read.
enum Read {
    Message(Message),
    /// Something that is no message.
    Malformed(String),
    End,
}

/// Sends what comes in until there is no more.
pub fn listen(events: Sender<Event>) -> io::Result<()> {
    thread::Builder::new().name("lsp-input".to_owned()).spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let event = match read(&mut input) {
                Ok(Read::Message(message)) => Event::Message(message),
                Ok(Read::Malformed(why)) => Event::Malformed(why),
                Ok(Read::End) | Err(_) => Event::InputEnded,
            };
            let is_last = matches!(event, Event::InputEnded);
            if events.send(event).is_err() || is_last {
                return;
            }
        }
    })?;
    Ok(())
}

/// Writes what goes out, on a thread of its own: a client that reads slowly keeps nobody waiting.
pub fn tell(messages: Receiver<Message>) -> io::Result<thread::JoinHandle<()>> {
    thread::Builder::new().name("lsp-output".to_owned()).spawn(move || {
        let mut output = io::stdout().lock();
        for message in messages {
            // Who does not listen any more has ended, and so will the input.
            if message.write(&mut output).and_then(|()| output.flush()).is_err() {
                return;
            }
        }
    })
}

fn read(input: &mut impl BufRead) -> io::Result<Read> {
    let mut length = None;
    let mut lines = 0;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(Read::End);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            match length {
                Some(length) => return body(input, length),
                None if lines == 0 => continue,
                None => return Ok(Read::Malformed("a message without Content-Length".to_owned())),
            }
        }
        lines += 1;
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
}

fn body(input: &mut impl BufRead, length: u64) -> io::Result<Read> {
    if length > MOST {
        io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
        return Ok(Read::Malformed(format!("a message of {length} bytes is too large")));
    }
    let mut bytes = Vec::new();
    input.by_ref().take(length).read_to_end(&mut bytes)?;
    if (bytes.len() as u64) < length {
        return Ok(Read::End);
    }
    match serde_json::from_slice(&bytes) {
        Ok(message) => Ok(Read::Message(message)),
        Err(error) => Ok(Read::Malformed(format!("no message: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut input = text.as_bytes();
        let mut out = Vec::new();
        loop {
            match read(&mut input).unwrap() {
                Read::Message(Message::Notification(message)) => out.push(message.method),
                Read::Message(_) => out.push("other".to_owned()),
                Read::Malformed(_) => out.push("malformed".to_owned()),
                Read::End => return out,
            }
        }
    }

    #[test]
    fn what_is_no_message_is_passed_over() {
        let good = "Content-Length: 14\r\n\r\n{\"method\":\"a\"}";
        assert_eq!(all(&format!("{good}{good}")), ["a", "a"]);
        assert_eq!(all(&format!("Content-Length: 3\r\n\r\n{{}}}}{good}")), ["malformed", "a"]);
        assert_eq!(all(&format!("Nothing\r\n\r\n{good}")), ["malformed", "a"]);
        assert_eq!(all(&format!("content-length:14\nX: y\n\n{{\"method\":\"b\"}}{good}")), ["b", "a"]);
        assert_eq!(all("Content-Length: 99999999999999999999\r\n\r\n"), ["malformed"]);
        assert_eq!(all("Content-Length: 50\r\n\r\n{}"), Vec::<String>::new(), "cut off");
    }
}
